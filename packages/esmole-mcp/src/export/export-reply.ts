import {
  type ExportFile,
  type ExportPlace,
  formatFileSize,
  parseExportName,
  respond,
  type ToolReply,
  withExportFile,
} from '@dbmole/core';
import type { ClusterCall } from '../call/cluster-call.ts';
import { quoteRemoteName } from '../call/quote-remote-text.ts';
import { searchBody } from '../search/search-body.ts';
import type { HitExportArgs } from '../tools/export.ts';
import { findColumns } from './export-columns.ts';
import { createHitWriter, type HitWriter } from './hit-writer.ts';
import { readAllHits } from './read-all-hits.ts';

export interface Exporting {
  place: ExportPlace;
  progress(done: number, total?: number, message?: string): void;
}

interface Written {
  writer: HitWriter;
  columns: number | undefined;
  count: number;
  total: number | undefined;
  notes: string[];
}

export async function exportHits(call: ClusterCall, args: HitExportArgs, { place, progress }: Exporting): Promise<ToolReply> {
  const format = parseExportName(args.file, undefined);
  const { path, bytes, ...written } = await withExportFile(place, args.file, async (file) => {
    const columns = format === 'csv' ? await findColumns(call, args.index, listNames(args)) : [];
    const writer = createHitWriter(format, columns);
    file.write(writer.header);
    return {
      ...(await writeHits(call, args, { file, writer, progress })),
      columns: format === 'csv' ? columns.length : undefined,
    };
  });
  return respond.text(formatSummary(written, `${path}, ${formatFileSize(bytes)}`));
}

function listNames({ source = [], fields = [] }: HitExportArgs): string[] {
  return [
    ...source,
    ...fields.flatMap((one) => (typeof one === 'string' ? [one] : typeof one.field === 'string' ? [one.field] : [])),
  ];
}

interface Writing {
  file: ExportFile;
  writer: HitWriter;
  progress: Exporting['progress'];
}

async function writeHits(
  call: ClusterCall,
  args: HitExportArgs,
  { file, writer, progress }: Writing,
): Promise<Omit<Written, 'columns'>> {
  const { index, query, q, source, fields, sort } = args;
  const { size: _size, ...body } = searchBody({
    ...{ index, query, q, source, fields, sort, body: undefined },
    ...{ size: 0, from: 0, agg_offset: 0, cell_limit: 1, cell_offset: 0 },
  });
  const notes = new Set<string>();
  let [count, total]: [number, number | undefined] = [0, undefined];
  for await (const page of readAllHits(call, { index, body })) {
    for (const hit of page.hits) file.write(writer.line(hit));
    count += page.hits.length;
    total = page.total;
    for (const note of call.news(page.answer)) notes.add(note);
    progress(count, total, `${count} documents`);
    call.signal.throwIfAborted();
  }
  return { writer, count, total, notes: [...notes] };
}

function formatSummary({ writer, columns, count, total, notes }: Written, where: string): string {
  const documents = count === 1 ? '1 document' : `${count} documents`;
  const shape = columns === undefined ? '' : ` of ${columns + 2} columns`;
  const differs = total !== undefined && total !== count ? [`The cluster had counted ${total}.`] : [];
  const lost = [...writer.lost].slice(0, maxNames).map(quoteRemoteName);
  const rest = writer.lost.size > maxNames ? ', …' : '';
  const left = lost.length === 0 ? [] : [`Values without a column were left out: ${lost.join(', ')}${rest}; .jsonl has all.`];
  const secrets = writer.redacted === 0 ? [] : [`Values without secrets of this server: ${writer.redacted}.`];
  return [`Exported ${documents}${shape} to ${where}.`, ...differs, ...left, ...secrets, ...notes].join(' ');
}

const maxNames = 10;
