import { useEngine } from '@dbmole/engines';
import type { Connection } from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SqlBackend } from '../../src/backend/backend.ts';
import { accounts, guardDatabase } from './mysql-fixture.ts';
import { connectDirectly, openGuarded, type Role, readGuarded } from './mysql-guarded.ts';

/** What was built into MySQL for long, and is installed now for those who need it. */
describe('functions of the component for classic hashing, on mysql97', () => {
  // A process of its own: components are for the whole server.
  const engine = useEngine('mysql97', { settings: { 'innodb-stats-auto-recalc': 'OFF' } });
  const backends = new Map<Role, SqlBackend>();
  let root: Connection;
  beforeAll(async () => {
    root = await connectDirectly(engine());
    const account = `${accounts.reader}@'%'`;
    for (const sql of [
      "INSTALL COMPONENT 'file://component_classic_hashing'",
      `CREATE DATABASE ${guardDatabase}`,
      `CREATE VIEW ${guardDatabase}.v_hash AS SELECT MD5('a') AS a`,
      `CREATE USER ${account} IDENTIFIED BY 'pw-of-guard'`,
      `GRANT SELECT, SHOW VIEW ON ${guardDatabase}.* TO ${account}`,
    ])
      await root.query(sql);
    for (const role of ['superuser', 'reader'] as const) backends.set(role, await openGuarded(engine(), role));
  });
  afterAll(async () => {
    for (const backend of backends.values()) await backend.dispose();
    await root?.end();
  });

  const read = async (role: Role, sql: string) => {
    const backend = backends.get(role);
    if (backend === undefined) throw new Error(`no session was opened as ${role}`);
    return (await readGuarded(backend, sql)).rows.length;
  };

  it.each(["SELECT MD5('a'), SHA1('a'), SHA('a')", "SELECT `md5`('a')", 'SELECT * FROM v_hash'])('are reads: %s', async (sql) => {
    expect(await read('superuser', sql)).toBe(1);
  });

  it('are refused to accounts that may not see their component', async () => {
    const both = ["SELECT MD5('a')", 'SELECT * FROM v_hash'];
    for (const sql of both) await expect(read('reader', sql)).rejects.toMatchObject({ code: 'E_NOT_A_READ' });
    await root.query(`GRANT SELECT ON performance_schema.user_defined_functions TO ${accounts.reader}@'%'`);
    for (const sql of both) expect(await read('reader', sql)).toBe(1);
  });

  it.each(['innodb_redo_log_archive_stop()', 'asynchronous_connection_failover_reset()', 'innodb_set_open_files_limit(500)'])(
    'are the only ones: %s',
    async (call) => {
      await expect(read('superuser', `SELECT ${call}`)).rejects.toMatchObject({ code: 'E_NOT_A_READ' });
    },
  );
});
