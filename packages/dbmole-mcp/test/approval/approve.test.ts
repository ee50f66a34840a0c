import { runProgram } from '@dbmole/core';
import { createFakeTerminal, type FakeTerminalOptions, openProgramForMany, type ProgramForMany } from '@dbmole/core/testing';
import { type ServerId, useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createDbmole } from '../../src/library.ts';
import { definition } from '../../src/server.ts';
import { type Account, createAccount, runDirect } from '../direct.ts';

const engines: readonly ServerId[] = ['postgres18', 'mysql97', 'mariadb1011'];

describe.each(engines)('changes that wait for a person at a terminal, on %s', (id) => {
  const engine = useEngine(id, { shared: true });
  let account: Account;
  let program: ProgramForMany;
  let connection: Record<string, unknown> & { name: string };
  const direct = async (...statements: string[]) => await runDirect({ ...engine(), ...account }, statements, account.database);
  const count = async () => Number((await direct('select count(*) from things'))[0]?.[0]);

  beforeAll(async () => {
    account = await createAccount(engine(), `approve_${id}`);
    await direct('create table things (id int primary key, a int)');
    connection = { ...account, name: 'prod', writes: 'ask' };
    program = openProgramForMany(definition, { connections: [connection], tool: 'execute' });
  }, 60_000);
  afterAll(() => program.close());
  beforeEach(async () => {
    await direct('delete from things', 'insert into things values (1, 1), (2, 1), (3, 1)');
  });

  /** The call is refused, because its client cannot ask; returns the id under which it waits. */
  async function refuse(args: Record<string, unknown>): Promise<string> {
    const client = await program.connect();
    const reply = await client.execute(args);
    await client.close();
    return /approve ([a-z2-9]{6})`/.exec(reply)?.[1] ?? expect.unreachable(reply);
  }
  async function approve(words: readonly string[], options: FakeTerminalOptions = {}, more: object = {}) {
    const env = { DBMOLE_CONNECTIONS: JSON.stringify([{ ...connection, ...more }]) };
    const terminal = createFakeTerminal({ argv: ['approve', ...words], env, folder: program.folder.path, ...options });
    const code = await runProgram(definition, terminal);
    return { code, out: terminal.printed, err: terminal.complained, asked: terminal.asked };
  }

  it('are listed, shown with their counts as they are now, and committed once', async () => {
    expect((await approve([])).out).toContain('Nothing waits for a confirmation.');
    const first = await refuse({ sql: 'delete from things where id < 3' });
    const second = await refuse({ sql: ['update things set a = 2 where id = 3', 'delete from things where id = 1'] });
    const listed = await approve([]);
    expect(listed.out).toMatch(new RegExp(`^${first} {2}execute(?: on \\w+)?, expires in 10 min: DELETE things: 2 `, 'm'));
    expect(listed.out).toMatch(new RegExp(`^${second} {2}execute, .*1\\. UPDATE things: 1 .*2\\. DELETE things: 1 `, 'm'));
    await direct('insert into things values (0, 1)');
    const done = await approve([first], { answers: ['y'] });
    expect(done.err).toMatch(/^When it was asked for: DELETE things: 2 [\s\S]*Commit this on prod [\s\S]*^DELETE things: 3 /m);
    expect(done.err).toContain('DELETE changed 3 rows. Confirmed by the user in a terminal.');
    expect([done.code, await count()]).toEqual([0, 1]);
    expect(await approve([first], { answers: ['y'] })).toMatchObject({
      code: 1,
      err: expect.stringContaining('E_UNKNOWN: nothing waits'),
    });
    // One alone needs no id.
    const declined = await approve([], { answers: ['n'] });
    expect(declined).toMatchObject({ code: 1, err: expect.stringContaining('Not confirmed; nothing was changed.') });
    expect((await approve([])).out).toContain('Nothing waits');
    expect(await direct('select a from things')).toEqual([[1]]);
  });

  it('go on waiting without a terminal, and are taken by one of two', async () => {
    const pending = await refuse({ sql: 'delete from things where id = 2' });
    expect(await approve([pending])).toMatchObject({ code: 1, err: expect.stringContaining('cannot prompt') });
    const both = await Promise.all([
      approve([pending], { answers: ['y'] }),
      approve([pending.toUpperCase()], { answers: ['y'] }),
    ]);
    expect(both.map(({ code }) => code).toSorted()).toEqual([0, 1]);
    expect(await count()).toBe(2);
  });

  it('are asked about also where the policy has become milder', async () => {
    const pending = await refuse({ sql: 'delete from things where id = 2' });
    const { asked, code } = await approve([pending], { answers: ['n'] }, { writes: 'allow' });
    expect([asked, code, await count()]).toEqual([['Commit it? [y/N] '], 1, 3]);
  });

  it('are confirmed by a callback in the library, and refused without one', async () => {
    const messages: string[] = [];
    await using asking = await createDbmole({
      connections: [connection],
      onApproval({ message }) {
        messages.push(message);
        return messages.length > 1;
      },
    });
    const sql = 'delete from things where id = 1';
    expect(await asking.call('execute', { sql })).toMatchObject({ structuredContent: { code: 'E_DECLINED' } });
    expect(await asking.call('execute', { sql })).toEqual({
      content: [{ type: 'text', text: 'DELETE changed 1 row. Confirmed by the user of the program.' }],
    });
    expect(messages[1]).toMatch(/^Commit this on prod /);
    await using silent = await createDbmole({ connections: [connection] });
    expect(await silent.call('execute', { sql: 'delete from things where id = 2' })).toMatchObject({
      structuredContent: { code: 'E_APPROVAL_NEEDED', hint: 'Only a person can confirm it.' },
    });
    // A call that is given up while the person reads changes nothing.
    const stop = new AbortController();
    const late = {
      signal: stop.signal,
      async onApproval() {
        stop.abort();
        return true;
      },
    };
    expect(await silent.call('execute', { sql: 'delete from things where id = 2' }, late)).toMatchObject({
      structuredContent: { code: 'E_CANCELLED' },
    });
    // Anything that is not true is a no.
    const truthy = { onApproval: () => 'yes' as unknown as boolean };
    expect(await silent.call('execute', { sql: 'delete from things where id = 2' }, truthy)).toMatchObject({ isError: true });
    expect(await count()).toBe(2);
  });
});
