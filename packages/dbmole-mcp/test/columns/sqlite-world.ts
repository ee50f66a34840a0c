/** Every protected value has these, also in other letters, encodings and orders. */
export const canaries = /canary|yranac|63616e617279|Y2FuYXJ5|77319|\[99, 97, 110/i;

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
  'coded.code': 'mask',
  'badges.number': 'pseudonym',
  'letters.body': 'mask',
  'keyed.secret': 'mask',
  'nicknames.nick': 'mask',
} as const;

const rows = [1, 2, 3, 4];

/** Tables with canaries in the protected columns, and what else can show them: views, indexes, text search, triggers. */
export const worldSql = `
create table users (
  id integer primary key, email varchar(100) unique, phone varchar(60), name varchar(40), age int, salary int, profile json,
  iban varchar(60), token varchar(60), status text not null default 'new', note varchar(200), created date,
  email_lower text generated always as (lower(email)) virtual, mail_size int generated always as (length(email)) stored,
  lower_copy text generated always as (email_lower || '') stored,
  label text generated always as (name || ' (email)') virtual);
create index users_salary on users (salary);
create index users_upper on users (upper(email));
create index users_phone on users (phone, name) where email is not null;
${rows
  .map(
    (n) => `insert into users (id, email, phone, name, age, salary, profile, iban, token, status, note, created) values
  (${n}, 'canary${n}', 'canary-phone-${n}', 'name ${n}', ${20 + n}, ${7_731_900 + n}, '{"mail": "canary${n}", "list": ["canary"]}',
  'canary-iban-${n}-998${n}', 'canary-token-${n}', '${n < 3 ? 'new' : 'old'}', 'note ${n}', '2020-01-0${n}');`,
  )
  .join('\n')}
create table orders (id int primary key, user_id int references users (id), amount int, item varchar(40), email varchar(40), meta json);
${rows.map((n) => `insert into orders values (${n}, ${n}, ${n} * 10, 'item ${n}', 'shop${n}@example.org', '{"size": ${n}}');`).join('\n')}
create table products (id int primary key, name varchar(120), price int, parent int, size int);
${rows.map((n) => `insert into products values (${n}, 'product ${n}', ${n}, nullif(${n} - 1, 0), ${n});`).join('\n')}
create table vault (id int primary key, word varchar(60));
insert into vault values (1, 'canary-vault');
create index vault_word on vault (word);
create table patients (id int primary key, ward varchar(20), diagnosis varchar(60));
insert into patients values (1, 'north', 'canary-diagnosis'), (2, 'south', 'canary-other');
create table audit (id integer primary key, email_text varchar(200), num int);
create table copies (id int primary key, email varchar(100), iban varchar(60));
create table coded (code text primary key, title text) without rowid;
insert into coded values ('canary-code', 'a title');
create table keyed (title text, secret text, part int, primary key (part, secret)) without rowid;
insert into keyed values ('a title', 'canary-keyed', 1);
create table badges (number integer primary key, holder text);
insert into badges values (7731999, 'name 1');
create virtual table letters using fts5 (title, body);
insert into letters values ('a letter', 'canary-letter for all');
create virtual table mails using fts5 (name, email, content = 'users', content_rowid = 'id');
insert into mails (mails) values ('rebuild');
create virtual table mail_words using fts5vocab ('mails', 'row');
create virtual table notes using fts5 (title, text);
insert into notes values ('a note', 'all can read it');
create virtual table old_letters using fts4 (title, body);
insert into old_letters values ('open', 'words');
create virtual table places using rtree (id, low, high);
insert into places values (1, 2, 3);
create view all_users as select * from users;
create view contacts as select id, email as contact, phone as number, name from users;
create view deep as select contact as c, id from contacts;
create view distinct_contacts as select distinct email as contact from users;
create view lowered as select id, lower(email) as l, length(name) as n from users;
create view statuses as select status, count(*) as total, count(email) as mails from users group by status;
create view names (number, title) as select id, name from users;
create view swapped (name, email) as select email, name from users;
create view united as select id, name as x from products union all select id, email from users;
create view user_orders as select o.id, o.amount, u.name from orders o join users u on u.id = o.user_id and u.email is not null;
create view mailed as select o.id, u.email from orders o join users u on u.id = o.user_id;
create view elements as select u.id, j.value as part from users u, json_each(u.profile, '$.list') j;
create table aliases (id integer primary key, word text);
insert into aliases values (1, 'canary-nick');
create index aliases_word on aliases (word);
create view nicknames as select id, upper(word) as nick from aliases;
create view over_nicknames as select nick as n from nicknames;
create table log (id integer primary key, text_of text);
create trigger products_log after update on products begin insert into log (text_of) values (new.name); end;
create table leaky (id integer primary key, num int);
create trigger leak after insert on leaky when new.num = 99
  begin insert into log (text_of) select email from users where id = new.num - 98; end;
create trigger users_own after update of name on users begin update users set note = 'seen' where id = new.id; end;
create trigger contacts_edit instead of update on contacts begin update users set name = new.name where id = old.id; end;
analyze;
`;

