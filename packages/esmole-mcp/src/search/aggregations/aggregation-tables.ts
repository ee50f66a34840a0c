import { type CellValue, LeftOut, RawNumber, Turns } from '@dbmole/core';
import { flattenHit, formatCell, type Hit, isObject, jsonText } from '../hit-table.ts';

export type Values = Map<string, CellValue>;

/** The keys of one bucket, and of all buckets around it. */
interface BucketKeys {
  readonly outer: BucketKeys | undefined;
  readonly own: readonly (readonly [name: string, value: CellValue])[];
}

export interface AggregationRow {
  readonly keys: BucketKeys | undefined;
  readonly values: Values;
}

/** All buckets of an aggregation, in whichever buckets they are; hits of `top_hits` and other lists of objects likewise. */
export interface AggregationTable {
  readonly name: string;
  /** The rows from the offset on, up to a limit. */
  readonly rows: AggregationRow[];
  total: number;
  /** Rows of the answer that were not kept in memory. */
  lost: number;
}

/** The values of an aggregation at the top beside its buckets. */
export interface TopAggregation {
  readonly name: string;
  readonly values: Values;
}

interface RowWindow {
  readonly offset: number;
  readonly limit: number;
}

type Value = Readonly<Record<string, unknown>>;

/** The position of a value in the tree. */
interface Place {
  /** The name of the aggregation. */
  readonly name: string;
  /** The column of a value here; empty for the row itself. */
  readonly column: string;
  /** The table of a list here. */
  readonly table: string;
  readonly keys: BucketKeys | undefined;
  readonly level: number;
  /** The value is a row of its table, so that its members have names of their own. */
  readonly isRow: boolean;
}

/** Values that are nested deeper are shown as JSON. */
const maxLevels = 40;
const maxName = 200;
const maxPath = 1_000;
const maxTables = 300;
/** A composite key of more parts is shown as JSON. */
const maxKeyParts = 32;

/** Members that only hold what counts: their names say nothing. */
const wrappers: ReadonlySet<string> = new Set(['value', 'values', 'hits']);

/**
 * Reads an answer by its shape alone, because it does not say of which kinds its aggregations are. Each list becomes a table, and
 * everything else a column of the row around it, so that nothing is left out.
 */
export class AggregationCollector {
  readonly top: TopAggregation[] = [];
  readonly tables = new Map<string, AggregationTable>();
  /** Tables beyond the limit. */
  readonly lostTables = new Set<string>();
  readonly #window: RowWindow;
  readonly #turns = new Turns();

  constructor(window: RowWindow) {
    this.#window = window;
  }

  async collect(aggregations: unknown): Promise<this> {
    if (!isObject(aggregations)) return this;
    // An object of tens of thousands of members is faster to walk by its keys than by its entries.
    for (const name of Object.keys(aggregations)) {
      const value = aggregations[name];
      const values: Values = new Map();
      const short = cut(name, maxName);
      await this.#read(value, { name: short, column: '', table: short, keys: undefined, level: 0, isRow: false }, values);
      this.top.push({ name: short, values });
      await this.#turns.next();
    }
    return this;
  }

