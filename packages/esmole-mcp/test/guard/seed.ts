import type { RawNode } from './raw-node.ts';

/** There are no timers, because a node's own writes would look like effects of a request. */
const settings = { number_of_shards: 1, number_of_replicas: 0, refresh_interval: -1 };

const shop = {
  t: { type: 'text' },
  k: { type: 'keyword', store: true },
  n: { type: 'long' },
  ts: { type: 'date' },
};

const documents = [
  { t: 'red fox', k: 'a', n: 1, ts: '2024-01-01' },
  { t: 'blue fox', k: 'b', n: 2, ts: '2024-01-02' },
  { t: 'red hen', k: 'a', n: 3, ts: '2024-01-03' },
];

const streams = { index_patterns: ['g-stream*'], data_stream: {}, priority: 600 };

/** Creates a little of everything, under names that begin with `g-`. What a build has no module for is left out. */
export async function seedNode(node: RawNode): Promise<void> {
  const put = async (method: string, path: string, body?: object) => {
    const { status, text } = await node.send(method, path, body);
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text.slice(0, 300)}`);
  };
  await put('PUT', '/g-shop', { settings, mappings: { properties: shop }, aliases: { 'g-all': {} } });
  await put('PUT', '/g-lookup', { settings });
  for (const [at, document] of documents.entries()) await put('PUT', `/g-shop/_doc/${at + 1}`, document);
  await put('PUT', '/g-lookup/_doc/1', { keys: ['a'] });
  await put('PUT', '/.g-secret', { settings });
  await put('PUT', '/.g-secret/_doc/1', { keys: ['secret'] });
  await put('PUT', '/g-templates-x', { settings });
  for (const [path, body] of optional) await node.send('PUT', path, body);
  const places = await node.send('PUT', '/g-places', { settings, mappings: { properties: { place: { type: 'geo_shape' } } } });
  if (places.status === 200) await put('PUT', '/g-places/_doc/1', { place: { type: 'point', coordinates: [1, 1] } });
  const stream = await node.send('PUT', '/_index_template/g-stream', { ...streams, template: { settings } });
  if (stream.status === 200) await node.send('POST', '/g-stream/_doc?op_type=create', { '@timestamp': '2024-01-01', t: 'red' });
  await put('POST', '/_all/_refresh?expand_wildcards=all');
  await put('POST', '/_all/_flush?expand_wildcards=all&wait_if_ongoing=true');
  // The first get of a document may refresh once; so may the first search of an idle shard.
  await put('GET', '/g-shop/_doc/1');
  await put('GET', '/_cluster/health?wait_for_events=languid&wait_for_no_initializing_shards=true&timeout=20s');
}

const optional: readonly (readonly [path: string, body: object])[] = [
  ['/_index_template/g-templates', { index_patterns: ['g-templated*'], template: { settings }, priority: 500 }],
  ['/_component_template/g-templates', { template: { settings } }],
  ['/_template/g-templates', { index_patterns: ['g-old*'], settings: { number_of_replicas: 0 } }],
  ['/_ingest/pipeline/g-pipeline', { processors: [] }],
  ['/_search/pipeline/g-pipeline', { request_processors: [] }],
  ['/_scripts/g-template', { script: { lang: 'mustache', source: { query: { match: { t: '{{q}}' } } } } }],
  ['/g-percolate', { settings, mappings: { properties: { query: { type: 'percolator' }, t: { type: 'text' } } } }],
];