/** Queries of SQLite's own that would show values of protected columns. */
export const sqliteAttacks: readonly string[] = [
  'select nick from nicknames',
  'select n from over_nicknames',
  'select max(nick) from nicknames',
  'select * from badges',
  'select number from badges',
  'select rowid from badges',
  'select oid, holder from badges',
  'select _rowid_ from badges',
  'select badges.rowid + 0 from badges',
  'select "rowid" from badges',
  'select max(rowid) from badges',
  'select code from coded',
  'select * from coded',
  'select secret from keyed',
  'select * from keyed where part = 1',
  'select title, secret from keyed order by part, secret',
  'select email_lower, label from users',
  'select mail_size from users',
  'select lower_copy from users',
  'select upper(email) from users',
  'select upper(email) from users indexed by users_upper order by upper(email)',
  'select salary from users indexed by users_salary order by salary',
  'select phone from users indexed by users_phone where email is not null',
  'select min(salary) from users',
  'select max(upper(email)) from users',
  'select body from letters',
  'select * from letters',
  "select * from letters where letters match 'all'",
  "select highlight(letters, 1, '<', '>') from letters where letters match 'all'",
  "select snippet(letters, 1, '<', '>', '', 10) from letters('all')",
  "select title, body from letters('all') order by rank",
  'select * from letters_content',
  'select c1 from letters_content',
  'select hex(block) from letters_data',
  'select * from letters_data',
  'select email from mails',
  'select m.email from mails m join users u on u.id = m.rowid',
  "select highlight(mails, 1, '', '') from mails where mails match 'name'",
  'select hex(block) from mails_data',
  'select term from mail_words',
  'select * from mail_words',
  "select group_concat(term) from mail_words where term like 'c%'",
  'select j.value from users u, json_each(u.profile) j',
  'select j.* from users u, json_tree(u.profile) j',
  'select j.atom from users u join json_tree(u.profile) j',
  'select key, json from users u, json_each(json_object(email, 1))',
  'select value from json_each((select json_group_array(email) from users))',
  'select (select value from json_each(json_array(u.email))) from users u',
  'select part from elements',
  "select profile ->> '$.mail' from users",
  "select profile -> 'list' from users",
  "select json_extract(profile, '$.mail', '$.list') from users",
  'select json_object(name, email) from users',
  'select json_array(id, email) from users',
  'select json_group_object(name, email) from users',
  'select json_group_array(json_array(email)) from users',
  "select json_insert('{}', '$.a', email) from users",
  'select json_patch(profile, \'{"a": 1}\') from users',
  'select json_quote(email) from users',
  'select jsonb(profile) from users',
  'select json(jsonb(profile)) from users',
  'select group_concat(email) from users',
  "select group_concat(email, ', ' order by id) from users",
  "select string_agg(email, ',') from users",
  'select group_concat(name, email) from users',
  "select printf('%s', email) from users",
  "select format('%.3s|%s|%d', email, name, id) from users",
  "select printf('%d %d %d %d %d %d %s', 1, 2, 3, 4, 5, 6, email) from users",
  'select hex(email) from users',
  'select quote(email) from users',
  'select unicode(email), char(unicode(email)) from users',
  "select instr(email, 'n'), substr(email, 2) from users",
  'select cast(email as blob) from users',
  'select iif(id > 0, email, name) from users',
  'select ifnull(email, name), coalesce(null, phone) from users',
  'select max(email, name), min(phone, name) from users',
  'select likelihood(email, 0.5), likely(phone), unlikely(phone) from users',
  'select email collate nocase from users',
  "select email || '' from users",
  'select -salary, ~salary, salary % 100000000, salary << 1 from users',
  'select typeof(email), email from users',
  'select email from (values (1)), users',
  'values ((select email from users limit 1))',
  'values (1, 2), (3, (select phone from users))',
  'with x(a, b) as (values (1, (select email from users))) select b from x',
  'with x as materialized (select email as e from users) select e from x',
  'with x as not materialized (select email as e from users) select e from x, x y',
  'with recursive r(n, e) as (select 1, email from users union all select n + 1, e from r where n < 3) select e from r order by n desc',
  "with recursive r(n, e) as (select 1, '' union all select n + 1, e || (select substr(email, n, 1) from users where id = 1) from r where n < 8) select e from r",
  'select x.* from users x natural join users y',
  'select * from orders natural join users',
  'select * from orders full join users using (id)',
  'select * from orders right join users u on u.id = orders.user_id',
  'select u.email from orders o left join users u on u.id = o.user_id',
  'select distinct email, phone from users order by 2 limit 1 offset 1',
  'select email from users union select item from orders',
  'select item from orders union select email from users order by 1 desc limit 3',
  'select item from orders except select 1 union all select email from users',
  'select email from users intersect select email from users',
  'select e from (select email e from users order by id limit 2) order by e',
  'select (select e from (select email e from users order by id limit 1)) as one',
  'select first_value(email) over w, last_value(name) over w from users window w as (order by id)',
  'select lag(email, 1, name) over (order by id) from users',
  'select max(email) over (order by id rows 1 preceding) from users',
  'select group_concat(email) over (partition by status order by id range between unbounded preceding and current row exclude ties) from users',
  'select sum(salary) filter (where id = 1) from users',
  'select total(salary), avg(salary) from users',
  'select max(name), email from users',
  'select name, email, min(age) from users group by status',
  "select email = 'x' from users",
  "select email like 'c%', email glob 'c*' from users",
  "select email in ('canary1', 'b') from users",
  'select name in (select email from users) from orders, users',
  'select email between name and status from users',
  "select case email when 'canary1' then 1 else 2 end from users",
  "select case when email like 'canary%' then 'c' || 'a' end from users",
  "select case substr(email, 1, 1) when 'a' then 'a' when 'b' then 'b' when 'c' then 'c' end || case substr(email, 2, 1) when 'a' then 'a' end from users",
  "select iif(email > 'm', 1, 0) from users",
  "select not (email = 'x'), email is 'x', email is not name from users",
  "select (email, id) = ('x', 1) from users",
  "select count(*) filter (where email = 'x'), max(email = 'x') from users",
  "select nullif(name, email), nullif(email, 'x') from users",
  'select salary and 1, salary or 0 from users',
  'select abs(salary), round(salary), salary / 10 from users',
  "select strftime('%s', salary, 'unixepoch'), datetime(salary, 'unixepoch') from users",
  'select zeroblob(length(email)) from users',
  "select replace(hex(zeroblob(4)), '00', email) from users",
  'select "email" from "users"',
  'select [email] from [users]',
  'select `email` from `users`',
  "select email from 'users'",
  "select 'users'.email from users",
  'select main.users.email from main.users',
  'select EMAIL FROM USERS',
  'select * from vault',
  'select word from vault',
  'select count(word) from vault',
  "select 1 from vault where word like 'x%'",
  "select id from vault where word = 'canary-vault'",
  'select id from vault order by word',
  'select id from vault where word > name',
];

