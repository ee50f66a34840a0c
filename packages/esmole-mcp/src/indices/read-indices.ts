import type { Failure } from '@dbmole/core';
import { type Answer, type AnswerLimits, textBytes } from '../answer/answer.ts';
import { groupBy } from '../answer/group-by.ts';
import { answerFailure, textAt } from '../call/answer-failure.ts';
import type { ClusterCall } from '../call/cluster-call.ts';
import type { AskedRequest, ClusterIdentity } from '../call/cluster-request.ts';
import { buildPath } from '../call/path.ts';
import { isObject } from '../search/hit-table.ts';
import { healths, type IndexItem, sumUp, worstHealth } from './index-table.ts';

/** The limits allow tens of thousands of indices. */
const listLimits: AnswerLimits = {
  bytes: textBytes,
  json: { string: 64 * 1024, list: 32 * 1024 * 1024, total: 32 * 1024 * 1024, values: 120_000 },
};

interface IndexList {
  items: readonly IndexItem[];
  /** Sentences about what could not be found out. */
  missing: readonly string[];
}

interface IndexWish {
  index?: string | undefined;
  hidden?: boolean | undefined;
}

const columns = 'index,health,status,docs.count,store.size';
const plainNames = { expand_wildcards: 'open,closed' };

/** Lists indices with as much as this user may see. A data stream represents its indices unless it is requested itself. */
export async function readIndices(call: ClusterCall, wish: IndexWish): Promise<IndexList> {
  const shown = wish.hidden === true ? { expand_wildcards: 'open,closed,hidden' } : plainNames;
  const params = { format: 'json', bytes: 'b', h: columns, ...shown, ...masterTimeout(call.identity) };
  const others = Promise.all([
    // Hidden indices may be listed without the right to read them, and their aliases may not.
    tolerate(call, {
      path: buildPath(wish.index, '_alias'),
      params: call.lease.backend.rules.systemIndices ? shown : plainNames,
    }),
    tolerate(call, { path: buildPath('_data_stream', wish.index) }),
  ]);
  // These are not awaited without the list: a cluster without a master answers none of them.
  others.catch(() => undefined);
  const listed = await call.ask({ path: buildPath('_cat', 'indices', wish.index), params }, listLimits);
  if (listed.status === 403) return await resolveIndices(call, wish, await call.failureOf(listed));
  const failure = await call.failureOf(listed);
  if (failure !== undefined) throw failure;
  const [aliases, streams] = await others;
  const known = listAliases(aliases);
  const plain = buildRows(listed.json).map((row) => readItem(row, known));
  return {
    items: joinStreams(plain, readStreams(streams), wish.index),
    missing: [aliases?.status === 403 ? 'Aliases are not shown: this user may not see them.' : '', cutNote(listed)].filter(
      (note) => note !== '',
    ),
  };
}

/** How long the cluster may look for a master: a healthy one has it at once. */
function masterTimeout({ product, major = 0 }: ClusterIdentity): Record<string, string> {
  return product === 'opensearch' && major >= 2 ? { cluster_manager_timeout: '2s' } : { master_timeout: '2s' };
}

/** Asks for additional facts; undefined when there is no answer. */
async function tolerate(call: ClusterCall, request: AskedRequest): Promise<Answer | undefined> {
  try {
    return await call.ask(request, listLimits);
  } catch (error) {
    if (call.signal.aborted) throw error;
    return undefined;
  }
}

function cutNote({ isPartial, json }: Answer): string {
  return isPartial || (Array.isArray(json) && json.length > maxRows)
    ? 'The list was too long to read completely: pass a pattern.'
    : '';
}

/** The limits of the answer leave out the rest of a longer list as well. */
const maxRows = 25_000;

function buildRows(json: unknown): Record<string, unknown>[] {
  return Array.isArray(json) ? json.slice(0, maxRows).filter(isObject) : [];
}

type Aliases = ReadonlyMap<string, readonly string[]>;

function listAliases(answer: Answer | undefined): Aliases {
  if (answer === undefined || answer.status >= 300 || !isObject(answer.json)) return new Map();
  return new Map(
    Object.entries(answer.json).map(([index, value]) => [
      index,
      isObject(value) && isObject(value.aliases) ? Object.keys(value.aliases) : [],
    ]),
  );
}

