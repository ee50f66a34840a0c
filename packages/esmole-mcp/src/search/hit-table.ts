import { type CellValue, CutString, LeftOut, RawNumber, Turns, truncateJsonBudget, truncateJsonInTurns } from '@dbmole/core';
import { formatExplanation } from './details/explanation.ts';

/** A hit as the cluster gives it; everything in it may be missing. */
export type Hit = Readonly<Record<string, unknown>>;

interface HitTable {
  columns: readonly string[];
  rows: readonly (readonly CellValue[])[];
}

/** Beyond this many columns, or with so many holes, a line of JSON for each hit is shorter. */
const maxColumns = 120;
const minFilled = 0.5;
/** Characters of one list or object inside of a cell. */
const jsonRoom = 100_000;
/** Limits beyond which a value stays JSON: a name repeats those of all objects around it. */
const maxLevels = 30;
const maxName = 500;

interface TableOptions {
  /** Whether all hits are from one index. */
  isOneIndex: boolean;
  /** Names for the sort values that are computed and in no field, by their place in the sort. */
  computed?: readonly (string | undefined)[];
  /** Characters that there are for all rows, and of one cell. */
  room: number;
  cellLimit: number;
}

/**
 * One line for each hit, as far as there can be room for it: the hits behind it would only cost memory, and columns that are empty.
 * What is nested in objects becomes a column of its own, `customer.name`; lists stay JSON. `_index` is a column only where it is not
 * the same for all.
 */
export async function tabulate(all: readonly Hit[], options: TableOptions): Promise<HitTable> {
  const turns = new Turns();
  const flat = await flattenSome(all, options, turns);
  const hits = all.slice(0, flat.length);
  const heads = unite(flat.map(({ head }) => head));
  const names = unite(flat.map(({ fields }) => fields));
  const filled = flat.reduce((sum, { fields }) => sum + fields.size, 0);
  if (names.length > maxColumns || (names.length > 8 && filled < names.length * hits.length * minFilled)) {
    return await jsonLines(hits, { flat, heads, turns });
  }
  const mixed = new Set(names.filter((name) => isMixed(flat.map(({ fields }) => fields.get(name)))));
  const rows = flat.map(({ head, fields }) => [
    ...heads.map((name) => head.get(name) ?? null),
    ...names.map((name) => quoteIn(mixed, name, fields.get(name) ?? null)),
  ]);
  return { columns: [...heads, ...names], rows };
}

const looksLikeValue = /^(?:-?\d[\d.eE+-]*|true|false)$/;

/** A number in one document and a text in another look the same in a table, just where the conflict is looked for. */
function isMixed(cells: readonly (CellValue | undefined)[]): boolean {
  const isText = (cell: CellValue | undefined) => typeof cell === 'string' && looksLikeValue.test(cell);
  return cells.some(isText) && cells.some((cell) => cell !== undefined && cell !== null && typeof cell !== 'string');
}

function quoteIn(mixed: ReadonlySet<string>, name: string, cell: CellValue): CellValue {
  return mixed.has(name) && typeof cell === 'string' ? JSON.stringify(cell) : cell;
}

interface Parts {
  flat: readonly FlatHit[];
  heads: readonly string[];
  turns: Turns;
}

async function jsonLines(hits: readonly Hit[], { flat, heads, turns }: Parts): Promise<HitTable> {
  const rows: CellValue[][] = [];
  const extras = hits.map(listExtras);
  const names = unite(extras).slice(0, maxColumns);
  for (const [index, hit] of hits.entries()) {
    const { text } = await truncateJsonInTurns(hit._source ?? hit.fields ?? {}, jsonRoom, turns);
    const around = [...heads.map((name) => flat[index]?.head.get(name)), ...names.map((name) => extras[index]?.get(name))];
    rows.push([...around.map((value) => value ?? null), text]);
  }
  return { columns: [...heads, ...names, '_source'], rows };
}

