import { type HttpClient, type HttpClientKind, HttpProcess, httpClientKinds, openHttpClient } from '@dbmole/core/testing';
import { useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bin } from './bin.ts';
import { runDirect } from './direct.ts';
import { formatSlowRead } from './slow-read.ts';

const engine = useEngine('postgres18', { shared: true });
/** The promise is 300 ms; the rest is for a busy machine, and for looking. */
const gone = { timeout: 2_000, interval: 20 };

async function countRunning(mark: string): Promise<number> {
  const sql = `select count(*) from pg_stat_activity where state = 'active' and pid <> pg_backend_pid() and query like '%${mark}%'`;
  const [row] = await runDirect(engine(), [sql]);
  return Number(row?.[0]);
}

function start(args: readonly string[] = [], more: Record<string, string> = {}): Promise<HttpProcess> {
  const { host, port, user, password, scheme } = engine();
  const connection = { name: 'db', type: scheme, host, port, user, password };
  return new HttpProcess({ file: bin, args, env: { DBMOLE_CONNECTIONS: JSON.stringify([connection]), ...more } }).listening();
}

/** A call that the engine works on for long. */
async function startSlow<T>(mark: string, begin: (args: Record<string, unknown>) => T): Promise<T> {
  const begun = begin({ sql: formatSlowRead('postgres', mark), timeout_ms: 40_000 });
  await expect.poll(() => countRunning(mark), { timeout: 10_000 }).toBe(1);
  return begun;
}

describe('serve over PostgreSQL', () => {
  let server: HttpProcess;
  const clients: HttpClient[] = [];
  beforeAll(async () => {
    server = await start();
  });
  afterAll(async () => {
    for (const client of clients.splice(0)) await client.close();
    await server.stop();
  });

  async function open(kind: HttpClientKind): Promise<HttpClient> {
    const client = await openHttpClient(kind, server);
    clients.push(client);
    return client;
  }

  describe.each(httpClientKinds)('with a client: %s', (kind) => {
    it('lists the tools and answers a read', async () => {
      const client = await open(kind);
      expect(client.version()).toBe(kind === 'current, newer era' ? '2026-07-28' : '2025-11-25');
      expect(await client.names()).toContain('query');
      const { text, isError } = await client.call('query', { sql: 'select 41 + 1 as a' });
      expect({ text, isError }).toEqual({ text: expect.stringContaining('42'), isError: false });
    });

    it('reports progress while a call runs', async () => {
      const client = await open(kind);
      const seen: number[] = [];
      await client.call('query', { sql: 'select pg_sleep(6)' }, { onprogress: ({ progress }) => seen.push(progress) });
      expect(seen.length).toBeGreaterThan(0);
    });

    it('stops the statement when the client cancels the call, and the next call works', async () => {
      const client = await open(kind);
      const mark = `cancelled ${kind}`;
      const cancel = new AbortController();
      const call = await startSlow(mark, (args) => ({
        ended: client.call('query', args, { signal: cancel.signal }).catch((error: unknown) => error),
      }));
      cancel.abort();
      await expect.poll(() => countRunning(mark), gone).toBe(0);
      await call.ended;
      expect((await client.call('query', { sql: 'select 41 + 1' })).text).toContain('42');
    });
  });
});

describe('the end of serve', () => {
  it('gives running calls two seconds after SIGTERM, and refuses new ones', async () => {
    const server = await start();
    const client = await openHttpClient('current, newer era', server);
    const quick = client.call('query', { sql: 'select pg_sleep(1) /* quick end */' });
    await startSlow('slow end', (args) => void client.call('query', args).catch(() => undefined));
    const exit = server.stop();
    await expect.poll(async () => (await fetch(server.url.replace('/mcp', '/healthz'))).status, gone).toBe(503);
    await expect(client.call('query', { sql: 'select 1' })).rejects.toThrow('stopping');
    expect((await quick).isError).toBe(false);
    expect(await exit).toMatchObject({ code: 0, signal: null });
    await expect.poll(() => countRunning('slow end'), gone).toBe(0);
    await client.close();
  });

  it('comes at once with a second signal', async () => {
    const server = await start();
    const client = await openHttpClient('current, newer era', server);
    await startSlow('second signal', (args) => void client.call('query', args).catch(() => undefined));
    server.child.kill('SIGTERM');
    await expect.poll(async () => (await fetch(server.url.replace('/mcp', '/healthz'))).status, gone).toBe(503);
    server.child.kill('SIGTERM');
    expect(await server.exited).toMatchObject({ code: 1, signal: null });
    await client.close();
  });

  it.each(httpClientKinds)(
    'in the middle of a call is an error of that call, and the client goes on with the next server: %s',
    async (kind) => {
      const first = await start();
      const client = await openHttpClient(kind, first);
      const mark = `restart ${kind}`;
      const call = await startSlow(mark, (args) => ({ ended: client.call('query', args).catch((error: unknown) => error) }));
      first.child.kill('SIGKILL');
      await first.exited;
      const second = await start(['--port', new URL(first.url).port, '--token', '{"env": "SERVE_TOKEN"}'], {
        SERVE_TOKEN: first.token,
      });
      expect((await client.call('query', { sql: 'select 41 + 1' })).text).toContain('42');
      await client.close();
      expect(await call.ended).toBeInstanceOf(Error);
      await Promise.all([first.stop(), second.stop()]);
    },
  );
});
