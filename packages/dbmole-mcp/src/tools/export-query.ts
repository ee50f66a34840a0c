import { defineTool, Failure, failureWith, respond, type Tool } from '@dbmole/core';
import * as z from 'zod';
import { withNameSuggestions } from '../catalog/unknown-name.ts';
import { openExportFile } from '../export/export-file.ts';
import { ExportSink, maxCellLength } from '../export/export-sink.ts';
import type { ExportFormat } from '../export/row-format.ts';
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
          keepPerCell: maxCellLength,
          maxRows: undefined,
        };
        const { protectedColumns, costNote } = await tools.use(args, context, (call) =>
          withNameSuggestions(call, args.sql, () =>
            call.backend.read({ ...request, timeoutMs: call.engineMs }, sink, call.options),
          ),
        );
        const columns = sink.end();
        signal.throwIfAborted();
        file.finish();
        const rows = sink.rows === 1 ? '1 row' : `${sink.rows} rows`;
        const columnsText = columns === 1 ? '1 column' : `${columns} columns`;
        const secrets = sink.redactedCells === 0 ? undefined : `Cells without secrets of this server: ${sink.redactedCells}.`;
        const what = `Exported ${rows} of ${columnsText} to ${file.path}, ${formatBytes(file.bytes)}.`;
        return respond.text([what, secrets, protectedColumns, costNote].filter((text) => text !== undefined).join(' '));
      } catch (error) {
        throw error instanceof Failure ? failureWith(error, { message: `${error.message}; no file was left` }) : error;
      } finally {
        file.discard();
      }
    },
  });
}

function formatBytes(bytes: number): string {
  return bytes < 1_000_000 ? `${bytes} bytes` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

const maxLength = 120;
/** Names that some systems take for a device, with any ending. */
const devices = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[\d¹²³])(?:\.|$)/i;
const plainName = /^[\p{L}\p{N}_][\p{L}\p{N}\p{M}_ ().-]*$/u;

/**
 * The format of a file, from the extension of its name. The name must not be a path: so nothing has to be resolved,
 * and there is nothing in between that could lead out of the folder. The ending keeps files from being anything but data.
 */
export function parseExportName(file: string, wanted: ExportFormat | undefined): ExportFormat {
  if (!plainName.test(file) || file.length > maxLength || devices.test(file)) throw refused(file, 'is not a plain file name');
  const [, ending = ''] = /\.([a-z]+)$/.exec(file) ?? [];
  const format = ending === 'csv' || ending === 'jsonl' ? ending : undefined;
  if (format === undefined) throw refused(file, 'has no format: the name must end in .csv or .jsonl');
  if (wanted !== undefined && wanted !== format)
    throw refused(file, `and the format ${wanted} disagree: the name must end in .${wanted}`);
  return format;
}

function refused(file: string, why: string): Failure {
  return new Failure('refused', `the file ${JSON.stringify(file.slice(0, maxLength))} ${why}`, {
    code: 'E_EXPORT_NAME',
    hint: 'Pass a name without a folder, such as orders.csv or orders.jsonl.',
  });
}
