import { execFileSync, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Message, readText, type ServerProcess } from '@dbmole/core/testing';
import { useEngine } from '@dbmole/engines';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { bin } from '../bin.ts';
import { type Account, countSessions, createAccount, runDirect } from '../direct.ts';
import { ask, isRunning, useSessions } from './sessions.ts';

const deadline = { timeout: 15_000, interval: 50 };

/** A call that runs until it is stopped, and how often the engine runs it. */
function startSlow(front: ServerProcess, mark: string): { answer: Promise<Message>; cancel(): void } {
  const sql = `select pg_sleep(60) /* ${mark} */`;
  return front.start('tools/call', { name: 'query', arguments: { sql, timeout_ms: 90_000 } });
}

describe('the clients of a shared process', () => {
  const engine = useEngine('postgres18', { shared: true });
  const sessions = useSessions();
  let account: Account;
  beforeAll(async () => {
    account = await createAccount(engine(), `shared_${process.pid}`);
  });

  const save = (fields: object = {}) => sessions.saveConnections([{ name: 'shop', ...account, ...fields }]);
  const countRunning = async (mark: string) => {
    const sql = `select count(*) from pg_stat_activity where query like '%/* ${mark} */%' and pid <> pg_backend_pid()`;
    return Number((await runDirect(engine(), [sql]))[0]?.[0]);
  };

  it('get one process when twenty start at once', async () => {
    save();
    const fronts = await Promise.all(Array.from({ length: 20 }, () => sessions.open()));
    expect(sessions.processes()).toHaveLength(1);
    const answers = await Promise.all(fronts.map((front, i) => ask(front, `select ${i} * 1000 as n`)));
    expect(answers.map((text) => Number(text.split('\n').at(-1)))).toEqual(fronts.map((_, i) => i * 1_000));
    expect(fronts.map(({ stderr }) => stderr).join('')).toBe('');
    expect(readdirSync(dirname(sessions.socket())).filter((name) => /lock|own|break/.test(name))).toEqual([]);
  });

  it('share its sessions with the engine', async () => {
    save();
    const fronts = await Promise.all([1, 2, 3, 4, 5].map(() => sessions.open()));
    const before = await countSessions(engine(), account.user);
    for (const front of fronts) expect(await ask(front, 'select 1 as one')).toContain('\n1');
    expect((await countSessions(engine(), account.user)) - before).toBeLessThanOrEqual(2);
  });

  it('have their own tools and their own right to write', async () => {
    save();
    const [full, reader, few] = await Promise.all([
      sessions.open(),
      sessions.open({ args: ['--readonly'] }),
      sessions.open({ env: { DBMOLE_TOOLS: 'query' } }),
    ]);
    expect(sessions.processes()).toHaveLength(1);
    const names = async (front: ServerProcess) => JSON.stringify((await front.request('tools/list')).result);
    expect(await names(full)).toContain('"execute"');
    expect(await names(reader)).not.toContain('"execute"');
    expect(await names(few)).not.toContain('"list_tables"');
    const create = { sql: 'create table narrow (id int)' };
    expect((await reader.callTool('execute', create)).error?.message).toContain('no tool is called "execute"');
    expect((await few.callTool('execute', create)).error?.message).toContain('no tool is called "execute"');
    expect(readText(await reader.callTool('list_connections'))).toMatch(/^shop,.*,true,/m);
    expect(readText(await full.callTool('list_connections'))).toMatch(/^shop,.*,false,/m);
    expect(readText(await full.callTool('execute', create))).not.toContain('E_');
  });

  it('have their own default time limit', async () => {
    save();
    const [hasty, patient] = await Promise.all([sessions.open({ args: ['--timeout', '200ms'] }), sessions.open()]);
    const sleep = 'select pg_sleep(1), 7 as seven';
    expect(await Promise.all([ask(hasty, sleep), ask(patient, sleep)])).toEqual([
      expect.stringContaining('E_TIMEOUT'),
      expect.stringContaining('7'),
    ]);
    expect(sessions.processes()).toHaveLength(1);
  });

  it('stop their own calls and no others, by cancelling, ending, and being killed', async () => {
    save();
    const fronts = await Promise.all([1, 2, 3, 4].map(() => sessions.open()));
    const calls = fronts.map((front, i) => startSlow(front, `own-${process.pid}-${i}`));
    for (const { answer } of calls) answer.catch(() => undefined);
    const running = () => Promise.all(fronts.map((_, i) => countRunning(`own-${process.pid}-${i}`)));
    await expect.poll(running, deadline).toEqual([1, 1, 1, 1]);
    calls[0]?.cancel();
    fronts[1]?.child.stdin.end();
    fronts[2]?.child.kill('SIGKILL');
    await expect.poll(running, deadline).toEqual([0, 0, 0, 1]);
    calls[3]?.cancel();
    await expect.poll(running, deadline).toEqual([0, 0, 0, 0]);
    expect(await Promise.all([0, 3].map((i) => fronts[i] && ask(fronts[i], 'select 5 as five')))).toEqual([
      expect.stringContaining('5'),
      expect.stringContaining('5'),
    ]);
  });

  it('may use the same id for their calls at the same time', async () => {
    save();
    const fronts = await Promise.all([1, 2, 3].map(() => sessions.open()));
    const rounds = Array.from({ length: 30 }, (_, round) =>
      fronts.map(async (front, i) => [i, round, Number((await ask(front, `select ${i * 100 + round}`)).split('\n').at(-1))]),
    );
    for (const [i = 0, round = 0, value] of await Promise.all(rounds.flat())) expect(value).toBe(i * 100 + round);
  });

  it('leave nothing running when the last one is gone and the time is over', async () => {
    save();
    const args = ['--idle', '1s'];
    const [first, second] = await Promise.all([sessions.open({ args }), sessions.open({ args })]);
    const socket = sessions.socket();
    const [pid = 0] = sessions.processes();
    expect(await ask(first, 'select 1 as one')).toContain('1');
    expect((await first.stop()).code).toBe(0);
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect(sessions.processes()).toEqual([pid]);
    await second.stop();
    await expect.poll(() => isRunning(pid), deadline).toBe(false);
    expect(existsSync(socket)).toBe(false);
    expect(await countSessions(engine(), account.user)).toBe(0);
  });

  it('end when their client is killed, also when its pipe stays open elsewhere', async () => {
    save();
    const program = `
      const { spawn } = require('node:child_process');
      const front = spawn(process.execPath, [${JSON.stringify(bin)}, '--shared'], { stdio: ['inherit', 'inherit', 'inherit'] });
      process.stderr.write('front ' + front.pid + '\\n');
      setInterval(() => {}, 1000);`;
    const pipe = join(sessions.home, 'pipe');
    execFileSync('mkfifo', [pipe]);
    // This test can write to the pipe until its end, so the front never sees the end of its input.
    const held = openSync(pipe, 'r+');
    const env = { PATH: process.env.PATH ?? '', HOME: sessions.home };
    const client = spawn(process.execPath, ['-e', program], { cwd: sessions.home, env, stdio: [held, 'pipe', 'pipe'] });
    onTestFinished(() => {
      client.kill('SIGKILL');
      closeSync(held);
    });
    let log = '';
    client.stderr?.on('data', (text) => {
      log += text;
    });
    await expect.poll(() => log, deadline).toMatch(/front \d+/);
    const front = Number(/front (\d+)/.exec(log)?.[1]);
    await expect.poll(() => sessions.processes().length, deadline).toBe(1);
    expect(isRunning(front)).toBe(true);
    client.kill('SIGKILL');
    await expect.poll(() => isRunning(front), deadline).toBe(false);
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'end with code 0 after %s, and leave the process to the others',
    async (signal) => {
      save();
      const [first, second] = await Promise.all([sessions.open(), sessions.open()]);
      first.child.kill(signal);
      expect(await first.exited).toMatchObject({ code: 0, signal: null });
      expect(await ask(second, 'select 1 as one')).toContain('1');
    },
  );

  it('answer what came before the end of input', async () => {
    save();
    const front = sessions.start();
    const initialized = front.initialize();
    const listed = front.request('tools/list');
    front.child.stdin.end();
    expect((await initialized).result?.serverInfo).toMatchObject({ name: 'dbmole-mcp' });
    expect((await listed).result?.tools).not.toHaveLength(0);
    expect((await front.exited).code).toBe(0);
  });

  it('get long answers, and refusals of lines that are too long', async () => {
    save();
    const front = await sessions.open();
    const wide = await ask(front, "select repeat('x', 900) as x from generate_series(1, 60)");
    expect(wide.length).toBeGreaterThan(25_000);
    front.send(`{"jsonrpc":"2.0","id":4711,"method":"tools/call","params":{"name":"${'y'.repeat(9_000_000)}"}}`);
    await expect.poll(() => front.stdout, deadline).toMatch(/"id":4711.*limit is/);
    expect(await ask(front, 'select 6 as six')).toContain('6');
    expect(front.impure).toEqual([]);
  });

  it('have one log, which holds no secret', async () => {
    save();
    const front = await sessions.open({ env: { DBMOLE_LOG: 'debug' } });
    expect(await ask(front, 'select 1 as one')).toContain('1');
    front.send('this is no message');
    const state = join(sessions.home, '.config', 'dbmole', 'state');
    const read = () =>
      readdirSync(state)
        .map((name) => readFileSync(join(state, name), 'utf8'))
        .join('\n');
    await expect.poll(read, deadline).toContain('not a JSON-RPC message');
    expect(read()).not.toContain(account.password);
    expect(front.stderr).toBe('');
  });

  it('are served by themselves for other commands and wrong options', async () => {
    const wrong = sessions.start({ args: ['--timeout', 'soon'] });
    expect((await wrong.exited).code).toBe(2);
    expect(wrong.stderr).toContain('invalid timeout "soon"');
    const tools = sessions.start({ args: ['--tools', 'nothing_such'] });
    expect((await tools.exited).code).toBe(2);
    expect(tools.stderr).toContain('nothing_such');
    const version = sessions.start({ args: ['--version'] });
    expect((await version.exited).code).toBe(0);
  });
});
