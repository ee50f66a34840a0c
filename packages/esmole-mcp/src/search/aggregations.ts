import { type CellValue, RawNumber, truncateJsonBudget, truncateRows } from '@dbmole/core';
import { cellOf, isObject } from './hit-table.ts';

type Value = Readonly<Record<string, unknown>>;

/** Characters of one aggregation, so that another one is seen too. */
const roomOfOne = 8_000;
const mostBuckets = 500;

/** What is nested further is shown as JSON. */
const maxLevels = 12;
/** Of the name of one level. */
const maxName = 200;
/** Of one table. No more of them have room. */
const maxColumns = 1_000;

/** Each aggregation as a small table, or as one line where it is one value. */
export function formatAggregations(aggregations: unknown, room: number): string {
  const all = entriesOf(aggregations);
  const each = Math.max(500, Math.min(roomOfOne, Math.floor(room / Math.max(1, all.length))));
  const parts: string[] = [];
  let used = 0;
  for (const [name, value] of all) {
    for (const part of formatOne(name, value, { room: each, level: 0 })) {
      if (used > room) return [...parts, '… ask for fewer aggregations to see the others'].join('\n');
      parts.push(part);
      used += part.length + 1;
    }
  }
  return parts.join('\n');
}

function* formatOne(name: string, value: unknown, { room, level }: { room: number; level: number }): Generator<string> {
  if (!isObject(value)) yield cutText(`${name}: ${textOf(value)}`, room);
  else if (level > maxLevels) yield `${name}: ${jsonOf(value)}`;
  else if (hasBuckets(value)) yield formatBuckets(name, value, room);
  else {
    const inner = subAggregations(value);
    const own = formatMetric(value);
    if (own !== '' || inner.length === 0) yield cutText(`${name}: ${own}`, room);
    for (const [key, one] of inner) yield* formatOne(`${name}.${key}`, one, { room, level: level + 1 });
  }
}

function hasBuckets(value: Value): boolean {
  return Array.isArray(value.buckets) || isObject(value.buckets);
}

/** Rows for all buckets; those of the first aggregation inside that has buckets too are spread out, row by row. */
function formatBuckets(name: string, value: Value, room: number): string {
  const rows = [...take(rowsOf(name, value, 0), mostBuckets)];
  const columns = [...new Set(rows.flatMap((row) => [...row.keys()]))].slice(0, maxColumns);
  const writer = truncateRows({ columns, budget: Math.max(2_000, room), rowLimit: mostBuckets });
  for (const row of rows) if (!writer.add(columns.map((column) => row.get(column) ?? null))) break;
  const { body, shownRows } = writer.finish();
  const left = countRows(value, 0) - shownRows;
  const others = value.sum_other_doc_count;
  const notes = [
    left > 0 ? `${left} more rows` : '',
    typeof others === 'number' && others > 0 ? `${others} documents in other buckets` : '',
    isObject(value.after_key) ? `after: ${jsonOf(value.after_key)}` : '',
  ].filter((note) => note !== '');
  return `${name}${notes.length === 0 ? '' : ` (${notes.join('; ')})`}:\n${body}`;
}

type Row = Map<string, CellValue>;

function* rowsOf(name: string, value: Value, level: number): Generator<Row> {
  for (const { key, bucket } of bucketsOf(value)) {
    const inner = subAggregations(bucket);
    const nested = nestedOf(inner, level);
    const own = keyCells(name, key, bucket);
    let below = 0;
    if (nested !== undefined) {
      for (const row of rowsOf(nested.name, nested.value, level + 1)) {
        below += 1;
        yield new Map([...own, ...row]);
      }
    }
    if (below > 0) continue;
    const row: Row = new Map([...own, ['docs', cellOf(bucket.doc_count)]]);
    for (const [key, one] of inner) if (key !== nested?.name) addMetric(row, key, one);
    yield row;
  }
}

/** The first aggregation inside that has buckets too. */
function nestedOf(inner: readonly [string, unknown][], level: number): { name: string; value: Value } | undefined {
  if (level >= maxLevels) return undefined;
  for (const [name, value] of inner) if (isObject(value) && hasBuckets(value)) return { name, value };
  return undefined;
}

