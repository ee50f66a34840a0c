import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestClient } from '@dbmole/core/testing';
import { useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startNode } from './fake-node.ts';
import { openTools } from './open-tools.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'esmole-export-'));
});
afterAll(() => rm(folder, { recursive: true }));
const read = async (file: string) => (await readFile(join(folder, file), 'utf8')).trimEnd().split(/\r?\n/);

describe('es_export of rows of ES|QL', () => {
  const engine = useEngine('elasticsearch8esql', { shared: true });
  /** More than the cluster returns at once, in a form that needs no index. */
  const count = 10_500;
  const list = (length: number) => `[${Array.from({ length }, (_, at) => at).join(', ')}]`;
  const rows = `ROW a = ${list(105)}, secret = "x" | MV_EXPAND a | EVAL b = ${list(100)} | MV_EXPAND b | EVAL n = a * 100 + b`;
  let tools: TestClient;
  const run = async (file: string, query: string, args: object = {}) =>
    (await tools.call('es_export', { file, query, ...args })).text;

  beforeAll(async () => {
    tools = await openTools(engine(), {}, { ESMOLE_EXPORT_DIR: folder });
  });
  afterAll(() => tools.close());

  it('writes every row once, in the order of the query, with every digit', async () => {
    const reports: string[] = [];
    const onprogress = ({ message }: { message?: string | undefined }) => void reports.push(message ?? '');
    const query = `${rows} | EVAL big = TO_LONG(9007199254740000) + n, t = CONCAT("a, \\"", TO_STRING(n)), z = null | SORT big DESC | KEEP n, big, t, z`;
    const reply = await tools.client.callTool({ name: 'es_export', arguments: { file: 'all.csv', query } }, { onprogress });
    expect(JSON.stringify(reply.content)).toMatch(
      new RegExp(`"Exported ${count} rows of 4 columns to .*all\\.csv, [\\d.]+ (?:bytes|MB)\\."`),
    );
    const [header, ...lines] = await read('all.csv');
    expect(header).toBe('n,big,t,z');
    expect(lines[0]).toBe('10499,9007199254750499,"a, ""10499",');
    expect(lines.map((line) => Number(line.split(',')[0]))).toEqual(Array.from({ length: count }, (_, at) => count - 1 - at));
    expect(reports).toContain(`${count} rows`);
  });

  it('reads on over nulls and equal values, in each direction', async () => {
    const base = `${rows} | EVAL k = CASE(n % 3 == 0, null, TO_STRING(n % 50)), odd = n % 2 == 1, d = n / 3.0`;
    for (const [at, sort] of ['k, n', 'odd, k NULLS FIRST, d DESC'].entries()) {
      const text = await run(`nulls-${at}.jsonl`, `${base} | SORT ${sort} | KEEP n, k, odd, d`);
      expect(text, sort).toMatch(new RegExp(`^Exported ${count} rows of 4 columns`));
      const lines = (await read(`nulls-${at}.jsonl`)).map((line) => JSON.parse(line));
      expect(new Set(lines.map(({ n }) => n)).size, sort).toBe(count);
      const isFirstNull = lines[0].k === null;
      expect(isFirstNull, sort).toBe(at !== 0);
    }
  });

  it('says first what is missing where the order of the rows does not lead on', async () => {
    const cases: readonly [query: string, expected: RegExp][] = [
      [rows, /^Incomplete: these are 10000 of 10500 rows\. For all, end the query with SORT/],
      [`${rows} | EVAL m = [1, 2] | SORT m, n`, /^Incomplete: these are 10000 of 10500 rows\..*one value in each row/],
      [`${rows} | SORT n | EVAL n = 1`, /^Incomplete: these are 10000 of 10500 rows/],
      [`${rows} | SORT n | LIMIT 10200`, /^Exported 10200 rows/],
      [`${rows} | SORT n | LIMIT 7`, /^Exported 7 rows of 4 columns to [^ ]+, \d+ bytes\.$/],
    ];
    for (const [at, [query, expected]] of cases.entries()) expect(await run(`missing-${at}.csv`, query), query).toMatch(expected);
    expect(await run('ties.csv', `${rows} | SORT secret`)).toMatch(
      /^E_EXPORT_INCOMPLETE: 10000 rows or more have the same secret/,
    );
  });

  it('takes parameters, and refuses what a query text has no place for', async () => {
    expect(await run('params.jsonl', 'ROW a = ?a, b = ?b', { params: { a: 1, b: 'x' } })).toMatch(/^Exported 1 row of 2 columns/);
    expect(await read('params.jsonl')).toEqual(['{"a":1,"b":"x"}']);
    expect(await run('index.csv', 'FROM a', { index: 'a' })).toMatch(/`index` is of a search/);
    expect(await run('wrong.csv', 'ROW a = 1 | WHERE b == 2')).toMatch(/^E_UNKNOWN_FIELD.*no file was left/);
    expect(await run('acts.csv', 'ROW a = "x" | COMPLETION a WITH {"inference_id": "m"}')).toMatch(/^E_NOT_A_READ/);
    const names = await readdir(folder);
    expect(names.filter((name) => /index|wrong|acts|ties|part/.test(name))).toEqual([]);
  });
});

