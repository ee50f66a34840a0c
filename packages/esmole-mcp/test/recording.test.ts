import { readFileSync } from 'node:fs';
import { runProgram } from '@dbmole/core';
import { createFakeTerminal, createTempFolder, openOtlpCollector, type TestClient } from '@dbmole/core/testing';
import { useEngine } from '@dbmole/engines';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { definition } from '../src/server.ts';
import { openTools } from './open-tools.ts';

const canary = 'Magpie735173517351';

describe('what is recorded of calls on a cluster', () => {
  const engine = useEngine('elasticsearch9', { shared: true });
  const folder = createTempFolder();
  let tools: TestClient;
  let collector: Awaited<ReturnType<typeof openOtlpCollector>>;
  const ask = async (args: object) => (await tools.call('es_request', { ...args })).text;

  beforeAll(async () => {
    collector = await openOtlpCollector();
    tools = await openTools(
      engine(),
      { readonly: false },
      {
        ESMOLE_AUDIT: folder.at('audit.jsonl'),
        ESMOLE_TAG: '1',
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_BSP_MAX_QUEUE_SIZE: '10000',
      },
    );
    await ask({ method: 'PUT', path: '/recorded/_doc/1', params: { refresh: true }, body: { name: canary, n: 735173517351 } });
  }, 120_000);
  afterAll(async () => {
    await collector.close();
    folder[Symbol.dispose]();
  });

  it('names the client and the trace to the cluster', async () => {
    const tasks = await ask({ path: '/_tasks', params: { actions: '*tasks*', detailed: true } });
    expect(tasks).toMatch(/esmole-mcp client=[\w.-]+/);
    expect(tasks).toMatch(/"trace\.id": ?"[0-9a-f]{32}"/);
  });

  it('has no value, id or parameter of 1,000 requests', async () => {
    const leaf = fc.constantFrom(canary, `it's "${canary}"`, 735173517351, `a\\${canary}`, `${canary}*`);
    const query = fc.oneof(
      leaf.map((value) => ({ term: { name: value } })),
      leaf.map((value) => ({ query_string: { query: `name:${value}` } })),
      fc.tuple(leaf, leaf).map(([a, b]) => ({ bool: { must: [{ match: { name: a } }], filter: [{ terms: { n: [a, b] } }] } })),
      leaf.map((value) => ({ script: { script: { source: `doc['n'].value == params.a`, params: { a: value } } } })),
    );
    const quoted = leaf.map((value) => JSON.stringify(String(value)));
    const request = fc.oneof(
      query.map((one) => ({ method: 'POST', path: '/recorded/_search', body: { query: one, size: 1 } })),
      leaf.map((value) => ({
        path: `/recorded/_doc/${encodeURIComponent(String(value).replaceAll(/[\\*"']/g, ''))}`,
        params: { routing: 'r735173517351' },
      })),
      leaf.map((value) => ({ path: '/recorded/_search', params: { q: `name:${JSON.stringify(String(value))}` } })),
      quoted.map((value) => ({
        method: 'POST',
        path: '/_query',
        body: { query: `FROM recorded | WHERE name == ${value} // ${canary}\n| LIMIT 7` },
      })),
      leaf.map((value) => ({
        method: 'POST',
        path: '/_sql',
        body: { query: `SELECT n FROM recorded WHERE name = '${String(value).replaceAll("'", "''")}'` },
      })),
      query.map((one) => ({ method: 'POST', path: '/_msearch', body: [{ index: 'recorded' }, { query: one }] })),
      leaf.map((value) => ({ method: 'POST', path: '/recorded/_search', body: `{"query": {"match": {"name": "${value}` })),
      leaf.map((value) => ({ method: 'POST', path: '/_nowhere', body: { name: value } })),
    );
    const all = fc.sample(request, { numRuns: 1_000, seed: 7351 });
    for (let at = 0; at < all.length; at += 25) await Promise.all(all.slice(at, at + 25).map(ask));
    const suggest = { near: { text: canary, term: { field: 'name' } } };
    await tools.call('es_search', {
      index: 'recorded',
      searches: [{ q: canary, suggest }, { query: { term: { name: canary } } }],
    });
    await tools.call('es_search', {
      index: 'recorded',
      q: `name:${canary}`,
      aggs: { a: { terms: { field: 'name.keyword', include: canary } } },
    });
  }, 120_000);

  it('is in the log and in the spans alike', async () => {
    await tools.close();
    const log = readFileSync(folder.at('audit.jsonl'), 'utf8');
    expect(log.match(/Magpie|735173517351/)).toBeNull();
    expect(collector.text.match(/Magpie|735173517351/)).toBeNull();
    expect(collector.problems).toEqual([]);
    const lines = log
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.length).toBeGreaterThan(1_000);
    expect(lines[0]).toMatchObject({
      verdict: 'begun',
      kind: 'dml',
      text: 'PUT /recorded/_doc/??refresh=? {"name":"?","n":"?"}',
    });
    expect(lines.find(({ verdict, kind }) => verdict === 'ok' && kind === 'dml')).toMatchObject({ status: 201, changed: 1 });
    expect(collector.spans.map(({ name }) => name)).toEqual(expect.arrayContaining(['tools/call es_request', 'search recorded']));
  });

  it('is read by the command audit, for one tool, for errors and from a variable', async () => {
    const audit = async (...argv: string[]) => {
      const env = { ESMOLE_AUDIT: folder.at('audit.jsonl') };
      const terminal = createFakeTerminal({ argv: ['audit', ...argv], env });
      expect(await runProgram(definition, terminal)).toBe(0);
      return terminal.printed;
    };
    const searches = (await audit('--tool', 'es_search', '--json'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(new Set(searches.map(({ tool }) => tool))).toEqual(new Set(['es_search']));
    expect(searches[0]).toMatchObject({ kind: 'read', verdict: 'ok', connection: 'main', status: 200 });
    const shown = await audit('--errors', '--connection', 'main', '--limit', '3');
    expect(shown).toMatch(/^time +client +connection +tool +outcome +rows +ms +text$/m);
    expect(shown.trimEnd().split('\n')).toHaveLength(4);
    expect(shown).toMatch(/ main +es_request +E_\w+ /);
    expect(await audit('--since', '1h', '--limit', '1')).toContain('POST /recorded/_search');
  });
});