function countRows(value: Value, level: number): number {
  let count = 0;
  for (const { bucket } of bucketsOf(value)) {
    const nested = nestedOf(subAggregations(bucket), level);
    count += nested === undefined ? 1 : Math.max(1, countRows(nested.value, level + 1));
  }
  return count;
}

function* take<T>(items: Iterable<T>, limit: number): Generator<T> {
  let taken = 0;
  for (const item of items) {
    if (taken++ >= limit) return;
    yield item;
  }
}

function bucketsOf({ buckets }: Value): { key: unknown; bucket: Value }[] {
  if (Array.isArray(buckets))
    return buckets.filter(isObject).map((bucket) => ({ key: bucket.key_as_string ?? bucket.key, bucket }));
  return entriesOf(buckets).flatMap(([key, bucket]) => (isObject(bucket) ? [{ key, bucket }] : []));
}

/** A composite key has a column for each of its parts. */
function keyCells(name: string, key: unknown, bucket: Value): [string, CellValue][] {
  if (isObject(key))
    return entriesOf(key)
      .slice(0, maxColumns)
      .map(([part, value]) => [part, cellOf(value)]);
  if (key === undefined) return [[name, `${textOf(bucket.from ?? '*')}-${textOf(bucket.to ?? '*')}`]];
  return [[name, cellOf(Array.isArray(key) ? key.map(textOf).join('|') : key)]];
}

function addMetric(row: Row, name: string, value: unknown): void {
  if (!isObject(value)) {
    row.set(name, cellOf(value));
    return;
  }
  if ('value' in value) row.set(name, cellOf(value.value_as_string ?? value.value));
  else if (isObject(value.hits)) row.set(name, jsonOf(topHits(value)));
  else if (isObject(value.values)) for (const [key, one] of entriesOf(value.values)) row.set(`${name}.${key}`, cellOf(one));
  else for (const [key, one] of entriesOf(value)) row.set(`${name}.${key}`, cellOf(one));
}

function formatMetric(value: Value): string {
  if ('value' in value) return textOf(value.value_as_string ?? value.value);
  if (isObject(value.hits)) return jsonOf(topHits(value));
  const shown = isObject(value.values) ? value.values : value;
  const scalars = entriesOf(shown).filter(([key, one]) => key !== 'meta' && (!isObject(one) || one instanceof RawNumber));
  const rest = entriesOf(shown).filter(([key, one]) => key !== 'meta' && isObject(one) && !looksLikeAggregation(one));
  const lines = scalars.map(([key, one]) => `${key === 'doc_count' ? 'docs' : key}=${textOf(one)}`);
  return [...lines, ...rest.map(([key, one]) => `${key}=${jsonOf(one)}`)].join(', ');
}

function topHits(value: Value): unknown {
  const list = isObject(value.hits) ? value.hits.hits : undefined;
  return Array.isArray(list) ? list.map((hit) => (isObject(hit) ? (hit._source ?? hit.fields ?? hit._id) : hit)) : [];
}

/** Members that are aggregations themselves, and not parts of this one's own answer. */
function subAggregations(value: Value): [string, unknown][] {
  if (isObject(value.hits)) return [];
  return entriesOf(value).filter(([key, one]) => key !== 'meta' && key !== 'key' && looksLikeAggregation(one));
}

function looksLikeAggregation(value: unknown): boolean {
  if (!isObject(value)) return false;
  return ['value', 'buckets', 'doc_count', 'values', 'hits', 'count', 'bounds', 'location'].some((key) => key in value);
}

function textOf(value: unknown): string {
  const cell = cellOf(value);
  return cell === null ? 'null' : typeof cell === 'object' ? cell.text : String(cell);
}

function jsonOf(value: unknown): string {
  return truncateJsonBudget(value, 4_000).text;
}

function cutText(text: string, room: number): string {
  return text.length <= room ? text : `${text.slice(0, room)}…`;
}

/** Names are put before those of all members, so that long ones would fill the memory. */
function entriesOf(value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value).map(([key, one]) => [cutText(key, maxName), one]) : [];
}
