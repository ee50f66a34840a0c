import { useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Account, createAccount, runDirect } from './direct.ts';
import { shopMysql } from './fixtures/shop-mysql.ts';
import { shopPostgres } from './fixtures/shop-postgres.ts';
import { type OpenTools, openTools } from './open-tools.ts';

describe.each(['postgres14', 'postgres18', 'mysql97', 'mariadb1011'] as const)('errors of statements on %s', (id) => {
  const engine = useEngine(id, { shared: true });
  const isPostgres = id.startsWith('postgres');
  let account: Account;
  let tools: OpenTools;

  beforeAll(async () => {
    account = await createAccount(engine(), `errors_${id}_${process.pid}`);
    const { user, database } = account;
    const shop = (isPostgres ? shopPostgres : shopMysql).split(';\n').filter((statement) => statement.trim() !== '');
    const grants = isPostgres
      ? [
          'create table "order" (id int)',
          `grant all on all tables in schema public to ${user}`,
          'create table "Mixed Case" (id int)',
        ]
      : ['create table `order` (id int)'];
    await runDirect(engine(), [...shop, ...grants], database);
    tools = await openTools([
      { ...account, name: 'open' },
      { ...account, name: 'closed', readonly: true },
    ]);
  }, 60_000);
  afterAll(() => tools.close());

  const fail = async (sql: string, { tool = 'query', connection = 'open' } = {}) => {
    const { text, isError } = await tools.call(tool, { connection, sql });
    expect(isError, text).toBe(true);
    return text;
  };

  it('point at the place', async () => {
    expect(await fail('select *\nfrom orders o\nwehre o.id = 5')).toMatch(
      /\nAt: (?:wehre o\.id = 5\n {4}\^|wehre o\.id = 5\n {10}\^)\n/,
    );
    expect(await fail('select id, (delete from orders) from orders')).toMatch(/\nAt: .*delete from orders/);
    expect(await fail('select * from orders o where o.idd = 5', { tool: 'explain' })).toMatch(
      isPostgres ? /\nAt: select \* from orders o where o\.idd = 5\n {33}\^/ : /Nearest: id/,
    );
  });

  it.each([
    ['selct * from orders', 'SELECT'],
    ['select * form orders', 'FROM'],
    ['select * from orders gruop by id', 'GROUP'],
    ['select * from orders wher id = 1', 'WHERE'],
  ])('know what was meant: %s', async (sql, meant) => {
    expect(await fail(sql)).toContain(`\nNext: Did you mean ${meant}?`);
  });

  it('offer functions, and quotes for a name that is a word of the grammar', async () => {
    expect(await fail('select lenght(email) from customers')).toMatch(/\. Nearest: (?:LENGTH|length)\b/);
    const quoted = isPostgres ? '"order"' : '`order`';
    expect(await fail('select * from order')).toContain(`\nNext: To name ${quoted}, write it in quotes`);
    const foreign = isPostgres ? 'group_concat(email)' : "string_agg(email, ',')";
    expect(await fail(`select ${foreign} from customers`)).toMatch(/\nNext: Here that is (?:string_agg|GROUP_CONCAT)\(.*\)\.$/);
    if (!isPostgres) return;
    expect(await fail('select email from customers where email = "some text"')).toContain('Write a text in single quotes');
    expect(await fail('select length(5)')).toContain('\nNext: There is a function of this name for other arguments');
  });

  it('are the same for a text with several statements', async () => {
    expect(await fail('select 1; select 2')).toMatch(
      /^E_MULTIPLE_STATEMENTS \(position 11\): the text has several statements\.[\s\S]*\nNext: Pass several statements to query as a list\.$/,
    );
  });

  it('show how a change can be explained', async () => {
    expect(await fail('delete from orders where id = 1', { tool: 'explain' })).toMatch(
      /^E_NOT_A_READ[\s\S]*\nNext: Explain a SELECT with the same FROM and WHERE\.$/,
    );
  });

  it('say in which tables an ambiguous column is', async () => {
    const text = await fail('select id from orders join customers on true');
    expect(text).toMatch(/^E_AMBIGUOUS_COLUMN/);
    expect(text).toMatch(/; it is in “(?:orders, customers|customers, orders)”\./);
    expect(text).toContain('\nNext: Qualify the column with its table or alias.');
  });

  it('say which values an enum has', async () => {
    const write = "insert into orders (customer_id, status) values (1, 'shiped')";
    const text = await fail(isPostgres ? "select * from orders where status = 'shiped'" : write, {
      tool: isPostgres ? 'query' : 'execute',
    });
    expect(text).toMatch(/^E_INVALID_VALUE.*; its values are “'new',\s?'paid',\s?'shipped',\s?'cancelled'”\./);
    if (isPostgres) expect(text).toContain('Nearest: shipped.');
    expect(text).toContain('\nNext: Use one of these values.');
  });

  // The other engines convert instead.
  const itIfTyped = isPostgres ? it : undefined;
  itIfTyped?.('say how to cast', async () => {
    expect(await fail("select * from orders where id = 'a'::text")).toContain(
      '\nNext: Cast one side: the left one with ::text, or the right one with ::bigint.',
    );
    expect(await fail("select email + '1 day' from customers")).toContain(
      '\nNext: This operator does not take character varying: cast',
    );
    expect(await fail("select 'abc'::int")).toMatch(/^E_INVALID_VALUE.*\n[\s\S]*Next: Use a value of that type, or cast/);
    expect(await fail("select 'a' || null || $1::unknown from orders where now() = '2024-13-01'")).toContain(
      '\nNext: Write dates',
    );
  });

  it('say that a refused statement was not run, and name no way that is not there', async () => {
    const open = await fail('delete from orders');
    expect(open).toMatch(/^E_NOT_A_READ.*; nothing was run\./);
    expect(open).toContain('\nNext: Call execute to run it.');
    const closed = await fail('delete from orders', { connection: 'closed' });
    expect(closed).toMatch(/^E_NOT_A_READ.*; nothing was run\./);
    expect(closed).toContain('\nNext: The connection is read-only; only the user can make it writable, where it is defined.');
    expect(closed).not.toContain('execute');
  });

  it('say where the databases are', async () => {
    const { text } = await tools.call('list_tables', { connection: 'open', database: 'nope' });
    expect(text).toMatch(/^E_(?:UNKNOWN_DATABASE|AUTH)[\s\S]*Next: .*list_databases/);
    const { text: schema } = await tools.call('list_tables', { connection: 'open', schema: 'nope' });
    if (isPostgres) expect(schema).toContain(`there is no schema nope in database ${account.database}`);
  });
});
