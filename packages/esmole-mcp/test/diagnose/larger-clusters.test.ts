import { afterEach, expect, it } from 'vitest';
import { type FakeNode, startNode } from '../fake-node.ts';
import { openTools } from '../open-tools.ts';

/** The nodes of the tests have no lifecycle management, so these are answers as the products document them. */
let node: FakeNode | undefined;
afterEach(async () => {
  await node?.close();
  node = undefined;
});

async function diagnose(answers: Record<string, unknown>, { fields = {}, check = 'tables' } = {}): Promise<string> {
  node = await startNode({
    answer: (response, { url = '' }) => {
      const [, found] = Object.entries(answers).find(([path]) => url.startsWith(path)) ?? [];
      response.writeHead(found === undefined && url !== '/' ? 400 : 200, {
        'content-type': 'application/json',
        ...(String(answers.product) === 'opensearch' ? {} : { 'x-elastic-product': 'Elasticsearch' }),
      });
      if (url === '/') response.end(JSON.stringify({ version: answers.version, tagline: 'You Know, for Search' }));
      else response.end(JSON.stringify(found ?? { error: `no handler found for uri [${url}] and method [GET]` }));
    },
  });
  const tools = await openTools({ scheme: 'http', host: node.host, port: node.port }, fields);
  try {
    return (await tools.call('diagnose', { check })).text;
  } finally {
    await tools.close();
  }
}

const empty = { '/_cat/indices': [], '/_cat/shards': [], '/_stats': { indices: {} }, '/_settings': {} };
const elasticsearch = {
  ...empty,
  version: { number: '8.15.0', build_flavor: 'default' },
};
const index = (name: string, more: object = {}) => ({
  index: name,
  status: 'open',
  pri: '1',
  rep: '1',
  'docs.count': '10',
  'docs.deleted': '0',
  'pri.store.size': '1000',
  ...more,
});

it('finds a step of a policy that fails, and how to retry it', async () => {
  const stuck = (name: string) => ({
    index: name,
    managed: true,
    policy: 'keep-30-days',
    step: 'ERROR',
    failed_step: 'check-rollover-ready',
    step_info: {
      type: 'illegal_argument_exception',
      reason: `index.lifecycle.rollover_alias [logs] does not point to index [${name}]`,
    },
  });
  const text = await diagnose({
    '/*/_ilm/explain': { indices: { 'logs-1': stuck('logs-1'), 'logs-2': stuck('logs-2'), '.hidden': stuck('.hidden') } },
    '/_ilm/status': { operation_mode: 'STOPPED' },
    '/*/_lifecycle/explain': {
      indices: { '.ds-metrics-2026.01.01-000001': { managed_by_lifecycle: true, error: '{"type":"x","reason":"no room"}' } },
    },
    ...elasticsearch,
  });
  expect(text).not.toContain('.hidden');
  expect(text.split('\n').slice(1, 4)).toEqual([
    'high: the step check-rollover-ready of the policy keep-30-days fails for logs-1, logs-2: index.lifecycle.rollover_alias [logs] does not point to index [logs-1]',
    '  They are neither rolled over nor moved nor deleted, and grow until the disk is full.',
    '  Next: Fix the cause, then POST /logs-1,logs-2/_ilm/retry',
  ]);
  expect(text).toContain(
    'high: the lifecycle of its data stream fails for .ds-metrics-2026.01.01-000001: {"type":"x","reason":"no room"}',
  );
  expect(text).toContain('medium: ILM is STOPPED\n');
});

it('finds a policy whose last snapshot failed', async () => {
  const failed = {
    snapshot_name: 'nightly-2',
    time: Date.now() - 7_200_000,
    details: '{"type":"repository_exception","reason":"no room"}',
  };
  const text = await diagnose({
    '/_slm/policy': {
      nightly: { last_success: { time: Date.now() - 172_800_000 }, last_failure: failed },
      mended: { last_success: { time: Date.now() }, last_failure: failed },
      young: {},
    },
    '/_slm/status': { operation_mode: 'STOPPED' },
    ...elasticsearch,
  });
  expect(text.split('\n').slice(1)).toEqual([
    'high: the snapshot policy nightly failed 2 h ago, and the last success was 2 d ago: {"type":"repository_exception","reason":"no room"}',
    '  What is lost now cannot be restored from a snapshot of that policy.',
    '  Next: GET /_slm/policy/nightly shows the whole error; once its cause is removed, PUT /_slm/policy/nightly/_execute takes a snapshot at once.',
    'medium: snapshot lifecycle management is STOPPED',
    '  No policy takes a snapshot.',
    '  Next: POST /_slm/start',
  ]);
});

