import { formatCsvRecord } from '../../answer/csv.ts';
import type { Answer, RowWriter } from '../../program/cli-query.ts';
import { formatVisible } from '../../text.ts';
import { formatColumns, formatRecords } from '../terminal/table.ts';

export const formats = ['table', 'vertical', 'csv', 'json'] as const;
export type Format = (typeof formats)[number];

interface Output extends Answer {
  /** Called after the last row. */
  end(): void;
  readonly rows: number;
}

interface OutputOptions {
  print(text: string): void;
  /** The width of the terminal: a wider table becomes a list of records. */
  width?: number | undefined;
}

/** Rows are kept only for a table, whose columns must be as wide as what is in them. */
export function createOutput(format: Format, { print, width }: OutputOptions): Output {
  if (format === 'table') return new TableOutput(print, width);
  if (format === 'vertical') return new TableOutput(print, 0);
  return format === 'csv' ? new CsvOutput(print) : new JsonOutput(print);
}

class TableOutput implements Output {
  readonly #print: (text: string) => void;
  readonly #width: number;
  readonly #rows: (readonly string[])[] = [];
  #head: readonly string[] | undefined;

  constructor(print: (text: string) => void, width = Number.POSITIVE_INFINITY) {
    this.#print = print;
    this.#width = width;
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
    if (this.#head === undefined) return;
    const table = formatColumns(this.#head, this.#rows);
    const isWide = table.split('\n').some((line) => line.length > this.#width);
    this.#print(isWide && this.rows > 0 ? formatRecords(this.#head, this.#rows) : table);
  }
}

/** Prints for other programs what the engine says, to the byte, one record per row. */
class CsvOutput implements Output {
  readonly #print: (text: string) => void;
  rows = 0;

  constructor(print: (text: string) => void) {
    this.#print = print;
  }

  columns(names: readonly string[]): void {
    this.#print(formatCsvRecord(names));
  }

  row(cells: readonly (string | null)[]): boolean {
    this.rows++;
    this.#print(formatCsvRecord(cells));
    return true;
  }

  text(text: string): void {
    this.#print(text);
  }

  end(): void {}
}

/** One object on each line. */
class JsonOutput implements Output {
  readonly #print: (text: string) => void;
  #write: RowWriter = (cells) => JSON.stringify(cells);
  rows = 0;

  constructor(print: (text: string) => void) {
    this.#print = print;
  }

  columns(_names: readonly string[], write: RowWriter): void {
    this.#write = write;
  }

  row(cells: readonly (string | null)[]): boolean {
    this.rows++;
    this.#print(this.#write(cells).trimEnd());
    return true;
  }

  text(text: string): void {
    this.#print(text);
  }

  end(): void {}
}
