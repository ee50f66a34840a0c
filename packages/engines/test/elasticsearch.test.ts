import { request } from 'node:https';
import { json } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { createAuthority, type RunningEngine, startEngine, useEngine } from '../src/index.ts';
import { findTraces } from './traces.ts';

async function call(engine: RunningEngine, path: string, body?: object, headers: Record<string, string> = {}) {
  const init = body && { method: 'POST', body: JSON.stringify(body) };
  const response = await fetch(`http://${engine.host}:${engine.port}${path}`, {
    ...init,
    headers: { ...headers, 'content-type': 'application/json' },
  });
  // The tests look at the few fields they name.
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** One of each way to run: a single process, one that a launcher watches, and OpenSearch. The others start in all other tests. */
for (const id of ['elasticsearch7', 'elasticsearch9', 'opensearch3'] as const) {
  describe(id, () => {
    const engine = useEngine(id, { restartable: true, settings: { 'node.attr.zone': 'burrow' } });

    it('answers in the version that was promised, set as wished', async () => {
      const { body } = await call(engine(), '/_nodes/_local');
      const [node] = Object.values(body.nodes as Record<string, { version: string; attributes: Record<string, string> }>);
      expect(node?.version).toBe(engine().version);
      expect(node?.attributes.zone).toBe('burrow');
    });

    it('comes back on the same port with its data', async () => {
      await call(engine(), '/kept/_doc?refresh=true', { a: 1 });
      await engine().control?.kill();
      await expect(call(engine(), '/')).rejects.toThrow();
      await engine().control?.start();
      expect((await call(engine(), '/kept/_count')).body.count).toBe(1);
      await engine().control?.shutDown();
      expect(engine().control?.pid).toBeUndefined();
    });
  });
}

describe('elasticsearch8esql', () => {
  const engine = useEngine('elasticsearch8esql', { shared: true });

  it('runs ES|QL and Painless', async () => {
    await call(engine(), '/modules/_doc?refresh=true', { line: 'GET /mole 200' });
    const query = 'FROM modules | GROK line "%{WORD:verb} %{NOTSPACE:path} %{INT:status:int}" | KEEP path, status';
    expect((await call(engine(), '/_query', { query })).body.values).toEqual([['/mole', 200]]);
    const script_fields = { twice: { script: { source: 'params.n * 2', params: { n: 21 } } } };
    const { hits } = (await call(engine(), '/modules/_search', { script_fields })).body;
    expect(hits).toMatchObject({ hits: [{ fields: { twice: [42] } }] });
  });
});

describe('security', () => {
  const engine = useEngine('elasticsearch7', { security: true });

  it('lets the one user in, and no other', async () => {
    expect((await call(engine(), '/_cluster/health')).status).toBe(401);
    const { user, password } = engine();
    const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
    expect((await call(engine(), '/_cluster/health', undefined, { authorization })).status).toBe(200);
  });
});

describe('TLS', () => {
  it('is served with the certificate given, and leaves nothing', async () => {
    const authority = await createAuthority();
    const engine = await startEngine('elasticsearch8', { tls: await authority.issueServer() });
    expect(engine.scheme).toBe('https');
    const health = (ca?: string) =>
      new Promise((resolve, reject) => {
        const { host, port, user, password } = engine;
        const options = { host, port, auth: `${user}:${password}`, path: '/_cluster/health', agent: false, ...(ca && { ca }) };
        request(options, (response) => json(response).then(resolve, reject))
          .on('error', reject)
          .end();
      });
    expect(await health(authority.ca)).toMatchObject({ number_of_nodes: 1 });
    await expect(health()).rejects.toMatchObject({ code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' });
    await engine.stop();
    expect(findTraces(engine.directory ?? '?')).toEqual([]);
  });
});