/** These read tables with protected columns, and show nothing of them. Nothing of them is hidden. */
export const sqliteInnocent: readonly string[] = [
  'select rowid, name from users',
  'select id from nicknames',
  'select id from nicknames order by nick',
  'select oid from products',
  'select title from coded',
  'select part, title from keyed',
  'select holder from badges',
  'select count(*) from badges',
  'select title from letters',
  "select rowid, title from letters where letters match 'all'",
  'select name from mails',
  'select * from notes',
  "select highlight(notes, 1, '<', '>') from notes('all')",
  'select * from places where low > 1',
  'select * from old_letters',
  'select name, sql from sqlite_schema',
  "select name from pragma_table_info('users')",
  'pragma table_info(users)',
  "select * from pragma_index_list('users')",
  'select name, pgsize from dbstat',
  'select j.value from orders o, json_each(o.meta) j',
  "select j.value from json_each('[1, 2]') j",
  "select meta ->> '$.size', json_extract(meta, '$.size') from orders",
  'select json_group_array(name) from users',
  "select json_object('id', id, 'name', name, 'age', age) from users",
  "select printf('%s is %d', name, age) from users",
  "select format('%s', name), age from users where email like 'c%' order by salary",
  'select coalesce(name, note, status), max(name, note), min(id, age) from users where phone is not null',
  'select label from users',
  "select iif(age > 22, name, status), case when age in (21, 22) then 'a' else 'b' end from users",
  "select name from users where email in ('canary1', 'x') and salary between 1 and 99999999",
  "select name from users where case when email like 'c%' then 1 else 0 end = 1",
  'select name from users where exists (select 1 from users u where u.email = users.email)',
  'select name, exists (select 1 from orders o where o.user_id = users.id) from users where email is not null',
  'select name from users order by email limit 2',
  'select name from users group by email, name having max(salary) > 1',
  'select status, group_concat(name order by email) from users group by status',
  'select name, row_number() over (partition by status order by email) from users',
  'select sum(age) over (order by email rows 1 preceding), lag(name) over (order by phone) from users',
  'select sum(age) over (order by salary range between 1 preceding and current row) from users',
  'select count(*) from (select distinct email from users)',
  'select name from users where id in (select user_id from orders) and email <> name',
  'select o.item from orders o where o.email not in (select email from users)',
  'with x as (select id, email from users) select id from x where email is not null',
  'select id, name from (select * from users union all select * from users) order by email',
  'select name from users union select item from orders order by 1',
  "select id from users where upper(email) = 'X'",
  "select name from users where length(email) > 1 and substr(email, 1, 1) = 'c'",
  'select max(id), name from users where token is not null',
  "select name, created, date(created), strftime('%Y', created) from users",
  'select email from orders',
  'select title from names',
  'select name, amount from user_orders',
  'select n from lowered',
  'select * from statuses',
  'select email as name_of from swapped',
  'select count(*) from vault',
  'select 1 from vault',
  'select count(*) from (select * from vault)',
  'select ward from patients where diagnosis is not null',
  'select email is null, email is not null, phone isnull from users',
  'select u.name, (select count(*) from orders o where o.user_id = u.id) from users u order by u.email desc',
  'select changes(), last_insert_rowid(), sqlite_version()',
  'explain query plan select email from users',
  'explain select email from users where id = 1',
  'values (1, 2), (3, 4)',
];

