/** Something that is wrong on purpose, planted alone. */
export interface Defect {
  name: string;
  check: string;
  /** Run one after the other in one session; if another waits for it, it stays open. */
  plant: readonly string[];
  /** Run in a session of its own, where it waits. */
  wait?: string;
  /** A role that has a session meanwhile. */
  role?: string;
  /** Its first line in the answer. */
  found: RegExp;
  /** Statements of its next step, divided by `then`; or, where the step leaves out names, what a person does. */
  mend: RegExp | readonly string[];
}

export const defects: readonly Defect[] = [
  {
    name: 'a transaction that was prepared and forgotten',
    check: 'activity',
    plant: ['begin', 'create table made (id int)', "prepare transaction 'forgotten'"],
    found: /^medium: the prepared transaction forgotten of \w+ has been waiting for its second phase for [\d.]+ s$/m,
    mend: /ROLLBACK PREPARED 'forgotten'/,
  },
  {
    name: 'a session that sits on an advisory lock',
    check: 'locks',
    plant: ['select pg_advisory_lock(9000000042)'],
    wait: 'select pg_advisory_lock(9000000042)',
    found: /^medium: pid \d+ .* blocks 1 session and is idle for .*; it holds advisory lock 9000000042$/m,
    mend: /select pg_terminate_backend\(\d+\)/,
  },
  {
    name: 'a partitioned index that no partition has',
    check: 'indexes',
    plant: [
      'create table sale (at date, amount int, primary key (at, amount)) partition by range (at)',
      "create table sale_1 partition of sale for values from ('2026-01-01') to ('2026-02-01')",
      'create index sale_amount on only sale (amount)',
    ],
    found: /^medium: index sale_amount of the partitioned table sale is invalid: 1 partitions have none attached to it: sale_1$/m,
    mend: ['create index sale_1_amount on sale_1 (amount)', 'alter index sale_amount attach partition sale_1_amount'],
  },
  {
    name: 'a partition without the index that the others have',
    check: 'indexes',
    plant: [
      'create table sale (at date, amount int, primary key (at, amount)) partition by range (at)',
      ...[1, 2, 3].map(
        (month) =>
          `create table sale_${month} partition of sale for values from ('2026-0${month}-01') to ('2026-0${month + 1}-01')`,
      ),
      'create index on sale_1 (amount)',
      'create index on sale_2 (amount)',
    ],
    found: /^medium: 2 of the 3 partitions of sale have an index USING btree \(amount\); it is missing on sale_3$/m,
    mend: /CREATE INDEX CONCURRENTLY ON sale_3 USING btree \(amount\);/,
  },
  {
    name: 'a collation whose library was replaced',
    check: 'indexes',
    plant: [
      `create collation old (provider = icu, locale = 'de')`,
      "update pg_collation set collversion = '1.0' where collname = 'old'",
      'create table word (id int primary key, text text collate old)',
      'create index word_text on word (text)',
    ],
    found: /^high: collation \w+\.old has version 1\.0, and the system [\d.]+; 1 index sorts by it, such as word_text$/m,
    mend: ['reindex index word_text', 'alter collation old refresh version'],
  },
  {
    name: 'a table that a crash empties',
    check: 'tables',
    plant: ['create unlogged table basket (id int primary key)'],
    found: /^medium: 1 table is unlogged: basket$/m,
    mend: /ALTER TABLE basket SET LOGGED;/,
  },
  {
    name: 'policies that nothing applies',
    check: 'tables',
    plant: ['create table note (id int primary key)', 'create policy own on note using (id > 0)'],
    found: /^medium: note has 1 policy, and row-level security is not enabled on it$/m,
    mend: /ALTER TABLE note ENABLE ROW LEVEL SECURITY;/,
  },
  {
    name: 'a threshold that autovacuum does not reach',
    check: 'tables',
    plant: [
      `create table event (id int primary key) with (autovacuum_vacuum_threshold = 1000000, autovacuum_analyze_threshold = 1000000,
        autovacuum_vacuum_insert_threshold = 1000000)`,
      'insert into event select generate_series(1, 30000)',
      'delete from event where id > 5000',
    ],
    found: /^medium: event has 25000 dead rows and 5000 live ones, and autovacuum is not due before 10\d+$/m,
    mend: /ALTER TABLE event RESET \(autovacuum_vacuum_threshold, autovacuum_vacuum_scale_factor\); then VACUUM \(ANALYZE\) event;/,
  },
  {
    name: 'a role that has used up its connections',
    check: 'settings',
    plant: ["create role narrow login connection limit 1 password 'narrow'"],
    role: 'narrow',
    found: /^high: role narrow uses 1 of the 1 connections that it may have$/m,
    mend: ['alter role narrow connection limit -1'],
  },
  {
    name: 'an archive that takes nothing',
    check: 'replication',
    plant: [
      "alter system set archive_command = 'false'",
      'select pg_reload_conf()',
      'create table written (id int primary key)',
      'select pg_switch_wal()',
    ],
    found:
      /^high: archiving of WAL fails: \d+ attempts, the last at [0-9A-F]{24}; (?:nothing was archived since|the last success was)/m,
    mend: [
      "alter system set archive_command = '/bin/true'",
      "select pg_stat_reset_shared('archiver')",
      'select pg_reload_conf()',
    ],
  },
];

