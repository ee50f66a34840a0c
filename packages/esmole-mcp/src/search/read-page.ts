import { RawNumber } from '@dbmole/core';
import type { Answer } from '../answer/answer.ts';
import type { ClusterCall } from '../call/cluster-call.ts';
import { countTotal, flattenHit, type Hit } from './hit-table.ts';
import {
  findPosition,
  findTieBreakers,
  hashSearch,
  hasPointInTime,
  lastTie,
  openPointInTime,
  savePosition,
} from './point-in-time.ts';
import { type FoundHits, type Page, readHits, readSortValues, toKey } from './read-hits.ts';
import { openAt, readInPointInTime } from './read-in-point-in-time.ts';
import { resultWindow } from './result-window.ts';
import type { SearchArgs } from './search-body.ts';

export async function readPage(call: ClusterCall, args: SearchArgs): Promise<Page> {
  const search = hashArgs(args);
  if (args.cursor !== undefined && args.size > 0) {
    const position = findPosition(call.lease.backend, args.cursor, search);
    const opened = position.pit === undefined ? await openAt(call, args, position) : { ...position, pit: position.pit };
    if (typeof opened !== 'string') return await readInPointInTime(call, args, opened);
    return await readPlain(call, { ...args, from: position.next ?? 0 }, { search, why: opened });
  }
  const ties = findTieBreakers(call.identity);
  const why = hasPointInTime(call.identity) ? undefined : 'this version has none';
  if (args.search_after === undefined || args.size === 0 || ties.length === 0)
    return await readPlain(call, args, { search, why });
  const pit = await openPointInTime(call, args.index);
  if (typeof pit === 'string') return await readPlain(call, args, { search, why: pit });
  const after = [...args.search_after, ...ties.map((name) => lastTie[name])];
  return await readInPointInTime(call, args, {
    search,
    pit,
    next: undefined,
    after,
    count: undefined,
    seen: new Set(),
    skipped: 0,
  });
}

/** Identifies the search, whichever page of it is read. */
function hashArgs({ index, query, q, sort, body }: SearchArgs): string {
  return hashSearch([index, query, q, sort, body]);
}

interface PlainOptions {
  search: string;
  /** Why no point in time can be opened, where that is known. */
  why: string | undefined;
}

/** Reads the index as it is now: that is cheaper, and most callers read no further. */
async function readPlain(call: ClusterCall, args: SearchArgs, { search, why }: PlainOptions): Promise<Page> {
  const size = fitWindow(args);
  const found = await readHits(call, { ...args, size }, size === 0 ? {} : { preference: search });
  return createPlainPage(call, { ...args, size }, found, { search, why });
}

function fitWindow({ size, from }: SearchArgs): number {
  return Math.min(size, resultWindow - from);
}

/** A first page as one search among several is asked for it: with the preference that its next page has. */
export function planPage(args: SearchArgs): { args: SearchArgs; preference: string | undefined } {
  const size = fitWindow(args);
  return { args: { ...args, size }, preference: size === 0 ? undefined : hashArgs(args) };
}

export function createFirstPage(call: ClusterCall, args: SearchArgs, found: FoundHits & { answer: Answer }): Page {
  const why = hasPointInTime(call.identity) ? undefined : 'this version has none';
  return createPlainPage(call, args, found, { search: hashArgs(args), why });
}

function createPlainPage(
  call: ClusterCall,
  args: SearchArgs,
  found: FoundHits & { answer: Answer },
  { search, why }: PlainOptions,
): Page {
  const { answer, hits, areAll } = found;
  const { size } = args;
  const total = countTotal(answer.json);
  return {
    ...found,
    count: args.search_after === undefined ? args.from : undefined,
    async readOn(shown) {
      const next = args.from + shown;
      if (shown === 0 || isEnd({ shown, kept: hits.length, areAll, size }) || (args.search_after === undefined && total === next))
        return '';
      if (why !== undefined || args.search_after !== undefined) return formatPlain(hits.slice(0, shown), args, why);
      const seen = new Set(hits.slice(0, shown).map(toKey));
      const position = { search, pit: undefined, next, after: undefined, count: next, seen, skipped: args.from };
      return `same call with cursor=${savePosition(call.lease.backend, position)}`;
    },
  };
}

/** Whether everything was received and shown, and it was less than requested. */
function isEnd({ shown, kept, areAll, size }: { shown: number; kept: number; areAll: boolean; size: number }): boolean {
  return areAll && shown === kept && shown < size;
}

function formatPlain(shown: readonly Hit[], { from, sort, search_after }: SearchArgs, why: string | undefined): string {
  const next = from + shown.length;
  if (search_after === undefined && next < resultWindow)
    return `same call with from=${next} (without a point in time, as ${why}: documents that change meanwhile may be skipped or repeated)`;
  const after = readSortValues(shown.at(-1));
  if (sort === undefined || after === undefined) return 'only with a sort by a unique field of short values, and search_after';
  const field = findUniqueField(shown);
  const advice = `add a unique field to sort${field === undefined ? '' : `, such as ${field}`}`;
  return `same call with search_after=${JSON.stringify(after.map(asText))}, which skips documents with equal sort values: ${advice}`;
}

/** A number that JavaScript cannot hold would lose digits on its way through a client. */
function asText(value: unknown): unknown {
  return value instanceof RawNumber ? value.text : value;
}

const namesOne = /(?:^|[._-])(?:id|uuid|guid|key|seq|sequence|offset|number)$/i;

/** A field that has another value in each of these documents, and is called as if that were so in all of them. */
function findUniqueField(hits: readonly Hit[]): string | undefined {
  const documents = hits.map((hit) => flattenHit(hit).fields);
  const names = [...(documents[0]?.keys() ?? [])].filter((name) => namesOne.test(name));
  return names.find((name) => {
    const values = documents.map((fields) => fields.get(name));
    return values.every((value) => value !== undefined && value !== null) && new Set(values).size === values.length;
  });
}
