import { nearestNames } from '../nearest.ts';
import { parseJson } from '../registry/tree.ts';

/** The type of a parameter, as the header of a file writes it. */
export interface ParamType {
  kind: ScalarName | 'choice' | 'native';
  isList: boolean;
  /** The values that a choice accepts. */
  choices?: readonly string[];
  /** The engine's name of a type that this module does not know, without the brackets of a list. */
  native?: string;
}

interface Scalar {
  /** Its JSON Schema, as far as clients are shown it. */
  schema: Readonly<Record<string, unknown>>;
  /** What is accepted, for errors: `expected …`. */
  form: string;
  /** The value as it is bound; undefined: not accepted. */
  read(value: unknown): unknown;
}

const maxTextLength = 100_000;
const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const timestamp = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,6})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;

const scalars = {
  integer: { schema: { type: 'integer' }, form: 'a whole number such as 42', read: readInteger },
  number: { schema: { type: 'number' }, form: 'a number such as 19.99', read: readNumber },
  text: { schema: { type: 'string' }, form: `text of at most ${maxTextLength} characters without NUL`, read: readPlainText },
  boolean: { schema: { type: 'boolean' }, form: 'true or false', read: readBoolean },
  date: {
    schema: { type: 'string' },
    form: 'a date such as 2025-01-31',
    read: (value) => (typeof value === 'string' && isDate(value) ? value : undefined),
  },
  timestamp: {
    schema: { type: 'string' },
    form: 'a timestamp such as 2025-01-31T13:45:00 or 2025-01-31T13:45:00Z',
    read: (value) => (typeof value === 'string' && isTimestamp(value) ? value : undefined),
  },
  uuid: {
    schema: { type: 'string' },
    form: 'a UUID such as 6f9619ff-8b86-4011-b42d-00c04fc964ff',
    read: (value) => (typeof value === 'string' && uuid.test(value) ? value : undefined),
  },
  json: {
    schema: { anyOf: [{ type: 'object' }, { type: 'array', items: { type: 'string' } }, { type: 'string' }] },
    form: 'JSON such as {"a": 1}',
    read: readJson,
  },
} as const satisfies Record<string, Scalar>;

type ScalarName = keyof typeof scalars;

const native: Scalar = { schema: { type: 'string' }, form: 'text, a number, true or false', read: readNative };

/** What is accepted in place of a type. */
const typeForm = `${Object.keys(scalars).join(', ')}, any of them with [], or "one of a, b, c"`;

const typeName = /^[a-z_][\w$]*(?:\.[a-z_][\w$]*)?(?: [a-z]+){0,3}(?:\(\d{1,5}(?:, ?\d{1,5})?\))?(?: [a-z]+){0,3}$/i;

/** The type that a text names, or what is wrong with it. `hasNative`: the engine may have types of its own. */
export function parseParamType(text: string, { hasNative }: { hasNative: boolean }): ParamType | string {
  const [, choices] = /^one of\b\s*(.*)$/is.exec(text) ?? [];
  if (choices !== undefined) return parseChoices(choices);
  const isList = text.endsWith('[]');
  const name = (isList ? text.slice(0, -2) : text).trim();
  const [, colons = '', bare = name] = /^(::?)\s*(.*)$/s.exec(name) ?? [];
  if (colons === '' && Object.hasOwn(scalars, bare)) return { kind: bare as ScalarName, isList };
  if (!hasNative) return `expected a type (${typeForm}), got ${quote(text)}`;
  if (!typeName.test(bare))
    return `expected a type (${typeForm}, or a type of the engine such as order_status[]), got ${quote(text)}`;
  const [near] = colons === '' ? nearestNames(bare, Object.keys(scalars), 1) : [];
  // A slip would otherwise pass for a type of the engine.
  if (near !== undefined && isSlip(bare, near))
    return `expected a type, got ${quote(text)}; did you mean ${near}? A type of the engine with this name is written ::${bare}`;
  return { kind: 'native', isList, native: bare };
}

function isSlip(word: string, name: string): boolean {
  return Math.abs(word.length - name.length) <= 2 && word[0] === name[0] && !/[_(. ]/.test(word);
}

function parseChoices(text: string): ParamType | string {
  const choices = splitList(text);
  const isDouble = new Set(choices).size < choices.length;
  if (choices.length === 0 || choices.length > 100 || choices.includes('') || isDouble)
    return `expected 1 to 100 different words after "one of", with commas between them, got ${quote(text)}`;
  return { kind: 'choice', isList: false, choices };
}

/** Words with commas between them; one with a comma or space at its end is written in double quotes. */
function splitList(text: string): string[] {
  const words = text.match(/"(?:[^"\\]|\\.)*"|[^,"]+/g) ?? [];
  return words.flatMap((word) => (word.trim() === '' ? [] : unquote(word.trim())));
}