/** Planted together: a statement for each, its first line in the answer of a check, and the statement of its next step. */
export const more: readonly Pick<Defect, 'check' | 'plant' | 'found' | 'mend'>[] = [
  {
    check: 'tables',
    plant: [
      'create table restored (id serial primary key, note text)',
      'insert into restored (id) select generate_series(1, 500)',
    ],
    found:
      /^high: sequence public\.restored_id_seq was never used, and public\.restored\.id holds values up to 500, as of its last ANALYZE$/m,
    mend: /select setval\('public\.restored_id_seq', \(select max\(id\) from public\.restored\)\);/,
  },
  {
    check: 'tables',
    plant: ['create materialized view totals as select count(*) from restored with no data'],
    found: /^medium: materialized view totals has never been filled$/m,
    mend: /REFRESH MATERIALIZED VIEW totals;/,
  },
  {
    check: 'tables',
    plant: [
      "create function pass() returns trigger language plpgsql as 'begin return new; end'",
      'create trigger copied before insert on restored for each row execute function pass()',
      'alter table restored enable replica trigger copied',
    ],
    found: /^low: trigger copied of restored fires only for replicated changes$/m,
    mend: /ALTER TABLE restored ENABLE TRIGGER copied;/,
  },
  {
    check: 'indexes',
    plant: ['alter table restored add constraint again unique (id)'],
    found: /^medium: index again on restored \(.*\) is the same as restored_pkey$/m,
    mend: /ALTER TABLE restored DROP CONSTRAINT again;/,
  },
  {
    check: 'indexes',
    plant: [
      'create table bill (id int, restored_id int references restored, primary key (id)) partition by range (id)',
      'create table bill_1 partition of bill for values from (0) to (20000)',
      'insert into bill select i, 1 from generate_series(1, 12000) i',
    ],
    found: /^medium: foreign key bill_restored_id_fkey of bill \(restored_id\) has no index; the table has about 12000 rows$/m,
    mend: /CREATE INDEX ON bill \(restored_id\);/,
  },
  {
    check: 'indexes',
    plant: ['create table sent (id int)', 'create publication feed for table sent'],
    found: /^high: sent has no primary key/m,
    mend: /ALTER TABLE sent REPLICA IDENTITY FULL;/,
  },
  {
    check: 'indexes',
    plant: [
      'create table account (id bigint primary key)',
      'create table payment (id int primary key, account_id int references account)',
    ],
    found: /^low: foreign key payment_account_id_fkey of payment \(account_id integer\) refers to account \(id bigint\), /m,
    mend: ['alter table payment alter column account_id type bigint'],
  },
  {
    check: 'indexes',
    plant: ['alter table payment add constraint payment_again foreign key (account_id) references account'],
    found: /^low: foreign keys payment_account_id_fkey and payment_again of payment check the same reference to account$/m,
    mend: /ALTER TABLE payment DROP CONSTRAINT payment_again;/,
  },
  {
    check: 'tables',
    plant: [
      'create domain price as int',
      'create table offer (id int primary key, price price)',
      'insert into offer values (1, 1)',
      'alter domain price add constraint price_positive check (value > 0) not valid',
    ],
    found: /^low: constraint price_positive of domain price was never validated$/m,
    mend: /ALTER DOMAIN price VALIDATE CONSTRAINT price_positive;/,
  },
  {
    check: 'tables',
    plant: ['create table closed (id int primary key)', 'alter table closed enable row level security'],
    found: /^low: closed has row-level security and no policy$/m,
    mend: /ALTER TABLE closed DISABLE ROW LEVEL SECURITY;/,
  },
  {
    check: 'tables',
    plant: ['create rule kept as on delete to offer do instead nothing', 'alter table offer disable rule kept'],
    found: /^low: rule kept of offer is disabled$/m,
    mend: /ALTER TABLE offer ENABLE RULE kept;/,
  },
  {
    check: 'tables',
    plant: [
      "create function see() returns event_trigger language plpgsql as 'begin end'",
      'create event trigger seen on ddl_command_end execute function see()',
      'alter event trigger seen disable',
    ],
    found: /^low: event trigger seen \(ddl_command_end\) is disabled$/m,
    mend: /ALTER EVENT TRIGGER seen ENABLE;/,
  },
  {
    check: 'tables',
    plant: [
      'create table reading (at timestamptz, value int, primary key (at, value)) partition by range (at)',
      `do $$ begin execute format('create table reading_1 partition of reading for values from (%L) to (%L)',
        now() - interval '40 days', now() - interval '2 days'); end $$`,
    ],
    found: /^high: the last partition of reading ended at [\d: -]+, and it has no default partition$/m,
    mend: ['create table reading_rest partition of reading default'],
  },
  {
    check: 'tables',
    plant: [
      'create sequence wheel maxvalue 100 cycle',
      "create table spoke (id int primary key default nextval('wheel'))",
      "select setval('wheel', 95)",
    ],
    found: /^high: sequence public\.wheel of public\.spoke\.id is at 95 of 100 \(95 %\)$/m,
    mend: ['alter sequence wheel maxvalue 1000000'],
  },
  {
    check: 'settings',
    plant: ["create role leaver login valid until '2026-01-01'"],
    found: /^medium: the password of role leaver has been invalid since 2026-01-01 00:00$/m,
    mend: /ALTER ROLE leaver VALID UNTIL 'infinity';/,
  },
  {
    check: 'settings',
    plant: ["alter role leaver set work_mem = '4GB'"],
    found: /^medium: work_mem is 4GB for role leaver$/m,
    mend: /ALTER ROLE leaver RESET work_mem;/,
  },
  {
    check: 'settings',
    plant: ["alter system set deadlock_timeout = '1h'", 'select pg_reload_conf()'],
    found: /^medium: deadlock_timeout is 1 h$/m,
    mend: /ALTER SYSTEM RESET deadlock_timeout; select pg_reload_conf\(\);/,
  },
  {
    check: 'settings',
    plant: ["do $$ begin execute format('alter database %I set session_replication_role = replica', current_database()); end $$"],
    found: /^high: session_replication_role is replica for database diagnosed_\d+$/m,
    mend: /ALTER DATABASE diagnosed_\d+ RESET session_replication_role;/,
  },
  {
    check: 'settings',
    plant: ["alter system set log_statement = 'all'", 'select pg_reload_conf()'],
    found: /^medium: log_statement is all$/m,
    mend: /ALTER SYSTEM RESET log_statement; select pg_reload_conf\(\);/,
  },
];

