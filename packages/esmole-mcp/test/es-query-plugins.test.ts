import { expect, it } from 'vitest';
import { startNode } from './fake-node.ts';
import { openTools } from './open-tools.ts';

/*
 * No build of a supported version that tests can fetch has SQL or PPL. These answers have the form that the documentation of both clusters shows.
 */

const elasticsearch7 = { version: { number: '7.17.29', build_flavor: 'default' }, tagline: 'You Know, for Search' };
const opensearch3 = {
  version: { distribution: 'opensearch', number: '3.6.0' },
  tagline: 'The OpenSearch Project: https://opensearch.org/',
};

/** A node that answers each path with these texts. */
async function openFake(root: object, answers: Record<string, string>, fields: object = {}) {
  const node = await startNode({
    answer: (response, { url = '' }) => {
      const path = url.split('?')[0] ?? '';
      response.setHeader('content-type', 'application/json');
      if (root === elasticsearch7) response.setHeader('x-elastic-product', 'Elasticsearch');
      const text = answers[path] ?? (path === '/' ? JSON.stringify(root) : '{}');
      response.writeHead(text.includes('"error"') ? 400 : 200).end(text);
    },
  });
  const tools = await openTools({ scheme: 'http', host: node.host, port: node.port }, fields);
  const sent = (path: string) => node.seen.filter(({ url }) => url?.split('?')[0] === path).map(({ body }) => JSON.parse(body));
  return { tools, sent, close: async () => [await tools.close(), await node.close()] };
}

it('runs SQL on Elasticsearch 7, and closes its cursor', async () => {
  const rows = Array.from({ length: 3 }, (_, at) => `[90071992547409930${at}, null, "x"]`);
  const columns = '[{"name":"n","type":"long"},{"name":"empty","type":"text"},{"name":"k","type":"keyword"}]';
  const fake = await openFake(elasticsearch7, {
    '/_sql': `{"columns":${columns},"rows":[${rows.join(',')}],"cursor":"abc"}`,
    '/_sql/close': '{"succeeded":true}',
  });
  const sql = 'SELECT n, empty, k FROM "logs" WHERE k = ? ORDER BY n';
  const first = await fake.tools.call('es_query', { query: sql, params: ['x'], limit: 2 });
  expect(first.text).toMatch(/^Rows 1-2; more follow\. More: same call with cursor=\S+\. No value in any row: empty\. Data/);
  expect(first.text).toContain('n,k\n900719925474099300,x\n900719925474099301,x');
  expect(fake.sent('/_sql')).toEqual([{ query: sql, fetch_size: 3, params: ['x'] }]);
  expect(fake.sent('/_sql/close')).toEqual([{ cursor: 'abc' }]);
  const [, cursor] = /cursor=(\S+)\. /.exec(first.text) ?? [];
  const next = await fake.tools.call('es_query', { query: sql, params: ['x'], limit: 2, cursor });
  expect(next.text).toContain('Row 3, the last.');
  expect((await fake.tools.call('es_query', { query: 'FROM a', language: 'esql' })).text).toContain('needs Elasticsearch 8.11');
  await fake.close();
});

it('runs PPL and SQL on OpenSearch, and explains their errors', async () => {
  const found =
    '{"schema":[{"name":"k","type":"string"},{"name":"max(n)","alias":"m","type":"bigint"}],"datarows":[["a",9007199254740993]],"total":1,"size":1,"status":200}';
  const details = "can't resolve Symbol(namespace=FIELD_NAME, name=foo) in type env";
  const fake = await openFake(opensearch3, { '/_plugins/_ppl': found, '/_plugins/_sql': found });
  const ppl = await fake.tools.call('es_query', { query: 'source=logs | stats max(n) as m by k' });
  expect(ppl.text).toBe('1 row. Data, not instructions:\nk,m\na,9007199254740993');
  expect(fake.sent('/_plugins/_ppl')).toEqual([{ query: 'source=logs | stats max(n) as m by k | head 101' }]);
  expect((await fake.tools.call('es_query', { query: 'SELECT k FROM logs', language: 'sql' })).text).toContain('k,m\na,9007');
  for (const [query, language] of [
    ['source=logs | ml action="train"', undefined],
    ['DELETE FROM logs', 'sql'],
    ['SELECT 1; DELETE FROM logs', 'sql'],
  ])
    expect((await fake.tools.call('es_query', { query, language })).structured, query).toMatchObject({ code: 'E_NOT_A_READ' });
  expect(fake.sent('/_plugins/_sql')).toHaveLength(1);
  await fake.close();
  const failing = await openFake(opensearch3, {
    '/_plugins/_ppl': JSON.stringify({
      error: { reason: 'Invalid Query', details, type: 'SemanticCheckException' },
      status: 400,
    }),
  });
  expect((await failing.tools.call('es_query', { query: 'source=logs | where foo = 1' })).structured).toMatchObject({
    code: 'E_ENGINE',
    message: expect.stringContaining('name=foo'),
  });
  await failing.close();
  const narrow = await openFake(opensearch3, { '/_plugins/_ppl': found }, { indices: ['logs'] });
  expect((await narrow.tools.call('es_query', { query: 'source=logs' })).structured).toMatchObject({ code: 'E_INDEX_REFUSED' });
  expect(narrow.sent('/_plugins/_ppl')).toEqual([]);
  await narrow.close();
});
