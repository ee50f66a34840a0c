import { type CellValue, CutString, LeftOut, RawNumber, truncateJsonBudget } from '@dbmole/core';

/** A hit as the cluster gives it; everything in it may be missing. */
export type Hit = Readonly<Record<string, unknown>>;

export interface HitTable {
  columns: readonly string[];
  rows: readonly (readonly CellValue[])[];
}

/** Beyond this many columns, or with so many holes, a line of JSON for each hit says the same with less. */
const mostColumns = 120;
const leastFilled = 0.5;
/** Characters of one list or object inside of a cell. */
const jsonRoom = 100_000;
/** What is nested further, or has a longer name, stays JSON: a name repeats those of all objects around it. */
const maxLevels = 30;
const maxName = 500;

export interface TableOptions {
  /** Of all of these hits. */
  isOneIndex: boolean;
  /** Characters that there are for all rows, and of one cell. */
  room: number;
  cellLimit: number;
}

/**
 * One line for each hit, as far as there can be room for it: the hits behind it would only cost memory, and columns that are empty.
 * What is nested in objects becomes a column of its own, `customer.name`; lists stay JSON. `_index` is a column only where it is not
 * the same for all.
 */
export function tabulate(all: readonly Hit[], options: TableOptions): HitTable {
  const flat = flattenSome(all, options);
  const hits = all.slice(0, flat.length);
  const heads = unionOf(flat.map(({ head }) => head));
  const names = unionOf(flat.map(({ fields }) => fields));
  const filled = flat.reduce((sum, { fields }) => sum + fields.size, 0);
  if (names.length > mostColumns || (names.length > 8 && filled < names.length * hits.length * leastFilled)) {
    return jsonLines(hits, flat, heads);
  }
  const rows = flat.map(({ head, fields }) => [
    ...heads.map((name) => head.get(name) ?? null),
    ...names.map((name) => fields.get(name) ?? null),
  ]);
  return { columns: [...heads, ...names], rows };
}

function jsonLines(hits: readonly Hit[], flat: readonly { head: Fields }[], heads: readonly string[]): HitTable {
  const rows = hits.map((hit, index) => [
    ...heads.map((name) => flat[index]?.head.get(name) ?? null),
    jsonText(hit._source ?? hit.fields ?? {}),
  ]);
  return { columns: [...heads, '_source'], rows };
}

type Fields = Map<string, CellValue>;

interface FlatHit {
  head: Fields;
  fields: Fields;
}

function flattenSome(hits: readonly Hit[], { isOneIndex, room, cellLimit }: TableOptions): FlatHit[] {
  const flat: FlatHit[] = [];
  let left = room;
  for (const hit of hits) {
    if (left < 0) break;
    const one = { head: headOf(hit, isOneIndex), fields: fieldsOf(hit) };
    flat.push(one);
    left -= leastSize(one.fields, cellLimit);
  }
  return flat;
}

/** Takes hits as long as there can be room for another one. */
export function createRoom(characters: number, cellLimit: number): { take(hit: Hit): boolean } {
  let left = characters;
  return {
    take(hit) {
      left -= leastSize(fieldsOf(hit), cellLimit);
      return left >= 0;
    },
  };
}

/** No row of these is shorter: whole as a table has them, or cut as one cell of JSON. */
function leastSize(fields: Fields, cellLimit: number): number {
  let size = 1;
  for (const value of fields.values()) {
    const length = typeof value === 'string' ? value.length : 1;
    size += length <= cellLimit ? length : 1;
  }
  return Math.min(size, cellLimit);
}

function headOf(hit: Hit, isOneIndex: boolean): Fields {
  const head: Fields = new Map();
  if (hit._id !== undefined) head.set('_id', cellOf(hit._id));
  if (!isOneIndex && hit._index !== undefined) head.set('_index', cellOf(hit._index));
  if (typeof hit._score === 'number' || hit._score instanceof RawNumber) head.set('_score', cellOf(hit._score));
  return head;
}

function fieldsOf(hit: Hit): Fields {
  const fields: Fields = new Map();
  flatten(hit._source, fields);
  for (const [name, value] of entriesOf(hit.fields)) fields.set(name, cellOf(single(value)));
  if (hit.highlight !== undefined) fields.set('highlight', jsonText(hit.highlight));
  for (const [name, value] of entriesOf(hit.inner_hits)) fields.set(`inner_hits.${name}`, jsonText(innerHits(value)));
  return fields;
}

/** In the order of the document. */
function flatten(document: unknown, into: Fields): void {
  const open = [{ entries: entriesOf(document), at: 0, prefix: '' }];
  for (let level = open.at(-1); level !== undefined; level = open.at(-1)) {
    const next = level.entries[level.at++];
    if (next === undefined) {
      open.pop();
      continue;
    }
    const [key, value] = next;
    const name = `${level.prefix}${key}`;
    const entries = entriesOf(value);
    if (entries.length > 0 && open.length < maxLevels && name.length < maxName) open.push({ entries, at: 0, prefix: `${name}.` });
    else into.set(name, cellOf(value));
  }
}

/** The document of each, and how many there are in all. */
function innerHits(value: unknown): unknown {
  const outer = isObject(value) ? value.hits : undefined;
  const list = isObject(outer) && Array.isArray(outer.hits) ? outer.hits : [];
  return {
    total: isObject(outer) ? outer.total : undefined,
    hits: list.map((hit) => (isObject(hit) ? (hit._source ?? hit.fields) : hit)),
  };
}

export function cellOf(value: unknown): CellValue {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint')
    return value;
  if (value instanceof RawNumber) return value.text;
  if (value instanceof CutString) return { text: value.text, length: value.length };
  return jsonText(value);
}

function single(value: unknown): unknown {
  return Array.isArray(value) && value.length === 1 ? value[0] : value;
}

function jsonText(value: unknown): string {
  return truncateJsonBudget(value, jsonRoom).text;
}

const none: readonly [string, unknown][] = [];

function entriesOf(value: unknown): readonly [string, unknown][] {
  return isObject(value) ? Object.entries(value) : none;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return !(value instanceof RawNumber || value instanceof CutString || value instanceof LeftOut);
}

function unionOf(maps: readonly ReadonlyMap<string, unknown>[]): string[] {
  const names = new Set<string>();
  for (const map of maps) for (const name of map.keys()) names.add(name);
  return [...names];
}
