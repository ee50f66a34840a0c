import type { Cell } from '../../../engine.ts';
import type { CellReader, Field } from './values.ts';

/** Returns false when no further row is wanted. */
type OnRow = (cells: readonly Cell[]) => boolean;

/** All cells of a row together are kept up to this size, unless a single cell is allowed more. */
const rowBytes = 16 * 1024 * 1024;
/** Each further cell is kept up to this size. */
const minBytes = 64;

const nullMark = 0xfb;
/** The number of length bytes that follow each of these marks. */
const prefixSizes: Readonly<Record<number, number>> = { 252: 2, 253: 3, 254: 8 };

/**
 * Decodes rows of the text protocol as the bytes arrive. The rest of a cell that is longer than is kept is not stored, so that memory
 * depends on what is kept and not on what is sent.
 */
export class RowReader {
  readonly #columns: readonly CellReader[];
  readonly #total: number;
  readonly #onRow: OnRow | undefined;
  readonly #rowRoom: number;
  #room: number;
  #cells: Cell[] = [];
  /** The number of cells of this row that are skipped. */
  #extra = 0;
  #skipping: boolean;
  /** The length bytes that are still to come, and the length so far. */
  #prefixLeft = 0;
  #scale = 1;
  #length = 0;
  /** The bytes of a cell that did not arrive at once and are still to come. */
  #cellLeft = 0;
  #keepLeft = 0;
  #parts: Buffer[] | undefined;

  /** Nothing is decoded without `onRow`. A row has `total` cells; those after the last column are skipped. */
  constructor(columns: readonly CellReader[], onRow: OnRow | undefined, total = columns.length) {
    this.#columns = columns;
    this.#total = total;
    this.#onRow = onRow;
    this.#skipping = onRow === undefined;
    this.#rowRoom = columns.reduce((most, { keepBytes }) => Math.max(most, keepBytes), rowBytes);
    this.#room = this.#rowRoom;
  }

  /** Takes a part of a row. */
  feed(chunk: Buffer, from: number, to: number): void {
    if (this.#skipping) return;
    let at = from;
    while (at < to) {
      if (this.#parts !== undefined) at = this.#continueCell(this.#parts, chunk, at, to);
      else if (this.#prefixLeft > 0) at = this.#continuePrefix(chunk, at, to);
      else at = this.#startCell(chunk, at, to);
    }
  }

  /** Takes the end of a row. */
  end(): void {
    if (this.#skipping) return;
    const cells = this.#cells;
    const count = cells.length + this.#extra;
    if (count !== this.#total || this.#parts !== undefined || this.#prefixLeft > 0) {
      throw new Error(`a row has ${count} cells instead of ${this.#total}`);
    }
    this.#cells = [];
    this.#extra = 0;
    this.#room = this.#rowRoom;
    if (this.#onRow?.(cells) !== true) this.#skipping = true;
  }

  #startCell(chunk: Buffer, at: number, to: number): number {
    const first = chunk[at] ?? nullMark;
    if (first < nullMark) return this.#openCell(first, chunk, at + 1, to);
    if (first === nullMark) {
      if (this.#column() === undefined) this.#skipCell();
      else this.#cells.push(null);
      return at + 1;
    }
    const size = prefixSizes[first];
    if (size === undefined) throw new Error(`a cell begins with the byte ${first}`);
    this.#prefixLeft = size;
    this.#length = 0;
    this.#scale = 1;
    return at + 1;
  }

  #continuePrefix(chunk: Buffer, at: number, to: number): number {
    this.#length += (chunk[at] ?? 0) * this.#scale;
    this.#scale *= 256;
    this.#prefixLeft -= 1;
    return this.#prefixLeft > 0 ? at + 1 : this.#openCell(this.#length, chunk, at + 1, to);
  }

  #openCell(length: number, chunk: Buffer, at: number, to: number): number {
    const keep = Math.min(length, this.#column()?.keepBytes ?? 0, Math.max(minBytes, this.#room));
    this.#room -= keep;
    if (at + length <= to) {
      this.#add(chunk, at, at + keep, length);
      return at + length;
    }
    this.#length = length;
    this.#cellLeft = length;
    this.#keepLeft = keep;
    this.#parts = [];
    return at;
  }

  #continueCell(parts: Buffer[], chunk: Buffer, at: number, to: number): number {
    const taken = Math.min(this.#cellLeft, to - at);
    const kept = Math.min(this.#keepLeft, taken);
    // A view instead of a copy would keep the whole chunk in memory.
    if (kept > 0) parts.push(Buffer.from(chunk.subarray(at, at + kept)));
    this.#keepLeft -= kept;
    this.#cellLeft -= taken;
    if (this.#cellLeft === 0) {
      const bytes = Buffer.concat(parts);
      this.#parts = undefined;
      this.#add(bytes, 0, bytes.length, this.#length);
    }
    return at + taken;
  }

  #add(bytes: Buffer, start: number, end: number, length: number): void {
    const column = this.#column();
    if (column === undefined) this.#skipCell();
    else this.#cells.push(column.read(bytes, start, end, length));
  }

  #skipCell(): void {
    this.#extra += 1;
    if (this.#cells.length + this.#extra > this.#total) throw new Error(`a row has more than ${this.#total} cells`);
  }

  #column(): CellReader | undefined {
    return this.#columns[this.#cells.length];
  }
}

/** Takes the first set of rows of a query; later sets are dropped. It must not throw. */
export interface RowHandler {
  /** Returns the readers of the columns; cells after the last one are skipped. */
  fields(fields: readonly Field[]): readonly CellReader[];
  row: OnRow;
  /** Called for each later set. */
  another?(): void;
}

/** Gives a reader to each set of rows of a query. */
export class ResultTarget {
  readonly #handler: RowHandler | undefined;
  #fields: readonly Field[] = [];
  #sets = 0;

  constructor(handler: RowHandler | undefined) {
    this.#handler = handler;
  }

  setFields(fields: readonly Field[] | undefined): void {
    this.#fields = fields ?? [];
  }

  nextReader(): RowReader {
    this.#sets += 1;
    const handler = this.#handler;
    if (this.#sets > 1) handler?.another?.();
    if (handler === undefined || this.#sets > 1) return new RowReader([], undefined);
    return new RowReader(handler.fields(this.#fields), (cells) => handler.row(cells), this.#fields.length);
  }
}