function unquote(word: string): string {
  const value = word.startsWith('"') ? parseJson(word) : word;
  return typeof value === 'string' ? value : word;
}

/** Formats a type for messages: `date`, `one of a, b`, `order_status[]`. */
export function formatParamType({ kind, native: name, choices, isList }: ParamType): string {
  if (kind === 'choice') return `one of ${(choices ?? []).join(', ')}`;
  return `${kind === 'native' ? name : kind}${isList ? '[]' : ''}`;
}

/** What a value has to look like, for messages. A pattern says more than the general form of a text. */
export function formatParamForm(type: ParamType, pattern?: RegExp): string {
  if (pattern !== undefined)
    return `${type.kind === 'text' ? 'text' : formatParamForm(type)} that matches ${formatPattern(pattern)}`;
  if (type.kind === 'choice') return `one of ${(type.choices ?? []).map((choice) => JSON.stringify(choice)).join(', ')}`;
  const { form } = findScalar(type);
  return type.isList ? `a list of at most ${maxItems} items, each ${form}` : form;
}

/** As the file has it, without what `compilePattern` puts around it. */
function formatPattern({ source }: RegExp): string {
  return `/${source.slice('^(?:'.length, -')$'.length)}/`;
}

const maxItems = 1_000;

/** The value as it is bound; undefined where it does not fit the type. */
export function readParamValue(type: ParamType, value: unknown): unknown {
  if (!type.isList) return readOne(type, value);
  if (!Array.isArray(value) || value.length > maxItems) return undefined;
  const items = value.map((item: unknown) => readOne(type, item));
  return items.includes(undefined) ? undefined : items;
}

/** The value of a text in a header or on a command line; undefined where it does not fit the type. */
export function readParamText(type: ParamType, text: string): unknown {
  const trimmed = text.trim();
  if (!type.isList) return readParamValue(type, readTextValue(type, trimmed));
  const list = trimmed.startsWith('[') ? parseJson(trimmed) : splitList(trimmed);
  if (!Array.isArray(list)) return undefined;
  return readParamValue(
    type,
    list.map((item: unknown) => (typeof item === 'string' ? readTextValue(type, item) : item)),
  );
}

function readTextValue({ kind }: ParamType, text: string): unknown {
  if (kind === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  if (kind === 'json') return text;
  return unquote(text);
}

/** The JSON Schema of one value. */
export function describeParamType(type: ParamType): Record<string, unknown> {
  if (type.kind === 'choice') return { type: 'string', enum: [...(type.choices ?? [])] };
  const { schema } = findScalar(type);
  return type.isList ? { type: 'array', items: schema } : { ...schema };
}

function findScalar({ kind }: ParamType): Scalar {
  return kind === 'native' || kind === 'choice' ? native : scalars[kind];
}

function readOne(type: ParamType, value: unknown): unknown {
  if (type.kind === 'choice') return typeof value === 'string' && type.choices?.includes(value) ? value : undefined;
  return findScalar(type).read(value);
}

/** Digits that a number cannot hold stay a text, which every engine reads exactly. */
function readInteger(value: unknown): unknown {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : undefined;
  if (typeof value !== 'string' || !/^-?\d{1,40}$/.test(value)) return undefined;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

function readNumber(value: unknown): unknown {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'string' || !/^-?\d{1,60}(?:\.\d{1,60})?$/.test(value)) return undefined;
  const number = Number(value);
  return String(number) === value ? number : value;
}

function readPlainText(value: unknown): unknown {
  return typeof value === 'string' && value.length <= maxTextLength && !value.includes('\u0000') ? value : undefined;
}

function readBoolean(value: unknown): unknown {
  return typeof value === 'boolean' ? value : undefined;
}

function readNative(value: unknown): unknown {
  return typeof value === 'number' && Number.isFinite(value) ? value : (readBoolean(value) ?? readPlainText(value));
}

/** A text is read as JSON, because models write objects as text. */
function readJson(value: unknown): unknown {
  if (typeof value === 'string') return value.length <= maxTextLength ? (parseJson(value) ?? undefined) : undefined;
  return value === null || !isShallow(value, 20) ? undefined : value;
}

function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((part) => isShallow(part, depth - 1));
}

function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  // A day that does not exist becomes one of the next month.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

function isTimestamp(text: string): boolean {
  const [, day = '', hours = '0', minutes = '0', seconds = '0'] = timestamp.exec(text) ?? [];
  return isDate(day) && Number(hours) < 24 && Number(minutes) < 60 && Number(seconds) < 60;
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 60));
}
