import { type CellValue, RawNumber, truncateJsonBudget, truncateRows } from '@dbmole/core';
import { cellOf, isObject } from './hit-table.ts';

type Value = Readonly<Record<string, unknown>>;

/** Characters of one aggregation, so that another one is seen too. */
const roomOfOne = 8_000;
const mostBuckets = 500;

/** Each aggregation as a small table, or as one line where it is one value. */
export function formatAggregations(aggregations: unknown, room: number): string {
  if (!isObject(aggregations)) return '';
  const names = Object.keys(aggregations);
  const each = Math.max(500, Math.min(roomOfOne, Math.floor(room / Math.max(1, names.length))));
  return names.map((name) => formatOne(name, aggregations[name], each)).join('\n');
}

function formatOne(name: string, value: unknown, room: number): string {
  if (!isObject(value)) return `${name}: ${textOf(value)}`;
  if (hasBuckets(value)) return formatBuckets(name, value, room);
  const inner = subAggregations(value);
  const own = formatMetric(value);
  const lines = inner.map(([key, one]) => formatOne(`${name}.${key}`, one, room));
  return [own === '' && lines.length > 0 ? '' : `${name}: ${own}`, ...lines].filter((line) => line !== '').join('\n');
}

function hasBuckets(value: Value): boolean {
  return Array.isArray(value.buckets) || isObject(value.buckets);
}

/** Rows for all buckets; those of the first aggregation inside that has buckets too are spread out, row by row. */
function formatBuckets(name: string, value: Value, room: number): string {
  const rows = rowsOf(name, value);
  const columns = [...new Set(rows.flatMap((row) => [...row.keys()]))];
  const writer = truncateRows({ columns, budget: Math.max(2_000, room), rowLimit: mostBuckets });
  for (const row of rows) if (!writer.add(columns.map((column) => row.get(column) ?? null))) break;
  const { body, shownRows } = writer.finish();
  const left = rows.length - shownRows;
  const others = value.sum_other_doc_count;
  const notes = [
    left > 0 ? `${left} more rows` : '',
    typeof others === 'number' && others > 0 ? `${others} documents in other buckets` : '',
    isObject(value.after_key) ? `after: ${jsonOf(value.after_key)}` : '',
  ].filter((note) => note !== '');
  return `${name}${notes.length === 0 ? '' : ` (${notes.join('; ')})`}:\n${body}`;
}

type Row = Map<string, CellValue>;

function rowsOf(name: string, value: Value): Row[] {
  return bucketsOf(value).flatMap(({ key, bucket }) => {
    const inner = subAggregations(bucket);
    const nested = inner.find(([, one]) => isObject(one) && hasBuckets(one));
    const row: Row = new Map([...keyCells(name, key, bucket), ['docs', cellOf(bucket.doc_count)]]);
    for (const [key, one] of inner) if (key !== nested?.[0]) addMetric(row, key, one);
    if (nested === undefined || !isObject(nested[1])) return [row];
    const below = rowsOf(nested[0], nested[1]);
    if (below.length === 0) return [row];
    return below.map((one) => new Map([...keyCells(name, key, bucket), ...one]));
  });
}

function bucketsOf({ buckets }: Value): { key: unknown; bucket: Value }[] {
  if (Array.isArray(buckets))
    return buckets.filter(isObject).map((bucket) => ({ key: bucket.key_as_string ?? bucket.key, bucket }));
  return Object.entries(isObject(buckets) ? buckets : {}).flatMap(([key, bucket]) => (isObject(bucket) ? [{ key, bucket }] : []));
}

/** A composite key has a column for each of its parts. */
function keyCells(name: string, key: unknown, bucket: Value): [string, CellValue][] {
  if (isObject(key)) return Object.entries(key).map(([part, value]) => [part, cellOf(value)]);
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
  else if (isObject(value.values)) for (const [key, one] of Object.entries(value.values)) row.set(`${name}.${key}`, cellOf(one));
  else for (const [key, one] of Object.entries(value)) row.set(`${name}.${key}`, cellOf(one));
}

function formatMetric(value: Value): string {
  if ('value' in value) return textOf(value.value_as_string ?? value.value);
  if (isObject(value.hits)) return jsonOf(topHits(value));
  const shown = isObject(value.values) ? value.values : value;
  const scalars = Object.entries(shown).filter(([key, one]) => key !== 'meta' && (!isObject(one) || one instanceof RawNumber));
  const rest = Object.entries(shown).filter(([key, one]) => key !== 'meta' && isObject(one) && !looksLikeAggregation(one));
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
  return Object.entries(value).filter(([key, one]) => key !== 'meta' && key !== 'key' && looksLikeAggregation(one));
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
