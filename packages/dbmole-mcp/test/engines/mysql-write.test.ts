import { useEngine } from '@dbmole/engines';
import { beforeEach, describe, expect, it } from 'vitest';
import { runDirect } from '../direct.ts';
import { failureOf, mysqlEngines, read, readValue, write } from './mysql-rig.ts';
import { useSessions } from './mysql-sessions.ts';

const database = 'mysql_write';

describe.each(mysqlEngines)('writes with %s', (id) => {
  const server = useEngine(id, { restartable: true });
  const openSession = useSessions(server);
  const isMaria = id.startsWith('mariadb');
  const values = async () =>
    (await runDirect(server(), [`SELECT id, v FROM ${database}.t ORDER BY id`])).map((row) => row.join('='));

  beforeEach(async () => {
    await runDirect(server(), [
      `DROP DATABASE IF EXISTS ${database}`,
      `CREATE DATABASE ${database}`,
      `CREATE TABLE ${database}.t (id INT PRIMARY KEY AUTO_INCREMENT, v INT)`,
      `INSERT INTO ${database}.t VALUES (1, 10), (2, 20)`,
      `CREATE TABLE ${database}.old (id INT) ENGINE=MyISAM`,
    ]);
  });

  it('commits, counts the rows and names the command', async () => {
    const session = await openSession();
    const run = async (sql: string, params: (string | number)[] = []) => {
      const { changed, command } = await write(session, sql, { params });
      return [changed, command];
    };
    expect(await run(`INSERT INTO ${database}.t (v) VALUES (30), (40)`)).toEqual([2, 'INSERT']);
    expect(await run(`/* why */ -- here\n UPDATE ${database}.t SET v = ? WHERE v = ?`, [31, 30])).toEqual([1, 'UPDATE']);
    // Rows that already had the value are not changed.
    expect(await run(`UPDATE ${database}.t SET v = 31`)).toEqual([3, 'UPDATE']);
    expect(await run(`UPDATE ${database}.t SET v = 31`)).toEqual([0, 'UPDATE']);
    expect(await run(`DELETE FROM ${database}.t WHERE id > 1`)).toEqual([3, 'DELETE']);
    expect(await run(`REPLACE INTO ${database}.t VALUES (1, 5)`)).toEqual([2, 'REPLACE']);
    expect(await run(`CREATE TABLE ${database}.u (a INT)`)).toEqual([undefined, 'CREATE TABLE']);
    expect(await run(`ALTER TABLE ${database}.u ADD COLUMN b INT`)).toEqual([undefined, 'ALTER TABLE']);
    expect(await run(`CREATE OR REPLACE VIEW ${database}.w AS SELECT 1`)).toEqual([undefined, 'CREATE VIEW']);
    expect(await run(`DROP TABLE ${database}.u`)).toEqual([undefined, 'DROP TABLE']);
    expect(await values()).toEqual(['1=5']);
    // Reads go on being reads.
    await expect(read(session, `DELETE FROM ${database}.t`)).rejects.toMatchObject({ code: 'E_READONLY' });
  });

  it('returns rows and stops at the wish of the sink', async () => {
    const session = await openSession();
    await runDirect(server(), [
      `CREATE PROCEDURE ${database}.p() BEGIN SELECT 1 AS one; UPDATE ${database}.t SET v = 99; SELECT 2, 3; END`,
    ]);
    const called = await write(session, `CALL ${database}.p()`);
    expect(called).toMatchObject({ command: 'CALL', rows: [['1']], moreResults: 1 });
    expect(await values()).toEqual(['1=99', '2=99']);
    expect(await write(session, `SELECT v FROM ${database}.t`)).toMatchObject({
      changed: undefined,
      command: 'SELECT',
      rows: [['99'], ['99']],
    });
    if (!isMaria) return;
    const returned = await write(session, `DELETE FROM ${database}.t RETURNING id`);
    expect(returned).toEqual({ changed: 2, command: 'DELETE', rows: [['1'], ['2']] });
    expect(await values()).toEqual([]);
  });

  it('rolls back a dry run', async () => {
    const session = await openSession();
    expect(await write(session, `UPDATE ${database}.t SET v = 0`, { dryRun: true })).toMatchObject({
      changed: 2,
      command: 'UPDATE',
    });
    expect(await write(session, `DELETE FROM ${database}.t WHERE id = ?`, { dryRun: true, params: [1] })).toMatchObject({
      changed: 1,
    });
    expect(await write(session, `WITH q AS (SELECT 1) SELECT * FROM q`, { dryRun: true })).toMatchObject({ rows: [['1']] });
    expect(await values()).toEqual(['1=10', '2=20']);
  });

  it.each([
    'CREATE TABLE mysql_write.u (a INT)',
    'TRUNCATE mysql_write.t',
    'ALTER TABLE mysql_write.t ADD c INT',
    'CALL mysql_write.p()',
    '/*! DELETE */ FROM mysql_write.t',
    '/*!50000 CREATE TABLE mysql_write.u (a INT) */',
    'COMMIT',
    "SELECT 1 INTO OUTFILE '/tmp/x'",
    'SET @a = 1',
  ])('refuses a dry run of %s', async (sql) => {
    const session = await openSession();
    expect(await failureOf(write(session, sql, { dryRun: true }))).toMatchObject({ kind: 'refused', code: 'E_NO_DRY_RUN' });
    expect(await values()).toEqual(['1=10', '2=20']);
  });

  it.each([
    'INSERT INTO mysql_write.old VALUES (1)',
    'delete from `mysql_write`.`old`',
    'UPDATE mysql_write.t, mysql_write.old SET v = 0',
  ])('refuses a dry run on a table without transactions: %s', async (sql) => {
    const session = await openSession();
    const failure = await failureOf(write(session, sql, { dryRun: true }));
    expect(failure).toMatchObject({ code: 'E_NO_DRY_RUN', message: expect.stringMatching(/^table old .*MyISAM/) });
    expect(await readValue(session, `SELECT COUNT(*) FROM ${database}.old`)).toBe('0');
    expect(await write(session, `UPDATE ${database}.t SET v = 0`, { dryRun: true })).toMatchObject({ changed: 2 });
  });

  it('reports a dry run that could not be rolled back', async () => {
    const session = await openSession();
    await runDirect(server(), [
      `CREATE TRIGGER ${database}.logs AFTER UPDATE ON ${database}.t FOR EACH ROW INSERT INTO ${database}.old VALUES (1)`,
    ]);
    const failure = await failureOf(write(session, `UPDATE ${database}.t SET v = 0 WHERE id = 1`, { dryRun: true }));
    expect(failure).toMatchObject({ code: 'E_NOT_ROLLED_BACK', message: expect.stringContaining('NOT rolled back') });
    expect(await readValue(session, `SELECT COUNT(*) FROM ${database}.old`)).toBe('1');
  });

  it('rolls back a failed statement', async () => {
    const session = await openSession();
    const failure = await failureOf(write(session, `INSERT INTO ${database}.t VALUES (7, 7), (1, 1)`));
    expect(failure).toMatchObject({ kind: 'engine', engineCode: expect.stringMatching(/^1062 /) });
    expect(await values()).toEqual(['1=10', '2=20']);
    expect(await write(session, `INSERT INTO ${database}.t VALUES (7, 7)`)).toMatchObject({ changed: 1 });
    await write(session, `ALTER TABLE ${database}.t ADD CHECK (v < 100)`);
    expect(await failureOf(write(session, `UPDATE ${database}.t SET v = 100`))).toMatchObject({
      code: 'E_CONSTRAINT',
      engineCode: isMaria ? '4025 (23000)' : '3819 ER_CHECK_CONSTRAINT_VIOLATED',
    });
  });

  it('rolls back a statement that was cancelled or timed out', async () => {
    const session = await openSession();
    const sql = `UPDATE ${database}.t SET v = SLEEP(20)`;
    const reason = new Error('stop');
    const aborter = new AbortController();
    setTimeout(() => aborter.abort(reason), 150);
    const started = performance.now();
    expect(await failureOf(write(session, sql, { signal: aborter.signal }))).toBe(reason);
    expect(await failureOf(write(session, sql, { timeoutMs: 200 }))).toMatchObject({ kind: 'timeout' });
    expect(performance.now() - started).toBeLessThan(15_000);
    expect(await values()).toEqual(['1=10', '2=20']);
    expect(session.alive).toBe(true);
    expect(await write(session, `UPDATE ${database}.t SET v = 1`)).toMatchObject({ changed: 2 });
  });

  it('reports an unknown outcome when the connection is lost', async () => {
    const session = await openSession();
    const id = await readValue(session, 'SELECT CONNECTION_ID()');
    const failing = failureOf(write(session, `UPDATE ${database}.t SET v = SLEEP(20)`));
    const running = `SELECT COUNT(*) FROM information_schema.processlist WHERE id = ${String(id)} AND state = 'User sleep'`;
    await expect
      .poll(() => runDirect(server(), [running]), { timeout: 10_000 })
      .toMatchObject([[expect.toSatisfy((count) => Number(count) === 1)]]);
    await runDirect(server(), [`KILL ${String(id)}`]);
    expect(await failing).toMatchObject({ kind: 'connection', code: 'E_OUTCOME_UNKNOWN' });
    expect(session.alive).toBe(false);
    await expect(write(session, `DELETE FROM ${database}.t`)).rejects.toMatchObject({ code: 'E_STALE' });
    expect(await values()).toEqual(['1=10', '2=20']);
  });
});
