import { type RunningEngine, type ServerId, useEngine } from '@dbmole/engines';
import { afterAll, beforeAll } from 'vitest';
import { type Account, createAccount, runDirect } from '../direct.ts';
import { type OpenTools, openTools } from '../open-tools.ts';

export const engines: readonly ServerId[] = ['postgres14', 'postgres18', 'mysql80', 'mysql97', 'mariadb1011'];

/** Small, and with one of everything that answers about a schema show beyond columns. */
const tables: readonly string[] = [
  'create table publishers (id int primary key, name varchar(80) not null)',
  `create table books (id int primary key, publisher_id int not null, isbn varchar(20), state varchar(20), pages int,
    constraint books_isbn_unique unique (isbn), constraint books_publisher foreign key (publisher_id) references publishers (id),
    constraint books_pages_positive check (pages > 0))`,
  `create table reviews (book_id int not null, reader varchar(40) not null, stars int, primary key (book_id, reader),
    constraint reviews_book foreign key (book_id) references books (id) on delete cascade)`,
  `create table loans (id int primary key, book_id int, due date,
    constraint loans_book foreign key (book_id) references books (id) on delete set null)`,
  'create table imports (line text)',
  'create table audit_log (id int primary key, entry text)',
  'create view long_books as select id, pages from books where pages > 500',
  'create index books_state on books (state, pages)',
];

const postgresOnly: readonly string[] = [
  `create table diary (id int primary key, owner text, entry text)`,
  'alter table diary enable row level security',
  `create policy diary_own on diary for select using (owner = current_user)`,
  `create policy diary_no_secrets on diary as restrictive using (entry not like '%secret%') with check (owner = current_user)`,
  `create policy waiting on loans using (due > '2020-01-01')`,
  'create table events (id int not null, at date not null) partition by range (at)',
  "create table events_2024 partition of events for values from ('2024-01-01') to ('2025-01-01')",
  'create materialized view page_counts as select count(*) as n from books',
];

const rows: readonly string[] = [
  "insert into publishers values (1, 'Acorn'), (2, 'Birch')",
  "insert into books values (1, 1, 'i1', 'in', 600), (2, 1, 'i2', 'in', 200), (3, 2, 'i3', 'out', 300), (4, 2, null, 'in', 100)",
  "insert into reviews values (1, 'ann', 5), (1, 'bob', 4)",
  "insert into loans values (1, 3, '2026-01-01')",
  "insert into imports values ('raw')",
];

interface Bookshop {
  engine(): RunningEngine;
  account(): Account;
  /** Statements of the account itself. */
  exec(...statements: string[]): Promise<unknown[][]>;
  call(tool: string, args?: Record<string, unknown>): Promise<string>;
  tools(): OpenTools;
  isPostgres: boolean;
  isMaria: boolean;
}

/** A database of its own in this engine for the tests of one suite; `name` keeps it apart from those of the others. */
export function useBookshop(id: ServerId, name: string): Bookshop {
  const engine = useEngine(id, { shared: true });
  const isPostgres = id.startsWith('postgres');
  let account: Account;
  let tools: OpenTools;
  const exec = (...statements: string[]) =>
    runDirect({ ...engine(), user: account.user, password: account.password }, statements, account.database);
  beforeAll(async () => {
    account = await createAccount(engine(), `${name}_${id}_${process.pid}`);
    await exec(...tables, ...(isPostgres ? postgresOnly : []), ...rows);
    await exec(isPostgres ? 'analyze' : 'analyze table publishers, books, reviews, loans, imports, audit_log');
    tools = await openTools([{ ...account, name: 'main' }]);
  }, 60_000);
  afterAll(() => tools.close());
  return {
    engine,
    account: () => account,
    exec,
    tools: () => tools,
    isPostgres,
    isMaria: id.startsWith('mariadb'),
    call: async (tool, args = {}) => (await tools.call(tool, args)).text,
  };
}