/** A cluster whose modules no build for tests has: its answers have the form that the documentation shows. */
async function openFake(root: object, answer: (path: string, body: Record<string, unknown>) => unknown) {
  const node = await startNode({
    answer: (response, { url = '', body }) => {
      const path = url.split('?')[0] ?? '';
      const found = path === '/' ? root : answer(path, body === '' ? {} : JSON.parse(body));
      response.setHeader('content-type', 'application/json');
      if (!('distribution' in Object(Object(root).version))) response.setHeader('x-elastic-product', 'Elasticsearch');
      response.end(JSON.stringify(found));
    },
  });
  const tools = await openTools({ scheme: 'http', host: node.host, port: node.port }, {}, { ESMOLE_EXPORT_DIR: folder });
  const sent = (path: string) => node.seen.filter(({ url }) => url?.startsWith(path)).map(({ body }) => JSON.parse(body));
  return { tools, sent, close: async () => [await tools.close(), await node.close()] };
}

describe('es_export of rows in other languages', () => {
  const columns = [
    { name: 'n', type: 'long' },
    { name: 'n', type: 'long' },
  ];

  it('follows the cursor of SQL to its end, and closes one that it does not follow', async () => {
    const root = { version: { number: '7.17.29', build_flavor: 'default' } };
    const pages: Record<string, object> = {
      second: { rows: [[3, null]], cursor: 'third' },
      third: { rows: [[4, 5]] },
      broken: { failed: true },
    };
    let first = 'second';
    const fake = await openFake(root, (path, { cursor }) => {
      if (path !== '/_sql') return { succeeded: true };
      return cursor === undefined ? { columns, rows: [[1, 2]], cursor: first } : pages[String(cursor)];
    });
    const query = 'SELECT n, n FROM "logs"';
    expect((await fake.tools.call('es_export', { file: 'sql.jsonl', query })).text).toMatch(/^Exported 3 rows of 2 columns/);
    expect(await read('sql.jsonl')).toEqual(['{"n":1,"n_2":2}', '{"n":3,"n_2":null}', '{"n":4,"n_2":5}']);
    expect(fake.sent('/_sql?')).toEqual([{ query, fetch_size: 1_000 }, { cursor: 'second' }, { cursor: 'third' }]);
    expect(fake.sent('/_sql/close')).toEqual([]);
    first = 'broken';
    expect((await fake.tools.call('es_export', { file: 'broken.jsonl', query })).text).toMatch(/no file was left/);
    expect(fake.sent('/_sql/close')).toEqual([{ cursor: 'broken' }]);
    await fake.close();
  });

  it('counts the rows of PPL, and says where SQL of OpenSearch may have more', async () => {
    const root = { version: { distribution: 'opensearch', number: '3.6.0' } };
    let total = 2;
    const datarows = [[1], [2]];
    const schema = [{ name: 'n', type: 'bigint' }];
    let length = 2;
    const fake = await openFake(root, (path, { query }) => {
      if (path === '/_plugins/_sql') return { schema, datarows: Array.from({ length }, (_, at) => [at]) };
      return String(query).includes('stats count()') ? { schema, datarows: [[total]] } : { schema, datarows };
    });
    const run = async (file: string, query: string) => (await fake.tools.call('es_export', { file, query })).text;
    expect(await run('ppl.csv', 'source=logs | fields n')).toMatch(/^Exported 2 rows of 1 column/);
    total = 3;
    expect(await run('ppl2.csv', 'source=logs | fields n')).toMatch(/^Incomplete: these are 2 of 3 rows\. Narrow the query/);
    length = 200;
    const sql = async (file: string) =>
      (await fake.tools.call('es_export', { file, query: 'SELECT n FROM logs', language: 'sql' })).text;
    expect(await sql('sql2.csv')).toMatch(/^Perhaps incomplete: SQL cannot read beyond these 200 rows\./);
    await fake.close();
  });

  it('takes other texts as Lucene syntax, as es_search does', async () => {
    const root = { version: { number: '9.1.0', build_flavor: 'default' } };
    const fake = await openFake(root, (path) =>
      path.endsWith('_pit')
        ? { id: 'pit' }
        : { pit_id: 'pit', hits: { total: { value: 0, relation: 'eq' }, hits: [] }, succeeded: true },
    );
    const text = (await fake.tools.call('es_export', { file: 'q.jsonl', index: 'a', query: 'from:ann AND status:500' })).text;
    expect(text).toMatch(/^Exported 0 documents/);
    expect(fake.sent('/_search')[0]).toMatchObject({ query: { query_string: { query: 'from:ann AND status:500' } } });
    await fake.close();
  });
});
