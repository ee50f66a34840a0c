import { type ExportFile, type ExportFormat, Failure, redactData, redactKnown } from '@dbmole/core';
import type { Cell, Column, RowSink } from '../engine.ts';
import { formats, type RowFormat } from './row-format.ts';

/** Characters (for binary: bytes) of one cell that an export takes. */
export const maxCellLength = 16_000_000;

const rowsPerReport = 1_000;

interface ExportSinkOptions {
  file: ExportFile;
  format: ExportFormat;
  onProgress(rows: number, bytes: number): void;
}

/** Writes each row as it arrives, and keeps none. What goes wrong stops the reading and is thrown by `end`. */
export class ExportSink implements RowSink {
  readonly #options: ExportSinkOptions;
  #columns: readonly Column[] = [];
  #format: RowFormat | undefined;
  #failure: { error: unknown } | undefined;
  rows = 0;
  /** From which a secret of this server was removed, as from every answer: readers of answers read files as well. */
  redactedCells = 0;

  constructor(options: ExportSinkOptions) {
    this.#options = options;
  }

  columns(columns: readonly Column[]): void {
    const { file, format } = this.#options;
    this.#columns = columns.map((column) => ({ ...column, name: redactKnown(column.name) }));
    this.#format = formats[format](this.#columns);
    this.#write(() => file.write(this.#format?.header ?? ''));
  }

  row(cells: readonly Cell[]): boolean {
    if (this.#failure !== undefined) return false;
    return this.#write(() => {
      const { file, onProgress } = this.#options;
      file.write(this.#format?.row(cells.map((cell, index) => this.#clean(this.#wholeText(cell, index)))) ?? '');
      this.rows += 1;
      if (this.rows % rowsPerReport === 0) onProgress(this.rows, file.bytes);
    });
  }

  /** How many columns there were; throws when not everything was written. */
  end(): number {
    if (this.#failure !== undefined) throw this.#failure.error;
    if (this.#format === undefined) {
      throw new Failure('input', 'the statement returns no rows, so there is nothing to export', { hint: 'Pass a SELECT.' });
    }
    return this.#columns.length;
  }

  /** An engine's session should not have to know what a sink may throw. */
  #write(work: () => void): boolean {
    try {
      work();
      return true;
    } catch (error) {
      this.#failure ??= { error };
      return false;
    }
  }

  #clean(text: string | null): string | null {
    if (text === null) return null;
    const clean = redactData(text);
    this.redactedCells += Number(clean !== text);
    return clean;
  }

  #wholeText(cell: Cell, index: number): string | null {
    if (typeof cell !== 'object' || cell === null) return cell;
    if (cell.text.length >= cell.length && cell.unit !== 'bytes') return cell.text;
    const column = JSON.stringify(this.#columns[index]?.name ?? '');
    const length = `${cell.length} ${cell.unit ?? 'characters'}`;
    throw new Failure('limit', `row ${this.rows + 1} has ${length} in column ${column}; at most ${maxCellLength} are accepted`, {
      code: 'E_EXPORT_CELL',
      hint: 'Leave this column out, or select a part of it.',
    });
  }
}
