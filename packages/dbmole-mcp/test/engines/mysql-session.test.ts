import { writeFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RunningEngine, useEngine } from '@dbmole/engines';
import { beforeAll, describe, expect, it } from 'vitest';
import { engine } from '../../src/engines/mysql/engine.ts';
import { countSessions, createAccount, runDirect } from '../direct.ts';
import { failureOf, mysqlEngines, never, read, readValue, targetOf, write } from './mysql-rig.ts';
import { useSessions } from './mysql-sessions.ts';

const database = 'mysql_session';

async function runningStatements(server: RunningEngine, mark: string): Promise<number> {
  const [row] = await runDirect(server, [
    // The server lists a statement for a moment after it was answered, so this one does not contain the mark itself.
    `SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE CONCAT('%${mark.slice(0, 3)}', '${mark.slice(3)}%')`,
  ]);
  return Number(row?.[0]);
}

/** Far less than the statements take that are stopped. */
const stopped = { timeout: 10_000, interval: 5 };

async function openProxy({ host, port }: RunningEngine) {
  const sockets: Socket[] = [];
  const proxy = createServer((near) => {
    const far = connect(port, host);
    for (const socket of [near, far]) socket.on('error', () => undefined);
    near.pipe(far).pipe(near);
    sockets.push(near, far);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const address = proxy.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    freeze: () => {
      for (const socket of sockets) socket.unpipe().pause();
      proxy.on('connection', (socket) => socket.pause());
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      proxy.close();
    },
  };
}

describe.each(mysqlEngines)('a session with %s', (id) => {
  const server = useEngine(id, { restartable: true });
  const openSession = useSessions(server);
  const isMaria = id.startsWith('mariadb');

  beforeAll(async () => {
    await runDirect(server(), [
      `CREATE DATABASE ${database}`,
      `CREATE TABLE ${database}.t (id INT PRIMARY KEY, v INT)`,
      `INSERT INTO ${database}.t VALUES (1, 1), (2, 2)`,
      `CREATE TABLE ${database}.digits (d INT)`,
      `INSERT INTO ${database}.digits VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9)`,
      'SET GLOBAL log_bin_trust_function_creators=1',
      `CREATE FUNCTION ${database}.flip() RETURNS INT NOT DETERMINISTIC MODIFIES SQL DATA
         BEGIN SET SESSION ${isMaria ? 'tx_read_only' : 'transaction_read_only'}=0; RETURN 1; END`,
      `CREATE FUNCTION ${database}.f_write() RETURNS INT NOT DETERMINISTIC MODIFIES SQL DATA
         BEGIN UPDATE ${database}.t SET v = v + 1; RETURN 1; END`,
      `CREATE FUNCTION ${database}.both_in_one() RETURNS INT NOT DETERMINISTIC MODIFIES SQL DATA
         BEGIN SET SESSION ${isMaria ? 'tx_read_only' : 'transaction_read_only'}=0; RETURN ${database}.f_write(); END`,
    ]);
  });

  it('identifies the server', async () => {
    const session = await openSession();
    const run = async (sql: string) => (await read(session, sql)).rows.map((row) => row.map(String));
    expect(await engine.identify(run)).toMatchObject({
      product: isMaria ? 'MariaDB' : 'MySQL',
      version: expect.stringMatching(isMaria ? /^10\.11/ : /^[89]\./),
      user: 'root@%',
      database: 'test',
    });
  });

  it('refuses writes, even those with an implicit commit', async () => {
    const session = await openSession();
    const before = await readValue(session, `SELECT SUM(v) FROM ${database}.t`);
    const statements = [
      `INSERT INTO ${database}.t VALUES (3, 3)`,
      `UPDATE ${database}.t SET v = 5`,
      `TRUNCATE ${database}.t`,
      `CREATE TABLE ${database}.other (a INT)`,
      `DROP TABLE ${database}.t`,
      `DROP DATABASE ${database}`,
      "CREATE USER intruder@'%' IDENTIFIED BY 'x'",
      `SELECT ${database}.f_write()`,
      `SELECT ${database}.both_in_one()`,
      `SELECT * FROM ${database}.t FOR UPDATE`,
    ];
    for (const sql of statements) {
      expect(await failureOf(read(session, sql)), sql).toMatchObject({ kind: 'refused', code: 'E_READONLY' });
      expect(session.alive).toBe(true);
    }
    expect(await readValue(session, `SELECT SUM(v) FROM ${database}.t`)).toBe(before);
  });

  it('is read-only again after a function that turned the flag off', async () => {
    const session = await openSession();
    expect(await readValue(session, `SELECT ${database}.flip()`)).toBe('1');
    await expect(read(session, `SELECT ${database}.f_write()`)).rejects.toMatchObject({ code: 'E_READONLY' });
    await expect(read(session, `DELETE FROM ${database}.t`)).rejects.toMatchObject({ code: 'E_READONLY' });
    await expect(read(session, `DROP TABLE ${database}.t`)).rejects.toMatchObject({ code: 'E_READONLY' });
  });

  it.runIf(isMaria)('is in a transaction', async () => {
    const session = await openSession();
    for (const maxRows of [1, 1, 2]) expect(await readValue(session, 'SELECT @@in_transaction', { maxRows })).toBe('1');
  });

  it('runs a single statement only', async () => {
    const session = await openSession();
    await expect(read(session, 'SELECT 1; SELECT 2')).rejects.toMatchObject({ kind: 'input', code: 'E_SYNTAX', position: 11 });
  });

  it('leaves nothing behind for the next call', async () => {
    const session = await openSession();
    const state = async () =>
      (
        await read(
          session,
          `SELECT @user_variable, @@session.sql_mode, @@session.time_zone, DATABASE(), LAST_INSERT_ID(), @@autocommit,
             IS_FREE_LOCK('a_lock'), @@session.group_concat_max_len, @@character_set_results, @@collation_connection`,
        )
      ).rows;
    const clean = await state();
    const leaks = [
      'SELECT @user_variable := 7',
      "SET SESSION sql_mode='ANSI_QUOTES'",
      "SET SESSION time_zone='+05:00'",
      'SET SESSION group_concat_max_len=7',
      "SELECT GET_LOCK('a_lock', 1)",
      'SELECT LAST_INSERT_ID(42)',
      'SET NAMES latin1',
      'SET autocommit=0',
      `USE ${database}`,
      "PREPARE leaked FROM 'SELECT 1'",
    ];
    for (const sql of leaks) {
      await read(session, sql);
      expect(await state(), sql).toEqual(clean);
    }
    await expect(read(session, 'EXECUTE leaked')).rejects.toMatchObject({ message: expect.stringContaining('leaked') });
    // The same after a write.
    for (const sql of leaks) {
      await write(session, sql);
      expect(await state(), sql).toEqual(clean);
    }
    await write(session, 'CREATE TEMPORARY TABLE test.scratch (a INT)');
    await expect(read(session, 'SELECT * FROM test.scratch')).rejects.toMatchObject({ code: 'E_UNKNOWN_TABLE' });
    await read(session, 'SELECT ?', { params: ['secret'] });
    expect((await read(session, 'SELECT @dbmole_1, @dbmole_sql')).rows).toEqual([[null, null]]);
    expect(session.alive).toBe(true);
  });

  it('is not reused after USE in a session without a database', async () => {
    const session = await openSession({ target: { database: undefined } });
    expect(await readValue(session, 'SELECT DATABASE()')).toBeNull();
    await read(session, `USE ${database}`);
    await expect(read(session, 'SELECT DATABASE()')).rejects.toMatchObject({ code: 'E_STALE' });
    expect(session.alive).toBe(false);
  });

  it('holds no lock after a read', async () => {
    const session = await openSession();
    await read(session, `SELECT * FROM ${database}.t`);
    await runDirect(server(), [
      'SET lock_wait_timeout=10',
      `ALTER TABLE ${database}.t ADD COLUMN extra INT`,
      `ALTER TABLE ${database}.t DROP COLUMN extra`,
    ]);
  });

  it('sees what other sessions commit between reads', async () => {
    const session = await openSession();
    await read(session, 'SELECT 1');
    await read(session, 'SELECT 1');
    await runDirect(server(), [`INSERT INTO ${database}.t VALUES (50, 0)`]);
    expect(await readValue(session, `SELECT COUNT(*) FROM ${database}.t WHERE id = 50`)).toBe('1');
    await runDirect(server(), [`DELETE FROM ${database}.t WHERE id = 50`]);
  });

  it('limits rows in the engine, and itself under a higher LIMIT', async () => {
    const session = await openSession();
    const digits = `SELECT a.d FROM ${database}.digits a, ${database}.digits b`;
    expect((await read(session, digits, { maxRows: 3 })).rows).toHaveLength(3);
    expect((await read(session, digits, { maxRows: 5 })).rows).toHaveLength(5);
    expect((await read(session, digits, { maxRows: undefined })).rows).toHaveLength(100);
    expect((await read(session, digits, { maxRows: 3, params: [] })).rows).toHaveLength(3);
    expect((await read(session, `${digits} WHERE ? = 1`, { maxRows: 3, params: [1] })).rows).toHaveLength(3);
    expect((await read(session, `${digits} LIMIT 90`, { maxRows: 7 })).rows).toHaveLength(7);
    expect(await readValue(session, `SELECT COUNT(*) FROM (${digits}) q`, { maxRows: 7 })).toBe('100');
  });

  const endless = (columns = 'a.d') =>
    `SELECT ${columns} FROM ${['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => `${database}.digits ${name}`).join(', ')}`;

  it('stops the engine when the sink has enough, and stays usable', async () => {
    const session = await openSession();
    for (let round = 0; round < 5; round += 1) {
      const started = performance.now();
      const { rows } = await read(session, `${endless("a.d, REPEAT('x', 500)")} /* enough */`, {
        maxRows: undefined,
        enoughAfter: 20,
      });
      expect(rows).toHaveLength(20);
      expect(performance.now() - started).toBeLessThan(10_000);
      await expect.poll(() => runningStatements(server(), '/* enough */'), stopped).toBe(0);
      expect(await readValue(session, 'SELECT 7')).toBe('7');
    }
    // A short rest is not worth a KILL.
    expect((await read(session, `SELECT d FROM ${database}.digits`, { enoughAfter: 2 })).rows).toHaveLength(2);
    expect(session.alive).toBe(true);
  });

  it('passes on an error of the sink and stays usable', async () => {
    const session = await openSession();
    const request = { params: [], maxRows: undefined, timeoutMs: 20_000, keepPerCell: 100 };
    const { ownStatement } = await import('../../src/guard/read-statement.ts');
    const sink = {
      columns: () => undefined,
      row: () => {
        throw new Error('disk full');
      },
    };
    const failing = session.read({ ...request, statement: ownStatement(endless()) }, sink, never);
    await expect(failing).rejects.toMatchObject({ kind: 'internal', message: 'disk full' });
    expect(await readValue(session, 'SELECT 7')).toBe('7');
  });

  describe('is cancelled', () => {
    const slow = {
      sleep: 'SELECT SLEEP(20)',
      'a benchmark': "SELECT BENCHMARK(2000000000, SHA2('a', 512))",
      'a computation': `SELECT SUM(a.d * b.d) FROM ${['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'].map((name) => `${database}.digits ${name}`).join(', ')}`,
      'a statement that is no SELECT': 'DO SLEEP(20)',
    };

    it.each(Object.entries(slow))('%s is gone in the engine', async (name, sql) => {
      const session = await openSession();
      for (const params of [[], [1]]) {
        const mark = `cancel ${name} ${params.length}`;
        const aborter = new AbortController();
        const reason = new Error('not wanted any more');
        const text = params.length === 0 ? sql : sql.replace('SELECT', 'SELECT ?,').replace('DO ', 'DO ?, ');
        const failing = failureOf(read(session, `${text} /* ${mark} */`, { params, signal: aborter.signal }));
        await expect.poll(() => runningStatements(server(), mark), stopped).toBe(1);
        aborter.abort(reason);
        await expect.poll(() => runningStatements(server(), mark), stopped).toBe(0);
        expect(await failing).toBe(reason);
        expect(session.alive).toBe(true);
        expect(await readValue(session, 'SELECT 7')).toBe('7');
      }
    });

    it('while rows arrive', async () => {
      const session = await openSession();
      const aborter = new AbortController();
      const failing = failureOf(read(session, endless(), { maxRows: undefined, signal: aborter.signal }));
      setTimeout(() => aborter.abort(new Error('stop')), 100);
      expect(await failing).toMatchObject({ message: 'stop' });
      expect(await readValue(session, 'SELECT 7')).toBe('7');
    });

    it('is cancelled at any moment without stopping the next statement', async () => {
      const session = await openSession();
      for (let round = 0; round < 60; round += 1) {
        const aborter = new AbortController();
        setTimeout(() => aborter.abort(new Error('stop')), (round % 12) / 2);
        await read(session, 'SELECT SLEEP(0.003)', { signal: aborter.signal, params: round % 3 === 0 ? [] : [] }).catch(
          (error: unknown) => {
            expect(error).toBe(aborter.signal.reason);
          },
        );
        expect(await readValue(session, 'SELECT SLEEP(0.001)')).toBe('0');
      }
      expect(session.alive).toBe(true);
    });

    it('before it began without sending anything', async () => {
      const session = await openSession();
      await expect(read(session, 'SELECT 1', { signal: AbortSignal.abort(new Error('early')) })).rejects.toThrow('early');
      expect(await readValue(session, 'SELECT 7')).toBe('7');
    });

    it('after its control connection was killed', async () => {
      const session = await openSession();
      const cancel = async () => {
        const aborter = new AbortController();
        setTimeout(() => aborter.abort(new Error('stop')), 300);
        expect(await failureOf(read(session, 'SELECT SLEEP(20)', { signal: aborter.signal }))).toMatchObject({ message: 'stop' });
        expect(session.alive).toBe(true);
      };
      await cancel();
      const own = await readValue(session, 'SELECT CONNECTION_ID()');
      const listOthers = () =>
        runDirect(server(), [
          `SELECT id FROM information_schema.processlist WHERE user = 'root' AND host LIKE '127%' AND id NOT IN (CONNECTION_ID(), ${own})`,
        ]);
      // Connections that were closed before may be listed for a moment.
      await expect.poll(listOthers, stopped).toHaveLength(1);
      await runDirect(server(), [`KILL ${(await listOthers())[0]?.[0]}`]);
      await cancel();
    });

    it('is cancelled in a network that drops everything', async () => {
      const proxy = await openProxy(server());
      const session = await openSession({ target: { connectPort: proxy.port } });
      await readValue(session, 'SELECT 1');
      await sleep(100);
      proxy.freeze();
      for (const options of [{}, { maxRows: 77 }]) {
        const aborter = new AbortController();
        setTimeout(() => aborter.abort(new Error('stop')), 50);
        const failed = await failureOf(read(session, 'SELECT 1', { ...options, signal: aborter.signal }));
        expect(failed instanceof Error && /stop|closed/.test(failed.message)).toBe(true);
      }
      expect(session.alive).toBe(false);
      proxy.close();
      const other = await openProxy(server());
      const second = await openSession({ target: { connectPort: other.port } });
      other.freeze();
      // Here it is not even told how to read.
      const aborter = new AbortController();
      setTimeout(() => aborter.abort(new Error('stop')), 50);
      await expect(read(second, 'SELECT 1', { signal: aborter.signal })).rejects.toThrow();
      expect(second.alive).toBe(false);
      other.close();
    });

    it('is cancelled by closing the session', async () => {
      const session = await openSession();
      const failing = failureOf(read(session, 'SELECT SLEEP(20) /* closed */'));
      await expect.poll(() => runningStatements(server(), '/* closed */'), stopped).toBe(1);
      const started = performance.now();
      await session.close();
      expect(performance.now() - started).toBeLessThan(10_000);
      expect(await failing).toMatchObject({ kind: 'cancelled' });
      await expect.poll(() => runningStatements(server(), '/* closed */'), stopped).toBe(0);
    });
  });

  it.each(['SELECT SLEEP(20)', "SELECT BENCHMARK(2000000000, SHA2('a', 512))", 'DO SLEEP(20)', 'SELECT SLEEP(20) WHERE ? = 1'])(
    'reports that the time was over: %s',
    async (sql) => {
      const session = await openSession();
      const started = performance.now();
      const failure = await failureOf(read(session, sql, { timeoutMs: 300, params: sql.includes('?') ? [1] : [] }));
      expect(failure).toMatchObject({ kind: 'timeout', code: 'E_TIMEOUT' });
      expect(performance.now() - started).toBeLessThan(15_000);
      expect(session.alive).toBe(true);
      expect(await readValue(session, 'SELECT 7')).toBe('7');
    },
  );

  it('refuses to send a file of this machine', async () => {
    const session = await openSession();
    const file = join(server().directory ?? '', 'local.txt');
    await writeFile(file, '77\n');
    await runDirect(server(), ['SET GLOBAL local_infile=1', `CREATE TABLE IF NOT EXISTS ${database}.loaded (a INT)`]);
    const failure = await failureOf(write(session, `LOAD DATA LOCAL INFILE '${file}' INTO TABLE ${database}.loaded`));
    expect(failure).toMatchObject({ engineCode: expect.stringMatching(/^(3948|4166) /) });
    expect(await readValue(session, `SELECT COUNT(*) FROM ${database}.loaded`)).toBe('0');
  });

  it('closes all of its connections', async () => {
    const account = await createAccount(server(), 'counted');
    const config = { user: account.user, password: account.password };
    const target = targetOf(server(), { config, target: { database: account.database } });
    const sessions = await Promise.all([1, 2, 3].map(() => engine.openSession({ ...target }, never)));
    const aborter = new AbortController();
    const failing = sessions.map((session) => failureOf(read(session, 'SELECT SLEEP(20)', { signal: aborter.signal })));
    // The fourth connection is the one that the sessions share for stopping.
    await expect.poll(() => countSessions(server(), account.user), stopped).toBe(4);
    aborter.abort(new Error('stop'));
    await Promise.all(failing);
    await Promise.all(sessions.map((session) => session.close()));
    await expect.poll(() => countSessions(server(), account.user), stopped).toBe(0);
  });

  it('stops connecting as soon as the caller aborts', async () => {
    const aborter = new AbortController();
    const opening = failureOf(engine.openSession(targetOf(server()), aborter.signal));
    aborter.abort(new Error('gone'));
    expect(await opening).toMatchObject({ message: 'gone' });
  });

  it('reports why a connection fails', async () => {
    const open = (changes: Parameters<typeof targetOf>[1]) => failureOf(engine.openSession(targetOf(server(), changes), never));
    expect(await open({ config: { password: 'wrong' } })).toMatchObject({
      kind: 'auth',
      engineCode: '1045 ER_ACCESS_DENIED_ERROR',
    });
    expect(await open({ target: { database: 'nowhere' } })).toMatchObject({ kind: 'unknown', code: 'E_UNKNOWN_DATABASE' });
    expect(await open({ target: { connectPort: 1 } })).toMatchObject({ kind: 'connection', code: 'E_CONNECT_REFUSED' });
  });

  it('reports why a statement fails', async () => {
    const session = await openSession();
    const fail = (sql: string) => failureOf(read(session, sql));
    expect(await fail('SELECT 1 FROM nowhere')).toMatchObject({
      kind: 'unknown',
      code: 'E_UNKNOWN_TABLE',
      engineCode: '1146 ER_NO_SUCH_TABLE',
    });
    expect(await fail('SELECT nothing')).toMatchObject({ kind: 'unknown', code: 'E_UNKNOWN_COLUMN' });
    expect(await fail('SELECT 1 FROM nowhere.t')).toMatchObject({ kind: 'unknown' });
    expect(await fail('SELECT\n  1 FORM t WHERE')).toMatchObject({
      kind: 'input',
      code: 'E_SYNTAX',
      position: expect.any(Number),
    });
    expect(await fail('SELECT no_such_function()')).toMatchObject({ kind: 'unknown', code: 'E_UNKNOWN_FUNCTION' });
    expect(session.alive).toBe(true);
  });

  it('reports too many connections', async () => {
    const account = await createAccount(server(), 'single');
    await runDirect(server(), ["ALTER USER 'single'@'%' WITH MAX_USER_CONNECTIONS 1"]);
    const config = { user: account.user, password: account.password };
    const session = await openSession({ config, target: { database: 'single' } });
    const failure = await failureOf(engine.openSession(targetOf(server(), { config, target: { database: 'single' } }), never));
    expect(failure).toMatchObject({ kind: 'connection', code: 'E_TOO_MANY_CONNECTIONS' });
    // There is no room for the connection that stops it either, so it is abandoned.
    const aborter = new AbortController();
    setTimeout(() => aborter.abort(new Error('stop')), 100);
    await expect(read(session, 'SELECT SLEEP(3)', { signal: aborter.signal })).rejects.toThrow('stop');
    expect(session.alive).toBe(false);
  });

  it('notices a restart of the server', async () => {
    const session = await openSession();
    expect(await readValue(session, 'SELECT 1')).toBe('1');
    const failing = failureOf(read(session, 'SELECT SLEEP(20)'));
    await sleep(100);
    await server().control?.kill();
    expect(await failing).toMatchObject({ kind: 'connection' });
    expect(session.alive).toBe(false);
    await expect(read(session, 'SELECT 1')).rejects.toMatchObject({ code: 'E_STALE' });
    await server().control?.start();
    const next = await openSession();
    const idle = await openSession();
    expect(await readValue(next, 'SELECT 1')).toBe('1');
    await server().control?.shutDown();
    await expect.poll(() => [idle.alive, next.alive], stopped).toEqual([false, false]);
    await server().control?.start();
  });
});
