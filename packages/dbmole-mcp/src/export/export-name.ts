import { Failure } from '@dbmole/core';
import type { ExportFormat } from './row-format.ts';

const longest = 120;
/** Names that some systems take for a device, with any ending. */
const devices = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[\d¹²³])(?:\.|$)/i;
const plainName = /^[\p{L}\p{N}_][\p{L}\p{N}\p{M}_ ().-]*$/u;

/**
 * The format that a file is written in, told by its name. The name is that of a file and no path: so nothing has to be resolved,
 * and there is nothing in between that could lead out of the folder. The ending keeps files from being anything but data.
 */
export function parseExportName(file: string, wanted: ExportFormat | undefined): ExportFormat {
  if (!plainName.test(file) || file.length > longest || devices.test(file)) throw refused(file, 'is no plain name of a file');
  const [, ending = ''] = /\.([a-z]+)$/.exec(file) ?? [];
  const format = ending === 'csv' || ending === 'jsonl' ? ending : undefined;
  if (format === undefined) throw refused(file, 'does not end in .csv or .jsonl');
  if (wanted !== undefined && wanted !== format) throw refused(file, `does not end in .${wanted}, the format that was asked for`);
  return format;
}

function refused(file: string, why: string): Failure {
  return new Failure('refused', `the file ${JSON.stringify(file.slice(0, longest))} ${why}`, {
    code: 'E_EXPORT_NAME',
    hint: 'Pass the name alone, without a folder, for example orders.csv or orders.jsonl.',
  });
}
