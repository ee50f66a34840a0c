import { setTimeout as delay } from 'node:timers/promises';
import { type AnswerQuestion, openProgramForMany, type PersonAnswer, type ProgramForMany } from '@dbmole/core/testing';
import { type ServerId, useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { definition } from '../../src/server.ts';
import { type Account, createAccount, runDirect } from '../direct.ts';

const engines: readonly ServerId[] = ['postgres14', 'postgres18', 'mysql80', 'mysql97', 'mariadb1011'];

describe.each(engines)('a change that a person has to confirm on %s', (id) => {
  const engine = useEngine(id, { shared: true });
  let account: Account;
  let program: ProgramForMany;
  const isPostgres = () => account.type === 'postgres';
  const direct = async (...statements: string[]) => await runDirect({ ...engine(), ...account }, statements, account.database);
  const count = async (where: string) => Number((await direct(`select count(*) from orders where ${where}`))[0]?.[0]);
  const mark = () => (isPostgres() ? '$1' : '?');

  beforeAll(async () => {
    account = await createAccount(engine(), `confirm_${id}`);
    await direct(
      'create table orders (id int primary key, status varchar(20), note varchar(20))',
      'create table order_items (id int primary key, order_id int, foreign key (order_id) references orders (id) on delete cascade)',
      'create table item_notes (id int primary key, item_id int, foreign key (item_id) references order_items (id) on delete set null)',
      'create table audits (id int)',
      ...(isPostgres()
        ? [
            "create function fill() returns trigger language plpgsql as 'begin insert into audits values (new.id); return new; end'",
            'create trigger audit_orders after update on orders for each row execute function fill()',
          ]
        : ['create trigger audit_orders after update on orders for each row insert into audits values (new.id)']),
    );
    const connections = [
      { ...account, name: 'prod', environment: 'production' },
      { ...account, name: 'dev' },
      { ...account, name: 'few', maxRows: 3, writes: { ddl: 'ask' } },
      { ...account, name: 'free', noWhere: 'allow' },
    ];
    program = openProgramForMany(definition, { connections, tool: 'execute' });
  }, 60_000);
  afterAll(() => program.close());
  beforeEach(async () => {
    await direct(
      'delete from item_notes',
      'delete from orders',
      'delete from audits',
      `insert into orders values ${Array.from({ length: 20 }, (_, i) => `(${i}, 'pending', 'n${i}')`).join(', ')}`,
      `insert into order_items values ${Array.from({ length: 40 }, (_, i) => `(${i}, ${i % 20})`).join(', ')}`,
      'insert into item_notes values (1, 18), (2, 1)',
      isPostgres() ? 'analyze orders' : 'select 1',
    );
  });

  async function ask(answer: AnswerQuestion | undefined, args: Record<string, unknown>): Promise<string> {
    const client = await program.connect(answer);
    try {
      return await client.execute({ connection: 'prod', ...args });
    } finally {
      await client.close();
    }
  }

  /** What is shown, and what is answered each time. */
  function person(...actions: PersonAnswer[]) {
    const shown: string[] = [];
    const answer: AnswerQuestion = async (message) => {
      shown.push(message);
      return actions.shift() ?? 'decline';
    };
    return { shown, answer };
  }

  it('is measured and shown, and committed after an accept', async () => {
    const { shown, answer } = person('accept', 'accept');
    const update = `update orders set status = 'cancelled', note = note where id < ${mark()} and status = 'pending'`;
    expect(await ask(answer, { sql: update, params: [7] })).toBe('UPDATE changed 7 rows. Confirmed by the user in the client.');
    expect(shown[0]).toMatch(/^Commit this on prod \(127\.0\.0\.1, confirm_\w+\)\?$/m);
    expect(shown[0]).toMatch(
      /^UPDATE orders: 7 (of \d+ )?rows,? ?(also changes audits \(7\))?; triggers audit_orders \(orders\)/m,
    );
    expect(shown[0]).toMatch(/^for example id \d: status pending → cancelled$/m);
    expect(shown[0]?.endsWith(`${update}\nparams: [7]`)).toBe(true);
    expect(await count("status = 'cancelled'")).toBe(7);
    expect(await ask(answer, { sql: 'delete from orders where id >= 15' })).toMatch(/^DELETE changed 5 rows\./);
    expect(shown[1]).toMatch(
      /^DELETE orders: 5 (of \d+ )?rows, cascades to (item_notes \(1\), order_items \(10\)|order_items \(10\), item_notes \(1\))$/m,
    );
    expect(shown[1]).toMatch(/^for example id 1\d: status pending, note n1\d is deleted$/m);
    expect(await count('true')).toBe(15);
  });

  it('is shown with what is unusual about it first', async () => {
    const { shown, answer } = person();
    await ask(answer, { sql: "update orders set note = 'x'" });
    expect(shown[0]).toMatch(/^Commit this on prod .*\?\nCareful: the UPDATE has no WHERE that names a column\.\n/);
    await ask(answer, { sql: ["update orders set note = 'x' where id = 1", 'delete from orders where true'] });
    expect(shown[1]).toMatch(/\nCareful: the DELETE of statement 2 of 2 has no WHERE that names a column\.\n/);
    await ask(answer, { sql: "update orders set note = 'x' where id = 1" });
    expect(shown[2]).not.toContain('Careful');
  });

  it('is not made after anything but an accept, and cannot be confirmed by an argument', async () => {
    const sql = 'delete from orders where id = 1';
    expect(await ask(person('decline').answer, { sql })).toMatch(/^E_DECLINED: the user declined; nothing was changed/);
    const slow: AnswerQuestion = async () => {
      await delay(1_100);
      return 'cancel';
    };
    expect(await ask(slow, { sql })).toMatch(/^E_DECLINED: the user closed the question/);
    const refusals = [
      await ask(undefined, { sql }),
      await ask(person('cancel').answer, { sql }),
      await ask(() => Promise.reject(new Error('no')), { sql }),
    ];
    for (const refusal of refusals) {
      expect(refusal).toMatch(/^E_APPROVAL_NEEDED: the connection "prod" wants a person to confirm changes, and this client /);
      expect(refusal).toMatch(/Nothing was changed: DELETE orders: 1 (of \d+ )?rows?, cascades to .*order_items \(2\)/);
      expect(refusal).toMatch(/run `dbmole-mcp approve [a-z2-9]{6}` in a terminal within 10 minutes/);
    }
    for (const key of ['confirm', 'confirmed', 'approve', 'yes', 'force', 'requestState'])
      expect([key, await ask(undefined, { sql, [key]: true })]).toEqual([key, expect.stringMatching(/^E_INPUT/)]);
    expect(await count('true')).toBe(20);
  });

  it('holds no lock and no transaction while a person thinks', async () => {
    let held: unknown[][] = [['not looked']];
    const answer: AnswerQuestion = async () => {
      held = isPostgres()
        ? await runDirect(engine(), [
            `select l.mode from pg_locks l join pg_stat_activity a using (pid) where a.usename = '${account.user}'
             union all select state from pg_stat_activity where usename = '${account.user}' and state <> 'idle'`,
          ])
        : await runDirect(engine(), [
            `select t.trx_id from information_schema.innodb_trx t join information_schema.processlist p on p.id = t.trx_mysql_thread_id
             where p.user = '${account.user}' and t.trx_rows_locked + t.trx_rows_modified > 0`,
          ]);
      await direct("update orders set note = 'free' where id = 1");
      return 'accept';
    };
    expect(await ask(answer, { sql: "update orders set status = 'x' where id = 1" })).toMatch(/^UPDATE changed 1 row\./);
    expect(held).toEqual([]);
  });

  it('is asked about again where the counts have changed, with both', async () => {
    const shown: string[] = [];
    const answer: AnswerQuestion = async (message) => {
      shown.push(message);
      if (shown.length === 1)
        await direct("insert into orders values (100, 'new', 'x')", 'insert into order_items values (100, 100)');
      return shown.length === 1 ? 'accept' : 'decline';
    };
    expect(await ask(answer, { sql: 'delete from orders where id > 17' })).toMatch(/^E_DECLINED/);
    expect(shown[1]).toMatch(/^The counts changed since you confirmed\. Before:\nDELETE: 2 rows, .*order_items \(4\)/);
    expect(shown[1]).toMatch(/^Now:\nCommit this[\s\S]*^DELETE orders: 3 (of \d+ )?rows, cascades to .*order_items \(5\)/m);
    expect(await count('true')).toBe(21);
    // A change behind it counts as well, where its own rows are the same.
    const second: AnswerQuestion = async (message) => {
      shown.push(message);
      if (shown.length === 3) await direct('insert into order_items values (101, 18)');
      return 'accept';
    };
    expect(await ask(second, { sql: 'delete from orders where id = 18' })).toMatch(/^DELETE changed 1 row\./);
    expect(shown).toHaveLength(4);
    expect(shown[3]).toMatch(/order_items \(2\)[\s\S]*Now:[\s\S]*order_items \(3\)/);
  });

  it('survives the loss of its sessions between the two runs', async () => {
    const answer: AnswerQuestion = async () => {
      const pids = isPostgres()
        ? `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${account.user}'`
        : `select id from information_schema.processlist where user = '${account.user}'`;
      const rows = await runDirect(engine(), [pids]);
      if (!isPostgres()) for (const [pid] of rows) await runDirect(engine(), [`kill ${pid}`]).catch(() => undefined);
      return 'accept';
    };
    const reply = await ask(answer, { sql: "update orders set note = 'once' where id = 3" });
    expect(reply).toMatch(/^UPDATE changed 1 row\./);
    expect(await count("note = 'once'")).toBe(1);
    expect(await direct('select count(*) from audits')).toEqual(isPostgres() ? [['1']] : [[1]]);
  });

  it('is made for those of 20 at once that are confirmed, and for no other', async () => {
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        ask(person(i % 2 === 0 ? 'accept' : 'decline').answer, {
          sql: `update orders set status = 'done' where id = ${mark()}`,
          params: [i],
        }),
      ),
    );
    expect(replies.map((reply) => reply.slice(0, 10))).toEqual(
      Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? 'UPDATE cha' : 'E_DECLINED')),
    );
    expect(await count("status = 'done'")).toBe(10);
    expect(await count("status = 'done' and id % 2 = 1")).toBe(0);
  });

  it('is a whole list with one question, all or nothing', async () => {
    const { shown, answer } = person('accept', 'accept');
    const list = [
      "insert into orders values (50, 'a', 'b')",
      "update orders set note = 'c' where id = 50",
      'delete from orders where id = 1',
    ];
    expect(await ask(answer, { sql: list })).toMatch(
      /^All 3 statements were committed\. Confirmed by the user in the client\.\n-- 1 of 3: INSERT changed 1 row\.\n/,
    );
    expect(shown).toHaveLength(1);
    expect(shown[0]).toMatch(/^1\. INSERT orders: 1[\s\S]*^2\. UPDATE orders: 1[\s\S]*^3\. DELETE orders: 1/m);
    expect(await count("note = 'c'")).toBe(1);
    expect(await ask(answer, { sql: ['delete from orders where id = 2', 'delete from nowhere where id = 2'] })).toMatch(
      /statement 2 of 2: .*all of them were rolled back/,
    );
    expect(shown).toHaveLength(1);
    const unasked = {
      connection: 'dev',
      sql: ['delete from orders where id = 2', `insert into orders values (${mark()}, 'a', 'b')`],
      params: [[], [3]],
    };
    expect(await ask(undefined, unasked)).toMatch(/^E_CONSTRAINT.* statement 2 of 2: .*all of them were rolled back/);
    expect(await ask(undefined, { ...unasked, params: [[], [60]], dry_run: true })).toMatch(
      /^All 2 statements were rolled back\.\n-- 1 of 2: Dry run: DELETE would change 1 row/,
    );
    expect(await count('id in (2, 60)')).toBe(1);
    expect(await ask(undefined, { ...unasked, params: [[], [60]] })).toMatch(
      /^All 2 statements were committed\.\n-- 1 of 2: DELETE changed 1 row/,
    );
    expect(await count('id in (2, 60)')).toBe(1);
    if (isPostgres()) {
      await direct('create table later (id int references orders (id) deferrable initially deferred)');
      const deferred = ['insert into later values (70)', "insert into orders values (70, 'a', 'b')"];
      expect(await ask(person('accept').answer, { sql: deferred })).toMatch(/^All 2 statements were committed/);
      const broken = await ask(answer, { sql: ['insert into later values (71)', "insert into orders values (72, 'a', 'b')"] });
      expect(broken).toMatch(/^E_CONSTRAINT.* statement 2 of 2: /);
      expect(
        await ask(undefined, { connection: 'dev', dry_run: true, sql: ['insert into later values (71)', 'select 1'] }),
      ).toMatch(/^E_CONSTRAINT/);
      await direct('drop table later');
      return;
    }
    expect(await ask(answer, { sql: ['delete from orders where id = 4', 'create table x (id int)'] })).toMatch(
      /^E_IMPLICIT_COMMIT: statement 2 of 2/,
    );
    expect(await count('id = 4')).toBe(1);
  });

  it('is one of all rows, unless a person allows that, and one of too many', async () => {
    const sweeping = [
      'delete from orders',
      'delete from orders where 1 = 1',
      "update orders set note = 'x' where true or id = 1",
    ];
    for (const sql of sweeping)
      expect([sql, await ask(undefined, { connection: 'dev', sql })]).toEqual([
        sql,
        expect.stringMatching(
          /^E_NO_WHERE: the (DELETE|UPDATE) has no WHERE that names a column, [\s\S]*: \w+ orders: 20 [\s\S]*dbmole-mcp approve/,
        ),
      ]);
    expect(await ask(undefined, { connection: 'dev', sql: 'truncate table audits' })).toMatch(
      /^E_NO_WHERE: the statement empties a table/,
    );
    expect(await ask(undefined, { connection: 'dev', sql: 'delete from orders', dry_run: true })).toMatch(/would change 20 rows/);
    expect(await ask(undefined, { connection: 'few', sql: 'delete from orders where id > 9' })).toMatch(
      /^E_TOO_MANY_ROWS: the statement changed .* allows 3, and this client cannot ask the user/,
    );
    expect(await count('true')).toBe(20);
    const many = person('accept');
    expect(await ask(many.answer, { connection: 'few', sql: 'delete from orders where id > 9' })).toMatch(
      /^DELETE changed 10 rows\. Confirmed/,
    );
    expect(many.shown[0]).toMatch(/\nCareful: \d+ rows change, and "maxRows" is 3\.\n/);
    expect(await ask(person('accept').answer, { connection: 'dev', sql: "update orders set note = 'x'" })).toMatch(
      /^UPDATE changed 10 rows\. Confirmed/,
    );
    expect(await ask(undefined, { connection: 'free', sql: 'delete from orders' })).toBe('DELETE changed 10 rows.');
  });

  it('is a definition, which is shown with its locks and not measured', async () => {
    const { shown, answer } = person('decline', 'accept', 'decline');
    expect(await ask(answer, { connection: 'few', sql: 'create index on_note on orders (note)' })).toMatch(/^E_DECLINED/);
    expect(shown[0]).toMatch(/CREATE INDEX on (PostgreSQL|MySQL|MariaDB) \S+, not measured:\norders: .*table/);
    expect(shown[0]).toMatch(/^ {2}lock: .*(SHARE on orders|LOCK=NONE)/m);
    expect(await ask(answer, { connection: 'few', sql: 'create table made (id int)' })).toMatch(/^CREATE TABLE done\. Confirmed/);
    await direct('drop table made');
    if (isPostgres()) return;
    await direct('create table if not exists plain (id int) engine = MyISAM', 'insert into plain values (1)');
    expect(await ask(answer, { sql: 'delete from plain where id = 1' })).toMatch(/^E_DECLINED/);
    expect(shown[2]).toMatch(/could not be measured: .*has no transactions/);
  });
});
