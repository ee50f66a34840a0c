import type { Cell } from '../../../engine.ts';

/** What is kept of the rows that arrive now. */
export interface RowShape {
  /** How many bytes of a cell are kept at most. */
  keep(column: number): number;
  /**
   * Takes no object, because it is called for each cell. `bytes` from `start` to `end` is what was kept of a cell of `length`
   * bytes.
   */
  cell(column: number, bytes: Buffer, start: number, end: number, length: number): Cell;
}

/** A message that is read as it comes in, because the whole may not fit in memory. */
export interface LongMessage {
  /** Bytes that are still to come; the filter counts them. */
  left: number;
  take(data: Buffer, at: number, end: number): void;
  finish(): void;
}

export class Skipped implements LongMessage {
  left: number;

  constructor(length: number) {
    this.left = length;
  }

  take(): void {}

  finish(): void {}
}

/** The kept bytes of all cells of one row, unless one cell alone may have more. */
const rowRoom = 16 * 1024 * 1024;
/** What every cell may keep in a row that is over this. */
const minKept = 1024;

interface OpenCell {
  kept: Buffer;
  filled: number;
  length: number;
  left: number;
}

export class LongRow implements LongMessage {
  left: number;
  readonly #shape: RowShape;
  readonly #deliver: (cells: readonly Cell[]) => void;
  readonly #cells: Cell[] = [];
  #columns: number | undefined;
  /** The number that is being read: the count of columns, or the length of a cell. */
  #number = 0;
  #digits = 0;
  #cell: OpenCell | undefined;
  #room = rowRoom;

  constructor(length: number, shape: RowShape, deliver: (cells: readonly Cell[]) => void) {
    this.left = length;
    this.#shape = shape;
    this.#deliver = deliver;
  }

  take(data: Buffer, from: number, end: number): void {
    let at = from;
    while (at < end) {
      if (this.#cell === undefined) this.#takeDigit(data.readUInt8(at++));
      else at = this.#takeBytes(this.#cell, data.subarray(at, end)) + at;
    }
  }

  finish(): void {
    this.#deliver(this.#cells);
  }

  #takeDigit(byte: number): void {
    this.#number = (this.#number << 8) | byte;
    this.#digits += 1;
    if (this.#digits < (this.#columns === undefined ? 2 : 4)) return;
    const number = this.#number;
    this.#number = 0;
    this.#digits = 0;
    if (this.#columns === undefined) this.#columns = number;
    else this.#open(number);
  }

  #open(length: number): void {
    if (length < 0) {
      this.#cells.push(null);
      return;
    }
    const wanted = Math.min(length, this.#shape.keep(this.#cells.length));
    // The first cell that is longer than the whole room was allowed by the caller's limit per cell.
    const room = this.#room === rowRoom ? wanted : Math.max(this.#room, minKept);
    const kept = Buffer.allocUnsafe(Math.min(wanted, room));
    this.#room -= kept.length;
    this.#cell = { kept, filled: 0, length, left: length };
    if (length === 0) this.#close(this.#cell);
  }

  #takeBytes(cell: OpenCell, data: Buffer): number {
    const taken = Math.min(cell.left, data.length);
    cell.filled += data.copy(cell.kept, cell.filled, 0, taken);
    cell.left -= taken;
    if (cell.left === 0) this.#close(cell);
    return taken;
  }

  #close({ kept, length }: OpenCell): void {
    this.#cell = undefined;
    this.#cells.push(this.#shape.cell(this.#cells.length, kept, 0, kept.length, length));
  }
}

/** The room for one field. The server's text comes early; later fields give the position and must not be crowded out. */
const fieldRoom = 4 * 1024;

/** An error or a notice. What is kept of it has the form of a whole one. */
export class LongNotice implements LongMessage {
  left: number;
  readonly #kept: Buffer;
  readonly #deliver: (body: Buffer) => void;
  #filled = 0;
  /** Undefined between fields. */
  #fieldLeft: number | undefined;

  constructor(length: number, room: number, deliver: (body: Buffer) => void) {
    this.left = length;
    this.#kept = Buffer.alloc(room);
    this.#deliver = deliver;
  }

  take(data: Buffer, from: number, end: number): void {
    let at = from;
    while (at < end) at = this.#fieldLeft === undefined ? this.#openField(data, at) : this.#takeText(data.subarray(at, end)) + at;
  }

  finish(): void {
    // What follows is zero: the end of the last field, and of the message.
    this.#deliver(this.#kept.subarray(0, this.#filled + 2));
  }

  #openField(data: Buffer, at: number): number {
    const type = data.readUInt8(at);
    if (type !== 0) {
      this.#keep(data.subarray(at, at + 1));
      this.#fieldLeft = fieldRoom;
    }
    return at + 1;
  }

  #takeText(data: Buffer): number {
    const end = data.indexOf(0);
    const text = end < 0 ? data : data.subarray(0, end);
    const kept = text.subarray(0, this.#fieldLeft);
    this.#keep(kept);
    this.#fieldLeft = (this.#fieldLeft ?? 0) - kept.length;
    if (end < 0) return data.length;
    this.#keep(data.subarray(end, end + 1));
    this.#fieldLeft = undefined;
    return end + 1;
  }

  #keep(bytes: Buffer): void {
    // Two bytes stay free for the two ends.
    this.#filled += bytes.copy(this.#kept, this.#filled, 0, Math.min(bytes.length, this.#kept.length - 2 - this.#filled));
  }
}
