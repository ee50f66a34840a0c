import { formatCsvRecord } from '../answer/csv-record.ts';
import type { Answer } from '../program/person-query.ts';
import { formatVisible } from '../text.ts';
import { formatColumns } from './table.ts';

export const formats = ['table', 'csv', 'json'] as const;
export type Format = (typeof formats)[number];

export interface Output extends Answer {
  /** After the last row. */
  end(): void;
  readonly rows: number;
}

/** Rows are kept only for a table, whose columns must be as wide as what is in them. */
export function createOutput(format: Format, print: (text: string) => void): Output {
  if (format === 'table') return new TableOutput(print);
  return new LineOutput(print, format === 'csv' ? formatCsvRecord : formatJson);
}

class TableOutput implements Output {
  readonly #print: (text: string) => void;
  readonly #rows: (readonly string[])[] = [];
  #head: readonly string[] | undefined;

  constructor(print: (text: string) => void) {
    this.#print = print;
  }

  get rows(): number {
    return this.#rows.length;
  }

  columns(names: readonly string[]): void {
    this.#head = names;
  }

  row(cells: readonly (string | null)[]): boolean {
    this.#rows.push(cells.map((cell) => (cell === null ? 'NULL' : cell)));
    return true;
  }

  text(text: string): void {
    this.#print(formatVisible(text));
  }

  end(): void {
    if (this.#head !== undefined) this.#print(formatColumns(this.#head, this.#rows));
  }
}

/** For other programs: what the engine says, to the byte, a record for each row. */
class LineOutput implements Output {
  readonly #print: (text: string) => void;
  readonly #format: (cells: readonly (string | null)[]) => string;
  rows = 0;

  constructor(print: (text: string) => void, format: (cells: readonly (string | null)[]) => string) {
    this.#print = print;
    this.#format = format;
  }

  columns(names: readonly string[]): void {
    if (this.#format === formatCsvRecord) this.#print(formatCsvRecord(names));
  }

  row(cells: readonly (string | null)[]): boolean {
    this.rows++;
    this.#print(this.#format(cells));
    return true;
  }

  text(text: string): void {
    this.#print(text);
  }

  end(): void {}
}

/** A list for each row, since two columns may have one name. */
function formatJson(cells: readonly (string | null)[]): string {
  return JSON.stringify(cells);
}
