import type { AnswerLimits } from '../answer/answer.ts';
import { isObject } from '../search/hit-table.ts';
import { readText } from './log-fields.ts';
import { inWindow, type LogSource, searchLogs } from './log-search.ts';
import type { LogWindow } from './log-window.ts';
import { hasForm, type PatternQuery } from './pattern-query.ts';
import { type LogLine, splitLine } from './split-line.ts';

/** What a whole window has of a pattern. */
export interface Counted {
  /** Lines with all of its words. */
  readonly count: number;
  readonly first: number | undefined;
  readonly last: number | undefined;
  /** Lines that have the words were looked at, and none has the form of the pattern. */
  readonly isOther: boolean;
}

interface Asked {
  readonly line: LogLine;
  readonly found: PatternQuery;
  /** Whether lines are to be looked at: the window had none in its sample. */
  readonly isSought: boolean;
}

const mebibyte = 1024 * 1024;
const limits: AnswerLimits = { bytes: mebibyte, json: { string: 2_048, list: 16 * mebibyte, total: 16 * mebibyte } };
/** Lines of each pattern that are looked at. */
const maxLooked = 10;

/** Counts in the whole window, in the order of the patterns. */
export async function countPatterns(
  source: LogSource,
  window: LogWindow,
  { patterns, message }: { patterns: readonly Asked[]; message: string },
): Promise<readonly Counted[]> {
  const { time } = source.fields;
  const times = { first: { min: { field: time } }, last: { max: { field: time } } };
  const lines = { lines: { top_hits: { size: maxLooked, _source: [message] } } };
  const entries = patterns.map(({ found, isSought }, at) => [
    `p${at}`,
    { filter: found.query, aggs: { ...times, ...(isSought && lines) } },
  ]);
  const body = { size: 0, query: inWindow(source, window), aggs: Object.fromEntries(entries) };
  const { json } = await searchLogs(source, body, limits);
  const results = isObject(json) && isObject(json.aggregations) ? json.aggregations : {};
  return patterns.map(({ line }, at) => readCounted(results[`p${at}`], line, message));
}

function readCounted(result: unknown, line: LogLine, message: string): Counted {
  const { doc_count, first, last, lines } = isObject(result) ? result : {};
  const texts = findTexts(lines, message);
  return {
    count: typeof doc_count === 'number' ? doc_count : 0,
    first: readValue(first),
    last: readValue(last),
    isOther: texts.length > 0 && !texts.some((text) => hasForm(splitLine(text), line)),
  };
}

function findTexts(lines: unknown, message: string): readonly string[] {
  const { hits } = isObject(lines) ? lines : {};
  const list: unknown[] = isObject(hits) && Array.isArray(hits.hits) ? hits.hits : [];
  return list.flatMap((hit) => (isObject(hit) ? (readText(hit._source, message) ?? []) : []));
}

function readValue(result: unknown): number | undefined {
  const value = isObject(result) ? result.value : undefined;
  return typeof value === 'number' ? value : undefined;
}
