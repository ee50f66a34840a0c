import type { TestClient } from '@dbmole/core/testing';
import { type ServerId, useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTools } from '../open-tools.ts';
import { end, middle, start, writeBulks } from './log-stream.ts';

/** More lines on one of them: a sample of 4,000 has a pattern of 3 lines rarely there. */
const engines: readonly (readonly [ServerId, number])[] = [
  ['elasticsearch7', 9_000],
  ['elasticsearch8', 30_000],
  ['elasticsearch9', 9_000],
  ['opensearch3', 9_000],
];
const window = { from: middle, to: end, baseline: { from: new Date(start).toISOString() } };

/** Fills an index with the stream while the tests of a `describe` run, and returns what reads its patterns. */
function useStream(id: ServerId, count: number) {
  const engine = useEngine(id, { shared: true });
  const index = `streamed-${id}-${count}`;
  let tools: TestClient;
  let writer: TestClient;

  const put = async (method: string, path: string, body: unknown) => {
    const written = await writer.call('es_request', { method, path, body, params: { filter_path: 'errors,acknowledged' } });
    expect(written.text).toMatch(/^Status 200/);
    expect(written.text).not.toContain('"errors":true');
  };

  const read = async (args: object, client: TestClient) => {
    const { text } = await client.call('es_logs', { index, ...args });
    const [line = '', head = '', ...rows] = text.split('\n');
    return { text, line, head, rows };
  };

  beforeAll(async () => {
    tools = await openTools(engine());
    writer = await openTools(engine(), { readonly: false });
    const settings = { number_of_replicas: 0, refresh_interval: -1 };
    const properties = { '@timestamp': { type: 'date' }, message: { type: id === 'elasticsearch9' ? 'keyword' : 'text' } };
    await put('PUT', `/${index}`, { settings, mappings: { properties } });
    for (const bulk of writeBulks(count)) await put('POST', `/${index}/_bulk`, bulk);
    await writer.call('es_request', { method: 'POST', path: `/${index}/_refresh` });
  }, 60_000);

  afterAll(async () => {
    await writer.call('es_request', { method: 'DELETE', path: `/${index}` });
    await Promise.all([tools.close(), writer.close()]);
  });

  return {
    logs: (args: object) => read(args, tools),
    /** Reads through a connection with other fields. */
    async logsWith(fields: object) {
      const client = await openTools(engine(), fields);
      const { text } = await read(window, client);
      await client.close();
      return text;
    },
  };
}

describe.each(engines)('log patterns of %s', (id, count) => {
  const { logs } = useStream(id, count);

  it('finds every pattern that is new or gone, with its exact count, first and last', async () => {
    const { text, line, head, rows } = await logs(window);
    expect(text.length).toBeLessThanOrEqual(4_000);
    const half = (count / 2).toLocaleString('en-US');
    expect(line).toMatch(
      new RegExp(`^${half} lines \\(4,000 drawn\\) from .* baseline: ${half} lines .*; seed 1\\. 3 new, 1 gone\\.`),
    );
    expect(line).toContain('All lines were searched');
    expect(head).toBe('change,lines,baseline,level,first,last,pattern,sample');
    expect(rows.slice(0, 4).map((row) => row.replace(/,\d\d:\d\d:\d\d/g, ''))).toEqual([
      expect.stringMatching(/^new,20,0,ERROR,payment <\*> declined by the issuer: insufficient funds,payment \d+ declined by/),
      expect.stringMatching(/^new,7,0,FATAL,out of memory: killed process <\*> \(java\),out of memory: killed process \d+/),
      expect.stringMatching(/^new,3,0,ERROR,certificate of gateway\.internal expired <\*> days ago,certificate of/),
      expect.stringMatching(/^gone,0,25,INFO,nightly backup chunk <\*> uploaded to bucket archive,nightly/),
    ]);
    // The lines of a pattern are spread evenly over its hour.
    expect(rows[1]).toMatch(/,09:06:4\d,09:46:4\d,/);
    expect(rows.slice(4).every((row) => row.startsWith('=,'))).toBe(true);
    expect(rows[4]).toMatch(
      /^=,\d+,\d+,ERROR,09:0.*connection to db-<\*>\.internal:<\*> failed: timeout after <\*> ms,connection/,
    );
  });
});

