import { fileURLToPath } from 'node:url';
import { describeDoors } from '@dbmole/core/testing';
import { useEngine } from '@dbmole/engines';
import { beforeAll } from 'vitest';
import { bin } from './bin.ts';
import { type Account, createAccount, runDirect } from './direct.ts';

/** Its own: other tests create databases and sessions while the doors are asked one after the other. */
const engine = useEngine('postgres18');
const user = 'doors_user';
let account: Account;

beforeAll(async () => {
  account = await createAccount(engine(), user);
  await runDirect(
    engine(),
    [
      `set role ${user}`,
      'create schema shop',
      'create table shop.customers (id int primary key, name text not null, email text)',
      "insert into shop.customers select n, 'customer ' || n, 'c' || n || '@example.com' from generate_series(1, 300) n",
      'create table shop.orders (id int primary key, customer_id int references shop.customers, total numeric(10, 2))',
      'insert into shop.orders select n, n, n * 1.5 from generate_series(1, 200) n',
      "create view shop.big as select repeat('long ', 5000) as text, id from shop.orders",
      'analyze',
    ],
    account.database,
  );
}, 60_000);

const statements = [
  'select 1 as one',
  'select * from shop.customers order by id',
  'select c.name, o.total from shop.customers c join shop.orders o on o.customer_id = c.id order by o.id',
  'select text from shop.big order by id limit 3',
  'select $1::text as given',
  'select nothing from shop.customers',
  'select * from shop.custmers',
  'delete from shop.orders',
  'select 1; select 2',
  ['select 1 as one', 'select 2 as two'],
  ['select 1', 'drop table shop.orders'],
  'update shop.orders set total = 1 where id < 0',
  "insert into shop.customers values (1, 'again', null)",
  'insert into shop.orders values (1000, 1, 1) returning id',
];

const savedQuery = `-- tool: orders_from
-- description: Orders of at least this total.
-- param total number: smallest total. Example: 10
-- param first integer = 1: first id
-- param names text[] optional: names of customers
select o.id, o.total, c.name from shop.orders o join shop.customers c on c.id = o.customer_id
where o.total >= :total and o.id >= :first and (:names::text[] is null or c.name = any(:names)) order by o.id`;

describeDoors({
  server: () => ({
    program: bin,
    library: fileURLToPath(new URL('../dist/library.js', import.meta.url)),
    creates: 'createDbmole',
    env: (home) => ({
      DBMOLE_CONNECTIONS: JSON.stringify([
        { ...account, name: 'main' },
        { ...account, name: 'reader', readonly: true },
      ]),
      DBMOLE_EXPORT_DIR: `${home}/files`,
    }),
    files: { '.config/dbmole/queries/orders_from.sql': savedQuery },
  }),
  tools: [
    ...[
      'query',
      'list_databases',
      'list_tables',
      'describe_table',
      'search_schema',
      'explain',
      'diagnose',
      'execute',
      'export_query',
    ],
    ...['list_connections', 'add_connection', 'update_connection', 'remove_connection', 'test_connection'],
    'orders_from',
  ],
  right: {
    connection: ['main', 'main', 'main', 'reader', 'missing'],
    sql: statements,
    dry_run: [true],
    params: [[], ['text'], [1, 2]],
    database: [user, user, user, 'postgres', 'missing'],
    schema: ['shop', 'shop', 'public', 'pg_catalog', 'missing'],
    tables: [['shop.customers'], ['shop.orders', 'shop.big'], ['custmers']],
    pattern: ['c*', 'order', '%'],
    text: ['customer', 'order total', 'nothing like this'],
    table: ['orders', 'customers'],
    only: ['columns', 'references', 'indexes'],
    limit: [1, 3, 50, '7'],
    offset: [0, 1, 150],
    cell_limit: [10, 500],
    cell_offset: [0, 20],
    timeout_ms: [30_000, 20_000],
    file: ['orders.csv', 'orders.jsonl', 'more.csv', 'more.jsonl'],
    format: ['csv', 'jsonl'],
    parts: [['columns', 'keys'], ['stats'], ['sample']],
    brief: [true, false],
    analyze: [true, false],
    raw: [true, false],
    name: ['main', 'reader', 'extra', 'another'],
    host: ['127.0.0.1', 'localhost'],
    port: [1, 5432],
    user: ['someone'],
    password: ['a-password-of-the-test'],
    // Refuses at once: a name would first have to be looked up, for each call and each door.
    ssh: ['127.0.0.1', { host: '127.0.0.1', password: 'a-password-of-the-bastion' }],
    tls: ['require', 'auto'],
    type: ['postgres', 'mysql'],
    url: ['postgres://someone@127.0.0.1:1/shop'],
    readonly: [true, false],
    set: [{ readonly: true }, { port: 1, host: '127.0.0.1' }, { user: null }],
    total: [10, 290.5, '5', 1_000],
    first: [1, 150],
    names: [['customer 7'], ['customer 8', "'; drop table shop.orders --"], []],
  },
  wrong: {
    connection: ['', 5],
    dry_run: [true],
    timeout_ms: [0, -1, 'soon', 600_001],
    name: ['not a name', '', 5, '__proto__'],
    host: ['', 5],
    ssh: [{ host: 1 }, 5],
    url: ['nonsense', 'http://127.0.0.1'],
    port: [0, 70_000],
    type: ['oracle'],
    tables: [[], [5], 'shop.customers'],
    file: ['../outside.csv', 'orders', 'a/b.csv'],
    limit: [0, 10_001],
    set: [{ port: 70_000 }, { unknown: 1 }, []],
  },
  closed: ['analyze', 'check', 'connection', 'dry_run', 'timeout_ms', 'name', 'host', 'ssh', 'url'],
  bases: {
    execute: [{ dry_run: true }],
    // The plan of a statement that ran depends on how long it took.
    explain: [{ analyze: false }],
    // The other checks report what happens at that moment.
    diagnose: [{ check: 'indexes' }, { check: 'privileges' }],
    add_connection: [{ type: 'postgres', host: '127.0.0.1', user: 'someone' }, { url: 'mysql://someone@127.0.0.1:1/shop' }],
  },
  volatile: /\d+(?:\.\d+)? ms/g,
  marked: (mark) => ({ tool: 'query', args: { connection: 'main', sql: 'select $1::text as mark', params: [mark] } }),
});