type Fields = Map<string, CellValue>;

interface FlatHit {
  head: Fields;
  fields: Fields;
}

async function flattenSome(
  hits: readonly Hit[],
  { isOneIndex, computed = [], room, cellLimit }: TableOptions,
  turns: Turns,
): Promise<FlatHit[]> {
  const flat: FlatHit[] = [];
  let left = room;
  for (const hit of hits) {
    if (left < 0) break;
    const one = { head: readHead(hit, { isOneIndex, computed }), fields: listFields(hit, computeMaxFields(cellLimit)) };
    flat.push(one);
    left -= computeMinSize(one.fields, cellLimit);
    await turns.next();
  }
  return flat;
}

/** Everything that a hit says, by the names of its columns. */
export function flattenHit(hit: Hit): FlatHit {
  return { head: readHead(hit, { isOneIndex: false }), fields: listFields(hit) };
}

/** Takes hits as long as there can be room for another one. */
export function createRoom(characters: number, cellLimit: number): { take(hit: Hit): boolean } {
  let left = characters;
  return {
    take(hit) {
      left -= computeMinSize(listFields(hit, computeMaxFields(cellLimit)), cellLimit);
      return left >= 0;
    },
  };
}

/** With more fields than this, a hit is one cell of JSON, which is cut: the others need not be read. */
function computeMaxFields(cellLimit: number): number {
  return Math.max(cellLimit, maxColumns + 1);
}

/** No row of these is shorter: whole as a table has them, or cut as one cell of JSON. */
function computeMinSize(fields: Fields, cellLimit: number): number {
  let size = 1;
  for (const value of fields.values()) {
    const length = typeof value === 'string' ? value.length : 1;
    size += length <= cellLimit ? length : 1;
  }
  return Math.min(size, cellLimit);
}

/** Members with a column of their own, the type that old clusters write, and the place of a hit that comes with an explanation. */
const known: ReadonlySet<string> = new Set(
  '_id _index _type _score _source fields highlight inner_hits sort _shard _node'.split(' '),
);

/** All sort values are shown without `computed`. */
function readHead(hit: Hit, { isOneIndex, computed }: Pick<TableOptions, 'isOneIndex' | 'computed'>): Fields {
  const head: Fields = new Map();
  if (hit._id !== undefined) head.set('_id', formatCell(hit._id));
  if (!isOneIndex && hit._index !== undefined) head.set('_index', formatCell(hit._index));
  if (typeof hit._score === 'number' || hit._score instanceof RawNumber) head.set('_score', formatCell(hit._score));
  if (computed === undefined && hit.sort !== undefined) head.set('sort', formatCell(single(hit.sort)));
  const sort = Array.isArray(hit.sort) ? hit.sort : [];
  for (const [at, name] of (computed ?? []).entries()) if (name !== undefined) head.set(name, formatCell(sort[at]));
  for (const [name, value] of listEntries(hit)) if (!known.has(name)) head.set(name, formatMember(name, value));
  return head;
}

function formatMember(name: string, value: unknown): CellValue {
  return name === '_explanation' ? formatExplanation(value) : formatCell(single(value));
}

function listFields(hit: Hit, maxFields = Number.POSITIVE_INFINITY): Fields {
  const fields: Fields = new Map();
  flatten(hit._source, fields, maxFields);
  if (fields.size >= maxFields) return fields;
  for (const [name, value] of listEntries(hit.fields)) fields.set(name, formatCell(single(value)));
  for (const [name, value] of listExtras(hit)) fields.set(name, value);
  return fields;
}

/** What a hit has beside its document. */
function listExtras(hit: Hit): Fields {
  const extras: Fields = new Map();
  for (const [name, value] of hit._source === undefined ? none : listEntries(hit.fields))
    extras.set(name, formatCell(single(value)));
  for (const [name, value] of listEntries(hit.highlight)) extras.set(`highlight.${name}`, formatFragments(value));
  for (const [name, value] of listEntries(hit.inner_hits)) extras.set(`inner_hits.${name}`, formatInnerHits(value));
  return extras;
}

