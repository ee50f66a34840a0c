import { formatFileSize, parseExportName, respond, type ToolReply, withExportFile } from '@dbmole/core';
import type { ClusterCall } from '../call/cluster-call.ts';
import { readAllRows } from '../query/read-all-rows.ts';
import type { AskedQuery } from '../query/row-reader.ts';
import type { Exporting } from './export-reply.ts';
import { brokenFailure } from './read-all-hits.ts';
import { createRowFileWriter, type RowFileWriter } from './row-writer.ts';

/** Writes the rows of a query text; the answer begins with what is missing, if there is anything. */
export async function exportRows(
  call: ClusterCall,
  { file: name, ...query }: AskedQuery & { file: string },
  { place, progress }: Exporting,
): Promise<ToolReply> {
  const format = parseExportName(name, undefined);
  const { path, bytes, ...written } = await withExportFile(place, name, async (file) => {
    const notes = new Set<string>();
    let writer: RowFileWriter | undefined;
    let [count, columns, total, missing]: [number, number, number?, string?] = [0, 0];
    for await (const page of readAllRows(call, query)) {
      if (page.problem !== undefined) throw brokenFailure(page.problem.replace(/\.$/, ''), 'rows');
      if (writer === undefined) {
        columns = page.table.columns.length;
        writer = createRowFileWriter(format, page.table.columns);
        file.write(writer.header);
      }
      for (const row of page.table.list) file.write(writer.line(row));
      count += page.table.list.length;
      ({ total, missing } = page);
      for (const note of call.news(page.answer)) notes.add(note);
      progress(count, total, `${count} rows`);
      call.signal.throwIfAborted();
    }
    return { count, columns, total, missing, redacted: writer?.redacted ?? 0, notes: [...notes] };
  });
  const { count, columns, total, missing, redacted, notes } = written;
  const rows = count === 1 ? '1 row' : `${count} rows`;
  const shape = columns === 1 ? '1 column' : `${columns} columns`;
  const differs = missing === undefined && total !== undefined && total !== count ? [`The cluster had counted ${total}.`] : [];
  const secrets = redacted === 0 ? [] : [`Values without secrets of this server: ${redacted}.`];
  const what = `Exported ${rows} of ${shape} to ${path}, ${formatFileSize(bytes)}.`;
  return respond.text([missing ?? [], what, ...differs, ...secrets, ...notes].flat().join(' '));
}