  async #read(value: unknown, place: Place, into: Values): Promise<void> {
    if (!isObject(value)) setValue(into, place.column, formatCell(single(value)));
    else if (place.level > maxLevels) setValue(into, place.column, jsonText(value));
    else
      for (const name of Object.keys(value)) {
        await this.#readMember(value, name, place, into);
        await this.#turns.next();
      }
  }

  async #readMember(holder: Value, name: string, place: Place, into: Values): Promise<void> {
    // The key is shown in the form that continues the aggregation.
    const value = name === 'after_key' ? jsonText(holder[name]) : unwrap(name, holder[name]);
    if (isRepeated(holder, name, value)) return;
    const isWrapped = !place.isRow && isWrapper(holder, name, value);
    const inner = { ...(isWrapped ? place : step(place, name)), level: place.level + 1, isRow: false };
    if (isKeyed(name, value)) await this.#addRows(inner, Object.entries(value));
    else if (isList(name, value))
      await this.#addRows(
        inner,
        value.map((one) => [undefined, one]),
        name,
      );
    else await this.#read(formattedOr(holder, name, value), inner, into);
  }

  async #addRows(
    place: Place,
    items: readonly (readonly [key: string | undefined, value: unknown])[],
    kind = 'buckets',
  ): Promise<void> {
    const table = this.#tableAt(place.table);
    for (const [key, value] of items) {
      if (value instanceof LeftOut) table.lost += value.items;
      else if (isObject(value)) {
        const isShown = this.#isShown(table);
        const row = isShown || !hasOneRow(value, kind) ? await this.#readRow(value, key, place, kind) : undefined;
        if (isShown && row !== undefined) table.rows.push(row);
        table.total += 1;
      }
      await this.#turns.next();
    }
  }

  /** Most rows of a long list are only counted. */
  #isShown({ total, rows }: AggregationTable): boolean {
    return total >= this.#window.offset && rows.length < this.#window.limit;
  }

  async #readRow(value: Value, key: string | undefined, place: Place, kind: string): Promise<AggregationRow> {
    return kind === 'hits' ? readHitRow(value, place) : await this.#readBucket(value, key, place, kind);
  }

  async #readBucket(bucket: Value, key: string | undefined, place: Place, kind: string): Promise<AggregationRow> {
    const { own, used } = kind === 'buckets' ? readKeys(bucket, key, place.name) : { own: [], used: [] };
    const keys = own.length === 0 ? place.keys : { outer: place.keys, own };
    const values: Values = new Map();
    const inner: Place = { ...place, column: '', keys, isRow: true };
    if (place.level > maxLevels) setValue(values, '', jsonText(bucket));
    else
      for (const name of Object.keys(bucket)) {
        if (!used.includes(name)) await this.#readMember(bucket, name, inner, values);
        await this.#turns.next();
      }
    return { keys, values };
  }

  #tableAt(name: string): AggregationTable {
    const known = this.tables.get(name);
    if (known !== undefined) return known;
    const table: AggregationTable = { name, rows: [], total: 0, lost: 0 };
    if (this.tables.size < maxTables) this.tables.set(name, table);
    else this.lostTables.add(name);
    return table;
  }
}

/** It has no lists, which would have rows of their own in other tables. */
function hasOneRow(row: Value, kind: string): boolean {
  if (kind === 'hits') return true;
  const isPlain = (value: unknown) => typeof value !== 'object' || isScalar(value);
  return Object.values(row).every((value) => isPlain(value) || (isObject(value) && Object.values(value).every(isPlain)));
}

function step(place: Place, name: string): Place {
  const own = cut(name, maxName);
  const shown = own === 'doc_count' ? 'docs' : own;
  const column = cut(place.column === '' ? shown : `${place.column}.${shown}`, maxPath);
  return { ...place, name: own, column, table: cut(`${place.table} > ${own}`, maxPath) };
}

/** Unkeyed percentiles are written as the keyed ones are; a list of one `top_metrics` is what is in it. */
function unwrap(name: string, value: unknown): unknown {
  if (!Array.isArray(value) || value.length === 0) return value;
  if (name === 'top' && value.length === 1 && isObject(value[0])) return value[0];
  if (name !== 'values' || !value.every(isPercentile)) return value;
  return Object.fromEntries(value.map((one) => [readText(one.key), one.value_as_string ?? one.value]));
}

function isPercentile(value: unknown): value is Value {
  return (
    isObject(value) &&
    'key' in value &&
    'value' in value &&
    Object.keys(value).every((name) => /^(?:key|value)(?:_as_string)?$/.test(name))
  );
}

/** The aggregations in a bucket have names of their own, which may be those of wrappers. */
function isWrapper(holder: Value, name: string, value: unknown): boolean {
  if (name === 'buckets') return isKeyed(name, value) || Array.isArray(value);
  return !('doc_count' in holder) && (wrappers.has(name) || (name === 'top' && isObject(value)));
}

