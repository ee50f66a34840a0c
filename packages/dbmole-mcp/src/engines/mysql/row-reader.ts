import type { Cell } from '../../engine.ts';

/** How one column is read. */
export interface CellReader {
  /** More bytes of a cell than this are not kept. */
  readonly keepBytes: number;
  /** `bytes` from `start` to `end` are the beginning of a cell of `length` bytes, usually all of it. They must not be held on to. */
  read(bytes: Buffer, start: number, end: number, length: number): Cell;
}

/** False: enough, read no more rows. */
export type OnRow = (cells: readonly Cell[]) => boolean;

/** What all cells of one row may hold together, unless a single one is allowed more. */
const rowBytes = 16 * 1024 * 1024;
/** Of each cell that comes after that is used up. */
const leastBytes = 64;

const nullMark = 0xfb;
/** How many bytes of length follow these. */
const prefixSizes: Readonly<Record<number, number>> = { 252: 2, 253: 3, 254: 8 };

/**
 * Rows of the text protocol, decoded as the bytes arrive. Of a cell that is longer than may be kept, the rest goes by without
 * being stored, so that memory depends on what is kept and not on what is sent.
 */
export class RowReader {
  readonly #columns: readonly CellReader[];
  readonly #onRow: OnRow | undefined;
  readonly #rowRoom: number;
  #room: number;
  #cells: Cell[] = [];
  #skipping: boolean;
  /** Bytes of the length that are still to come, and what they say so far. */
  #prefixLeft = 0;
  #scale = 1;
  #length = 0;
  /** Bytes of the cell that are still to come, when it did not arrive at once. */
  #cellLeft = 0;
  #keepLeft = 0;
  #parts: Buffer[] | undefined;

  /** Without `onRow` nothing is decoded. */
  constructor(columns: readonly CellReader[], onRow: OnRow | undefined) {
    this.#columns = columns;
    this.#onRow = onRow;
    this.#skipping = onRow === undefined;
    this.#rowRoom = Math.max(rowBytes, ...columns.map((column) => column.keepBytes));
    this.#room = this.#rowRoom;
  }

  /** A part of a row. */
  feed(chunk: Buffer, from: number, to: number): void {
    if (this.#skipping) return;
    let at = from;
    while (at < to) {
      if (this.#parts !== undefined) at = this.#continueCell(this.#parts, chunk, at, to);
      else if (this.#prefixLeft > 0) at = this.#continuePrefix(chunk, at, to);
      else at = this.#startCell(chunk, at, to);
    }
  }

  /** The row is complete. */
  end(): void {
    if (this.#skipping) return;
    const cells = this.#cells;
    if (cells.length !== this.#columns.length || this.#parts !== undefined || this.#prefixLeft > 0) {
      throw new Error(`a row has ${cells.length} cells instead of ${this.#columns.length}`);
    }
    this.#cells = [];
    this.#room = this.#rowRoom;
    if (this.#onRow?.(cells) !== true) this.#skipping = true;
  }

  #startCell(chunk: Buffer, at: number, to: number): number {
    const first = chunk[at] ?? nullMark;
    if (first < nullMark) return this.#openCell(first, chunk, at + 1, to);
    if (first === nullMark) {
      this.#cells.push(null);
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
    const keep = Math.min(length, this.#column().keepBytes, Math.max(leastBytes, this.#room));
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
    // A copy: a view would keep the whole chunk in memory.
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
    this.#cells.push(this.#column().read(bytes, start, end, length));
  }

  #column(): CellReader {
    const column = this.#columns[this.#cells.length];
    if (column === undefined) throw new Error(`a row has more than ${this.#columns.length} cells`);
    return column;
  }
}
