import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readText } from '@dbmole/core/testing';
import { useEngine } from '@dbmole/engines';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Account, createAccount } from '../direct.ts';
import { ask, readEnvironment, useSessions } from './sessions.ts';

describe('which sessions share a process', () => {
  const engine = useEngine('postgres18', { shared: true });
  const sessions = useSessions();
  let accounts: [Account, Account];
  beforeAll(async () => {
    const names = [`key_a_${process.pid}`, `key_b_${process.pid}`] as const;
    accounts = [await createAccount(engine(), names[0]), await createAccount(engine(), names[1])];
  });

  const { name, sql } = { name: 'shop', sql: 'select current_user as who' };
  const login = ({ user, password, database }: Account) => ({ WHO: user, WORD: password, BASE: database });

  it('never are two with different values of a variable that a connection refers to', async () => {
    const [{ type, host, port }] = accounts;
    const connection = { name, type, host, port, user: '${WHO}', password: { env: 'WORD' }, database: '${BASE}' };
    sessions.saveConnections([connection]);
    const envs = [...accounts, ...accounts].map(login);
    const fronts = await Promise.all(envs.map((env) => sessions.open({ env })));
    expect(sessions.processes()).toHaveLength(2);
    const answers = await Promise.all(fronts.map((front) => ask(front, sql)));
    expect(answers.map((text) => text.split('\n').at(-1))).toEqual(envs.map(({ WHO }) => WHO));
    const wrong = await sessions.open({ env: { ...login(accounts[0]), WORD: 'wrong' } });
    expect(await ask(wrong, sql)).toContain('E_AUTH');
  });

  it('are not kept apart by variables that nothing refers to, and none of these reaches the process', async () => {
    sessions.saveConnections([{ name, ...accounts[0] }]);
    const fronts = await Promise.all(['a', 'b'].map((value) => sessions.open({ env: { OTHER_TOKEN: value, TERM: value } })));
    const [pid = 0, ...others] = sessions.processes();
    expect(others).toEqual([]);
    expect(readEnvironment(pid).filter((entry) => /^(OTHER_TOKEN|TERM)=/.test(entry))).toEqual([]);
    for (const front of fronts) expect(await ask(front, sql)).toContain(accounts[0].user);
  });

  it('never see another value when the configuration begins to use a variable later', async () => {
    const [account] = accounts;
    sessions.saveConnections([{ name, ...account }]);
    const early = await Promise.all(['wrong', account.password].map((LATER) => sessions.open({ env: { LATER } })));
    expect(sessions.processes()).toHaveLength(1);
    sessions.saveConnections([{ name, ...account, password: { env: 'LATER' } }]);
    for (const front of early) expect(await ask(front, sql)).toContain('E_SECRET_UNSET');
    const late = await sessions.open({ env: { LATER: account.password } });
    expect(await ask(late, sql)).toContain(account.user);
    expect(sessions.processes()).toHaveLength(2);
  });

  it('are those of one project, in whatever folder of it they start', async () => {
    const [account] = accounts;
    for (const folder of ['one/src', 'two/src']) mkdirSync(join(sessions.home, folder), { recursive: true });
    for (const folder of ['one', 'two']) writeFileSync(join(sessions.home, folder, '.dbmole.json'), '{"connections": []}');
    sessions.saveConnections([{ name, ...account }]);
    const cwds = ['one', 'one/src', 'two', 'two/src'].map((folder) => join(sessions.home, folder));
    const fronts = await Promise.all(cwds.map((cwd) => sessions.open({ cwd })));
    expect(sessions.processes()).toHaveLength(2);
    const listed = await Promise.all(fronts.map(async (front) => readText(await front.callTool('list_connections'))));
    expect(listed.map((text) => /\/(one|two)\/\.dbmole\.json/.exec(text)?.[1])).toEqual(['one', 'one', 'two', 'two']);
  });

  it('are those with the same options that change what is served', async () => {
    const out = join(sessions.home, 'out');
    mkdirSync(out);
    const [first, second] = accounts;
    const url = ({ user, password, host, port, database }: Account) =>
      `postgres://${user}:${password}@${host}:${port}/${database}`;
    const args = [['--export-dir', out], ['--export-dir', 'out'], [url(first)], [url(second)], []];
    const fronts = await Promise.all(args.map((words) => sessions.open({ args: words })));
    expect(sessions.processes()).toHaveLength(4);
    expect(await Promise.all([fronts[2], fronts[3]].map((front) => front && ask(front, sql)))).toEqual([
      expect.stringContaining(first.user),
      expect.stringContaining(second.user),
    ]);
  });
});