/** Looks wrong and is not: none of these is a finding. */
export const harmless: readonly string[] = [
  'create table parent (id int primary key)',
  // An index that enforces more than the other, or in another way.
  'create table strict (id int primary key, code int, constraint strict_code unique (code) deferrable)',
  'create unique index strict_code_now on strict (code)',
  // Other operators, order, rows or expressions.
  'create table searched (id int primary key, word text, size int, gone timestamptz)',
  'create index searched_word on searched (word)',
  'create index searched_word_pattern on searched (word text_pattern_ops)',
  'create index searched_word_lower on searched (lower(word))',
  'create index searched_word_down on searched (word desc nulls last)',
  'create index searched_word_live on searched (word) where gone is null',
  'create index searched_size on searched (size) where gone is null',
  'create unique index searched_size_once on searched (size) where gone is not null',
  'create index searched_word_hash on searched using hash (word)',
  // A foreign key whose table is too small for its index to matter, and one that a longer index serves.
  'create table child (id int primary key, parent_id int references parent)',
  'create table other (id int primary key, parent_id int references parent, at date)',
  'create index on other (at)',
  'create index on other (parent_id, at)',
];

/** Takes nulls for equal, which version 15 brought. */
export const harmlessSince15: readonly string[] = [
  'create unique index searched_once on searched (size)',
  'create unique index searched_once_null on searched (size) nulls not distinct',
];

/** Leaves the schema as it was. */
export const cleanUp: readonly string[] = [
  `do $$ declare each record; begin
    for each in select oid::regclass as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
    loop execute 'drop table ' || each.name || ' cascade'; end loop; end $$`,
  'drop collation if exists old',
  'drop role if exists narrow',
  'drop role if exists leaver',
  'drop event trigger if exists seen',
  'drop domain if exists price cascade',
  'drop sequence if exists wheel',
];