it('finds pipelines that fail, and rollover aliases to which nothing can be written', async () => {
  const text = await diagnose({
    '/_nodes/stats/ingest': {
      nodes: {
        a: { ingest: { pipelines: { parse: { count: 900, failed: 120 }, fine: { count: 900, failed: 3 } } } },
        b: { ingest: { pipelines: { parse: { count: 100, failed: 10 }, rare: { count: 1_000, failed: 20 } } } },
      },
    },
    ...elasticsearch,
    '/_alias': {
      'logs-000001': { aliases: { logs: {} } },
      'logs-000002': { aliases: { logs: {}, all: {} } },
      web: { aliases: { all: {} } },
    },
    '/_settings': { 'logs-000002': { settings: { 'index.lifecycle.rollover_alias': 'logs' } } },
  });
  expect(text.split('\n').filter((line) => /^(?:high|medium|low): /.test(line))).toEqual([
    'high: the alias logs has no write index among its 2 indices: logs-000001, logs-000002',
    'medium: the ingest pipeline parse failed for 130 of 1000 documents (13 %) since its nodes started',
    'low: the ingest pipeline rare failed for 20 of 1000 documents (2 %) since its nodes started',
  ]);
  expect(text).toContain(
    'Next: POST /_aliases {"actions":[{"add":{"index":"logs-000002","alias":"logs","is_write_index":true}}]}',
  );
});

it('finds a failed state of OpenSearch', async () => {
  const text = await diagnose({
    '/_plugins/_ism/explain/*': {
      'logs-1': {
        'index.plugins.index_state_management.policy_id': 'hot-warm',
        index: 'logs-1',
        policy_id: 'hot-warm',
        action: { name: 'rollover', failed: true },
        step: { name: 'attempt_rollover', step_status: 'failed' },
        retry_info: { failed: true, consumed_retries: 3 },
        info: { message: 'Missing rollover_alias index setting [index=logs-1]' },
      },
      'fine-1': {
        index: 'fine-1',
        policy_id: 'hot-warm',
        step: { name: 'x', step_status: 'completed' },
        retry_info: { failed: false },
      },
      total_managed_indices: 2,
    },
    ...empty,
    product: 'opensearch',
    version: { number: '3.6.0', distribution: 'opensearch' },
  });
  expect(text.split('\n').slice(1, 4)).toEqual([
    'high: the step attempt_rollover of the policy hot-warm fails for logs-1: Missing rollover_alias index setting [index=logs-1]',
    expect.stringMatching(/^ {2}They are neither/),
    '  Next: Fix the cause, then POST /_plugins/_ism/retry/logs-1',
  ]);
});

it('finds what only a larger cluster has', async () => {
  const shard = (name: string, node: string, more: object = {}) => ({
    index: name,
    shard: '0',
    prirep: 'p',
    docs: '10',
    store: '1000',
    node,
    ...more,
  });
  const gigabyte = 1024 ** 3;
  const text = await diagnose({
    ...elasticsearch,
    '/_cat/indices': [
      index('alone', { rep: '0' }),
      index('huge', { 'pri.store.size': String(80 * gigabyte), 'docs.count': '60', 'docs.deleted': '40' }),
      index('kept'),
    ],
    '/_cat/shards': [
      shard('alone', 'n1'),
      shard('huge', 'n2', { store: String(80 * gigabyte) }),
      shard('kept', 'n1', { docs: '2100000000' }),
    ],
    '/_stats': { indices: { kept: { total: { indexing: { index_total: 1_000, index_failed: 500 } } } } },
  });
  const found = text.split('\n').filter((line) => /^(?:high|medium|low): /.test(line));
  expect(found).toEqual([
    'high: the largest shard of kept has 1000 B and 2100000000 docs',
    'medium: the largest shard of huge has 80 GB and 10 docs',
    'medium: 1 index has no replica: alone',
    'low: 40 % of the docs of huge (80 GB) are deleted or old versions',
    'low: 500 documents for kept failed to be indexed, against 1000 that were, since its shards were put on their nodes',
  ]);
});

