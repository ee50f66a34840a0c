import { type RunningEngine, useEngine } from '@dbmole/engines';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Cell, Param, Session } from '../../src/engine.ts';
import { accept } from '../../src/guard/read-statement.ts';
import { runDirect } from '../direct.ts';
import { failureOf, mysqlEngines, never, write } from './mysql-rig.ts';
import { useSessions } from './mysql-sessions.ts';

/** As if the guard had let it pass, on the assumption that the server is in this mode. */
async function readAssuming(session: Session, sql: string, premise: string, params: readonly Param[] = []) {
  const rows: (readonly Cell[])[] = [];
  const sink = { columns: () => undefined, row: (cells: readonly Cell[]) => rows.push(cells) > 0 };
  const request = { statement: accept(sql, premise), params, maxRows: 100, timeoutMs: 20_000, keepPerCell: 1_000 };
  await session.read(request, sink, never);
  return rows;
}

describe.each(mysqlEngines)('a guarded read on %s', (id) => {
  // One of its own: others look at what a server has prepared, and do not expect to be locked out.
  const engine = useEngine(id, { settings: { 'transaction-isolation': 'SERIALIZABLE' } });
  const open = useSessions(engine);
  const database = `guarded_${id}`;
  const isMaria = id.startsWith('mariadb');
  const isolation = isMaria ? '@@session.tx_isolation' : '@@session.transaction_isolation';
  const direct = (...statements: string[]) => runDirect(engine(), statements);
  const openOwn = () => open({ target: { database } });

  beforeAll(() =>
    direct(
      `CREATE DATABASE ${database}`,
      `CREATE TABLE ${database}.t (a INT) ENGINE=InnoDB`,
      `INSERT INTO ${database}.t VALUES (1)`,
      `CREATE FUNCTION ${database}.f_mode() RETURNS INT DETERMINISTIC BEGIN SET SESSION sql_mode = 'ANSI_QUOTES'; RETURN 1; END`,
    ),
  );

  it('runs in the sql_mode of the guard', async () => {
    const session = await openOwn();
    expect(await readAssuming(session, 'SELECT "a"', '')).toEqual([['a']]);
    expect(await readAssuming(session, 'SELECT "a" FROM t', 'ANSI_QUOTES')).toEqual([['1']]);
    expect(await readAssuming(session, "SELECT '\\'", 'NO_BACKSLASH_ESCAPES')).toEqual([['\\']]);
    expect(await readAssuming(session, 'SELECT "a"', '')).toEqual([['a']]);
  });

  it('runs in the sql_mode of the guard after a function changed the mode', async () => {
    const session = await openOwn();
    await readAssuming(session, 'SELECT f_mode()', '');
    expect(await readAssuming(session, 'SELECT "a"', '')).toEqual([['a']]);
  });

  it('fails in a mode that the server does not know', async () => {
    const failure = await failureOf(readAssuming(await openOwn(), 'SELECT 1', 'NO_SUCH_MODE'));
    expect(failure).toMatchObject({ code: 'E_PREMISE' });
  });

  it.each(['SELECT 1 INTO @x', 'DO 1', '/*! SET @x = 1 */'])(
    'is refused when the engine prepares no columns: %s',
    async (sql) => {
      const failure = await failureOf(readAssuming(await openOwn(), sql, ''));
      expect(failure).toMatchObject({ kind: 'refused', code: 'E_NOT_A_READ' });
    },
  );

  it('reports the error of the engine with its position', async () => {
    const session = await openOwn();
    expect(await failureOf(readAssuming(session, 'SELECT FROM WHERE', ''))).toMatchObject({ code: 'E_SYNTAX', position: 8 });
    expect(await failureOf(readAssuming(session, 'SELECT 1; SELECT 2', ''))).toMatchObject({ code: 'E_SYNTAX' });
    expect(await failureOf(readAssuming(session, 'SELECT * FROM nowhere', ''))).toMatchObject({ code: 'E_UNKNOWN_TABLE' });
  });

  it('runs statements that cannot be prepared, and params', async () => {
    const session = await openOwn();
    for (const sql of ['SHOW TABLES', 'EXPLAIN SELECT 1', 'DESCRIBE t'])
      expect(await readAssuming(session, sql, '')).not.toEqual([]);
    expect(await readAssuming(session, 'SELECT ?, a FROM t LIMIT ?', '', ["x'", 1])).toEqual([["x'", '1']]);
  });

  it('prepares each doubtful text once per mode, and closes the prepared statement', async () => {
    const session = await openOwn();
    const before = await countStatements(engine());
    for (let n = 0; n < 3; n += 1) {
      await readAssuming(session, 'SELECT 1', '');
      await readAssuming(session, "SELECT 'into'", '');
      await readAssuming(session, "SELECT 'into'", 'ANSI_QUOTES');
      await readAssuming(session, '(SELECT 1)', '');
      // What has no rows is asked for again.
      if (n < 2) await failureOf(readAssuming(session, 'SELECT 1 INTO @x', ''));
    }
    const after = { prepared: before.prepared + 5, closed: before.closed + 5 };
    await expect.poll(() => countStatements(engine())).toEqual(after);
  });

  it('locks no rows where the server default is SERIALIZABLE', async () => {
    const session = await openOwn();
    expect(await readAssuming(session, `SELECT ${isolation}`, '')).toEqual([['REPEATABLE-READ']]);
    await readAssuming(session, 'SELECT 1', '');
    const asBefore = `SELECT ${isolation}, @@session.sql_mode = @@global.sql_mode`;
    expect((await write(session, asBefore)).rows).toEqual([['SERIALIZABLE', '1']]);
  });
});

async function countStatements(engine: RunningEngine): Promise<{ prepared: number; closed: number }> {
  const rows = await runDirect(engine, ["SHOW GLOBAL STATUS WHERE Variable_name IN ('Com_stmt_prepare', 'Com_stmt_close')"]);
  const counts = new Map(rows.map(([name, count]) => [String(name), Number(count)]));
  return { prepared: counts.get('Com_stmt_prepare') ?? 0, closed: counts.get('Com_stmt_close') ?? 0 };
}
