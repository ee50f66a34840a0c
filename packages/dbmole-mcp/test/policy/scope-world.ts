import type { RunningEngine } from '@dbmole/engines';
import { type Account, createAccount, runDirect } from '../direct.ts';

/** It is in every row outside of the scope. */
export const canary = 'CANARY-7f3a';
/** Names that are outside only. */
export const hidden = /CANARY-7f3a|salaries|amount_of|payroll|secret_n/g;

/** The schema or database that is inside, and the one that is outside. */
export interface ScopeWorld {
  account: Account;
  inside: string;
  outside: string;
}

const postgresWorld = (inside: string, outside: string) => [
  `create schema ${inside}`,
  `create schema ${outside}`,
  `create table ${outside}.salaries (id int primary key, amount_of text)`,
  `insert into ${outside}.salaries select g, '${canary}' from generate_series(1, 50) g`,
  `create table ${outside}.orders (id int primary key, amount_of text)`,
  `insert into ${outside}.orders values (1, '${canary}')`,
  `create table ${inside}.orders (id int primary key, customer text, payroll_id int references ${outside}.salaries (id))`,
  `insert into ${inside}.orders select g, 'customer ' || g, g from generate_series(1, 20) g`,
  `create table ${inside}.secret_notes (id int, note text)`,
  `insert into ${inside}.secret_notes values (1, '${canary}')`,
  `create table ${inside}.parts (id int, day int) partition by range (day)`,
  `create table ${inside}.parts_1 partition of ${inside}.parts for values from (0) to (9)`,
  `insert into ${inside}.parts values (1, 1)`,
  `create view ${inside}.granted as select o.id, s.id as other from ${inside}.orders o join ${outside}.salaries s on s.id = o.id`,
  `create view ${outside}.payroll as select id from ${inside}.orders`,
  `create function ${inside}.leak_text() returns setof text language sql stable as 'select amount_of from ${outside}.salaries'`,
  `create function ${inside}.leak_body() returns text language plpgsql stable as $$ declare t text; begin select amount_of into t from ${outside}.salaries limit 1; return t; end $$`,
  `create function ${inside}.leak_over() returns setof text language sql stable as 'select ${inside}.leak_text()'`,
  `create function ${inside}.leak_std() returns text language sql stable begin atomic select amount_of from ${outside}.salaries limit 1; end`,
  `create function ${inside}.leak_std_over() returns text language sql stable begin atomic select ${inside}.leak_std(); end`,
  `create function ${inside}.leak_dynamic(t text) returns text language plpgsql stable as $$ declare r text; begin execute 'select amount_of from ' || t || ' limit 1' into r; return r; end $$`,
  `create function ${inside}.leak_row() returns ${outside}.salaries language sql stable as 'select * from ${outside}.salaries limit 1'`,
  `create function ${inside}.leak_int(a ${inside}.orders, b int) returns text language sql stable as 'select amount_of from ${outside}.salaries limit 1'`,
  `create operator ${inside}.%%% (function = ${inside}.leak_int, leftarg = ${inside}.orders, rightarg = int)`,
  `create function ${inside}.leak_field(a ${inside}.orders) returns text language sql stable as 'select amount_of from ${outside}.salaries limit 1'`,
  `create function ${inside}.total() returns bigint language sql stable as 'select count(*) from ${inside}.orders'`,
  `create function ${inside}.total_std() returns bigint language sql stable begin atomic select count(*) from ${inside}.orders; end`,
  ...postgresDetours(inside, outside),
  `analyze`,
];

