import { Failure } from '@dbmole/core';
import type { Cell } from '../../../engine.ts';
import { type LongMessage, LongNotice, LongRow, type RowShape, Skipped } from './long-message.ts';

export interface WireListener {
  /** Undefined: rows are skipped. */
  shape(): RowShape | undefined;
  row(cells: readonly Cell[]): void;
  /** Everything but rows and copied data. The body is only lent. */
  message(type: string, body: Buffer): void;
}

const headLength = 5;
const rowType = 0x44;
const copyDataType = 0x64;
const errorType = 0x45;
const noticeType = 0x4e;

/** A row that is longer is read piece by piece. */
const longRow = 64 * 1024;
const longNotice = 16 * 1024;
/** The limit of messages without a long form. The longest, the description of 1600 columns, has 140 KB. */
const maxLength = 1024 * 1024;

/**
 * Cuts what the server sends into messages and keeps of each no more than is wanted: a cell or an error text of 600 MB costs as
 * much memory as what is kept of it.
 */
export class WireFilter {
  listener: WireListener;
  #rest: Buffer = Buffer.alloc(0);
  #long: LongMessage | undefined;

  constructor(listener: WireListener) {
    this.listener = listener;
  }

  /** Throws a Failure when this is not the protocol. */
  push(chunk: Buffer): void {
    const data = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let at = 0;
    while (at < data.length) {
      const next = this.#long === undefined ? this.#takeMessage(data, at) : this.#takeLong(this.#long, data, at);
      if (next === undefined) break;
      at = next;
    }
    // The rest shares its memory with the chunk, which is short; both are gone with the next one.
    this.#rest = data.subarray(at);
  }

  /** Where the next message begins, or undefined when this one is not complete yet. */
  #takeMessage(data: Buffer, at: number): number | undefined {
    if (data.length - at < headLength) return undefined;
    const type = data.readUInt8(at);
    const length = data.readUInt32BE(at + 1);
    if (length < 4) throw protocolFailure();
    const body = at + headLength;
    const end = at + 1 + length;
    this.#long = this.#openLong(type, length - 4);
    if (this.#long !== undefined) return this.#takeLong(this.#long, data, body);
    if (length > maxLength) throw protocolFailure();
    if (end > data.length) return undefined;
    if (type === rowType) this.#takeRow(data.subarray(body, end));
    else this.listener.message(String.fromCharCode(type), data.subarray(body, end));
    return end;
  }

  #openLong(type: number, length: number): LongMessage | undefined {
    if (type === copyDataType) return new Skipped(length);
    if (type === rowType) {
      const shape = this.listener.shape();
      if (shape === undefined) return new Skipped(length);
      return length > longRow ? new LongRow(length, shape, (cells) => this.listener.row(cells)) : undefined;
    }
    if ((type !== errorType && type !== noticeType) || length <= longNotice) return undefined;
    return new LongNotice(length, longNotice, (body) => this.listener.message(String.fromCharCode(type), body));
  }

  #takeLong(long: LongMessage, data: Buffer, at: number): number {
    const end = Math.min(data.length, at + long.left);
    long.take(data, at, end);
    long.left -= end - at;
    if (long.left === 0) {
      this.#long = undefined;
      long.finish();
    }
    return end;
  }

  #takeRow(body: Buffer): void {
    const shape = this.listener.shape();
    if (shape === undefined) return;
    const columns = body.readUInt16BE(0);
    const cells: Cell[] = new Array(columns);
    let at = 2;
    for (let column = 0; column < columns; column++) {
      const length = body.readInt32BE(at);
      at += 4;
      if (length < 0) {
        cells[column] = null;
        continue;
      }
      if (at + length > body.length) throw protocolFailure();
      cells[column] = shape.cell(column, body, at, at + Math.min(length, shape.keep(column)), length);
      at += length;
    }
    this.listener.row(cells);
  }
}

export function protocolFailure(): Failure {
  return new Failure('connection', 'the server does not speak the PostgreSQL protocol', {
    code: 'E_PROTOCOL',
    hint: 'Check `type`, `host` and `port`.',
  });
}