describe('log patterns of a window', () => {
  const { logs, logsWith } = useStream('elasticsearch8', 9_000);

  it('answers the same for the same seed, draws other lines for another one, and reads on', async () => {
    const [one, again, other] = [await logs(window), await logs(window), await logs({ ...window, seed: 7 })];
    expect(again.text).toBe(one.text);
    expect(other.line).toContain('seed 7. 3 new, 1 gone.');
    expect(other.text).not.toBe(one.text);
    const behind = await logs({ ...window, offset: 4 });
    expect(behind.rows[0]).toBe(one.rows[4]);
  });

  it('reads a small window completely, by a query of either kind', async () => {
    const small = { from: middle, to: end };
    const { line, head, rows } = await logs({ ...small, query: 'log.level:FATAL' });
    expect(line).toMatch(/^7 lines from 2026-11-20T09:00:00Z to 2026-11-20T10:00:00Z \(@timestamp, message\)\. Data/);
    expect(head).toBe('lines,level,first,last,pattern,sample');
    expect(rows).toHaveLength(1);
    expect((await logs({ ...small, query: { term: { 'log.level.keyword': 'FATAL' } } })).rows).toEqual(rows);
    expect((await logs({ from: '2020-01-01', to: '2020-01-02' })).text).toMatch(
      /^0 lines from 2020-01-01 to 2020-01-02 .*\. The lines are from 2026-11-20T08:00:00Z to 2026-11-20T09:59:5\dZ\.$/,
    );
  });

  it('shows no pattern of protected lines, and stays within the indices and limits of the connection', async () => {
    for (const action of ['mask', 'pseudonym', 'partial', 'drop', 'refuse'])
      expect(await logsWith({ columns: { '*.message': action } })).toMatch(
        /^E_PROTECTED_COLUMN: the patterns would show .* message\./,
      );
    expect(await logsWith({ columns: { '*.log.level': 'mask' } })).toMatch(/\nnew,20,0,-,/);
    expect(await logsWith({ indices: ['other-*'] })).toMatch(/^E_INDEX_REFUSED/);
    expect(await logsWith({ maxBytes: 100 })).toMatch(/^E_TOO_COSTLY/);
    expect(await logsWith({ scripts: 'refuse', leadingWildcards: 'refuse' })).toContain('3 new, 1 gone.');
  });
});

describe('fields of log lines', () => {
  const engine = useEngine('elasticsearch8', { shared: true });
  const index = 'shippers';
  let tools: TestClient;

  beforeAll(async () => {
    tools = await openTools(engine(), { readonly: false });
  });
  afterAll(async () => {
    await tools.call('es_request', { method: 'DELETE', path: `/${index}` });
    await tools.close();
  });

  it('finds time and message by their names, by their types, or by their values', async () => {
    const day = '2026-01-01';
    const read = async (documents: readonly object[], args: object = {}) => {
      await tools.call('es_request', { method: 'DELETE', path: `/${index}` });
      const body = documents.map((one) => `{"index":{}}\n${JSON.stringify(one)}\n`).join('');
      await tools.call('es_request', { method: 'POST', path: `/${index}/_bulk`, params: { refresh: true }, body });
      return (await tools.call('es_logs', { index, from: day, to: '2026-01-03', ...args })).text;
    };
    const at = `${day}T10:00:00Z`;
    expect(await read([{ ts: at, body: { text: 'ERROR disk 1 is full' } }])).toMatch(
      /\(ts, body\.text\).*\n1,ERROR,.*disk <\*> is full/s,
    );
    expect(await read([{ '@timestamp': at, log: '{"level":"warn","msg":"queue 7 is slow"}' }])).toMatch(
      /\n1,WARN,.*queue <\*> is slow/,
    );
    expect(await read([{ happened: at, details: { what: 'pump 3 stopped' } }])).toMatch(/\(happened, details\.what\)/);
    expect(await read([{ '@timestamp': at, message: 'a b', note: 'tank 5 is empty' }], { field: 'note' })).toContain(
      'tank <*> is empty',
    );
    const other = { from: '2026-01-02', baseline: `${day}..2026-01-02` };
    const compared = await read(
      [
        { '@timestamp': at, message: 'old one' },
        { '@timestamp': '2026-01-02T00:00:00Z', message: 'other 1' },
      ],
      other,
    );
    expect(compared).toMatch(/ 1 new, 1 gone\..*\nnew,1,0,.*other <\*>,other 1\ngone,0,1,.*old one,same$/s);
    expect(await read([{ message: 'no time' }])).toMatch(/^E_NO_TIME_FIELD: no date field was found in shippers/);
    expect(await read([{ '@timestamp': at, message: 'x' }], { from: 'yesterday' })).toMatch(
      /^E_INPUT: "yesterday" is not a time/,
    );
    expect(await read([{ '@timestamp': at, message: 'x y' }], { field: 'nothing' })).toMatch(
      /None of these lines has text in nothing: pass/,
    );
    const empty = await read([{ '@timestamp': at, message: 'x y' }], { baseline: '2025-01-01..2025-01-02' });
    expect(empty).toMatch(/The baseline has no lines, so nothing is compared\..*\nlines,level,/s);
    expect((await tools.call('es_logs', { index: 'shipers-*' })).text).toMatch(
      /^E_UNKNOWN_INDEX.*no index matches "shipers-\*".*shippers/s,
    );
    expect((await tools.call('es_logs', { index: 'shipers' })).text).toMatch(/^E_UNKNOWN_INDEX.*shippers/s);
  });
});
