import { ServerProcess } from '@dbmole/core/testing';
import { type RunningEngine, type ServerId, useEngine } from '@dbmole/engines';
import { afterEach, describe, expect, it } from 'vitest';
import { bin } from './bin.ts';
import { runDirect } from './direct.ts';
import { formatSlowRead } from './slow-read.ts';

/** The promise is 300 ms; the rest is for a busy machine, and for looking. */
const goneDeadlineMs = 2_000;

const engines: readonly ServerId[] = ['postgres18', 'mysql97', 'mariadb1011'];

describe.each(engines)('a statement that runs on %s', (id) => {
  const engine = useEngine(id, { shared: true });
  const servers: ServerProcess[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.stop();
  });

  function start(args: readonly string[] = []): ServerProcess {
    const { host, port, user, password, scheme } = engine();
    const connection = { name: 'db', type: scheme, host, port, user, password };
    const server = new ServerProcess({ file: bin, args, env: { DBMOLE_CONNECTIONS: JSON.stringify([connection]) } });
    servers.push(server);
    return server;
  }

  const slowRead = (mark: string) => formatSlowRead(engine().scheme === 'postgres' ? 'postgres' : 'mysql', mark);

  /** Marked, so that only the statement of this test is counted. */
  async function startRunning(mark: string): Promise<{ server: ServerProcess; running: () => Promise<number> }> {
    const server = start();
    await server.initialize();
    const call = { name: 'query', arguments: { sql: slowRead(mark), timeout_ms: 40_000 } };
    server.send({ jsonrpc: '2.0', id: 'slow', method: 'tools/call', params: call });
    const running = () => countRunning(engine(), mark);
    await expect.poll(running, { timeout: 10_000 }).toBe(1);
    return { server, running };
  }

  const gone = { timeout: goneDeadlineMs, interval: 20 };

  it('is stopped there when the call is cancelled, and the next call works', async () => {
    const { server, running } = await startRunning(`cancelled-${id}`);
    server.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'slow' } });
    await expect.poll(running, gone).toBe(0);
    expect(JSON.stringify(await server.callTool('query', { sql: 'select 41 + 1' }))).toContain('42');
  });

  it('is stopped there when the input ends', async () => {
    const { server, running } = await startRunning(`ended-${id}`);
    server.child.stdin.end();
    await expect.poll(running, gone).toBe(0);
  });

  it('is stopped there by SIGTERM', async () => {
    const { server, running } = await startRunning(`terminated-${id}`);
    server.child.kill('SIGTERM');
    await expect.poll(running, gone).toBe(0);
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('is stopped there when a person ends it by %s', async (signal) => {
    const mark = `person-${signal}-${id}`;
    const { child, exited } = start(['query', 'db', slowRead(mark)]);
    const running = () => countRunning(engine(), mark);
    await expect.poll(running, { timeout: 10_000 }).toBe(1);
    child.kill(signal);
    await expect.poll(running, gone).toBe(0);
    expect(await exited).toMatchObject({ code: 1, signal: null });
  });

  it('ends well when a person has read enough of it', async () => {
    const digits = Array.from({ length: 5 }, (_, at) => `(select 0 n${' union all select 1'.repeat(9)}) t${at}`);
    const program = start(['query', 'db', `select 1 as a from ${digits.join(', ')}`]);
    program.child.stdout.once('data', () => program.child.stdout.destroy());
    expect(await program.exited).toMatchObject({ code: 0, signal: null });
    expect(program.stderr).toBe('');
  });
});

async function countRunning(engine: RunningEngine, mark: string): Promise<number> {
  const sql =
    engine.scheme === 'postgres'
      ? `select count(*) from pg_stat_activity where state = 'active' and pid <> pg_backend_pid() and query like '%${mark}%'`
      : `select count(*) from information_schema.processlist where id <> connection_id() and info like '%${mark}%'`;
  const [row] = await runDirect(engine, [sql]);
  return Number(row?.[0]);
}