/** Writes that would copy protected values to where they are shown, or cannot be followed. */
export const sqliteWriteAttacks: readonly string[] = [
  'insert into audit (email_text) select email from users',
  'insert into audit (email_text) select upper(email) from users',
  'insert into audit (num) select salary from users',
  'insert into audit (num) select length(email) from users',
  'insert into audit select 50 + id, email, 1 from users',
  'insert into audit (email_text) values ((select email from users where id = 1))',
  "insert into audit (email_text) values ('x' || (select max(email) from users))",
  'insert into audit (email_text) select contact from contacts',
  'insert into audit (email_text) select c from deep',
  'insert into audit (email_text) with x as (select email from users) select * from x',
  'with x as (select email e from users) insert into audit (email_text) select e from x',
  'insert into audit (email_text) select name from products union select email from users',
  'insert into audit (email_text) select value from users, json_each(profile)',
  'insert or replace into audit (id, email_text) select id, email from users',
  'replace into audit (id, email_text) select id, email from users',
  "insert into audit (id, email_text) values (1, 'a') on conflict (id) do update set email_text = (select email from users where id = 1)",
  "insert into users (id, name) values (1, 'x') on conflict (id) do update set note = email",
  "insert into users (id, name) values (1, 'x') on conflict (id) do update set note = users.email || excluded.name",
  "insert into audit (email_text) select case when email like 'c%' then 'c' end from users",
  'insert into audit (id) select number from badges',
  'insert into audit (id) select rowid from badges',
  'insert into leaky (num) values (99)',
  'update users set note = email',
  'update users set name = email || phone',
  'update users set note = (select max(email) from users)',
  'update products set name = (select email from users where users.id = products.id)',
  'update products set name = u.email from users u where u.id = products.id',
  'update products set price = (select salary from users where users.id = products.id)',
  'update users set email = name, note = email',
  'update users set note = email_lower',
  'update users set age = salary',
  'update users set note = token, phone = email where id = 1',
  'update users set iban = email',
  'update users set iban = substr(iban, 1, 8)',
  'update users set phone = email',
  'update contacts set name = contact',
  'insert into notes (title, text) select name, email from users',
  'insert into letters (title, body) select email, name from users',
  'insert into places (id, low, high) select id, salary, salary from users',
  'create table stolen as select * from users',
  'create table stolen as select email as e from users',
  'create table stolen as with x as (select email from users) select * from x',
  'create temp table stolen as select email from users',
  'create table stolen as select number from badges',
  'create trigger another after update on products begin insert into log (text_of) select email from users; end',
  'create virtual table stolen using fts5 (email, content = users)',
  "create virtual table stolen using fts5vocab ('letters', 'row')",
  'alter table users rename to people',
  'alter table users rename column email to contact',
  'alter table "USERS" rename "email" to x',
  'alter table letters rename to stolen',
  'insert into copies (id, email) select id, email from users',
  'select email from users',
];

