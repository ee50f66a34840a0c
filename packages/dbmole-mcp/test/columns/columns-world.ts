import type { RunningEngine } from '@dbmole/engines';
import { type Account, createAccount, runDirect } from '../direct.ts';

/** It is in every value of a protected column; also backwards, in hexadecimal and in base64. */
export const canary = /cnry|yrnc|636e7279|Y25ye|NucnkN?|jbnJ5|70700\d\d/i;

/** What the connection of the tests protects. */
export const columns = {
  'users.email': 'pseudonym',
  'users.phone': 'mask',
  '*.password': 'drop',
  '*.iban': 'partial',
  'users.salary': 'mask',
  'patients.diagnosis': 'refuse',
} as const;

const rows = 12;
const each = (values: (i: number) => string) => Array.from({ length: rows }, (_, i) => values(i + 1)).join(', ');

/** The same in all engines: the last four characters of an IBAN are shown, so they are no canary. */
export const portableWorld: readonly string[] = [
  'create table users (id int primary key, name varchar(80), email varchar(80) unique, phone varchar(80), password varchar(80), iban varchar(80), salary int, city varchar(40))',
  `insert into users values ${each((i) => `(${i}, 'name ${i}', 'cnry-mail-${i}@x.example', 'cnry-phone-${i}', 'cnry-pass-${i}', 'cnry-iban-${1000 + i}', ${7_070_000 + i}, 'city ${i % 3}')`)}`,
  'create table orders (id int primary key, user_id int, total decimal(10, 2), state varchar(20), email varchar(80))',
  `insert into orders values ${each((i) => `(${i}, ${i}, ${i * 10}, '${i % 2 === 0 ? 'paid' : 'open'}', 'shop${i}@x.example')`)}`,
  'create table logins (user_id int, email varchar(80), at int)',
  `insert into logins values ${each((i) => `(${i}, 'login${i}@x.example', ${i})`)}`,
  'create table patients (id int primary key, ward int, diagnosis varchar(80))',
  `insert into patients values ${each((i) => `(${i}, ${i % 4}, 'cnry-diagnosis-${i}')`)}`,
  'create view contacts as select id, email as contact, name from users',
  'create view shouting as select id, upper(contact) as loud, name as who from contacts',
  'create view safe_users as select id, name, city from users where email is not null',
  'create view totals as select u.id, u.name, sum(o.total) as total from users u join orders o on o.user_id = u.id group by u.id, u.name',
  'create view everything as select * from users',
  'create view merged as select id, email as value from users union all select id, state from orders',
];

const postgresWorld: readonly string[] = [
  'create table generated (id int, iban text, copy text generated always as (lower(iban)) stored)',
  `insert into generated (id, iban) values (1, 'CNRY-GENERATED-1234')`,
  'create table people (id int, password text, born date) partition by range (id)',
  'create table people_low partition of people for values from (0) to (100)',
  `insert into people values (1, 'cnry-part-1', '2000-01-01')`,
  'create table base_user (id int, email text)',
  'create table users_archive (archived int) inherits (users)',
  `insert into users_archive values (99, 'name 99', 'cnry-child@x', 'cnry-phone', 'cnry-pass', 'cnry-iban-0099', 7070099, 'city 1', 1)`,
  'create materialized view kept as select id, email as m, city from users',
  'create view masked_rows as select id, to_jsonb(u) as doc from users u',
  'create view guarded with (security_barrier) as select id, phone, city from users where id < 100',
  'create view through_function as select f.id, f.mail from (select 1 as one) x cross join lateral (select id, email as mail from users limit 1) f',
  `create function get_email(i int) returns text language sql stable as $$ select email from users where id = i $$`,
  `create function get_city(i int) returns text language sql stable as $$ select city from users where id = i $$`,
  `create function get_row(i int) returns users language sql stable as $$ select * from users where id = i $$`,
  `create function get_rows() returns setof users language plpgsql stable as $$ begin return query select * from users; end $$`,
  `create function get_table() returns table (a int, b text) language sql stable as $$ select id, phone from users $$`,
  `create function get_atomic(i int) returns text language sql stable begin atomic select email from users where id = i; end`,
  `create function get_over(i int) returns text language sql stable as $$ select get_email(i) $$`,
  `create function get_dynamic(t text) returns text language plpgsql stable as $$ declare r text; begin execute 'select email from ' || t || ' limit 1' into r; return r; end $$`,
  `create function raise_email(i int) returns int language plpgsql stable as $$ begin raise exception 'found %', (select email from users where id = i); end $$`,
  'create table notes (note text)',
  `create function keep_note(t text) returns int language plpgsql as $$ begin insert into notes values (t); return 1; end $$`,
  `create function mail_of(u users) returns text language sql stable as $$ select u.email $$`,
  `create function double_it(i int) returns int language sql immutable as $$ select i * 2 $$`,
  `create function same_mail(a int, b int) returns text language sql stable as $$ select email from users where id = a $$`,
  'create operator <-> (function = same_mail, leftarg = int, rightarg = int)',
  `create function add_mail(s text, i int) returns text language sql stable as $$ select s || (select email from users where id = i) $$`,
  `create aggregate all_mails (int) (sfunc = add_mail, stype = text, initcond = '')`,
  'create type mail_box as (mail text)',
  `create function to_box(int) returns mail_box language sql stable as $$ select row(email)::mail_box from users where id = $1 $$`,
  'create cast (int as mail_box) with function to_box(int)',
  'analyze',
];

export async function createColumnsWorld(engine: RunningEngine, name: string): Promise<Account> {
  const account = await createAccount(engine, name);
  const own = account.type === 'postgres' ? postgresWorld : [];
  await runDirect({ ...engine, ...account }, [...portableWorld, ...own], account.database);
  return account;
}