function isKeyed(name: string, value: unknown): value is Value {
  return name === 'buckets' && isObject(value) && Object.values(value).every((one) => isObject(one) && 'doc_count' in one);
}

function isList(name: string, value: unknown): value is unknown[] {
  if (!Array.isArray(value) || (value.length === 0 && name !== 'buckets')) return false;
  return value.every((one) => isObject(one) || one instanceof LeftOut);
}

/** Whether another member has the same information, or this one has none. */
function isRepeated(holder: Value, name: string, value: unknown): boolean {
  if (name.endsWith('_as_string')) return typeof value === 'string' && isScalar(holder[name.slice(0, -'_as_string'.length)]);
  if (name === 'hits') return Array.isArray(value) && value.length === 0;
  return (name === 'relation' && value === 'eq') || (name === 'max_score' && value === null);
}

/** A date or number as the mapping formats it. */
function formattedOr(holder: Value, name: string, value: unknown): unknown {
  const formatted = holder[`${name}_as_string`];
  return typeof formatted === 'string' && isScalar(value) ? formatted : value;
}

interface ReadKeys {
  own: BucketKeys['own'];
  /** The members that it was read from, and that say nothing more. */
  used: readonly string[];
}

/** A composite key has a column for each of its parts. */
function readKeys(bucket: Value, key: string | undefined, name: string): ReadKeys {
  const { key_as_string, key: plain } = bucket;
  if (isObject(plain) && key === undefined && Object.keys(plain).length <= maxKeyParts)
    return {
      own: Object.entries(plain).map(([part, value]) => [cut(part, maxName), formatCell(value)]),
      used: ['key', 'key_as_string'],
    };
  const shown = key ?? key_as_string ?? (Array.isArray(plain) ? plain.map(readText).join('|') : plain);
  const range = formatRanges(bucket);
  if (shown === undefined && range.length === 0) return { own: [], used: [] };
  const text = shown === undefined ? range[0] : shown;
  const isSame = key === undefined || key === key_as_string || key === plain || Number(key) === Number(readText(plain));
  const used = [...(isSame ? ['key', 'key_as_string'] : []), ...(range.includes(String(text)) ? rangeMembers : [])];
  return { own: [[name, formatCell(text)]], used };
}

const rangeMembers = ['from', 'to', 'from_as_string', 'to_as_string'];

/** Lists keys of a range that only repeat its ends. */
function formatRanges(bucket: Value): string[] {
  if (bucket.from === undefined && bucket.to === undefined) return [];
  return formatEnd(bucket, 'from').flatMap((from) => formatEnd(bucket, 'to').map((to) => `${from}-${to}`));
}

function formatEnd(bucket: Value, name: 'from' | 'to'): string[] {
  const [plain, formatted] = [bucket[name], bucket[`${name}_as_string`]];
  if (plain === undefined) return ['*'];
  const text = readText(plain);
  return [...(typeof formatted === 'string' ? [formatted] : []), text, ...(Number.isInteger(plain) ? [`${text}.0`] : [])];
}

function readHitRow(hit: Hit, { keys }: Place): AggregationRow {
  const { head, fields } = flattenHit(hit);
  const values: Values = new Map(head);
  for (const [name, value] of fields) setValue(values, name, value);
  return { keys, values };
}

/** Two members may come to the same name of a column. */
function setValue(into: Values, column: string, value: CellValue): void {
  into.set(into.has(column) ? `${column}#${into.size}` : column, value);
}

function isScalar(value: unknown): boolean {
  return value === null || typeof value === 'number' || typeof value === 'boolean' || value instanceof RawNumber;
}

function single(value: unknown): unknown {
  return Array.isArray(value) && value.length === 1 ? value[0] : value;
}

function readText(value: unknown): string {
  const cell = formatCell(value);
  return cell === null ? 'null' : typeof cell === 'object' ? cell.text : String(cell);
}

/** A name is repeated before those of all members, so that long ones would fill the memory. */
function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`;
}
