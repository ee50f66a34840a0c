import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readText, type ServerProcess } from '@dbmole/core/testing';
import { useEngine } from '@dbmole/engines';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { bin } from '../bin.ts';
import { type Account, createAccount, runDirect } from '../direct.ts';
import { ask, isRunning, useSessions } from './sessions.ts';

const deadline = { timeout: 15_000, interval: 50 };

describe('a shared process that is gone', () => {
  const engine = useEngine('postgres18', { shared: true });
  const sessions = useSessions();
  let account: Account;
  beforeAll(async () => {
    account = await createAccount(engine(), `gone_${process.pid}`);
  });

  async function openTwo(): Promise<[ServerProcess, ServerProcess, pid: number]> {
    sessions.saveConnections([{ name: 'shop', ...account }]);
    const [first, second] = await Promise.all([sessions.open(), sessions.open()]);
    return [first, second, sessions.processes()[0] ?? 0];
  }

  const isActive = async (mark: string) => {
    const sql = `select count(*) from pg_stat_activity where query like '%/* ${mark} */%' and pid <> pg_backend_pid()`;
    return Number((await runDirect(engine(), [sql]))[0]?.[0]) > 0;
  };

  it('is answered for with a typed error, and the next call of each client works', async () => {
    const [first, second, pid] = await openTwo();
    const mark = `killed-${process.pid}`;
    const call = first.callTool('query', { sql: `select pg_sleep(60) /* ${mark} */`, timeout_ms: 90_000 });
    const listing = first.request('no/such/method');
    await expect.poll(() => isActive(mark), deadline).toBe(true);
    await listing;
    process.kill(pid, 'SIGKILL');
    const lost = await call;
    expect(lost.result).toMatchObject({ isError: true, structuredContent: { code: 'E_OUTCOME_UNKNOWN' } });
    expect(readText(lost)).toContain('the shared process ended before it answered query');
    await expect.poll(() => second.stderr, deadline).toContain('is gone');
    expect(await Promise.all([ask(first, 'select 11 as n'), ask(second, 'select 12 as n')])).toEqual([
      expect.stringContaining('11'),
      expect.stringContaining('12'),
    ]);
    expect(sessions.processes()).toHaveLength(1);
    expect(sessions.processes()).not.toEqual([pid]);
    expect([...first.impure, ...second.impure]).toEqual([]);
  });

  it('does not get a write a second time', async () => {
    const [first, , pid] = await openTwo();
    await first.callTool('execute', { sql: 'create sequence attempts' });
    await first.callTool('execute', { sql: 'create table written (n bigint)' });
    const mark = `write-${process.pid}`;
    // A sequence counts attempts, also those that were rolled back.
    const sql = `insert into written select n from (select nextval('attempts') as n, pg_sleep(1)) as one /* ${mark} */`;
    const call = first.callTool('execute', { sql });
    await expect.poll(() => isActive(mark), deadline).toBe(true);
    process.kill(pid, 'SIGKILL');
    expect(readText(await call)).toContain('E_OUTCOME_UNKNOWN');
    expect(await ask(first, 'select 1 as one')).toContain('1');
    await expect.poll(() => isActive(mark), deadline).toBe(false);
    const [row] = await runDirect(engine(), ['select last_value, is_called from attempts'], account.database);
    expect(row).toEqual(['1', true]);
  });

  it('answers the running calls when it is asked to end, and is replaced at the next', async () => {
    const [first, , pid] = await openTwo();
    const mark = `ended-${process.pid}`;
    const call = first.callTool('query', { sql: `select pg_sleep(60) /* ${mark} */`, timeout_ms: 90_000 });
    await expect.poll(() => isActive(mark), deadline).toBe(true);
    process.kill(pid, 'SIGTERM');
    expect(readText(await call)).toContain('E_SHUTTING_DOWN');
    await expect.poll(() => isRunning(pid), deadline).toBe(false);
    expect(await ask(first, 'select 13 as n')).toContain('13');
    expect(await isActive(mark)).toBe(false);
  });

  it('is replaced again and again, and the client notices nothing between its calls', async () => {
    const [first] = await openTwo();
    for (let round = 0; round < 4; round++) {
      for (const pid of sessions.processes()) process.kill(pid, 'SIGKILL');
      await expect.poll(() => first.stderr.split('is gone').length, deadline).toBe(round + 2);
      expect(await ask(first, `select ${round} + 100 as n`)).toContain(String(round + 100));
    }
    expect((await first.request('tools/list')).result?.tools).not.toHaveLength(0);
  });

  it('is replaced by a private one where no other can be started', async () => {
    const [first, , pid] = await openTwo();
    const folder = dirname(sessions.socket());
    chmodSync(folder, 0o755);
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => first.stderr, deadline).toContain('is gone');
    expect(await ask(first, 'select 21 as n')).toContain('21');
    expect(first.stderr).toContain('not shared any more');
    expect(sessions.processes()).toEqual([]);
    expect((await first.stop()).code).toBe(0);
  });
});

