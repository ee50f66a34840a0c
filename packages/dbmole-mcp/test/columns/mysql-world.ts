import type { RunningEngine } from '@dbmole/engines';
import { type Account, createAccount, runDirect } from '../direct.ts';

/** Every protected value has these, also in other letters, encodings and orders. */
export const canaries = /canary|yranac|[ψωΨΩ]|63616e617279|cf88|Y2FuYXJ5|77319|5DB2A/i;

/** The rules of the connection. */
export const rules = {
  'users.email': 'mask',
  'users.phone': 'pseudonym',
  'users.salary': 'mask',
  'users.profile': 'mask',
  '*.iban': 'partial',
  'users.token': 'drop',
  'vault.*': 'refuse',
  'patients.*': 'mask',
  'patients.id': 'show',
  'patients.ward': 'show',
} as const;

const rows = [1, 2, 3, 4];

/** Tables with canaries in the protected columns, and views and functions over them. */
export const worldStatements: readonly string[] = [
  `create table users (
    id int primary key auto_increment, email varchar(100) unique, phone varchar(60), name varchar(40), age int, salary int, profile json,
    iban varchar(60), token varchar(60), status enum('new', 'old') not null default 'new', note varchar(200), created date, key (salary),
    email_lower varchar(100) generated always as (lower(email)) virtual, mail_size int generated always as (char_length(email)) stored,
    label varchar(80) generated always as (concat(name, ' (email)')) virtual, fulltext key (email))`,
  ...rows.map(
    (n) => `insert into users (id, email, phone, name, age, salary, profile, iban, token, status, note, created) values
      (${n}, 'ψcanary${n}ω', 'ψcanary-phone-${n}', 'name ${n}', ${20 + n}, 7731900 + ${n}, '{"mail": "ψcanary${n}"}',
      'ψcanary-iban-${n}-998${n}', 'ψcanary-token-${n}', if(${n} < 3, 'new', 'old'), 'note ${n}', '2020-01-0${n}')`,
  ),
  'create table orders (id int primary key, user_id int, amount int, item varchar(40), email varchar(40), meta json)',
  ...rows.map((n) => `insert into orders values (${n}, ${n}, ${n} * 10, 'item ${n}', 'shop${n}@example.org', '{"size": ${n}}')`),
  'create table products (id int primary key, name varchar(120), price int, parent int, size int)',
  ...rows.map((n) => `insert into products values (${n}, 'product ${n}', ${n}, nullif(${n} - 1, 0), ${n})`),
  'create table vault (id int primary key, word varchar(60))',
  "insert into vault values (1, 'ψcanary-vault')",
  'create table patients (id int primary key, ward varchar(20), diagnosis varchar(60))',
  "insert into patients values (1, 'north', 'ψcanary-diagnosis'), (2, 'south', 'ψcanary-other')",
  'create table audit (id int primary key auto_increment, email_text varchar(200), num int)',
  'create table copies (id int primary key, email varchar(100), iban varchar(60))',
  'create view all_users as select * from users',
  'create view contacts as select id, email as contact, phone as number, name from users',
  'create view deep as select contact as c, id from contacts',
  'create algorithm=temptable view stored_contacts as select id, email as contact, name from users',
  'create view distinct_contacts as select distinct email as contact from users',
  'create view lowered as select id, lower(email) as l, char_length(name) as n from users',
  'create view statuses as select status, count(*) as total, count(email) as mails from users group by status',
  'create view names (number, title) as select id, name from users',
  'create view swapped (name, email) as select email, name from users',
  'create view united as select id, name as x from products union all select id, email from users',
  'create view user_orders as select o.id, o.amount, u.name from orders o join users u on u.id = o.user_id and u.email is not null',
  'create view mailed as select o.id, u.email from orders o join users u on u.id = o.user_id',
  'create view over_function as select id, mail_of(id) as m from products',
  'create function mail_of(n int) returns varchar(100) reads sql data return (select email from users where id = n)',
  'create function mail_over(n int) returns varchar(100) reads sql data return mail_of(n)',
  'create function shout(t varchar(200)) returns varchar(200) deterministic no sql return concat(upper(t), "!")',
  'create function price_of(n int) returns int reads sql data return (select price from products where id = n)',
  `create function first_mail() returns varchar(100) reads sql data
    begin declare r varchar(100); select contact into r from deep join contacts using (id) order by id limit 1; return r; end`,
  'create function keep(t varchar(200)) returns int no sql begin set @kept = t; return 1; end',
  `create procedure show_mails() reads sql data select email from users`,
];

const maria: readonly string[] = ['create sequence numbers'];

export async function createMysqlWorld(engine: RunningEngine, name: string): Promise<Account> {
  const account = await createAccount(engine, name);
  await runDirect(engine, ['set global log_bin_trust_function_creators = 1']);
  const [[version] = []] = await runDirect(engine, ['select version()']);
  const views = worldStatements.filter((sql) => sql.includes('view over_function'));
  const others = worldStatements.filter((sql) => !views.includes(sql));
  const statements = [...others, ...views, ...(/maria/i.test(String(version)) ? maria : [])];
  await runDirect({ ...engine, ...account }, statements, account.database);
  return account;
}
