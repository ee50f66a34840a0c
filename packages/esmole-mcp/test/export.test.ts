import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestClient } from '@dbmole/core/testing';
import { type ServerId, useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCall } from '../src/call/cluster-call.ts';
import { readAllHits } from '../src/export/read-all-hits.ts';
import { never, openCluster, write } from './open-cluster.ts';
import { openTools } from './open-tools.ts';

const engines: readonly ServerId[] = ['elasticsearch7', 'elasticsearch8', 'elasticsearch9', 'opensearch3'];
/** More than two pages of a point in time. */
const count = 2_345;

describe.each(engines)('es_export on %s', (id) => {
  const engine = useEngine(id, { shared: true });
  const index = `exported-${id}`;
  let folder: string;
  let tools: TestClient;

  const env = () => ({ ESMOLE_EXPORT_DIR: folder });
  const run = async (file: string, args: object = {}, client = tools) =>
    (await client.call('es_export', { index, file, ...args })).text;
  const read = async (file: string) => await readFile(join(folder, file), 'utf8');
  const runWith = async (fields: object, file: string, args: object = {}) => {
    const client = await openTools(engine(), fields, env());
    const text = await run(file, args, client);
    await client.close();
    return text;
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'esmole-export-'));
    tools = await openTools(engine(), { readonly: false }, env());
    const properties = { n: { type: 'integer' }, day: { type: 'keyword' }, email: { type: 'keyword' } };
    const body = { settings: { number_of_shards: 3, number_of_replicas: 0 }, mappings: { properties } };
    await tools.call('es_request', { method: 'PUT', path: `/${index}`, body });
    const lines = Array.from({ length: count }, (_, n) => {
      const document = {
        n,
        day: `day ${n % 3}`,
        email: `e${n}@x.y`,
        customer: { name: 'Ann, "A"', tags: ['a', 'b'] },
        big: 'BIG',
      };
      return `{"index":{"_id":"${n}"}}\n${JSON.stringify(document).replace('"BIG"', '9007199254740993')}\n`;
    });
    const request = { method: 'POST', path: `/${index}/_bulk`, params: { refresh: true, filter_path: 'errors' } };
    expect((await tools.call('es_request', { ...request, body: lines.join('') })).text).toContain('false');
  }, 60_000);

  afterAll(async () => {
    await tools.call('es_request', { method: 'DELETE', path: `/${index}` });
    await tools.close();
    await rm(folder, { recursive: true });
  });

  it('writes every document once, with every digit, in the order of the sort', async () => {
    const reports: string[] = [];
    const { text } = await tools.call(
      'es_export',
      { index, file: 'all.jsonl', sort: ['day', { n: 'desc' }] },
      { onProgress: ({ message }) => reports.push(message ?? '') },
    );
    expect(text).toMatch(new RegExp(`^Exported ${count} documents to ${folder}/all\\.jsonl, \\d+ bytes\\.$`));
    const lines = (await read('all.jsonl')).trimEnd().split('\n');
    const first = `{"_index":"${index}","_id":"2343","n":2343,"day":"day 0","email":"e2343@x.y","customer":{"name":"Ann, \\"A\\"","tags":["a","b"]},"big":9007199254740993}`;
    expect(lines[0]).toBe(first);
    const documents = lines.map((line) => JSON.parse(line));
    expect(documents.map(({ day }) => day)).toEqual(documents.map(({ day }) => day).sort());
    expect(new Set(documents.map(({ _id }) => _id)).size).toBe(count);
    expect(reports.at(-1)).toMatch(/^\d+ documents$/);
    const { mode } = await stat(join(folder, 'all.jsonl'));
    expect(mode & 0o777).toBe(0o600);
  });

  it('writes CSV with a column for each field, without the parts that no column has', async () => {
    const text = await run('some.csv', { q: 'n:<2', sort: ['n'] });
    expect(text).toMatch(/^Exported 2 documents of 8 columns to .*some\.csv, \d+ bytes\.$/);
    expect(await read('some.csv')).toBe(
      `_index,_id,big,customer.name,customer.tags,day,email,n\r\n${index},0,9007199254740993,"Ann, ""A""","[""a"",""b""]",day 0,e0@x.y,0\r\n${index},1,9007199254740993,"Ann, ""A""","[""a"",""b""]",day 1,e1@x.y,1\r\n`,
    );
    await run('few.csv', { query: { term: { n: 7 } }, source: ['customer', 'n', 'missing'] });
    expect(await read('few.csv')).toBe(
      `_index,_id,n,missing,customer.name,customer.tags\r\n${index},7,7,,"Ann, ""A""","[""a"",""b""]"\r\n`,
    );
    await run('fields.csv', { query: { term: { n: 7 } }, fields: ['day', { field: 'n' }] });
    expect(await read('fields.csv')).toBe(`_index,_id,day,n\r\n${index},7,day 1,7\r\n`);
  });

  it('follows the policy of the connection, and its indices', async () => {
    const columns = { '*.email': 'mask', '*.customer': 'drop' };
    const text = await runWith({ columns }, 'masked.jsonl', { query: { term: { n: 7 } } });
    expect(text).toMatch(/1 field masked by policy \(email\)\. 1 field left out by policy \(customer\)\.$/);
    expect(await read('masked.jsonl')).toBe(
      `{"_index":"${index}","_id":"7","n":7,"day":"day 1","email":"***","big":9007199254740993}\n`,
    );
    expect(await runWith({ columns }, 'sorted.jsonl', { sort: ['email'] })).toMatch(
      /^E_PROTECTED_COLUMN: .*; no file was left\./,
    );
    expect(await runWith({ indices: ['other-*'] }, 'other.jsonl')).toMatch(/^E_INDEX_REFUSED/);
    expect(await runWith({ maxShards: 2 }, 'costly.jsonl')).toMatch(/^E_TOO_COSTLY/);
    expect(await run('unknown.jsonl', { index: 'exportd' })).toMatch(/^E_UNKNOWN_INDEX/);
    expect((await readdir(folder)).filter((name) => /sorted|other|costly|unknown|part/.test(name))).toEqual([]);
  });
});

