import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ClusterBackend } from '../backend.ts';
import { createCall } from '../call/cluster-call.ts';
import { searchPopulated } from './find-populated.ts';
import { groupMappings } from './group-mappings.ts';

const identity = {
  product: 'elasticsearch',
  version: '7.17.0',
  major: 7,
  minor: 17,
  flavour: 'default',
  clusterName: undefined,
} as const;

const days = Array.from({ length: 30 }, (_, at) => `logs-2026.10.${String(at + 1).padStart(2, '0')}`);

/** A cluster that takes some time for each index of a search. The oldest index alone has documents with the field `old`. */
function createCluster(msPerIndex: number, rules: object = {}) {
  const searched: string[] = [];
  const send: ClusterBackend['send'] = async ({ segments, body }) => {
    const [names = ''] = segments;
    searched.push(names);
    const list = names === 'logs-*' ? days : names.split(',');
    vi.advanceTimersByTime(msPerIndex * list.length);
    const { filters } = Object(body).aggs.fields.filters;
    const buckets = Object.entries(filters).map(([key, query]) => {
      const { field } = Object(query).exists;
      return [key, { doc_count: field === 'n' || (field === 'old' && list.includes(days[0] ?? '')) ? 1 : 0 }];
    });
    const json = { timed_out: false, _shards: { failed: 0 }, aggregations: { fields: { buckets: Object.fromEntries(buckets) } } };
    return {
      status: 200,
      json,
      text: '',
      contentType: 'application/json',
      warnings: [],
      warnedBy: undefined,
      cut: undefined,
      product: undefined,
    };
  };
  const backend: ClusterBackend = {
    rules: { indices: undefined, systemIndices: false, readonly: true, sensitive: false, ...rules },
    fields: undefined,
    cautions: [],
    send,
    identify: async () => identity,
    probe: async () => identity,
    isSpent: () => false,
    dispose: async () => undefined,
  };
  const lease = { backend, name: 'c', config: { name: 'c', type: 'elasticsearch', readonly: true } };
  return { call: createCall(lease, identity, { signal: new AbortController().signal }), searched };
}

const mappings = Object.fromEntries(
  days.map((name) => [
    name,
    { mappings: { properties: { n: { type: 'long' }, old: { type: 'long' }, none: { type: 'long' } } } },
  ]),
);

async function find(cluster: ReturnType<typeof createCluster>) {
  const { isUsed, note } = await searchPopulated(cluster.call, 'logs-*', await groupMappings(mappings));
  const used = ['n', 'old', 'none'].filter((name) => isUsed(Object({ name })));
  return { used, note, searched: cluster.searched.map((names) => names.split(',').length) };
}

describe('the fields that documents have', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('are searched for in the newest indices of a series, and in others as far as there is time', async () => {
    expect(await find(createCluster(10))).toEqual({ used: ['n', 'old'], note: '', searched: [3, 27] });
    expect(await find(createCluster(250))).toEqual({
      used: ['n'],
      note: 'Only the newest 12 of 30 indices were searched for documents, for time.',
      searched: [3, 9],
    });
    const slow = createCluster(2_000);
    expect(await find(slow)).toMatchObject({ used: ['n'], note: expect.stringContaining('newest 3 of 30'), searched: [3] });
    expect(slow.searched).toEqual(['logs-2026.10.30,logs-2026.10.29,logs-2026.10.28']);
  });

  it('are searched for under the name of the request, where the connection may not name the indices', async () => {
    const cluster = createCluster(2_000, { indices: ['alias'] });
    const { note } = await searchPopulated(cluster.call, 'alias', await groupMappings(mappings));
    expect({ note, searched: cluster.searched }).toEqual({ note: '', searched: ['alias'] });
  });
});