function readItem(row: Record<string, unknown>, aliases: Aliases): IndexItem {
  const name = String(row.index);
  return {
    name,
    health: healths.find((health) => health === row.health),
    indices: 1,
    closed: row.status === 'close' ? 1 : 0,
    docs: readNumber(row['docs.count']),
    bytes: readNumber(row['store.size']),
    aliases: aliases.get(name) ?? [],
  };
}

/** Every cell is a text, or null where there is nothing to count. */
function readNumber(cell: unknown): number | undefined {
  const number = typeof cell === 'string' && cell !== '' ? Number(cell) : undefined;
  return Number.isFinite(number) ? number : undefined;
}

/** Maps the name of each backing index to its data stream. */
function readStreams(answer: Answer | undefined): ReadonlyMap<string, string> {
  const list = isObject(answer?.json) && Array.isArray(answer.json.data_streams) ? answer.json.data_streams : [];
  return new Map(
    list.filter(isObject).flatMap(({ name, indices }) => {
      const names = Array.isArray(indices) ? indices.map((one) => textAt(one, ['index_name'])) : [];
      return names.flatMap((index) => (index === undefined || typeof name !== 'string' ? [] : [[index, name] as const]));
    }),
  );
}

/** `.ds-NAME-2024.01.31-000001`; older ones have no date. */
function readStream(index: string): string | undefined {
  return /^\.ds-(.+?)(?:-\d{4}\.\d{2}\.\d{2})?-\d{6}$/.exec(index)?.[1];
}

function joinStreams(items: readonly IndexItem[], streams: ReadonlyMap<string, string>, asked: string | undefined): IndexItem[] {
  const named = new Set(asked?.split(','));
  const areAsked = asked?.startsWith('.') === true;
  const joined = groupBy(items, ({ name }) => {
    const stream = areAsked ? undefined : (streams.get(name) ?? readStream(name));
    return stream === undefined || named.has(stream) ? undefined : stream;
  });
  return [...joined].flatMap(([stream, members]) => (stream === undefined ? members : [streamItem(stream, members)]));
}

function streamItem(name: string, backing: readonly IndexItem[]): IndexItem {
  return {
    name,
    health: worstHealth(backing),
    indices: backing.length,
    closed: backing.reduce((sum, { closed }) => sum + closed, 0),
    docs: sumUp(backing.map(({ docs }) => docs)),
    bytes: sumUp(backing.map(({ bytes }) => bytes)),
    aliases: [...new Set(backing.flatMap(({ aliases }) => aliases))],
    backing: backing.map((item) => item.name).sort(),
  };
}

/** For a user who may see the names of indices, but not their state. */
async function resolveIndices(call: ClusterCall, { index, hidden }: IndexWish, refusal: Failure | undefined): Promise<IndexList> {
  const params = hidden === true ? { expand_wildcards: 'open,closed,hidden' } : plainNames;
  const answer = await call.ask({ path: buildPath('_resolve', 'index', index ?? '*'), params }, listLimits);
  // The first refusal says what is missing; the second would name a privilege that would not be enough.
  const failure = answerFailure(answer) === undefined ? undefined : (refusal ?? answerFailure(answer));
  if (failure !== undefined) throw failure;
  const json = isObject(answer.json) ? answer.json : {};
  const unknown = { health: undefined, docs: undefined, bytes: undefined };
  const plain = buildRows(json.indices)
    .filter(({ data_stream }) => data_stream === undefined)
    .map(
      ({ name, attributes, aliases }): IndexItem => ({
        ...unknown,
        name: String(name),
        indices: 1,
        closed: Array.isArray(attributes) && attributes.includes('closed') ? 1 : 0,
        aliases: listTexts(aliases),
      }),
    );
  const streams = buildRows(json.data_streams).map(({ name, backing_indices }): IndexItem => {
    const backing = listTexts(backing_indices);
    return { ...unknown, name: String(name), indices: backing.length, closed: 0, aliases: [], backing };
  });
  return {
    items: [...plain, ...streams],
    missing: ['Without health, docs and size: this user lacks the privilege `monitor`.', cutNote(answer)].filter(
      (note) => note !== '',
    ),
  };
}

function listTexts(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}