describe('es_export on a version without a point in time that could tell equal documents apart', () => {
  const engine = useEngine('elasticsearch8', { shared: true });

  it('reads every document once by a scroll, and closes it', async () => {
    const { scheme, host, port } = engine();
    const backend = await openCluster({ scheme, host, port });
    const send = (path: string, body: object) => backend.send(write('POST', path, body), { signal: never });
    const lines = Array.from({ length: 250 }, (_, n) => [{ index: { _index: 'scrolled', _id: String(n) } }, { n }]).flat();
    await send('/_bulk?refresh=true', lines);
    const identity = { ...(await backend.identify(never)), major: 7, minor: 9 };
    const config = { name: 'c', type: 'elasticsearch', readonly: true };
    const nothing = () => undefined;
    const lease = { backend, name: 'c', config, release: nothing, reached: nothing, invalidate: nothing };
    const call = createCall(lease, identity, { signal: never });
    const ids: unknown[] = [];
    for await (const { hits, total } of readAllHits(call, { index: 'scrolled', body: {} })) {
      expect(total).toBe(250);
      ids.push(...hits.map(({ _id }) => _id));
    }
    expect(new Set(ids).size).toBe(250);
    expect(ids).toHaveLength(250);
    await backend.send(write('DELETE', '/scrolled'), { signal: never });
    await backend.dispose();
  });
});

describe('files of es_export', () => {
  const engine = useEngine('elasticsearch8', { shared: true });

  it('are created only in the folder of a person, and never replaced', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'esmole-export-'));
    await writeFile(join(folder, 'taken.csv'), 'theirs');
    const tools = await openTools(engine(), {}, { ESMOLE_EXPORT_DIR: folder });
    const run = async (file: string) => (await tools.call('es_export', { index: '*', file })).text;
    expect(await run('taken.csv')).toMatch(/^E_EXPORT_EXISTS/);
    for (const file of ['../a.csv', 'a.sh', '/a.csv', 'con.csv']) expect(await run(file)).toMatch(/^E_EXPORT_NAME/);
    expect(await readdir(folder)).toEqual(['taken.csv']);
    expect(await readFile(join(folder, 'taken.csv'), 'utf8')).toBe('theirs');
    await tools.close();
    await rm(folder, { recursive: true });
    const without = await openTools(engine());
    const { text } = await without.call('es_export', { index: '*', file: 'a.csv' });
    expect(text).toMatch(/^E_EXPORT_DIR.*\nNext: Ask the user to start this server with --export-dir DIR or ESMOLE_EXPORT_DIR/);
    await without.close();
  });
});