describe('a front without a good place for its socket', () => {
  const sessions = useSessions();

  async function expectOwnServer(front: ServerProcess, reason: RegExp | string): Promise<void> {
    expect(readText(await front.callTool('list_connections'))).toContain('No connections are configured');
    expect(front.stderr).toContain('this session has a server of its own');
    expect(front.stderr).toMatch(reason);
    expect(sessions.processes()).toEqual([]);
  }

  it('uses a shorter path when one of more than 100 bytes would be needed', async () => {
    const env = { XDG_CACHE_HOME: join(sessions.home, 'x'.repeat(90)) };
    const [front] = [await sessions.open({ env })];
    expect(sessions.socket()).toMatch(/\/dbmole-\d+\/[0-9a-f]{24}\.sock$/);
    expect(front.stderr).toBe('');
  });

  it('serves by itself when every path is too long', async () => {
    const long = join(sessions.home, 'x'.repeat(90));
    const front = await sessions.open({ env: { XDG_CACHE_HOME: long, TMPDIR: long } });
    await expectOwnServer(front, 'too long a path');
  });

  it('serves by itself when others can enter the folder', async () => {
    const [cache, own] = [join(sessions.home, '.cache/dbmole/shared'), join(sessions.home, `dbmole-${process.getuid?.()}`)];
    for (const folder of [cache, own]) {
      mkdirSync(folder, { recursive: true });
      chmodSync(folder, 0o777);
    }
    await expectOwnServer(await sessions.open(), /is open to other users.*is open to other users/);
  });

  it('shares without a log when the state folder cannot be written', async () => {
    mkdirSync(join(sessions.home, '.config', 'dbmole'), { recursive: true });
    writeFileSync(join(sessions.home, '.config', 'dbmole', 'state'), 'a file where the folder should be');
    const fronts = await Promise.all([sessions.open(), sessions.open()]);
    for (const front of fronts) expect(readText(await front.callTool('list_connections'))).toContain('No connections');
    expect(sessions.processes()).toHaveLength(1);
  });

  const mount = (options: string, folder: string) => execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder]);

  it.runIf(process.getuid?.() === 0 && canMount())('serves by itself on a full disk', async () => {
    const folder = join(sessions.home, 'full');
    mkdirSync(folder, { mode: 0o700 });
    mount('size=4k,nr_inodes=3,mode=700', folder);
    try {
      mkdirSync(join(folder, 'dbmole'), { mode: 0o700 });
      writeFileSync(join(folder, 'last'), '');
      await expectOwnServer(await sessions.open({ env: { XDG_RUNTIME_DIR: folder } }), 'ENOSPC');
    } finally {
      execFileSync('umount', ['-l', folder]);
    }
  });

  function canMount(): boolean {
    try {
      execFileSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  }
});

describe('what earlier processes left behind', () => {
  const sessions = useSessions();
  const list = async (front: ServerProcess) => readText(await front.callTool('list_connections'));

  /** The socket of this home's process, which has ended without cleaning up. */
  async function killOne(): Promise<string> {
    const front = await sessions.open();
    const socket = sessions.socket();
    await front.stop();
    for (const pid of sessions.processes()) process.kill(pid, 'SIGKILL');
    await expect.poll(() => sessions.processes(), deadline).toEqual([]);
    expect(existsSync(socket)).toBe(true);
    return socket;
  }

  it('is a socket that does not answer', async () => {
    await killOne();
    const front = await sessions.open();
    expect(await list(front)).toContain('No connections');
    expect([sessions.processes().length, front.stderr]).toEqual([1, '']);
  });

  it('is twenty locks', async () => {
    const lock = (await killOne()).replace(/sock$/, 'lock');
    const holder = (i: number) => JSON.stringify({ pid: 4_000_000 + i, host: 'gone', nonce: `ab${i}`, at: Date.now() - 120_000 });
    writeFileSync(lock, holder(0));
    for (let i = 1; i < 20; i++) {
      writeFileSync(`${lock}.ab${i}.own`, holder(i));
      utimesSync(`${lock}.ab${i}.own`, 1, 1);
    }
    const fronts = await Promise.all([1, 2, 3].map(() => sessions.open()));
    for (const front of fronts)
      expect([await list(front), front.stderr]).toEqual([expect.stringContaining('No connections'), '']);
    expect(sessions.processes()).toHaveLength(1);
    expect(readdirSync(dirname(lock)).filter((name) => name.includes('.lock'))).toEqual([]);
  });

  it('is a lock for each of twenty processes, all killed while they started one', async () => {
    const socket = await killOne();
    const [{ pid, start }, host] = [{ pid: process.pid, start: 'another time' }, execFileSync('hostname').toString().trim()];
    for (let i = 0; i < 20; i++) {
      const holder = { pid, start, host, nonce: `cd${i}`, at: Date.now() };
      writeFileSync(socket.replace(/sock$/, 'lock'), JSON.stringify(holder));
      const front = await sessions.open();
      expect(front.stderr).toBe('');
      await front.stop();
      for (const shared of sessions.processes()) process.kill(shared, 'SIGKILL');
    }
  });
});

