import { fileURLToPath } from 'node:url';
import { describeDoors } from '@dbmole/core/testing';
import { useEngine } from '@dbmole/engines';
import { afterAll, beforeAll } from 'vitest';
import { bin } from './bin.ts';

/** Its own: other tests make indices while the doors are asked one after the other. */
const engine = useEngine('elasticsearch8');
const index = 'doors-shop';

async function send(method: string, path: string, body?: object): Promise<void> {
  const { scheme, host, port } = engine();
  const json = body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
  const { ok, status } = await fetch(`${scheme}://${host}:${port}${path}`, { method, ...json });
  if (!ok) throw new Error(`${method} ${path} answered ${status}`);
}

beforeAll(async () => {
  const properties = { name: { type: 'keyword' }, text: { type: 'text' }, price: { type: 'double' }, day: { type: 'date' } };
  await send('PUT', `/${index}`, { settings: { number_of_shards: 1, number_of_replicas: 0 }, mappings: { properties } });
  for (let n = 1; n <= 30; n += 1) {
    const body = {
      name: `thing ${n % 5}`,
      text: 'long '.repeat(n * 20),
      price: n / 3,
      day: `2026-10-${String(n).padStart(2, '0')}`,
    };
    await send('PUT', `/${index}/_doc/${n}${n === 30 ? '?refresh=true' : ''}`, body);
  }
}, 60_000);
afterAll(() => send('DELETE', `/${index}`));

const savedQuery = `# tool: things_from
# description: Things of at least this price.
# param price number: smallest price. Example: 3
# param names text[] optional: names of things
# param direction one of asc, desc = asc: order by price
POST /${index}/_search
{
  "size": 10, "sort": [{ "price": "{{direction}}" }],
  "query": { "bool": { "filter": [{ "range": { "price": { "gte": "{{price}}" } } }, { "terms": { "name": "{{names}}" } }] } }
}`;

describeDoors({
  // Both connections only read: the cluster is that of other tests, too.
  server: () => {
    const { scheme, host, port } = engine();
    const connection = { type: 'elasticsearch', scheme, host, port, auth: 'none', readonly: true };
    const names = ['main', 'reader'].map((name) => ({ ...connection, name }));
    return {
      program: bin,
      library: fileURLToPath(new URL('../dist/library.js', import.meta.url)),
      creates: 'createEsmole',
      env: () => ({ ESMOLE_CONNECTIONS: JSON.stringify(names) }),
      files: { '.config/esmole/queries/things_from.http': savedQuery },
    };
  },
  tools: [
    ...[
      'es_search',
      'es_list_indices',
      'es_get_mapping',
      'es_logs',
      'es_query',
      'es_export',
      'es_cluster_health',
      'diagnose',
      'es_get',
      'es_request',
    ],
    ...['list_connections', 'add_connection', 'update_connection', 'remove_connection', 'test_connection'],
    'things_from',
  ],
  right: {
    connection: ['main', 'main', 'reader', 'missing'],
    index: [index, index, 'doors-*', 'doors-shp'],
    query: [{ match_all: {} }, { term: { name: 'thing 1' } }, { range: { price: { gte: 3 } } }, { nonsense: {} }],
    q: ['name:"thing 2"', 'price:>5', 'name:('],
    source: [['name', 'price'], ['*']],
    fields: [['name'], ['price', 'day'], 'name', 'pr*'],
    sort: [['price'], [{ day: 'desc' }], 'docs', 'name'],
    size: [1, 5, 20],
    from: [0, 10],
    aggs: [{ names: { terms: { field: 'name' } } }, { mean: { avg: { field: 'price' } } }],
    aggs_only: [true],
    agg_offset: [0, 2],
    track_total_hits: [true, 10],
    search_after: [[3]],
    highlight: [['text']],
    body: [{ min_score: 0 }, { collapse: { field: 'name' } }],
    cell_limit: [10, 500],
    cell_offset: [0, 20],
    limit: [1, 200, '7'],
    offset: [0, 3],
    hidden: [true, false],
    raw: [true, false],
    method: ['GET', 'GET', 'HEAD', 'POST', 'DELETE'],
    path: [`/${index}/_count`, `/${index}/_mapping`, `/${index}/_doc/1`, `/${index}/_doc/999`, '/_nothing', index],
    params: [{}, { filter_path: 'count' }, { pretty: true }],
    timeout_ms: [30_000, 20_000],
    name: ['main', 'reader', 'extra', 'another'],
    host: ['127.0.0.1', 'localhost'],
    port: [1, 9200],
    user: ['someone'],
    password: ['a-password-of-the-test'],
    // Refuses at once: a name would first have to be looked up, for each call and each door.
    ssh: ['127.0.0.1'],
    type: ['elasticsearch'],
    scheme: ['http', 'https'],
    auth: ['none'],
    apiKey: ['id:key-of-the-test'],
    url: ['https://127.0.0.1:1'],
    readonly: [true, false],
    set: [{ readonly: true }, { port: 1, host: '127.0.0.1' }, { user: null }],
    price: [0, 3.5, '5', 1_000],
    names: [['thing 1'], ['thing 2', 'thing 3"}'], []],
    direction: ['asc', 'desc'],
  },
  wrong: {
    connection: ['', 5],
    timeout_ms: [0, -1, 'soon', 600_001],
    name: ['not a name', '', 5],
    host: ['', 5],
    ssh: [{ host: 1 }, 5],
    url: ['nonsense', 'ftp://127.0.0.1'],
    path: ['', '../etc', '/_cluster/settings?x=⟦'],
    index: ['', 5, 'UPPER', '-*'],
    method: ['PATCH', 5],
    size: [10_001, -1],
  },
  closed: ['connection', 'timeout_ms', 'name', 'host', 'ssh', 'url', 'cloudId', 'index', 'method', 'path'],
  bases: {
    add_connection: [
      { host: '127.0.0.1', auth: 'none' },
      { url: 'https://127.0.0.1:1', apiKey: 'id:key-of-the-test' },
    ],
    es_list_indices: [{ index: 'doors-*' }],
    es_cluster_health: [{ index }],
    diagnose: [{ check: 'tables', index }],
    es_get_mapping: [{ index }],
    es_query: [{ query: 'FROM a' }],
    es_logs: [{ index, from: '2026-10-10', to: '2026-10-20', baseline: '2026-10-01' }],
  },
  volatile: /\d+(?:\.\d+)? ms|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ|cursor=\w+|\\?"took\\?":\d+/g,
  marked: (mark) => ({
    tool: 'es_search',
    args: { connection: 'main', index, query: { term: { name: mark } }, size: 0, aggs: marks(mark) },
  }),
});

/** An aggregation that answers the mark. */
function marks(mark: string): object {
  return { [mark]: { value_count: { field: 'name' } } };
}
