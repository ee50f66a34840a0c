import { Failure } from '@dbmole/core/failure';
import type { Param } from '../../../engine.ts';

/** One message to the server: its type, its length and the parts of its body. */
function message(type: string, parts: readonly Buffer[]): Buffer {
  const head = Buffer.allocUnsafe(5);
  head.write(type, 0, 'latin1');
  head.writeUInt32BE(4 + parts.reduce((sum, part) => sum + part.length, 0), 1);
  return Buffer.concat([head, ...parts]);
}

function text(value: string): Buffer {
  return Buffer.from(`${value}\0`);
}

function int16(value: number): Buffer {
  return Buffer.from([value >> 8, value & 255]);
}

function int32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeInt32BE(value);
  return bytes;
}

const unnamed = text('');
const noTypes = int16(0);
const allAsText = Buffer.concat([int16(1), int16(0)]);
/** The protocol counts them in two bytes. */
const maxParams = 65_535;
const nullParam = int32(-1);

export const sync = message('S', []);
export const terminate = message('X', []);
const statementKind = Buffer.from('S');
const portalKind = Buffer.from('P');
const describeUnnamed = describe(unnamed);

/** A statement of one answer without parameters, whose rows are not read. */
export function command(sql: string): Buffer {
  return Buffer.concat([parse(sql), bind([]), execute(0)]);
}

/** The last short one without parameters: a small read often comes again. */
let lastPlain = { sql: '', maxRows: -1, bytes: Buffer.alloc(0) };
const maxKept = 10_000;

/** `maxRows` 0 is no limit. */
export function statement(sql: string, params: readonly Param[], maxRows: number): Buffer {
  if (params.length === 0 && lastPlain.sql === sql && lastPlain.maxRows === maxRows) return lastPlain.bytes;
  const bytes = Buffer.concat([parse(sql), bind(params), describeUnnamed, execute(maxRows)]);
  if (params.length === 0 && sql.length <= maxKept) lastPlain = { sql, maxRows, bytes };
  return bytes;
}

/** The first half of a statement: a portal of this name is ready to run. It stays through other statements of the transaction. */
export function bindPortal(name: string, sql: string, params: readonly Param[]): Buffer {
  return Buffer.concat([parse(sql), bind(params, { portal: text(name) })]);
}

/** Runs the portal and closes it, so that the next question of the same transaction can open its own. */
export function runPortal(name: string, maxRows: number): Buffer {
  return Buffer.concat([describe(text(name)), execute(maxRows, text(name)), message('C', [portalKind, text(name)])]);
}

/** A command for later: parsed and planned, but not run. */
export function prepare(name: string, sql: string): Buffer {
  return Buffer.concat([parse(sql, text(name)), bind([], { name: text(name) })]);
}

export function runPrepared(name: string): Buffer {
  return Buffer.concat([bind([], { name: text(name) }), execute(0)]);
}

/** Takes away what was prepared; no error where there is nothing. */
export function unprepare(name: string): Buffer {
  return message('C', [statementKind, text(name)]);
}

/** Several commands at once, in a round of their own: no Sync belongs to it. */
export function script(commands: readonly string[]): Buffer {
  return message('Q', [text(commands.join('; '))]);
}

function parse(sql: string, name = unnamed): Buffer {
  return message('P', [name, text(sql), noTypes]);
}

function bind(params: readonly Param[], { portal = unnamed, name = unnamed } = {}): Buffer {
  if (params.length > maxParams)
    throw new Failure('input', `the statement has ${params.length} params; at most ${maxParams} are accepted`, {
      hint: 'Pass many values as one array: `= any($1)`.',
    });
  return message('B', [portal, name, int16(0), int16(params.length), ...params.flatMap(param), allAsText]);
}

function param(value: Param): Buffer[] {
  if (value === null) return [nullParam];
  const bytes = Buffer.from(Object.is(value, -0) ? '-0' : String(value));
  return [int32(bytes.length), bytes];
}

function describe(portal: Buffer): Buffer {
  return message('D', [portalKind, portal]);
}

function execute(maxRows: number, portal = unnamed): Buffer {
  return message('E', [portal, int32(maxRows)]);
}

