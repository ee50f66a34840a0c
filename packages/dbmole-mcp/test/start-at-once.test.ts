import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readText, ServerProcess } from '@dbmole/core/testing';
import { useEngine } from '@dbmole/engines';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { bin } from './bin.ts';
import { createAccount } from './direct.ts';

/** A server for one database, without a file of connections. */
describe.each(['postgres18', 'mysql97'] as const)('%s', (id) => {
  const engine = useEngine(id, { shared: true });
  let url: string;
  beforeAll(async () => {
    const { type, host, port, user, password, database } = await createAccount(engine(), `at_once_${process.pid}`);
    url = `${type}://${user}:${encodeURIComponent(password)}@${host}:${port}/${database}`;
  });

  async function start(args: readonly string[], env: Record<string, string> = {}, connections: readonly object[] = []) {
    const server = new ServerProcess({ file: bin, args, env });
    onTestFinished(async () => {
      await server.stop();
    });
    const store = join(server.home, '.config', 'dbmole', 'connections.json');
    mkdirSync(join(store, '..'), { recursive: true, mode: 0o700 });
    if (connections.length > 0) writeFileSync(store, JSON.stringify({ version: 1, connections }), { mode: 0o600 });
    await server.initialize();
    return async (name: string, args: object = {}) => readText(await server.callTool(name, { ...args }));
  }

  const create = { sql: 'create table at_once (id int)', dry_run: true };

  it('is served when its URL is the only word', async () => {
    const call = await start([url]);
    expect(await call('query', { sql: 'select 40 + 2 as answer' })).toMatch(/^42$/m);
    const listed = await call('list_connections');
    expect(listed).toMatch(/^default,.*,false,.*option the command line/m);
    expect(listed).not.toContain('pw-of');
    expect(await call('execute', create)).not.toContain('E_READONLY');
    const closed = await start([url, '--readonly']);
    expect(await closed('list_connections')).toMatch(/^default,.*,true,/m);
  });

  it('is served when DATABASE_URL names it, read-only', async () => {
    const call = await start([], { DATABASE_URL: url });
    expect(await call('query', { sql: 'select 40 + 2 as answer' })).toMatch(/^42$/m);
    expect(await call('list_connections')).toMatch(/^default,.*,true,.*environment variable DATABASE_URL/m);
    expect(await call('execute', create)).toContain('E_READONLY');
  });

  it('is not served for DATABASE_URL where something else is configured, or for another kind of URL', async () => {
    const own = { name: 'own', type: 'mysql', host: '127.0.0.1', port: 1, user: 'me' };
    const configured = await start([], { DATABASE_URL: url }, [own]);
    expect(await configured('list_connections')).not.toContain('default');
    const foreign = await start([], { DATABASE_URL: 'mongodb://127.0.0.1/x' });
    expect(await foreign('list_connections')).toContain('No connections are configured');
  });
});

it('says what is wrong with a URL', async () => {
  const server = new ServerProcess({ file: bin, args: ['postgres://127.0.0.1/shop?x=1'] });
  await server.initialize();
  expect(readText(await server.callTool('query', { sql: 'select 1' }))).toMatch(/E_CONFIG: connection "default" .*parameter "x"/);
  await server.stop();
});