/** Rows that a write returns, in which protected columns are hidden. */
export const returningAttacks: readonly string[] = [
  "update users set note = 'x' where id = 1 returning *",
  "update users set note = 'x' where id = 1 returning email",
  "update users set note = 'x' where id = 1 returning id, upper(email), phone || ''",
  "update users set note = 'x' where id = 1 returning (select email from users where id = 2)",
  'delete from audit where id = 77 returning (select email from users limit 1)',
  "insert into audit (id, email_text) values (91, 'x') returning id, (select phone from users where id = 1)",
  "insert into users (id, name) values (1, 'x') on conflict (id) do update set note = 'y' returning email as note",
  'delete from badges where number = 7731999 returning rowid',
];

/** Writes that show nothing. */
export const innocentWrites: readonly string[] = [
  "update users set name = 'other' where id = 1",
  "update users set email = 'new@x' where id = 9",
  "update users set note = name || ' seen', age = age + 1 where email like 'c%'",
  'update users set email = upper(email) where id = 1',
  'update users set email = email, phone = phone where id = 1',
  "insert into users (id, email, name) values (50, 'fifty', 'name 50')",
  "insert into users (id, name) values (50, 'x') on conflict (id) do update set name = excluded.name",
  'insert into audit (email_text, num) select name, age from users where email is not null',
  'insert into audit (num) select count(email) from users',
  'insert into copies (id, iban) select id, iban from users',
  'update products set name = (select name from users where users.id = products.id)',
  'update products set price = price + 1 returning id, name',
  "insert into notes values ('b', 'more')",
  "update contacts set name = 'by view' where id = 2",
  'delete from orders where user_id = 4 returning id, email',
  'delete from users where id = 4',
  'create table plain (id integer primary key, x text)',
  'create table fine as select id, name from users',
  'create view more as select email from users',
  'create index users_name on users (name, email)',
  'alter table users add column extra text',
  'alter table products rename to goods',
  'drop view more',
  'drop table plain',
];