function formatFragments(value: unknown): CellValue {
  return Array.isArray(value) && value.every((one) => typeof one === 'string') ? value.join(' … ') : formatCell(single(value));
}

/** Columns keep the order of the document. A large object is faster to walk by its keys than by its entries. */
function flatten(document: unknown, into: Fields, maxFields: number): void {
  const open = [{ members: document, keys: listKeys(document), at: 0, prefix: '' }];
  for (let level = open.at(-1); level !== undefined && into.size < maxFields; level = open.at(-1)) {
    const key = level.keys[level.at++];
    if (key === undefined) {
      open.pop();
      continue;
    }
    const value = isObject(level.members) ? level.members[key] : undefined;
    const name = `${level.prefix}${key}`;
    const keys = listKeys(value);
    if (keys.length > 0 && open.length < maxLevels && name.length < maxName)
      open.push({ members: value, keys, at: 0, prefix: `${name}.` });
    else into.set(name, formatCell(value));
  }
}

/** The document of each, and how many there are in all where it is more. */
function formatInnerHits(value: unknown): string {
  const outer = isObject(value) && isObject(value.hits) ? value.hits : {};
  const list = Array.isArray(outer.hits) ? outer.hits : [];
  const text = jsonText(list.map(readInnerHit));
  return countTotal(value) === list.length ? text : `${list.length} of ${formatTotal(Object(value))}: ${text}`;
}

/** A nested object has the id of the document that it is in. */
function readInnerHit(hit: unknown): unknown {
  if (!isObject(hit)) return hit;
  const { _id, _nested, _source, fields, highlight } = hit;
  const own = _nested === undefined ? { _id } : {};
  return { ...own, ...Object(_source), ...Object(fields), ...(highlight !== undefined && { highlight }) };
}

export function formatCell(value: unknown): CellValue {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint')
    return value;
  if (value instanceof RawNumber) return { text: value.text, length: value.text.length };
  if (value instanceof CutString) return { text: value.text, length: value.length };
  return jsonText(value);
}

function single(value: unknown): unknown {
  return Array.isArray(value) && value.length === 1 ? value[0] : value;
}

export function jsonText(value: unknown): string {
  return truncateJsonBudget(value, jsonRoom).text;
}

const none: readonly [string, unknown][] = [];
const noKeys: readonly string[] = [];

function listKeys(value: unknown): readonly string[] {
  return isObject(value) ? Object.keys(value) : noKeys;
}

function listEntries(value: unknown): readonly [string, unknown][] {
  return isObject(value) ? Object.entries(value) : none;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return !(value instanceof RawNumber || value instanceof CutString || value instanceof LeftOut);
}

export function unite(maps: readonly ReadonlyMap<string, unknown>[]): string[] {
  const names = new Set<string>();
  for (const map of maps) for (const name of map.keys()) names.add(name);
  return [...names];
}

/** Returns the number of matches if they were all counted. */
export function countTotal(answer: unknown): number | undefined {
  const total = isObject(answer) && isObject(answer.hits) ? answer.hits.total : undefined;
  if (typeof total === 'number') return total;
  return isObject(total) && total.relation === 'eq' && typeof total.value === 'number' ? total.value : undefined;
}

/** Formats the number of matches as far as they were counted. */
export function formatTotal(answer: Readonly<Record<string, unknown>>): string {
  const hits = isObject(answer.hits) ? answer.hits : {};
  const { total } = hits;
  if (typeof total === 'number') return String(total);
  if (!isObject(total)) return 'not counted';
  return total.relation === 'gte' ? `at least ${formatCount(total.value)}` : formatCount(total.value);
}

/** Formats a number, and nothing else. */
function formatCount(value: unknown): string {
  return typeof value === 'number' ? String(value) : value instanceof RawNumber ? value.text : '?';
}