export interface Field {
  name: string;
  /** The column of a relation that it shows unchanged, as `oid.number`. */
  origin?: string | undefined;
  type: number;
  modifier: number;
}

export function parseFields(body: Buffer): Field[] {
  const fields: Field[] = [];
  let at = 2;
  for (let count = body.readUInt16BE(0); count > 0; count--) {
    const end = body.indexOf(0, at);
    // The name is followed by: table (4 bytes), column (2), type (4), size (2), modifier (4), format (2).
    const name = body.toString('utf8', at, end);
    const table = body.readUInt32BE(end + 1);
    const origin = table === 0 ? undefined : `${table}.${body.readInt16BE(end + 5)}`;
    fields.push({ name, origin, type: body.readUInt32BE(end + 7), modifier: body.readInt32BE(end + 13) });
    at = end + 19;
  }
  return fields;
}

/** The fields of an error or a notice by their letters. A text that was cut does not end in half a character. */
export function parseNotice(body: Buffer): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  let at = 0;
  while (at < body.length && body[at] !== 0) {
    const found = body.indexOf(0, at + 1);
    const end = found < 0 ? body.length : found;
    fields.set(String.fromCharCode(body.readUInt8(at)), body.toString('utf8', at + 1, completeEnd(body, at + 1, end)));
    at = end + 1;
  }
  return fields;
}

export function parseText(body: Buffer): string {
  return parseTexts(body)[0] ?? '';
}

export function parseTexts(body: Buffer): string[] {
  return body.toString('utf8').split('\0');
}

/** A message of the server. `code` is the SQLSTATE. */
export class ServerError extends Error {
  override readonly name = 'ServerError';
  readonly #fields: ReadonlyMap<string, string>;
  readonly #lead: number;
  readonly code: string;
  readonly fatal: boolean;
  readonly detail: string | undefined;
  readonly hint: string | undefined;
  /** Where in the caller's text; in characters, counted from 1. */
  readonly position: number | undefined;
  /** The server's own function that raised it: unlike the message it is the same in every language. */
  readonly routine: string | undefined;
  readonly table: string | undefined;
  readonly column: string | undefined;
  readonly constraint: string | undefined;
  /** It was raised inside of a function, or of a statement that a function runs. */
  readonly isOfCode: boolean;
  /** The words are ours, not the server's. */
  readonly isReworded: boolean;

  /** `lead`: the number of characters that were put in front of that text. */
  constructor(body: Buffer | ReadonlyMap<string, string>, { lead = 0, isReworded = false } = {}) {
    const fields = Buffer.isBuffer(body) ? parseNotice(body) : body;
    super(fields.get('M') ?? 'the server reported an error without a text');
    this.code = /^[0-9A-Z]{5}$/.exec(fields.get('C') ?? '')?.[0] ?? '';
    // V is the untranslated severity, S its translation.
    this.fatal = (fields.get('V') ?? fields.get('S')) !== 'ERROR';
    this.detail = fields.get('D');
    this.hint = fields.get('H');
    const position = Number(fields.get('P')) - lead;
    this.position = position > 0 ? position : undefined;
    this.routine = fields.get('R');
    this.table = fields.get('t');
    this.column = fields.get('c');
    this.constraint = fields.get('n');
    this.isOfCode = ['W', 'q', 'p'].some((field) => fields.has(field));
    this.isReworded = isReworded;
    this.#fields = fields;
    this.#lead = lead;
  }

  /** The same error with this text, and no other. */
  replaceWords(text: string): ServerError {
    const kept = [...this.#fields].filter(([field]) => !'MDHWqp'.includes(field));
    return new ServerError(new Map([...kept, ['M', text]]), { lead: this.#lead, isReworded: true });
  }
}

/** Where the last whole character ends, for a text that may have been cut at `end`. */
export function completeEnd(bytes: Buffer, start: number, end: number): number {
  let lead = end - 1;
  // A character has three continuation bytes at most.
  while (lead >= start && end - lead < 4 && isContinuation(bytes[lead])) lead -= 1;
  if (lead < start) return end;
  return lead + measureLength(bytes[lead]) > end ? lead : end;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

function measureLength(lead: number | undefined): number {
  if (lead === undefined || lead < 0xc0) return 1;
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}
