import { expect } from 'vitest';
import type { RawNode } from '../guard/raw-node.ts';
import { slowSearch } from '../slow-search.ts';

/** Something that is wrong on purpose. Each is planted alone, found, mended by the step that the answer names, and gone. */
interface Defect {
  name: string;
  check: string;
  plant(node: RawNode): Promise<void>;
  /** Its first line in the answer. */
  found: RegExp;
  /** What takes it away where its next step only shows more. */
  mend?(node: RawNode): Promise<void>;
  /** Where it cannot be planted. */
  only?: 'elasticsearch';
}

async function send(node: RawNode, method: string, path: string, body?: object): Promise<void> {
  const { status, text } = await node.send(method, path, body);
  expect(status, `${method} ${path}: ${text}`).toBeLessThan(300);
}

interface IndexParts {
  settings?: object;
  mappings?: object;
}

async function create(node: RawNode, name: string, { settings = {}, mappings = {} }: IndexParts = {}, docs: object[] = []) {
  const whole = { number_of_shards: 1, number_of_replicas: 0, ...settings };
  await send(node, 'PUT', `/${name}?timeout=1s`, { settings: whole, mappings });
  if (docs.length > 0) await fill(node, name, docs);
}

async function fill(node: RawNode, name: string, docs: readonly object[], routing?: string): Promise<void> {
  const action = JSON.stringify({ index: routing === undefined ? {} : { routing } });
  const lines = docs.flatMap((doc) => [action, JSON.stringify(doc)]);
  const { text } = await node.send('POST', `/${name}/_bulk?refresh=true`, `${lines.join('\n')}\n`, 'application/x-ndjson');
  expect(text).toContain('"errors":false');
}

async function searchOften(node: RawNode, name: string, body: object, times: number): Promise<void> {
  const lines = Array.from({ length: times }, () => `{}\n${JSON.stringify(body)}\n`);
  await node.send('POST', `/${name}/_msearch?max_concurrent_searches=1`, lines.join(''), 'application/x-ndjson');
}

const setCluster = (node: RawNode, persistent: object) => send(node, 'PUT', '/_cluster/settings', { persistent });
const drop = (name: string) => async (node: RawNode) => send(node, 'DELETE', `/${name}`);
const repeat = (count: number, doc: object) => Array.from({ length: count }, () => doc);

const diskMarks = (low: string, high: string, flood: string) => ({
  'cluster.routing.allocation.disk.watermark.low': low,
  'cluster.routing.allocation.disk.watermark.high': high,
  'cluster.routing.allocation.disk.watermark.flood_stage': flood,
});

/** Many fields that are searched by none, and one text that is only used as a keyword. */
const texts = { type: 'text', fields: { keyword: { type: 'keyword' } } };

