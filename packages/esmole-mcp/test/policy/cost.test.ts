import { runProgram } from '@dbmole/core';
import { createFakeTerminal, type TestClient } from '@dbmole/core/testing';
import { type ServerId, useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { definition } from '../../src/server.ts';
import { openTools } from '../open-tools.ts';

const engines: readonly ServerId[] = ['elasticsearch8', 'opensearch3'];
const refusal = /^E_TOO_COSTLY: the search reaches 6 shards \(3 of them in cost-/;

describe.each(engines)('the cost of searches in %s', (id) => {
  const engine = useEngine(id, { shared: true });
  const names = { small: `cost-small-${id}`, large: `cost-a-${id}`, more: `cost-b-${id}` };
  const both = `${names.large},${names.more}`;
  let open: TestClient;
  let limited: TestClient;
  let warned: TestClient;
  let strict: TestClient;
  const change = (method: string, path: string, body: unknown) => open.call('es_request', { method, path, body });
  const request = async (tools: TestClient, path: string, body?: unknown, method = 'POST') =>
    (await tools.call('es_request', body === undefined ? { path } : { method, path, body })).text;

  beforeAll(async () => {
    open = await openTools(engine(), { readonly: false });
    for (const [key, name] of Object.entries(names)) {
      const settings = { number_of_replicas: 0, number_of_shards: key === 'small' ? 1 : 3 };
      await change('PUT', `/${name}`, { settings, mappings: { properties: { f: { type: 'keyword' } } } });
      await change('PUT', `/${name}/_doc/1?refresh=true`, { f: `x${key}` });
    }
    limited = await openTools(engine(), { maxShards: 4 });
    warned = await openTools(engine(), { maxShards: 4, maxBytes: 10, warn: true });
    strict = await openTools(engine(), { leadingWildcards: 'refuse', scripts: 'refuse', readonly: false });
  }, 120_000);
  afterAll(async () => {
    for (const name of Object.values(names)) await open.call('es_request', { method: 'DELETE', path: `/${name}` });
    for (const tools of [open, limited, warned, strict]) await tools.close();
  });

  it('refuses a search in too many shards on every route', async () => {
    expect((await limited.call('es_search', { index: both, query: { match_all: {} } })).text).toMatch(refusal);
    expect((await limited.call('es_search', { index: 'cost-a*,cost-b*' })).text).toMatch(refusal);
    for (const path of [`/${both}/_search`, `/${both}/_count`, `/${both}/_search?expand_wildcards=open`])
      expect([path, await request(limited, path)]).toEqual([path, expect.stringMatching(refusal)]);
    const lines = `{"index": "${names.large}"}\n{"size": 0}\n{"index": "${names.more}"}\n{"size": 0}\n`;
    expect(await request(limited, '/_msearch', lines)).toMatch(/^E_TOO_COSTLY: .* 6 shards/);
    if (id === 'elasticsearch8') {
      expect(await request(limited, '/_query', { query: `FROM ${both} | LIMIT 1` })).toMatch(refusal);
      expect(await request(limited, '/_sql', { query: `SELECT * FROM "${both}"` })).toMatch(refusal);
    }
    expect(await request(limited, '/_search')).toMatch(/^E_TOO_COSTLY: the search reaches \d+ shards/);
    const { err } = await runCommand({ maxShards: 4 }, `GET /${both}/_search`);
    expect(err).toMatch(/the search reaches 6 shards/);
  });

  it('passes a search in fewer, and what does not search', async () => {
    expect((await limited.call('es_search', { index: names.large })).text).toMatch(/^Hit 1 of 1/);
    for (const path of [
      `/${names.large}/_search`,
      `/${names.large}/_count`,
      `/${both}/_mapping`,
      `/${names.more}/_doc/1`,
      '/_cluster/health',
    ])
      expect([path, await request(limited, path)]).toEqual([path, expect.not.stringMatching(/^E_/)]);
    expect(await request(limited, '/cost-no-such/_search')).toMatch(/^E_UNKNOWN_INDEX/);
    expect((await limited.call('es_list_indices', {})).text).toContain(names.large);
  });

  it('only says so where the policy warns', async () => {
    const { text } = await warned.call('es_search', { index: both });
    expect(text).toMatch(
      /The search reaches 6 shards \(3 of them in cost-.*\), and this connection allows 4 \(warn\)\. The search reaches indices of [\d,]+ bytes, and this connection allows 10 \(warn\)\./,
    );
    expect(text.split('\n')[0]).toContain('(warn)');
    const { out, err } = await runCommand({ maxShards: 4, warn: true }, `GET /${both}/_search`);
    expect(out).toContain('"hits"');
    expect(err).toContain('(warn)');
  });

  it('refuses leading wildcards and scripts, in searches and in writes', async () => {
    const wild = await strict.call('es_search', { index: names.small, query: { wildcard: { f: '*mall' } } });
    expect(wild.text).toMatch(
      /^E_TOO_COSTLY: "wildcard" with "\*mall" would try every term of the field, which this connection refuses; nothing was run\./,
    );
    expect((await strict.call('es_search', { index: names.small, query: { wildcard: { f: 'xs*' } } })).text).toMatch(
      /^Hit 1 of 1/,
    );
    expect(await request(strict, `/${names.small}/_search?q=f:*mall`)).toMatch(/^E_TOO_COSTLY/);
    for (const args of [{ q: 'f:*mall' }, { post_filter: { prefix: { f: '' } } }, { searches: [{}, { q: 'f:*mall' }] }])
      expect((await strict.call('es_search', { index: names.small, ...args })).text).toMatch(/^E_TOO_COSTLY/);
    const scripted = { script_fields: { y: { script: '1' } } };
    expect(await request(strict, `/${names.small}/_search`, scripted)).toMatch(
      /^E_TOO_COSTLY: "script_fields" would run a script/,
    );
    expect(await request(strict, `/${names.small}/_update/1`, { script: 'ctx._source.n = 1' })).toMatch(/^E_TOO_COSTLY/);
    expect(await request(strict, `/${names.small}/_update/1`, { doc: { n: 1 } })).toMatch(/updated|noop/);
    expect((await open.call('es_search', { index: names.small, query: { wildcard: { f: '*mall' } } })).text).toMatch(
      /^Hit 1 of 1/,
    );
  });

  it('is listed, and no tool can set it', async () => {
    expect((await limited.call('list_connections')).text).toContain('maxShards 4');
    expect((await strict.call('list_connections')).text).toContain('leadingWildcards refuse, scripts refuse');
    const { text } = await limited.call('update_connection', { name: 'main', maxShards: 100 });
    expect(text).toMatch(/^E_/);
  });

  async function runCommand(fields: object, words: string) {
    const { scheme, host, port } = engine();
    const connection = { name: 'main', type: 'elasticsearch', scheme, host, port, auth: 'none', readonly: true, ...fields };
    const terminal = createFakeTerminal({
      argv: ['query', 'main', words],
      env: { ESMOLE_CONNECTIONS: JSON.stringify([connection]) },
    });
    await runProgram(definition, terminal);
    return { out: terminal.printed, err: terminal.complained };
  }
});
