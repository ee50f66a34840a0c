import { setMaxListeners } from 'node:events';
import { createServer } from 'node:net';
import { findUnusedPort, listenOnLoopback } from '@dbmole/core/testing';
import { type ServerId, useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createBackend, type SqlBackend } from '../src/backend/backend.ts';
import { type Account, createAccount, runDirect } from './direct.ts';
import { openTools } from './open-tools.ts';
import { parseServerConnection } from './server-connection.ts';
import { formatSlowRead } from './slow-read.ts';

const engines: readonly ServerId[] = ['postgres18', 'mysql97', 'mariadb1011'];
const forever = new AbortController().signal;
setMaxListeners(0, forever);
const nowhere = { columns: () => undefined, row: () => true };

describe.each(engines)('the pool on %s', (id) => {
  const engine = useEngine(id, { shared: true });
  let account: Account;
  let backend: SqlBackend;
  let patient: SqlBackend;
  beforeAll(async () => {
    account = await createAccount(engine(), `pool_${id}`);
    const config = parseServerConnection({ ...account, name: 'main' });
    const { host, port } = account;
    const target = { config, connectHost: host, connectPort: port, serverName: host };
    backend = await createBackend(target, forever, { pool: { waitMs: 300 } });
    patient = await createBackend(target, forever);
  });
  afterAll(() => Promise.all([backend.dispose(), patient.dispose()]));

  const read = (sql: string, signal = forever, from = backend) =>
    from.read({ sql, params: [], timeoutMs: 30_000, keepPerCell: 100, maxRows: 10 }, nowhere, {
      signal,
    });
  const readLong = (signal: AbortSignal) => read(formatSlowRead(account.type), signal);

  const countRunning = async () => {
    const [row] = await runDirect(engine(), [
      account.type === 'postgres'
        ? `select count(*) from pg_stat_activity where usename = '${account.user}' and state = 'active' and query like '%slow%'`
        : `select count(*) from information_schema.processlist where user = '${account.user}' and info like '%slow%'`,
    ]);
    return Number(row?.[0]);
  };

  it('runs four long reads at once and tells the fifth call that it is busy', async () => {
    const stop = new AbortController();
    const long = Array.from({ length: 3 }, () => readLong(stop.signal).catch((error: unknown) => error));
    for (let i = 0; i < 20; i++) await read('select 1');
    const fourth = readLong(stop.signal).catch((error: unknown) => error);
    // Its check may take a session for a moment, and the next read another one.
    await vi.waitFor(async () => expect(await countRunning()).toBe(4), { timeout: 10_000, interval: 50 });
    await expect(read('select 1')).rejects.toMatchObject({
      code: 'E_POOL_BUSY',
      message: expect.stringContaining('all 4 sessions'),
    });
    stop.abort();
    await Promise.all([...long, fourth]);
    await read('select 1');
  });

  it('answers a burst of 50', async () => {
    await Promise.all(Array.from({ length: 50 }, (_, index) => read(`select ${index}`, forever, patient)));
  });
});

describe('when every database is down', () => {
  it('the tools are listed, and each call says what is wrong', async () => {
    const silent = createServer((socket) => socket.destroy());
    const port = await listenOnLoopback(silent);
    const base = { host: '127.0.0.1', user: 'me', database: 'db' };
    const tools = await openTools([
      { ...base, type: 'postgres', name: 'refused', port: await findUnusedPort() },
      { ...base, type: 'mysql', name: 'hangs-up', port },
    ]);
    const { tools: listed } = await tools.client.listTools();
    expect(listed.map(({ name }) => name)).toContain('query');
    const refused = await tools.call('query', { connection: 'refused', sql: 'select 1' });
    expect(refused.text).toMatch(/^E_CONNECT_REFUSED/);
    const dropped = await tools.call('query', { connection: 'hangs-up', sql: 'select 1' });
    expect(dropped.text).toMatch(/^E_(NETWORK|CONNECTION)/);
    await tools.close();
    silent.close();
  });
});
