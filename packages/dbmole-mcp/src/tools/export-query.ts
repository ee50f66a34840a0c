import { defineTool, respond, type Tool } from '@dbmole/core';
import * as z from 'zod';
import { openExportFile } from '../export/export-file.ts';
import { parseExportName } from '../export/export-name.ts';
import { ExportSink, longestCell } from '../export/export-sink.ts';
import { type SqlTools, statementShape, timeoutUpTo } from '../tool.ts';
import { offeringNames } from '../unknown-name.ts';

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
    title: 'Export a query',
    description: 'Writes all rows of one reading statement to a new CSV or JSON Lines file in the export folder.',
    effect: 'create',
    timeoutMs: 600_000,
    input,
    handler: async (args, context) => {
      const { signal, progress } = context;
      const format = parseExportName(args.file, args.format);
      const file = openExportFile(tools.exportFolder, args.file);
      try {
        const sink = new ExportSink({
          file,
          format,
          onProgress: (rows, bytes) => progress(rows, undefined, `${rows} rows, ${formatBytes(bytes)}`),
        });
        const { params } = args;
        const request = {
          sql: args.sql,
          params,
          keepPerCell: longestCell,
          maxRows: undefined,
        };
        await tools.use(args, context, (call) =>
          offeringNames(call, args.sql, () => call.backend.read({ ...request, timeoutMs: call.engineMs }, sink, call.options)),
        );
        const columns = sink.end();
        signal.throwIfAborted();
        file.finish();
        const rows = sink.rows === 1 ? '1 row' : `${sink.rows} rows`;
        const columnsText = columns === 1 ? '1 column' : `${columns} columns`;
        return respond.text(`Exported ${rows} of ${columnsText} to ${file.path}, ${formatBytes(file.bytes)}.`);
      } finally {
        file.discard();
      }
    },
  });
}

function formatBytes(bytes: number): string {
  return bytes < 1_000_000 ? `${bytes} bytes` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
