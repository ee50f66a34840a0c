import { isUtf8 } from 'node:buffer';
import type { Cell, Column } from '../../../engine.ts';

/** Reads the cells of one column. */
export interface CellReader {
  /** The number of bytes of a cell that are kept. */
  readonly keepBytes: number;
  /** `bytes` from `start` to `end` are the beginning of a cell of `length` bytes, usually all of it. They must be copied to be kept. */
  read(bytes: Buffer, start: number, end: number, length: number): Cell;
}

/** The used part of the driver's column definition. */
export interface Field {
  name: string;
  columnType: number;
  characterSet: number;
  flags: number;
  columnLength: number;
  /** MariaDB only: a type that is sent as text or bytes, for example `uuid`, or the format `json`. */
  extendedTypeName?: string | undefined;
  extendedFormat?: string | undefined;
}

const type = {
  float: 4,
  double: 5,
  timestamp: 7,
  bit: 16,
  vector: 242,
  json: 245,
  varString: 253,
  string: 254,
  geometry: 255,
} as const;

const typeNames: Readonly<Record<number, string>> = {
  0: 'decimal',
  1: 'tinyint',
  2: 'smallint',
  3: 'int',
  4: 'float',
  5: 'double',
  6: 'null',
  7: 'timestamp',
  8: 'bigint',
  9: 'mediumint',
  10: 'date',
  11: 'time',
  12: 'datetime',
  13: 'year',
  14: 'date',
  16: 'bit',
  242: 'vector',
  245: 'json',
  246: 'decimal',
  247: 'enum',
  248: 'set',
  255: 'geometry',
};

/** The server sends these types as characters or as bytes, depending on the character set. */
const stringTypes: ReadonlySet<number> = new Set([15, 249, 250, 251, 252, type.varString, type.string]);
const binaryCharset = 63;
const flag = { unsigned: 0x20, enum: 0x100, set: 0x800 } as const;

/** The most bytes of a character: all text arrives in utf8mb4, and lengths count its bytes. */
const bytesPerCharacter = 4;
/** A UTF-16 unit, which is what a limit counts, takes at most three bytes. */
const bytesPerUnit = 3;
/** The longest string of the runtime, whatever the caller would keep. */
const maxKeptLength = 64 * 1024 * 1024;
const sridSize = 4;

export function describeField(field: Field): Column {
  return { name: field.name, type: nameOfType(field) };
}

/** Whether values of the column are shown in the time zone of the session. */
export function dependsOnTimeZone(field: Field): boolean {
  return field.columnType === type.timestamp;
}

function nameOfType(field: Field): string {
  const { columnType, flags } = field;
  const extended = field.extendedFormat ?? field.extendedTypeName;
  if (extended) return extended;
  if (stringTypes.has(columnType)) return nameOfString(field);
  const name = typeNames[columnType] ?? `type ${columnType}`;
  return isNumber(columnType) && flags & flag.unsigned ? `${name} unsigned` : name;
}

function isNumber(columnType: number): boolean {
  return columnType <= type.double || columnType === 8 || columnType === 9 || columnType === 246;
}

function nameOfString({ columnType, characterSet, flags, columnLength }: Field): string {
  const binary = characterSet === binaryCharset;
  if (flags & flag.enum) return 'enum';
  if (flags & flag.set) return 'set';
  if (columnType === type.string) return binary ? 'binary' : 'char';
  if (columnType === type.varString || columnType === 15) return binary ? 'varbinary' : 'varchar';
  return nameOfLongString(binary ? 'blob' : 'text', binary ? columnLength : columnLength / bytesPerCharacter);
}

function nameOfLongString(name: string, length: number): string {
  if (length <= 0xff) return `tiny${name}`;
  if (length <= 0xffff) return name;
  return length <= 0xffffff ? `medium${name}` : `long${name}`;
}

export function createCellReader(field: Field, keepPerCell: number): CellReader {
  const keep = Math.min(keepPerCell, maxKeptLength);
  if (field.columnType === type.bit) return bitReader(field.columnLength);
  if (field.columnType === type.geometry) return geometryReader(keep);
  if (isBinary(field)) return { keepBytes: keep, read: cutBinary };
  return textReader(keep);
}

function isBinary({ columnType, characterSet }: Field): boolean {
  return columnType === type.vector || (stringTypes.has(columnType) && characterSet === binaryCharset);
}

/** Numbers and dates are texts too, and are shown as the server wrote them. */
function textReader(keep: number): CellReader {
  return {
    keepBytes: keep * bytesPerUnit,
    read(bytes, start, end, length) {
      const text = decode(bytes, start, end, length);
      if (text === undefined) return cutBinary(bytes, start, Math.min(end, start + keep), length);
      if (end - start === length) return text.length <= keep ? text : { text: cutText(text, keep), length: text.length };
      return { text: cutText(text, keep), length, unit: 'bytes' };
    },
  };
}

const replacement = '\ufffd';

/** Undefined for bytes that are not UTF-8. A character that the end of the part cuts is left out. */
function decode(bytes: Buffer, start: number, end: number, length: number): string | undefined {
  const last = end - start === length ? end : endOfCharacters(bytes, start, end);
  const text = bytes.toString('utf8', start, last);
  return text.includes(replacement) && !isUtf8(bytes.subarray(start, last)) ? undefined : text;
}

/** The end without an incomplete last character. */
function endOfCharacters(bytes: Buffer, start: number, end: number): number {
  let at = end - 1;
  while (at > start && end - at < bytesPerCharacter && isContinuation(bytes[at])) at -= 1;
  const first = bytes[at] ?? 0;
  const size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  return end - at < size ? at : end;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** Truncates without splitting a surrogate pair. */
function cutText(text: string, keep: number): string {
  if (text.length <= keep) return text;
  const last = text.charCodeAt(keep - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? keep - 1 : keep);
}

function cutBinary(bytes: Buffer, start: number, end: number, length: number): Cell {
  return cutAt(`0x${bytes.toString('hex', start, end)}`, end - start, length);
}

function cutAt(text: string, kept: number, length: number): Cell {
  return kept === length ? text : { text, length, unit: 'bytes' };
}

/** Formats all bits of the column as an SQL literal. */
function bitReader(width: number): CellReader {
  return {
    keepBytes: 8,
    read(bytes, start, end) {
      let digits = '';
      for (let at = start; at < end; at += 1) digits += (bytes[at] ?? 0).toString(2).padStart(8, '0');
      return `b'${digits.slice(-width)}'`;
    },
  };
}

/**
 * The reference system and the bytes of the shape. Not its text: which of two numbers comes first in it depends on the reference
 * system, and what that one says only the server knows (ST_AsText).
 */
function geometryReader(keep: number): CellReader {
  return {
    keepBytes: sridSize + keep,
    read(bytes, start, end, length) {
      if (end - start < sridSize) return cutBinary(bytes, start, end, length);
      const srid = bytes.readUInt32LE(start);
      const shape = start + sridSize;
      return cutAt(`SRID=${srid};0x${bytes.toString('hex', shape, end)}`, end - shape, length - sridSize);
    },
  };
}
