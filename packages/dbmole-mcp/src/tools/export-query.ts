import { defineTool, formatFileSize, parseExportName, respond, type Tool, withExportFile } from '@dbmole/core';
import * as z from 'zod';
import { withNameSuggestions } from '../catalog/unknown-name.ts';
import { ExportSink, maxCellLength } from '../export/export-sink.ts';
import { type SqlTools, statementShape, timeoutUpTo } from '../tool.ts';

const input = () =>
  z.strictObject({
    ...statementShape,
    file: z.string().min(1).describe('orders.csv or .jsonl'),
    format: z.enum(['csv', 'jsonl']).optional(),
    timeout_ms: timeoutUpTo(3_600_000),
  });

export function exportQueryTool(tools: SqlTools): Tool {
  return defineTool({
    name: 'export_query',
    title: 'Export query',
    description: 'Writes all rows of one read to a new CSV or JSON Lines file in the export folder.',
    effect: 'create',
    timeoutMs: 600_000,
    input,
    handler: async (args, context) => {
      const { signal, progress } = context;
      const format = parseExportName(args.file, args.format);
      const place = { folder: tools.exportFolder, variable: 'DBMOLE_EXPORT_DIR', instead: 'query' };
      const { path, bytes, sink, columns, notes } = await withExportFile(place, args.file, async (file) => {
        const onProgress = (rows: number, written: number) =>
          progress(rows, undefined, `${rows} rows, ${formatFileSize(written)}`);
        const sink = new ExportSink({ file, format, onProgress });
        const request = { sql: args.sql, params: args.params, keepPerCell: maxCellLength, maxRows: undefined };
        const { protectedColumns, costNote } = await tools.use(args, context, (call) =>
          withNameSuggestions(call, args.sql, () =>
            call.backend.read({ ...request, timeoutMs: call.engineMs }, sink, call.options),
          ),
        );
        const columns = sink.end();
        signal.throwIfAborted();
        return { sink, columns, notes: [protectedColumns, costNote] };
      });
      const rows = sink.rows === 1 ? '1 row' : `${sink.rows} rows`;
      const columnsText = columns === 1 ? '1 column' : `${columns} columns`;
      const secrets = sink.redactedCells === 0 ? undefined : `Cells without secrets of this server: ${sink.redactedCells}.`;
      const what = `Exported ${rows} of ${columnsText} to ${path}, ${formatFileSize(bytes)}.`;
      return respond.text([what, secrets, ...notes].filter((text) => text !== undefined).join(' '));
    },
  });
}
