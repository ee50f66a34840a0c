import { redactData } from '@dbmole/core';
import type { Answer, AnswerLimits } from '../answer/answer.ts';
import type { ClusterCall } from '../call/cluster-call.ts';
import { buildPath } from '../call/path.ts';
import { countTotal, isObject } from '../search/hit-table.ts';
import { findLongestText, type LogFields, readLevel, readText } from './log-fields.ts';
import { type LogWindow, rangeFormat } from './log-window.ts';
import type { LogEntry, Side } from './pattern-miner.ts';

type Query = Readonly<Record<string, unknown>>;

/** Everything that the searches of one call have in common. */
export interface LogSource {
  readonly call: ClusterCall;
  readonly index: string | undefined;
  readonly query: Query | undefined;
  readonly fields: LogFields;
  /** The same seed draws the same documents, as long as the index does not change. */
  readonly seed: number;
}

interface Drawn {
  readonly window: LogWindow;
  readonly side: Side;
  readonly size: number;
  /** Queries for lines that are already known. */
  readonly without?: readonly Query[];
}

export interface LogSample {
  readonly entries: readonly LogEntry[];
  /** Documents, some of which may have no message. */
  readonly drawn: number;
  /** All lines of the window, but those that are left out. */
  readonly total: number;
  /** The field of the messages; undefined where there are none. */
  readonly message: string | undefined;
  readonly answer: Answer;
}

const mebibyte = 1024 * 1024;
/** Characters of one message; the patterns need fewer. */
const maxMessage = 2_048;
const limits: AnswerLimits = {
  bytes: mebibyte,
  json: { string: maxMessage, list: 48 * mebibyte, total: 64 * mebibyte },
};

/** Draws lines of a window at random, each with the same probability. */
export async function drawSample(source: LogSource, { window, side, size, without = [] }: Drawn): Promise<LogSample> {
  const { call, fields, seed } = source;
  const sourceFields = fields.messages.length === 0 ? true : [...fields.messages, ...fields.levels];
  const body = {
    size,
    track_total_hits: true,
    _source: sourceFields,
    docvalue_fields: [{ field: fields.time, format: 'epoch_millis' }],
    query: {
      function_score: {
        query: inWindow(source, window, without),
        random_score: { seed, field: '_seq_no' },
        boost_mode: 'replace',
      },
    },
  };
  const answer = await searchLogs(source, body, limits);
  const hits = findHits(answer.json);
  const message = chooseMessage(hits, fields.messages);
  const read = (hit: Query) => readEntry(hit, { fields, message, side });
  call.signal.throwIfAborted();
  const total = countTotal(answer.json) ?? hits.length;
  return { entries: hits.flatMap(read), drawn: hits.length, total, message, answer };
}

export async function searchLogs({ call, index, seed }: LogSource, body: object, bounds: AnswerLimits): Promise<Answer> {
  // Of several copies of a shard, the same one: documents with the same score have another order in each.
  const params = { preference: `mole${seed}`, ...shortened(call) };
  return await call.read({ method: 'POST', path: buildPath(index, '_search'), params, body }, bounds);
}

/** A policy needs the index of each hit. */
function shortened({ lease }: ClusterCall): { filter_path?: string } {
  if (lease.backend.fields !== undefined) return {};
  return {
    filter_path: 'took,timed_out,_shards,_clusters,hits.total,hits.hits._source,hits.hits.fields,aggregations,error,status',
  };
}

export function inWindow({ query, fields }: LogSource, { gte, lt }: LogWindow, without: readonly Query[] = []): Query {
  const range = { range: { [fields.time]: { gte, lt, format: rangeFormat } } };
  return { bool: { filter: [range, ...(query === undefined ? [] : [query])], must_not: without } };
}

/** The times of the first and the last line of all that the query finds. */
export async function readExtent(source: LogSource): Promise<{ first: number | undefined; last: number | undefined }> {
  const { query, fields } = source;
  const aggs = { first: { min: { field: fields.time } }, last: { max: { field: fields.time } } };
  const { json } = await searchLogs(source, { size: 0, aggs, ...(query !== undefined && { query }) }, limits);
  const found = isObject(json) && isObject(json.aggregations) ? json.aggregations : {};
  const [first, last] = [found.first, found.last].map((one) => (isObject(one) ? one.value : undefined));
  return { first: typeof first === 'number' ? first : undefined, last: typeof last === 'number' ? last : undefined };
}

function findHits(json: unknown): readonly Query[] {
  const { hits } = isObject(json) ? json : {};
  return isObject(hits) && Array.isArray(hits.hits) ? hits.hits.filter(isObject) : [];
}

/** The candidate that most lines have; the first one of those with the same number. */
function chooseMessage(hits: readonly Query[], candidates: readonly string[]): string | undefined {
  const names =
    candidates.length > 0 ? candidates : hits.slice(0, maxProbed).flatMap((hit) => findLongestText(hit._source) ?? []);
  const counts = new Map<string, number>();
  for (const hit of hits) {
    const name = names.find((one) => readText(hit._source, one) !== undefined);
    if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const [best] = [...counts].sort(([, one], [, other]) => other - one);
  return best?.[0];
}

const maxProbed = 20;

interface EntryPlace {
  fields: LogFields;
  message: string | undefined;
  side: Side;
}

function readEntry({ _source, fields: values }: Query, { fields, message, side }: EntryPlace): LogEntry[] {
  const names = message === undefined ? [] : [message, ...fields.messages];
  for (const name of names) {
    const found = readText(_source, name);
    // A pattern would show the words of a secret around the part that is masked.
    const text = found === undefined ? undefined : redactData(found);
    if (text !== undefined)
      return [{ message: text, time: readTime(values, fields.time), level: readLevel(_source, fields.levels, text), side }];
  }
  return [];
}

function readTime(values: unknown, field: string): number | undefined {
  const [time] = isObject(values) && Array.isArray(values[field]) ? values[field] : [];
  const milliseconds = typeof time === 'string' || typeof time === 'number' ? Math.floor(Number(time)) : Number.NaN;
  return Number.isFinite(milliseconds) ? milliseconds : undefined;
}