/** What leads outside without the name of a table or of a function that reads one. */
const postgresDetours = (inside: string, outside: string) => [
  `create view ${inside}.renamed as select id, amount_of as title from ${outside}.orders`,
  `create function ${inside}.leak_std_field(a ${inside}.orders) returns text language sql stable begin atomic select amount_of from ${outside}.salaries limit 1; end`,
  `create type ${inside}.boxed as (title text)`,
  `create function ${inside}.box(text) returns ${inside}.boxed language sql stable begin atomic select row(max(amount_of))::${inside}.boxed from ${outside}.salaries; end`,
  `create cast (text as ${inside}.boxed) with function ${inside}.box(text)`,
  `create function ${inside}.is_listed(text) returns boolean language sql stable begin atomic select exists (select 1 from ${outside}.salaries where amount_of = $1); end`,
  `create domain ${inside}.unlisted as text check (not ${inside}.is_listed(value))`,
  `create domain ${inside}.any_relation as regclass`,
  `create function ${inside}.name_of(r regclass) returns text language sql stable as 'select r::text'`,
  `create function ${inside}.name_of_std(r regclass) returns text language sql stable begin atomic select r::text; end`,
  `create function ${inside}.name_at(o oid) returns text language sql stable as 'select o::regclass::text'`,
  `create function ${inside}.name_at_pl(o oid) returns text language plpgsql stable as $$ begin return o::regclass::text; end $$`,
  `create function ${inside}.definition_of(o oid) returns text language sql stable as 'select pg_get_viewdef(o)'`,
  `create function ${inside}.definition_std(o oid) returns text language sql stable begin atomic select pg_get_viewdef(o); end`,
  `create function ${inside}.stats_std() returns text language sql stable begin atomic select max(most_common_vals::text) from pg_stats; end`,
  `create function ${inside}.takes_listed(${inside}.unlisted) returns int language sql stable begin atomic select 1; end`,
  `create type ${inside}.mood as enum ('sad')`,
  `create table ${inside}.moods (m ${inside}.mood)`,
  `insert into ${inside}.moods values ('sad')`,
  `create function ${inside}.mood_text(${inside}.mood) returns text language sql stable as 'select max(amount_of) from ${outside}.salaries'`,
  `create function ${inside}.mood_json(${inside}.mood) returns json language plpgsql stable as $$ begin return (select to_json(max(amount_of)) from ${outside}.salaries); end $$`,
  `create cast (${inside}.mood as text) with function ${inside}.mood_text(${inside}.mood) as implicit`,
  `create cast (${inside}.mood as json) with function ${inside}.mood_json(${inside}.mood)`,
];

const mysqlWorld = (inside: string, outside: string) => [
  `create table ${outside}.salaries (id int primary key, amount_of varchar(40))`,
  `insert into ${outside}.salaries values (1, '${canary}'), (2, '${canary}')`,
  `create table ${outside}.orders (id int primary key, amount_of varchar(40))`,
  `insert into ${outside}.orders values (1, '${canary}')`,
  `create table ${inside}.orders (id int primary key, customer varchar(40), payroll_id int, foreign key (payroll_id) references ${outside}.salaries (id))`,
  `insert into ${inside}.orders values (1, 'one', 1), (2, 'two', 2)`,
  `create table ${inside}.secret_notes (id int, note varchar(40))`,
  `insert into ${inside}.secret_notes values (1, '${canary}')`,
  `create view ${inside}.granted as select o.id, s.id as other from ${inside}.orders o join ${outside}.salaries s on s.id = o.id`,
  `create view ${inside}.renamed as select id, amount_of as title from ${outside}.orders`,
  `create view ${outside}.payroll as select id from ${inside}.orders`,
  `create function ${inside}.leak_text() returns varchar(40) reads sql data return (select amount_of from ${outside}.salaries limit 1)`,
  `create function ${inside}.leak_over() returns varchar(40) reads sql data return ${inside}.leak_text()`,
  `create function ${inside}.leak_begin() returns varchar(40) reads sql data begin declare r varchar(40); select amount_of into r from ${outside}.salaries limit 1; return r; end`,
  `create function ${inside}.total() returns int reads sql data return (select count(*) from ${inside}.orders)`,
];

export async function createScopeWorld(engine: RunningEngine, name: string): Promise<ScopeWorld> {
  const account = await createAccount(engine, name);
  if (account.type === 'postgres') {
    const world = { account, inside: 'app', outside: 'hr' };
    await runDirect({ ...engine, ...account }, postgresWorld(world.inside, world.outside), account.database);
    return world;
  }
  const outside = `${name}_hr`;
  await runDirect(engine, [`create database ${outside}`, `grant all on ${outside}.* to '${name}'@'%'`]);
  await runDirect(engine, ['set global log_bin_trust_function_creators = 1']);
  // Routines of the account itself, so that it may see their bodies.
  await runDirect({ ...engine, ...account }, mysqlWorld(account.database, outside), account.database);
  return { account, inside: account.database, outside };
}
