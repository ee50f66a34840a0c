import { fileURLToPath } from 'node:url';
import { describeHints } from '@dbmole/core/testing';
import { useEngine } from '@dbmole/engines';
import { beforeAll } from 'vitest';
import { definition } from '../src/server.ts';
import { type Account, createAccount, runDirect } from './direct.ts';

const postgres = useEngine('postgres18', { shared: true });
const mysql = useEngine('mysql97', { shared: true });
let main: Account;
let my: Account;
beforeAll(async () => {
  main = await createAccount(postgres(), 'hints_main');
  my = await createAccount(mysql(), 'hints_my');
  for (const account of [main, my])
    await runDirect(
      { ...(account === main ? postgres() : mysql()), ...account },
      ['create table orders (id int)'],
      account.database,
    );
}, 60_000);

/** One statement, as a call and as a command. */
const query = (connection: string, sql: string) => ({
  tool: 'query',
  args: { connection, sql },
  argv: ['query', connection, sql],
});

describeHints({
  definition,
  sources: fileURLToPath(new URL('../src', import.meta.url)),
  connections: () => [
    { ...main, name: 'main', tls: 'disable' },
    { ...my, name: 'my', tls: 'disable' },
    { ...main, name: 'broken', port: 'x' },
    { ...main, name: 'unset', password: { env: 'NO_SUCH_PASSWORD' } },
    { ...main, name: 'closed', host: '127.0.0.1', port: 1 },
    { ...main, name: 'tunnelled', ssh: { host: '127.0.0.1', port: 1, user: 'me', password: 'x' } },
    { ...main, name: 'wrong', password: 'not-the-password' },
  ],
  calls: [
    { kind: 'input', tool: 'query', args: { connection: 'main', sql: 'select 1', rows: 1 }, argv: ['query', 'main', '--rows'] },
    { kind: 'input', tool: 'query', args: { sql: 'select 1' }, argv: ['query'] },
    {
      kind: 'input',
      tool: 'explain',
      args: { connection: 'main', sql: 'explain select 1' },
      argv: ['explain', 'main', 'show all'],
    },
    { kind: 'input', ...query('my', 'select ? from orders') },
    { kind: 'config', ...query('broken', 'select 1') },
    { kind: 'unknown', ...query('missing', 'select 1') },
    { kind: 'unknown', ...query('main', 'select * from oders') },
    { kind: 'unknown', ...query('main', 'select nothing from orders') },
    { kind: 'unknown', ...query('my', 'select * from oders') },
    { kind: 'unknown', ...query('my', 'select nothing from orders') },
    {
      kind: 'unknown',
      tool: 'list_tables',
      args: { connection: 'main', schema: 'nothing' },
      argv: ['tables', 'main', '--schema', 'nothing'],
    },
    {
      kind: 'unknown',
      tool: 'list_tables',
      args: { connection: 'main', database: 'nothing' },
      argv: ['tables', 'main', '--database', 'nothing'],
    },
    { kind: 'unknown', tool: 'describe_table', args: { connection: 'my', tables: ['zzz'] }, argv: ['describe', 'my', 'zzz'] },
    { kind: 'refused', isWrite: true, ...query('main', 'delete from orders') },
    { kind: 'refused', isWrite: true, ...query('my', 'delete from orders') },
    { kind: 'refused', ...query('main', "select nextval('s')") },
    { kind: 'refused', tool: 'execute', args: { connection: 'main', sql: 'begin' } },
    { kind: 'refused', ...query('main', 'copy orders to stdout') },
    { kind: 'refused', ...query('my', 'select * from orders into outfile "x"') },
    { kind: 'refused', ...query('my', 'select benchmark(10, 1)') },
    { kind: 'refused', tool: 'export_query', args: { connection: 'main', sql: 'select 1', file: 'a.csv' } },
    { kind: 'refused', tool: 'add_connection', args: { name: 'new', type: 'postgres', host: '/var/run/postgresql', user: 'me' } },
    { kind: 'secret', ...query('unset', 'select 1') },
    { kind: 'connection', ...query('closed', 'select 1') },
    { kind: 'tunnel', ...query('tunnelled', 'select 1') },
    { kind: 'auth', ...query('wrong', 'select 1') },
    {
      kind: 'timeout',
      tool: 'query',
      args: { connection: 'main', sql: 'select count(*) from generate_series(1, 1e9)', timeout_ms: 200 },
      argv: ['query', 'main', 'select count(*) from generate_series(1, 1e9)', '--timeout', '200ms'],
    },
    { kind: 'engine', ...query('main', 'select 1 / 0') },
    { kind: 'engine', ...query('main', 'describe orders') },
    { kind: 'engine', ...query('main', 'select $1') },
    { kind: 'engine', ...query('main', 'use shop') },
  ],
});
