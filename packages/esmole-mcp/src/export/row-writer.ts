import { type ExportFormat, formatCsvRecord } from '@dbmole/core';
import { formatExact } from '../json/exact-json.ts';
import { Cleaner, formatCsvCell } from './clean-value.ts';

/** Writes rows of a query as lines of a file, with every digit and without secrets of this server. */
export interface RowFileWriter {
  readonly header: string;
  line(row: readonly unknown[]): string;
  /** Values from which a secret was removed. */
  readonly redacted: number;
}

export function createRowFileWriter(format: ExportFormat, columns: readonly string[]): RowFileWriter {
  const cleaner = new Cleaner();
  const names = columns.map((name) => cleaner.text(name));
  const writeCsv = (row: readonly unknown[]) => formatCsvRecord(row.map((cell) => formatCsvCell(cleaner.clean(cell))));
  const writeJson = createJsonWriter(names);
  return {
    header: format === 'csv' ? `${formatCsvRecord(names)}\r\n` : '',
    line: (row) => (format === 'csv' ? `${writeCsv(row)}\r\n` : `${writeJson(row.map((cell) => cleaner.clean(cell)))}\n`),
    get redacted() {
      return cleaner.redacted;
    },
  };
}

/** A row as a JSON object. A second column `n` is `n_2`: readers of JSON keep only one of two equal keys. */
export function createJsonWriter(columns: readonly string[]): (row: readonly unknown[]) => string {
  const names = columns.map((name, at) => {
    const before = columns.slice(0, at).filter((one) => one === name).length;
    return before === 0 ? name : `${name}_${before + 1}`;
  });
  return (row) => formatExact(Object.fromEntries(names.map((name, at) => [name, row[at] ?? null])));
}
