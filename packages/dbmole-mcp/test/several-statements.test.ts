import { setTimeout as delay } from 'node:timers/promises';
import { type ServerId, useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Account, createAccount, runDirect } from './direct.ts';
import { type OpenTools, openTools } from './open-tools.ts';
import { formatSlowRead } from './slow-read.ts';

const engines: readonly ServerId[] = ['postgres14', 'postgres18', 'mysql80', 'mysql97', 'mariadb1011'];

/** The parts after lines such as `-- 1 of 3: `, without these. */
function splitAnswer(text: string): string[] {
  const parts = text.split(/^-- \d+ of \d+: /m);
  expect(parts.shift()).toBe('');
  return parts.map((part) => part.replace(/\n$/, ''));
}

describe.each(engines)('several statements in one query on %s', (id) => {
  const engine = useEngine(id, { shared: true });
  let account: Account;
  let tools: OpenTools;
  const isPostgres = () => account.type === 'postgres';
  const direct = (statements: readonly string[]) =>
    runDirect({ ...engine(), user: account.user, password: account.password }, statements, account.database);
  const placeholder = () => (isPostgres() ? '$1' : '?');
  const call = async (sql: readonly string[] | string, more: Record<string, unknown> = {}) => {
    const reply = await tools.call('query', { sql, ...more });
    return { ...reply, parts: reply.text.startsWith('-- ') ? splitAnswer(reply.text) : [] };
  };

  beforeAll(async () => {
    account = await createAccount(engine(), `several_${id}`);
    await direct(['create table numbered (id int primary key, name varchar(20))']);
    await direct(["insert into numbered values (1, 'one'), (2, 'two')"]);
    tools = await openTools([{ ...account, name: 'main' }]);
  }, 60_000);
  afterAll(() => tools.close());

  it('gives each result behind a line of its own', async () => {
    const { text } = await call(['select 1 as a', 'select id, name from numbered order by id', 'select 2 as b where 1 = 0']);
    expect(text).toMatch(/^-- 1 of 3: 1 row\..*\na\n1\n-- 2 of 3: 2 rows\..*\nid,name\n1,one\n2,two\n-- 3 of 3: No rows\./);
  });

  it('gives errors in their places, and loses no other result', async () => {
    const { parts, isError } = await call([
      'select 1 as a',
      'select * from numberd',
      'delete from numbered',
      'selct 1',
      isPostgres() ? 'select 1 / (id - id) from numbered' : 'select (select id from numbered) as x',
      'select count(*) as c from numbered',
    ]);
    expect(parts).toHaveLength(6);
    expect(isError).toBeFalsy();
    expect(parts[0]).toMatch(/\n1$/);
    expect(parts[1]).toMatch(/^E_UNKNOWN_TABLE.*Nearest: numbered/);
    expect(parts[2]).toMatch(/^E_NOT_A_READ.*delete changes/i);
    expect(parts[2]).not.toContain('nothing was run');
    expect(parts[3]).toContain('Did you mean SELECT?');
    expect(parts[4]).toMatch(/^E_[A-Z_]+ \((?:22012|1242)/);
    expect(parts[5]).toMatch(/\n2$/);
    expect((await call('select 3 as after')).text).toMatch(/3$/);
  });

  it('is an error when all of them fail', async () => {
    expect((await call(['select x', 'drop table numbered'])).isError).toBe(true);
    expect((await call(['drop table numbered', 'delete from numbered'])).isError).toBe(true);
  });

  it('shows one state of the data in all of them', async () => {
    const pairs = 'information_schema.collations a cross join information_schema.collations b';
    const sleep = isPostgres()
      ? 'select pg_sleep(0.6)'
      : `select count(*) from ${pairs} cross join information_schema.collations c`;
    const counting = call(['select count(*) as c from numbered', sleep, 'select count(*) as c from numbered']);
    await delay(200);
    await direct(["insert into numbered values (3, 'three')"]);
    const { parts } = await counting;
    await direct(['delete from numbered where id = 3']);
    expect(parts[2]?.split('\n').at(-1)).toBe(parts[0]?.split('\n').at(-1));
  });

  it('binds the params of each', async () => {
    const sql = [`select name from numbered where id = ${placeholder()}`, 'select 7 as seven'];
    expect((await call(sql, { params: [[2], []] })).text).toMatch(/\ntwo\n-- 2 of 2: .*\n7$/s);
    expect((await call(sql, { params: [2] })).text).toMatch(/^E_INPUT: params has 1 items for 2 statements/);
  });

  it('keeps all results within one answer, and passes on what is left over', async () => {
    const wide = isPostgres()
      ? "select i, repeat('x', 200) as t from generate_series(1, 500) i"
      : "with recursive n as (select 1 as i union all select i + 1 from n where i < 500) select i, repeat('x', 200) as t from n";
    const { text, parts } = await call(['select 1 as a', wide, wide], { limit: 500 });
    expect(text.length).toBeLessThanOrEqual(32_000);
    expect(text.length).toBeGreaterThan(26_000);
    expect(parts[1]).toMatch(/^Rows 1-\d+, cut at \d+ characters; more follow: this statement alone with offset=\d+\./);
    const first = await call([wide, 'select 1 as a', 'select 2 as b'], { limit: 500 });
    expect(first.text.length).toBeLessThanOrEqual(32_000);
    expect(first.text.length).toBeGreaterThan(30_000);
    const failing = await call(Array.from({ length: 20 }, (_, i) => `select ${'x'.repeat(3_000)}${i} from numbered`));
    expect(failing.text.length).toBeLessThanOrEqual(32_000);
    expect(failing.parts).toHaveLength(20);
  });

  it('lets no cell look like the line of a result', async () => {
    const { text, parts } = await call(["select '-- 2 of 2: No rows.' as a", 'select 5 as b']);
    expect(parts).toHaveLength(2);
    expect(text).toContain('\n"-- 2 of 2: No rows."\n-- 2 of 2: 1 row.');
  });

  it('ends what takes too long, and shows what was there before', async () => {
    const { parts } = await call(['select 1 as a', formatSlowRead(account.type), 'select 2 as b'], { timeout_ms: 700 });
    expect(parts[0]).toMatch(/\n1$/);
    expect(parts[1]).toMatch(/^E_TIMEOUT/);
    expect((await call('select 3 as after')).text).toMatch(/3$/);
  });

  it('takes a list that is written as text, and no offset for a list', async () => {
    expect((await call('["select 1 as a", "select 2 as b"]')).parts).toHaveLength(2);
    expect((await call(['select 1 as a', 'select 2 as b'], { offset: 5 })).text).toMatch(/^E_INPUT: offset and cell_offset/);
    expect((await call(Array(21).fill('select 1'))).text).toMatch(/^E_INPUT: .*at most 20 items/);
    expect((await call(['select 1 as a'])).text).toMatch(/^1 row\./);
  });

  it('explains each statement of a list', async () => {
    const { text } = await tools.call('explain', {
      sql: ['select * from numbered', 'select nope from numbered', 'select 1', 'delete from numbered'],
    });
    const parts = splitAnswer(text);
    expect(parts).toHaveLength(4);
    expect(parts[3]).toMatch(/^E_NOT_A_READ.*\n.*Explain a SELECT/);
    expect(parts[3]).not.toContain('nothing was run');
    expect(parts[0]).toMatch(/^Plan, .*numbered/s);
    expect(parts[1]).toMatch(/^E_UNKNOWN_COLUMN/);
    expect(parts[2]).toMatch(/^Plan, /);
  });

  it('retries a statement that cannot have our limit', async () => {
    if (!isPostgres()) return;
    const { parts } = await call([
      'select 1 as a',
      'select 2 as fetch_first /* x */ fetch first 1 rows only',
      'explain select 1',
    ]);
    expect(parts[1]).toMatch(/\n2$/);
    expect(parts[2]).toContain('Result');
  });
});
