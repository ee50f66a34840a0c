import { Failure } from '../../failure.ts';

/** How the lines of a file are written. */
export type ExportFormat = 'csv' | 'jsonl';

const formatsByEnding: ReadonlyMap<string, ExportFormat> = new Map([
  ['csv', 'csv'],
  ['jsonl', 'jsonl'],
  ['ndjson', 'jsonl'],
]);
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
  const format = formatsByEnding.get(ending);
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

export function formatFileSize(bytes: number): string {
  return bytes < 1_000_000 ? `${bytes} bytes` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