export const defects: readonly Defect[] = [
  {
    name: 'a replica that has no node',
    check: 'cluster',
    plant: (node) => create(node, 'bad-copies', { settings: { number_of_replicas: 1 } }),
    found: /^medium: 1 unassigned replica, INDEX_CREATED since \S+, such as bad-copies\[0\]: same_shard: /m,
  },
  {
    name: 'a primary that wants a node that does not exist',
    check: 'cluster',
    plant: (node) => create(node, 'bad-place', { settings: { 'index.routing.allocation.require._name': 'nowhere' } }),
    found: /^high: 1 unassigned primary, INDEX_CREATED since \S+, such as bad-place\[0\]: filter: .*nowhere/m,
    mend: drop('bad-place'),
  },
  {
    name: 'a closed index whose shard has no node',
    check: 'cluster',
    async plant(node) {
      await create(node, 'bad-red', { settings: { 'index.routing.allocation.require._name': 'nowhere' } });
      await node.send('POST', '/bad-red/_close?wait_for_active_shards=0&timeout=1s');
    },
    found: /^high: 1 unassigned primary, \S+ since \S+, such as bad-red\[0\]: filter: .*nowhere/m,
    mend: drop('bad-red'),
  },
  {
    name: 'an index that may have only one shard on each node',
    check: 'cluster',
    plant: (node) =>
      create(node, 'bad-crowd', { settings: { number_of_shards: 2, 'index.routing.allocation.total_shards_per_node': 1 } }),
    found: /^high: 1 unassigned primary, INDEX_CREATED since \S+, such as bad-crowd\[\d\]: shards_limit: /m,
  },
  {
    name: 'more replicas than nodes',
    check: 'cluster',
    plant: (node) => create(node, 'bad-many', { settings: { number_of_replicas: 3 } }),
    found: /^medium: 3 unassigned replicas, INDEX_CREATED since \S+, such as bad-many\[0\]: same_shard: /m,
  },
  {
    name: 'allocation that is switched off, as the cluster explains it',
    check: 'cluster',
    async plant(node) {
      await setCluster(node, { 'cluster.routing.allocation.enable': 'none' });
      await create(node, 'bad-wait');
    },
    found: /^high: 1 unassigned primary, .* such as bad-wait\[0\]: enable: /m,
  },
  {
    name: 'allocation that is switched off for one index',
    check: 'cluster',
    plant: (node) => create(node, 'bad-wait-2', { settings: { 'index.routing.allocation.enable': 'none' } }),
    found: /^high: 1 unassigned primary, .* such as bad-wait-2\[0\]: enable: .*index setting/m,
  },
  {
    name: 'nodes that a setting of the cluster keeps empty',
    check: 'cluster',
    async plant(node) {
      await setCluster(node, { 'cluster.routing.allocation.exclude._ip': '*' });
      await create(node, 'bad-wait-3');
    },
    found: /^high: 1 unassigned primary, .* such as bad-wait-3\[0\]: filter: .*cluster setting/m,
  },
  {
    name: 'an index that shows no new documents',
    check: 'tables',
    plant: (node) => create(node, 'bad-refresh', { settings: { 'index.refresh_interval': '-1' } }),
    found: /^medium: 1 index has index\.refresh_interval -1: bad-refresh$/m,
  },
  {
    name: 'a logger that writes everything',
    check: 'settings',
    plant: (node) => setCluster(node, { 'logger.org.example': 'TRACE' }),
    found: /^medium: logger\.org\.example is TRACE$/m,
  },
  {
    name: 'allocation that is switched off, as a setting',
    check: 'settings',
    plant: (node) => setCluster(node, { 'cluster.routing.allocation.enable': 'primaries' }),
    found: /^high: cluster\.routing\.allocation\.enable is primaries$/m,
  },
  {
    name: 'an index that the disk made read-only',
    check: 'locks',
    plant: (node) => create(node, 'bad-flood', { settings: { 'index.blocks.read_only_allow_delete': true } }),
    found: /^high: 1 index is only read and delete \(index\.blocks\.read_only_allow_delete\): bad-flood$/m,
  },
  {
    name: 'an index that is read-only',
    check: 'locks',
    plant: (node) => create(node, 'bad-block', { settings: { 'index.blocks.read_only': true } }),
    found: /^medium: 1 index is read-only \(index\.blocks\.read_only\): bad-block$/m,
  },
  {
    name: 'an index whose metadata is blocked, which hides no other',
    check: 'locks',
    async plant(node) {
      await create(node, 'bad-inside', { settings: { 'index.blocks.metadata': true } });
      await create(node, 'bad-beside', { settings: { 'index.blocks.read_only': true } });
    },
    found: /^medium: 1 index is closed to metadata \(index\.blocks\.metadata\): bad-inside$/m,
  },
  {
    name: 'a closed index',
    check: 'locks',
    async plant(node) {
      await create(node, 'bad-shut');
      await send(node, 'POST', '/bad-shut/_close');
    },
    found: /^low: 1 index is closed: bad-shut$/m,
  },
  {
    name: 'a cluster that is read-only',
    check: 'locks',
    plant: (node) => setCluster(node, { 'cluster.blocks.read_only': true }),
    found: /^high: cluster\.blocks\.read_only is set: the whole cluster is read-only$/m,
  },
  {
    name: 'a slow log that logs everything',
    check: 'slow_queries',
    plant: (node) => create(node, 'bad-log', { settings: { 'index.search.slowlog.threshold.query.warn': '0ms' } }),
    found: /^medium: index\.search\.slowlog\.threshold\.query\.warn is below 10 ms for bad-log$/m,
  },
  {
    name: 'an index whose searches take long',
    check: 'slow_queries',
    async plant(node) {
      const { text } = await node.send('GET', '/slow/_stats/search?filter_path=_all.total.search.query_total');
      const queries = JSON.parse(text)._all.total.search.query_total as number;
      // Those of the task that took long are counted as well, once they are over.
      await searchOften(node, 'slow', slowSearch('slow', 150), Math.max(0, 11 - queries));
    },
    found: /^(?:medium|high): searches of slow: \d+ % of the time, \d\d queries, mean [\d.]+ m?s, total /m,
    mend: drop('slow'),
  },
  {
    name: 'a text that is loaded into the heap',
    check: 'indexes',
    plant: (node) =>
      create(
        node,
        'bad-text',
        { mappings: { properties: { at: { properties: { line: { type: 'text', analyzer: 'simple', fielddata: true } } } } } },
        [{ at: { line: 'a b c' } }],
      ),
    found: /^medium: the text field at\.line of bad-text has fielddata: true/m,
  },
  {
    name: 'an index that has nearly all fields that it may have',
    check: 'indexes',
    plant: (node) =>
      create(node, 'bad-width', { settings: { 'index.mapping.total_fields.limit': 50 } }, [
        Object.fromEntries(Array.from({ length: 48 }, (_, at) => [`field${at}`, at])),
      ]),
    found: /^high: bad-width has 48 of 50 fields \(96 %\)$/m,
    mend: drop('bad-width'),
  },
  {
    name: 'an index without _source',
    check: 'indexes',
    plant: (node) => create(node, 'bad-source', { mappings: { _source: { enabled: false } } }),
    found: /^low: bad-source keeps no _source$/m,
    mend: drop('bad-source'),
  },
  {
    name: 'fields that no query uses',
    check: 'indexes',
    async plant(node) {
      const properties = { name: texts, status: { type: 'keyword' }, total: { type: 'long' } };
      await create(node, 'bad-use', { mappings: { properties } }, [{ name: 'x', status: 'new', total: 1 }]);
      await searchOften(node, 'bad-use', { size: 1, query: { match: { 'name.keyword': 'x' } } }, 1_000);
    },
    found: /^low: bad-use analyzes text that is only used as keyword, in 1\d\d\d queries since \d{4}-\d\d-\d\d: name$/m,
    mend: drop('bad-use'),
    only: 'elasticsearch',
  },
  {
    name: 'a shard that has nearly all documents',
    check: 'tables',
    async plant(node) {
      await create(node, 'bad-skew', { settings: { number_of_shards: 3 } });
      await fill(node, 'bad-skew', repeat(1_500, { a: 1 }), 'one');
      await fill(node, 'bad-skew', repeat(100, { a: 1 }));
    },
    found: /^low: shard \d of the 3 shards of bad-skew has 9\d % of its docs \(1\d\d\d of 1600, /m,
    mend: drop('bad-skew'),
  },
  {
    name: 'a small index in many shards',
    check: 'tables',
    plant: (node) => create(node, 'bad-shards', { settings: { number_of_shards: 8 } }, [{ a: 1 }]),
    found: /^low: bad-shards has 8 shards for [\d.]+ K?B, [\d.]+ K?B each$/m,
    mend: drop('bad-shards'),
  },
  {
    name: 'a series of tiny indices',
    check: 'tables',
    async plant(node) {
      const days = Array.from({ length: 13 }, (_, at) => `bad-day-2026.01.${at + 10}`);
      await Promise.all(days.map((day) => create(node, day, { settings: { number_of_shards: 4 } })));
    },
    found: /^low: bad-day-2026\.01\.\*: 13 indices with 52 shards hold [\d.]+ K?B, [\d.]+ K?B a shard$/m,
    mend: drop(Array.from({ length: 13 }, (_, at) => `bad-day-2026.01.${at + 10}`).join(',')),
  },
  {
    name: 'an index that can lose what it has acknowledged',
    check: 'tables',
    plant: (node) => create(node, 'bad-log-2', { settings: { 'index.translog.durability': 'async' } }),
    found: /^low: 1 index has index\.translog\.durability async: bad-log-2$/m,
  },
  {
    name: 'a disk beyond a watermark',
    check: 'settings',
    plant: (node) => setCluster(node, diskMarks('0.001%', '99.98%', '99.99%')),
    found: /^medium: node n1 has [\d.]+ [GT]B of [\d.]+ [GT]B free \(\d+ % used\), past the watermark low \(0\.001%\)$/m,
    mend: (node) => setCluster(node, Object.fromEntries(Object.keys(diskMarks('', '', '')).map((name) => [name, null]))),
  },
  {
    name: 'disks without a watermark',
    check: 'settings',
    plant: (node) => setCluster(node, { 'cluster.routing.allocation.disk.threshold_enabled': false }),
    found: /^medium: cluster\.routing\.allocation\.disk\.threshold_enabled is false/m,
  },
  {
    name: 'a node that is kept empty and forgotten',
    check: 'settings',
    plant: (node) => setCluster(node, { 'cluster.routing.allocation.exclude._name': 'n7' }),
    found: /^low: cluster\.routing\.allocation\.exclude\._name is n7$/m,
  },
  {
    name: 'shards near their limit',
    check: 'settings',
    plant: (node) => setCluster(node, { 'cluster.max_shards_per_node': 1 }),
    found: /^high: \d+ of 1 shards are in use \(cluster\.max_shards_per_node is 1\)$/m,
    mend: (node) => setCluster(node, { 'cluster.max_shards_per_node': null }),
  },
];