it('finds nodes that are short of heap, files, searches and a third master', async () => {
  const node = (name: string, more: object) => ({
    name,
    roles: ['master', 'data'],
    jvm: {
      uptime_in_millis: 100_000,
      mem: { heap_max_in_bytes: 1e9, pools: { old: { used_in_bytes: 985, max_in_bytes: 1_000 } } },
      gc: { collectors: { old: { collection_time_in_millis: 20_000 } } },
    },
    os: { mem: { total_in_bytes: 4e9 } },
    fs: { total: { total_in_bytes: 100e9, available_in_bytes: 4e9 } },
    process: { open_file_descriptors: 99, max_file_descriptors: 100 },
    breakers: { parent: { tripped: 7, limit_size_in_bytes: 100, estimated_size_in_bytes: 95 } },
    indices: { search: { open_contexts: 450 } },
    ...more,
  });
  const young = { uptime_in_millis: 60_000, gc: { collectors: { old: { collection_time_in_millis: 20_000 } } } };
  const disk = { watermark: { low: '85%', high: '90%', flood_stage: '95%' }, threshold_enabled: 'true' };
  const text = await diagnose(
    {
      ...elasticsearch,
      '/_nodes/stats': {
        nodes: { a: node('n1', {}), b: node('n2', { jvm: young, breakers: {}, fs: {}, process: {}, indices: {} }) },
      },
      '/_cluster/settings': {
        persistent: {},
        transient: {},
        defaults: { cluster: { routing: { allocation: { disk } } }, search: { max_open_scroll_context: '500' } },
      },
    },
    { check: 'settings' },
  );
  for (const found of [
    /^high: node n1 has 3\.73 GB of 93\.1 GB free \(96 % used\), past the watermark flood_stage \(95%\)$/m,
    /^high: the heap of node n1 \(954 MB\): 99 % of its old generation is used, and 20 % of the time went into collecting it$/m,
    /^high: the circuit breaker parent of node n1 is at 95 B of 100 B, and refused 7 requests since the node started$/m,
    /^high: node n1 has 99 of 100 files open$/m,
    /^medium: node n1 keeps 450 searches open, and 500 scrolls are the limit$/m,
    /^medium: 2 nodes can become master: n1 and n2$/m,
  ])
    expect(text).toMatch(found);
  expect(text).toMatch(/^settings: 6 findings/);
});

it('finds searches and tasks that wait', async () => {
  const answers = {
    ...elasticsearch,
    '/_tasks': {
      tasks: {
        'a:1': {
          action: 'indices:data/read/search',
          description: 'indices[orders], search_type[QUERY_THEN_FETCH], source[{"size":10}]',
          running_time_in_nanos: 400e9,
          cancellable: true,
          headers: { 'X-Opaque-Id': 'billing' },
        },
        'a:2': { action: 'indices:data/write/reindex', description: 'reindex from [a] to [b]', running_time_in_nanos: 4_000e9 },
        'a:3': {
          action: 'indices:data/read/search',
          description: 'indices[.kibana], source[secret]',
          running_time_in_nanos: 20e9,
        },
        'a:4': { action: 'indices:data/read/xpack/ccr/shard_changes', description: '', running_time_in_nanos: 9_000e9 },
        'a:5': { action: 'indices:data/write/bulk', description: 'requests[1], indices[orders]', running_time_in_nanos: 1e6 },
      },
    },
    '/_cat/thread_pool': [
      { node_name: 'n1', name: 'search', queue: '950', queue_size: '1000', rejected: '12' },
      { node_name: 'n1', name: 'write', queue: '0', queue_size: '1000', rejected: '3' },
    ],
    '/_cluster/pending_tasks': {
      tasks: Array.from({ length: 60 }, (_, at) => ({
        source: at === 0 ? 'put-mapping [.secret]' : 'put-mapping [orders]',
        priority: 'HIGH',
        time_in_queue: '1.2m',
        time_in_queue_millis: 72_000,
      })),
    },
    '/_cluster/settings': { persistent: {}, transient: {}, defaults: {} },
  };
  const text = await diagnose(answers, { check: 'activity' });
  const found = text.split('\n').filter((line) => /^(?:high|medium|low): /.test(line));
  expect(found).toEqual([
    'high: the thread pool search of node n1 has 950 of 1000 places of its queue taken',
    'high: task a:1 (read/search of billing) has been running for 7 min: indices[orders], source[{"size":10}]',
    'medium: task a:3 (read/search) has been running for 20 s: on hidden indices',
    'low: task a:2 (write/reindex) has been running for 1 h 6 min: reindex from [a] to [b]',
    'low: the thread pool write of node n1 has rejected 3 requests since the node started',
  ]);
  expect(text).not.toMatch(/secret|ccr/);
  await node?.close();
  const locks = await diagnose(answers, { check: 'locks' });
  expect(locks).toContain('high: 60 tasks wait for the master, the oldest for 1 min\n');
  expect(locks).toContain('  pending: put-mapping [orders] (HIGH, waiting 1.2m)');
  expect(locks).not.toContain('.secret');
});
