import { Failure } from '@dbmole/core';
import { type Answer, type AnswerLimits, textBytes } from '../answer.ts';
import { answerFailure, textAt } from '../answer-failure.ts';
import { type AskedRequest, type Call, pathOf } from '../call.ts';
import { groupBy } from '../group-by.ts';
import { isObject } from '../search/hit-table.ts';
import { healths, type IndexItem, sumOf, worstHealth } from './index-item.ts';

/** Of tens of thousands of indices. */
export const listLimits: AnswerLimits = {
  bytes: textBytes,
  json: { string: 64 * 1024, list: 32 * 1024 * 1024, total: 32 * 1024 * 1024 },
};

export interface IndexList {
  items: readonly IndexItem[];
  /** What could not be found out, as sentences of ours. */
  missing: readonly string[];
}

export interface IndexWish {
  index?: string | undefined;
  hidden?: boolean | undefined;
}

const columns = 'index,health,status,docs.count,store.size';

/** What there is, with as much of it as this user may see. A data stream stands for its indices unless it is asked for itself. */
export async function readIndices(call: Call, wish: IndexWish): Promise<IndexList> {
  if (wish.hidden === true && !call.lease.backend.rules.systemIndices) throw hiddenFailure();
  const shown = { expand_wildcards: wish.hidden === true ? 'open,closed,hidden' : 'open,closed' };
  const params = { format: 'json', bytes: 'b', h: columns, ...shown };
  const [listed, aliases, streams] = await Promise.all([
    call.ask({ path: pathOf('_cat', 'indices', wish.index), params }, listLimits),
    tolerate(call, { path: pathOf(wish.index, '_alias'), params: shown }),
    tolerate(call, { path: pathOf('_data_stream', wish.index) }),
  ]);
  if (listed.status === 403) return await resolveIndices(call, wish, await call.failureOf(listed));
  const failure = await call.failureOf(listed);
  if (failure !== undefined) throw failure;
  const plain = rowsOf(listed.json).map((row) => itemOf(row, aliasesOf(aliases)));
  return {
    items: joinStreams(plain, streamsOf(streams), wish.index),
    missing: [aliases?.status === 403 ? 'Aliases are not shown: this user may not see them.' : '', cutNote(listed)].filter(
      (note) => note !== '',
    ),
  };
}

function hiddenFailure(): Failure {
  return new Failure('refused', 'this connection may not read hidden indices', {
    code: 'E_INDEX_REFUSED',
    hint: 'A person can allow them with "systemIndices": true; a tool cannot.',
  });
}

/** What is only of use as well: no answer when there is none. */
async function tolerate(call: Call, request: AskedRequest): Promise<Answer | undefined> {
  try {
    return await call.ask(request, listLimits);
  } catch (error) {
    if (call.signal.aborted) throw error;
    return undefined;
  }
}

function cutNote({ isPartial }: Answer): string {
  return isPartial ? 'The list was too long to be read whole: name a pattern.' : '';
}

function rowsOf(json: unknown): Record<string, unknown>[] {
  return Array.isArray(json) ? json.filter(isObject) : [];
}

type Aliases = ReadonlyMap<string, readonly string[]>;

function aliasesOf(answer: Answer | undefined): Aliases {
  if (answer === undefined || answer.status >= 300 || !isObject(answer.json)) return new Map();
  return new Map(
    Object.entries(answer.json).map(([index, value]) => [
      index,
      isObject(value) && isObject(value.aliases) ? Object.keys(value.aliases) : [],
    ]),
  );
}

function itemOf(row: Record<string, unknown>, aliases: Aliases): IndexItem {
  const name = String(row.index);
  return {
    name,
    health: healths.find((health) => health === row.health),
    indices: 1,
    closed: row.status === 'close' ? 1 : 0,
    docs: numberOf(row['docs.count']),
    bytes: numberOf(row['store.size']),
    aliases: aliases.get(name) ?? [],
  };
}

/** Every cell is a text, or null where there is nothing to count. */
function numberOf(cell: unknown): number | undefined {
  const number = typeof cell === 'string' && cell !== '' ? Number(cell) : undefined;
  return Number.isFinite(number) ? number : undefined;
}

/** By the name of each of their indices. */
function streamsOf(answer: Answer | undefined): ReadonlyMap<string, string> {
  const list = isObject(answer?.json) && Array.isArray(answer.json.data_streams) ? answer.json.data_streams : [];
  return new Map(
    list.filter(isObject).flatMap(({ name, indices }) => {
      const names = Array.isArray(indices) ? indices.map((one) => textAt(one, ['index_name'])) : [];
      return names.flatMap((index) => (index === undefined || typeof name !== 'string' ? [] : [[index, name] as const]));
    }),
  );
}

/** `.ds-NAME-2024.01.31-000001`; older ones have no date. */
function streamOf(index: string): string | undefined {
  return /^\.ds-(.+?)(?:-\d{4}\.\d{2}\.\d{2})?-\d{6}$/.exec(index)?.[1];
}

function joinStreams(items: readonly IndexItem[], streams: ReadonlyMap<string, string>, asked: string | undefined): IndexItem[] {
  const named = new Set(asked?.split(','));
  const areAsked = asked?.startsWith('.') === true;
  const joined = groupBy(items, ({ name }) => {
    const stream = areAsked ? undefined : (streams.get(name) ?? streamOf(name));
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
    docs: sumOf(backing.map(({ docs }) => docs)),
    bytes: sumOf(backing.map(({ bytes }) => bytes)),
    aliases: [...new Set(backing.flatMap(({ aliases }) => aliases))],
    backing: backing.map((item) => item.name).sort(),
  };
}

/** For a user who may see what there is, but not how it is. */
async function resolveIndices(call: Call, { index, hidden }: IndexWish, refusal: Failure | undefined): Promise<IndexList> {
  const params = { expand_wildcards: hidden === true ? 'open,closed,hidden' : 'open,closed' };
  const answer = await call.ask({ path: pathOf('_resolve', 'index', index ?? '*'), params }, listLimits);
  // The first refusal says what is missing; the second would name a privilege that would not be enough.
  const failure = answerFailure(answer) === undefined ? undefined : (refusal ?? answerFailure(answer));
  if (failure !== undefined) throw failure;
  const json = isObject(answer.json) ? answer.json : {};
  const unknown = { health: undefined, docs: undefined, bytes: undefined };
  const plain = rowsOf(json.indices)
    .filter(({ data_stream }) => data_stream === undefined)
    .map(
      ({ name, attributes, aliases }): IndexItem => ({
        ...unknown,
        name: String(name),
        indices: 1,
        closed: Array.isArray(attributes) && attributes.includes('closed') ? 1 : 0,
        aliases: textsOf(aliases),
      }),
    );
  const streams = rowsOf(json.data_streams).map(({ name, backing_indices }): IndexItem => {
    const backing = textsOf(backing_indices);
    return { ...unknown, name: String(name), indices: backing.length, closed: 0, aliases: [], backing };
  });
  return {
    items: [...plain, ...streams],
    missing: ['Without health, docs and size: this user lacks the privilege `monitor`.', cutNote(answer)].filter(
      (note) => note !== '',
    ),
  };
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}
