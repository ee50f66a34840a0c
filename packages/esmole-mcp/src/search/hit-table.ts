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

/**
 * One line for each hit. What is nested in objects becomes a column of its own, `customer.name`; lists stay JSON. `_index` is a
 * column only where it is not the same for all.
 */
export function tabulate(hits: readonly Hit[], isOneIndex: boolean): HitTable {
  const flat = hits.map((hit) => ({ head: headOf(hit, isOneIndex), fields: fieldsOf(hit) }));
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

function headOf(hit: Hit, isOneIndex: boolean): Fields {
  const head: Fields = new Map();
  if (hit._id !== undefined) head.set('_id', cellOf(hit._id));
  if (!isOneIndex && hit._index !== undefined) head.set('_index', cellOf(hit._index));
  if (typeof hit._score === 'number' || hit._score instanceof RawNumber) head.set('_score', cellOf(hit._score));
  return head;
}

function fieldsOf(hit: Hit): Fields {
  const fields: Fields = new Map();
  flatten(hit._source, '', fields);
  for (const [name, value] of entriesOf(hit.fields)) fields.set(name, cellOf(single(value)));
  if (hit.highlight !== undefined) fields.set('highlight', jsonText(hit.highlight));
  for (const [name, value] of entriesOf(hit.inner_hits)) fields.set(`inner_hits.${name}`, jsonText(innerHits(value)));
  return fields;
}

function flatten(value: unknown, prefix: string, into: Fields): void {
  const open = [{ value, prefix }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const entries = entriesOf(next.value);
    for (const [key, inner] of entries.toReversed()) {
      const name = next.prefix === '' ? key : `${next.prefix}.${key}`;
      if (isObject(inner) && Object.keys(inner).length > 0) open.push({ value: inner, prefix: name });
      else open.push({ value: new Leaf(inner), prefix: name });
    }
    if (next.value instanceof Leaf) into.set(next.prefix, cellOf(next.value.value));
  }
}

/** Keeps the order of the document: everything goes through one stack. */
class Leaf {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
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

function entriesOf(value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value) : [];
}

export function isObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return !(value instanceof RawNumber || value instanceof CutString || value instanceof LeftOut || value instanceof Leaf);
}

function unionOf(maps: readonly ReadonlyMap<string, unknown>[]): string[] {
  return [...new Set(maps.flatMap((map) => [...map.keys()]))];
}