describe('a process of another version', () => {
  const sessions = useSessions();

  /** A process that answers a hello with these fields; it gives up its socket when it is asked to drain. */
  async function listenAs(fields: object) {
    const front = await sessions.open();
    const socket = sessions.socket();
    await front.stop();
    for (const pid of sessions.processes()) process.kill(pid, 'SIGKILL');
    await expect.poll(() => sessions.processes(), deadline).toEqual([]);
    execFileSync('rm', [socket]);
    const asked: string[] = [];
    const server = createServer((client: Socket) => {
      client.on('error', () => undefined).setEncoding('utf8');
      client.on('data', (text: string) => {
        const want = /"want":"(\w+)"/.exec(text)?.[1] ?? text;
        asked.push(want);
        if (want === 'drain') server.close();
        client.write(`${JSON.stringify({ protocol: 1, version: '0.0.1', program: '', stamp: '', pid: 1, ...fields })}\n`);
      });
    });
    await new Promise<void>((resolve) => server.listen(socket, resolve));
    onTestFinished(() => void server.close());
    return asked;
  }

  it.each([
    ['an older protocol', { protocol: 0, version: '9.9.9' }],
    ['an older program', { version: '0.0.1' }],
  ])('with %s is asked to drain, and replaced', async (_, fields) => {
    const asked = await listenAs(fields);
    const front = await sessions.open();
    expect(asked.filter((want) => want === 'drain')).toHaveLength(1);
    expect(readText(await front.callTool('list_connections'))).toContain('No connections');
    expect([sessions.processes().length, front.stderr]).toEqual([1, '']);
  });

  it('a process of another version with a newer protocol is left alone, and the session has a server of its own', async () => {
    const asked = await listenAs({ protocol: 2, version: '2.0.0' });
    const front = await sessions.open();
    expect(readText(await front.callTool('list_connections'))).toContain('No connections');
    expect(front.stderr).toMatch(/not shared, because process 1 is of a newer version \(2\.0\.0\)/);
    expect([asked, sessions.processes()]).toEqual([['serve'], []]);
  });

  it('is left alone when it is another program', async () => {
    const front = await sessions.open();
    const socket = sessions.socket();
    for (const pid of sessions.processes()) process.kill(pid, 'SIGKILL');
    await front.stop();
    execFileSync('rm', [socket]);
    const server = createServer((client) => void client.end('HTTP/1.1 400 Bad Request\n'));
    await new Promise<void>((resolve) => server.listen(socket, resolve));
    onTestFinished(() => void server.close());
    const other = await sessions.open();
    expect(other.stderr).toContain('another program listens at its socket');
  });

  it('keeps its clients when its program was written again, and gets no new ones', async () => {
    const copy = join(sessions.home, 'program', 'dist');
    cpSync(dirname(bin), copy, { recursive: true });
    writeFileSync(join(copy, '..', 'package.json'), '{"type":"module"}');
    const file = join(copy, 'main.js');
    const before = await sessions.open({ file });
    const [old = 0] = sessions.processes();
    utimesSync(file, new Date(), new Date());
    await delay(10);
    const after = await sessions.open({ file });
    expect(sessions.processes()).toHaveLength(2);
    for (const front of [before, after]) expect(readText(await front.callTool('list_connections'))).toContain('No connections');
    await before.stop();
    await expect.poll(() => isRunning(old), deadline).toBe(false);
    const another = await sessions.open({ file });
    expect(readText(await another.callTool('list_connections'))).toContain('No connections');
    expect([sessions.processes().length, another.stderr]).toEqual([1, '']);
  });

  it('a process of another version that does not answer costs a few seconds, and the session has a server of its own', async () => {
    await sessions.open();
    const [pid = 0] = sessions.processes();
    process.kill(pid, 'SIGSTOP');
    const front = await sessions.open();
    expect(readText(await front.callTool('list_connections'))).toContain('No connections');
    expect(front.stderr).toContain('no answer within');
  });
});
