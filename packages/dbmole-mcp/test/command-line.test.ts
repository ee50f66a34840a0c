import { runProgram } from '@dbmole/core';
import { createFakeTerminal, type FakeTerminalOptions } from '@dbmole/core/testing';
import { useEngine } from '@dbmole/engines';
import { beforeAll, describe, expect, it } from 'vitest';
import { definition } from '../src/server.ts';
import { type Account, createAccount, runDirect } from './direct.ts';

/** What a person does at a terminal, on real servers. */
describe.each(['postgres18', 'mysql97', 'mariadb1011'] as const)('%s', (id) => {
  const engine = useEngine(id, { shared: true });
  let account: Account;
  beforeAll(async () => {
    account = await createAccount(engine(), `terminal_${id}`);
    const statements = [
      'create table orders (id int primary key, customer_email varchar(80), total decimal(10,2))',
      "insert into orders values (1, 'a@example.com', 1.5), (2, 'b@example.com', 20.25)",
      ...(engine().scheme === 'postgres' ? [`alter table orders owner to ${account.user}`, 'analyze'] : []),
    ];
    await runDirect(engine(), statements, account.database);
  });

  async function run(argv: readonly string[], options: FakeTerminalOptions = {}) {
    const shop = { ...account, name: 'shop', tls: 'disable' };
    const careful = { ...shop, name: 'careful', columns: { 'orders.customer_email': 'mask' }, pii: 'common' };
    const env = { DBMOLE_CONNECTIONS: JSON.stringify([shop, careful]) };
    const terminal = createFakeTerminal({ argv, env, ...options });
    const code = await runProgram(definition, terminal);
    return { code, out: terminal.printed, err: terminal.complained };
  }

  it('lists, describes and finds tables', async () => {
    expect((await run(['tables', 'shop'])).out).toMatch(/^name +kind[^\n]*\norders +table/);
    expect((await run(['tables', 'shop'], { isTerminal: false })).out).toMatch(/^name,kind/);
    expect((await run(['tables', 'shop', '--kind', 'view'])).err).toMatch(/No rows|row/);
    expect((await run(['tables', 'shop', '--without', 'primary_key'])).out).not.toMatch(/^orders /m);
    const { err } = await run(['search', 'shop', 'a', '--limit', '1']);
    expect(err).toMatch(/^Row 1; more follow\.\n/);
    expect((await run(['describe', 'shop', 'orders'])).out).toMatch(/^orders: table.*\n {2}id .*PK/);
    expect((await run(['search', 'shop', 'customer', 'email'])).out).toContain('orders.customer_email');
    expect((await run(['databases', 'shop'])).out).toContain(account.database);
  });

  it('hides protected columns, unless a person at the terminal wants to see them', async () => {
    const sql = 'select customer_email from orders order by id';
    const hidden = await run(['query', 'careful', sql]);
    expect(hidden.out).not.toContain('example.com');
    expect(hidden.err).toContain('1 column masked by policy (customer_email).');
    expect((await run(['query', 'careful', sql, '--reveal'], { answers: ['careful'] })).out).toContain('a@example.com');
    for (const options of [{ answers: ['y'] }, { answers: ['careful'], isTerminal: false }, {}]) {
      const { code, out } = await run(['query', 'careful', sql, '--reveal'], options);
      expect([code, out]).toEqual([1, '']);
    }
    const rules = (await run(['doctor', 'careful'])).out;
    expect(rules).toContain('careful: orders.customer_email mask, *.*password* drop (pii common)');
  });

  it('explains a statement on the command line', async () => {
    const { out, err } = await run(['explain', 'shop', 'select * from orders where total > 2', '--analyze']);
    expect(err).toContain('as it ran');
    expect(out).toMatch(/orders/);
  });

  it('prints rows as objects, and each value on a line', async () => {
    const { out } = await run(['query', 'shop', 'select id, total from orders order by id', '--format', 'json']);
    expect(
      out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      { id: 1, total: 1.5 },
      { id: 2, total: 20.25 },
    ]);
    expect((await run(['query', 'shop', 'select id from orders where id = 2\\G'])).out).toBe('-[ 1 ]--------\nid | 2\n');
    const piped = await run(['query', 'shop'], { input: 'select count(*) as n\nfrom orders\n', isTerminal: false });
    expect(piped.out).toBe('n\n2\n');
  });

  it('says what is wrong, with a next step that a terminal has', async () => {
    const unknown = await run(['query', 'shop', 'select * from oders']);
    expect(unknown).toMatchObject({ code: 1, out: '' });
    expect(unknown.err).toMatch(/^dbmole-mcp: E_UNKNOWN_TABLE: .*\n[\s\S]*Did you mean orders\?/);
    expect(unknown.err).not.toMatch(/list_tables|describe_table/);
    const described = await run(['describe', 'shop', 'oders']);
    expect(described.err).toMatch(/E_UNKNOWN_TABLE: .*\nDid you mean orders\?/);
    const write = await run(['query', 'shop', 'delete from orders']);
    expect(write.err).toMatch(/E_NOT_A_READ: [\s\S]*Use a client of the database/);
  });
});
