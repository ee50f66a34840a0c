import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readText, ServerProcess } from '@dbmole/core/testing';
import { useEngine } from '@dbmole/engines';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bin } from './bin.ts';
import { type Account, createAccount } from './direct.ts';

/** One name that a project file and the user's store both define, over the door that clients use. */
describe('a connection whose name leads elsewhere while the server runs', () => {
  const postgres = useEngine('postgres18', { shared: true });
  let server: ServerProcess;
  let project: string;
  let fields: Account & { name: string; tls: string };

  beforeAll(async () => {
    fields = { ...(await createAccount(postgres(), `changed_${process.pid}`)), name: 'shop', tls: 'disable' };
  });
  beforeEach(async () => {
    server = new ServerProcess({ file: bin });
    project = join(server.home, '.dbmole.json');
    writeConnections(join(server.home, '.config', 'dbmole', 'connections.json'), [{ ...fields, database: 'postgres' }]);
    writeConnections(project, [fields, { ...fields, name: 'only-here' }]);
    allow();
    await server.initialize();
  });
  afterEach(async () => {
    await server.stop();
  });

  function writeConnections(path: string, connections: readonly object[]): void {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, JSON.stringify({ version: 1, connections }), { mode: 0o600 });
  }

  function allow(): void {
    const env = { PATH: process.env.PATH ?? '', HOME: server.home, XDG_CONFIG_HOME: join(server.home, '.config') };
    execFileSync(process.execPath, [bin, 'allow', '--yes'], { cwd: server.home, env, stdio: 'ignore' });
  }

  const call = async (name: string, args: Record<string, unknown>) => readText(await server.callTool(name, args));
  const query = (connection?: string) => call('query', { connection, sql: 'select current_database() as name' });
  const execute = () => call('execute', { connection: 'shop', sql: 'create temporary table t()' });

  it('does not fall back to the store when the allowed file changes', async () => {
    const before = await query('shop');
    expect(before).toContain(fields.database);
    writeFileSync(project, ' ', { flag: 'a' });
    for (const answer of [await query('shop'), await query('only-here'), await execute()])
      expect(answer).toMatch(/^E_NOT_ALLOWED: /);
    expect(await call('list_connections', {})).toMatch(/^shop,.*E_NOT_ALLOWED/m);
    allow();
    expect(await query('shop')).toBe(before);
    rmSync(project);
    expect(await execute()).toMatch(/^E_NOT_ALLOWED: .* is missing.*\n.*dbmole-mcp disallow/);
  });

  it('says so first, and refuses a write once, when the name comes from another place', async () => {
    await query('shop');
    writeConnections(project, []);
    allow();
    expect(await execute()).toMatch(/^E_CONNECTION_CHANGED: .*"shop".*database postgres \(was \w+\).*connections\.json/);
    expect(await execute()).toMatch(/^CREATE/);
    writeConnections(project, [fields]);
    allow();
    expect(await query('shop')).toMatch(/^connection "shop" has changed since .*database \w+ \(was postgres\).*\.\n1 row\./);
    expect(await query('shop')).toMatch(/^1 row\./);
    writeConnections(project, [{ ...fields, port: 1, user: 'other' }]);
    allow();
    expect(await query('shop')).toMatch(
      /^E_CONNECT_REFUSED: connection "shop" has changed .*port 1 \(was \d+\), user other \(was/,
    );
    expect(await query('shop')).not.toContain('has changed');
  });
});
