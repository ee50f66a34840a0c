import { type CellValue, LeftOut, respond, type ToolReply, truncateRows } from '@dbmole/core';
import type { RequestTarget } from '../call/cluster-request.ts';
import type { WatchedRequest } from '../http/watch-failures.ts';
import { formatCell, isObject } from '../search/hit-table.ts';
import type { Answer } from './answer.ts';
import { formatIncomplete } from './incomplete.ts';

const budget = 32_000;
/** Characters of one value, where not all of an answer fits. */
const maxStringLength = 2_000;

/** The answer to a request of any kind: status first, then what it lacks, then the body. */
export function formatAnswer(answer: Answer, watched: WatchedRequest, news: readonly string[]): ToolReply {
  const { status, json, text, contentType, cut } = answer;
  const asked = { terminateAfter: watched.isTerminated, filtered: watched.isFiltered };
  const notes = [`Status ${status}.`, ...formatIncomplete(json, asked), ...news];
  const readOn = formatReadOn(watched);
  if (json === undefined || !contentType.includes('json')) {
    if (cut !== undefined && json === undefined) notes.push(`Cut: the first ${cut.bytes} bytes were read.`);
    const plain = contentType === 'text/csv' ? withPlainLineEnds(text) : text;
    return respond.text(plain, { line: notes.join(' '), readOn, budget });
  }
  if (isTable(watched) && Array.isArray(json)) return formatTable(json, notes, readOn);
  const { value, dropped } = withoutEmptyColumns(watched.hide(json));
  if (dropped > 0) notes.push(`${dropped} columns without a value are left out.`);
  return respond.json(value, { line: notes.join(' '), readOn, budget, maxStringLength });
}

/** Names the parameters of this request. */
function formatReadOn({ segments }: RequestTarget): string {
  const has = (...words: string[]) => segments.some((segment) => words.includes(segment));
  if (has('_query')) return 'Ask for less with KEEP and LIMIT.';
  if (has('_sql')) return 'Ask for less with fewer columns and LIMIT.';
  if (has('_cat')) return 'Ask for less with a pattern in the path, or with columns as in h=index,health.';
  if (has('_search', '_msearch', 'scroll')) return 'Ask for less with filter_path, size or _source.';
  return `Ask for less with filter_path${has('_mget', '_doc', '_source') ? ' or _source' : ''}.`;
}

/** A table of `_cat`, unless another form was asked for. */
function isTable({ segments, params }: RequestTarget): boolean {
  return segments[0] === '_cat' && !params.has('format');
}

/** A table names its columns once, and not in each row. */
function formatTable(list: readonly unknown[], notes: readonly string[], readOn: string): ToolReply {
  const rows = list.filter(isObject);
  const columns = Object.keys(rows[0] ?? {});
  const writer = truncateRows({ columns, budget, rowLimit: list.length, once: true });
  for (const row of rows) if (!writer.add(columns.map((column): CellValue => formatCell(row[column])))) break;
  const { line, body, more } = writer.finish(list.at(-1) instanceof LeftOut ? 'yes' : 'no');
  return respond.text(body, { line: [...notes, line, ...(more === 'no' ? [] : [readOn])].join(' '), budget });
}

/** For a pattern over many indices, ES|QL shows every field that one of them has. */
function withoutEmptyColumns(json: unknown): { value: unknown; dropped: number } {
  if (!isObject(json)) return { value: json, dropped: 0 };
  const { columns, values } = json;
  if (!Array.isArray(columns) || !Array.isArray(values) || values.length === 0) return { value: json, dropped: 0 };
  const rows = values.filter((row) => Array.isArray(row) && row.length === columns.length);
  const isKept = columns.map((_, at) => rows.some((row) => row[at] !== null));
  const dropped = isKept.filter((kept) => !kept).length;
  if (dropped === 0 || dropped === columns.length || rows.length < values.length) return { value: json, dropped: 0 };
  const pick = (list: readonly unknown[]) => list.filter((_, at) => isKept[at]);
  return { value: { ...json, columns: pick(columns), values: rows.map(pick) }, dropped };
}

/** Clusters end the lines of CSV with two characters; inside of quotes they are a part of the value. */
function withPlainLineEnds(csv: string): string {
  return csv
    .split('"')
    .map((part, at) => (at % 2 === 0 ? part.replaceAll('\r\n', '\n') : part))
    .join('"');
}
