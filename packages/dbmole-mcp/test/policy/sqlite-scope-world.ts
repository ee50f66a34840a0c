/** It is in every row outside of the scope. */
export const canary = 'CANARY-7f3a';
/** Names that are outside only. */
export const hidden = /CANARY-7f3a|salaries|amount_of|payroll|secret_n/g;

/** What is inside of the scope. */
export const tables = ['orders', 'parts', 'items', 'granted', 'renamed', 'texts', 'codes', 'log', '!secret*'];

export const worldSql = `
create table salaries (id integer primary key, amount_of text);
insert into salaries values (1, '${canary}'), (2, '${canary}');
create table secret_notes (id int, note text);
insert into secret_notes values (1, '${canary}');
create table orders (id integer primary key, customer text, payroll_id int references salaries (id));
insert into orders values (1, 'customer 1', 1), (2, 'customer 2', 2);
create index orders_customer on orders (customer);
create index salaries_amount on salaries (amount_of);
create table parts (id integer primary key, order_id int references orders (id) on delete cascade, day int);
insert into parts values (1, 1, 1);
create table items (id integer primary key autoincrement, title text);
insert into items (title) values ('item 1');
create table log (id integer primary key, line text);
create view granted as select o.id, s.id as other from orders o join salaries s on s.id = o.id;
create view renamed as select id, amount_of as title from salaries where 0;
create view payroll as select id from orders;
create virtual table texts using fts5 (title, body);
insert into texts values ('a text', 'for all');
create virtual table secret_texts using fts5 (title, body);
insert into secret_texts values ('${canary}', '${canary}');
create table keyed_salaries (code text unique, amount_of text);
create view codes as select code from keyed_salaries;
create table bonuses (id integer primary key, salary_id int references salaries (id) on delete cascade);
create trigger parts_log after insert on parts when new.day = 77 begin insert into log (line) select amount_of from salaries; end;
create trigger items_log after update on items begin insert into log (line) values (new.title); end;
analyze;
`;

export const attacks: readonly string[] = [
  'select * from salaries',
  'select amount_of from main.salaries',
  'select * from "salaries"',
  "select * from 'salaries'",
  'select * from [salaries]',
  'select * from `SALARIES`',
  'select * from Salaries s',
  'select salaries.* from salaries',
  'select * from/**/salaries',
  'select * from main . salaries',
  "select * from main.'salaries'",
  'select (select amount_of from salaries limit 1)',
  'select * from orders where exists (select 1 from salaries)',
  'select * from orders where id in (select id from salaries)',
  'select * from orders where id in salaries',
  'select * from orders where (id, customer) in main.salaries',
  'select * from orders where id not in salaries',
  'select o.id, s.* from orders o join salaries s on s.id = o.id',
  'select o.id from orders o, salaries s',
  'select * from orders window, salaries',
  'select * from (orders window, salaries)',
  'select (select amount_of from granted window, salaries)',
  'select s.* from parts p join orders with using (id), salaries s',
  'select s.* from parts p join orders with on (1), main.salaries s',
  'select o.id from orders o, parts p, salaries s where s.id = o.id',
  'select o.id from orders o join parts p on p.id = o.id, salaries',
  'select o.id from orders o left join salaries s using (id)',
  'select * from orders natural join salaries',
  'select * from (orders o join salaries s)',
  'select * from (orders, salaries)',
  'select * from ((orders), (salaries))',
  'select * from (select * from (select amount_of from salaries) a) b',
  'with s as (select * from salaries) select * from s',
  'with s as materialized (select * from salaries) select * from s',
  'with recursive s as (select id, amount_of from salaries union all select id + 1, amount_of from s where id < 3) select * from s',
  'with a as (select 1 as x), b as (select amount_of from salaries) select * from a, b',
  'with orders as (select * from salaries) select * from orders',
  'with salaries as (select 1) select * from main.salaries',
  'select * from (with salaries as (select 1) select * from salaries), salaries',
  'select (with salaries as (select 1) select 1) from salaries',
  'select id, customer, 1 from orders union all select id, amount_of, 2 from salaries',
  'select 1 union select amount_of from salaries',
  'select 1 intersect select count(*) from salaries',
  'select 1 except select amount_of from salaries',
  'select case when (select count(*) from salaries) > 1 then 1 else 0 end',
  'select max(amount_of) from salaries group by id having count(*) > 0',
  'select * from orders order by (select amount_of from salaries limit 1)',
  'select * from orders limit (select id from salaries)',
  'select sum(id) over (order by (select amount_of from salaries)) from orders',
  'select count(*) filter (where exists (select 1 from salaries)) from orders',
  'select * from orders where id is not distinct from (select id from salaries)',
  'select a.id is distinct from b.id from orders a, orders b, salaries',
  'select * from salaries indexed by salaries_amount',
  'select * from salaries not indexed',
  'select * from payroll',
  'select * from secret_notes',
  'select * from secret_anything',
  'select * from does_not_exist',
  "select * from secret_texts('CANARY')",
  'select * from secret_texts_content',
  'select * from texts_content',
  'select * from sqlite_schema',
  'select name from sqlite_master',
  'select * from main.sqlite_schema',
  'select * from temp.sqlite_schema',
  'select * from sqlite_temp_schema',
  'select * from sqlite_sequence',
  'select * from sqlite_stat1',
  "select * from pragma_table_info('salaries')",
  'select * from pragma_table_list',
  'select * from pragma_index_list',
  'select * from dbstat',
  'pragma table_info(salaries)',
  'pragma table_list',
  'pragma database_list',
  'explain select * from salaries',
  'explain query plan select * from granted',
  '/* x */ explain query plan select 1',
  'explain select * from orders',
  "select rtreecheck('salaries')",
  'values ((select amount_of from salaries))',
  'values (1), ((select id from salaries))',
  'select * from json_each((select json_group_array(amount_of) from salaries))',
  'select * from bonuses',
];

export const innocent: readonly string[] = [
  'select 1',
  'select * from orders',
  'select * from ORDERS',
  'select * from "orders" o join main.parts p on p.order_id = o.id',
  'select o.id from orders o, parts p where p.order_id = o.id',
  'select sum(o.id) over w from orders o, parts p window w as (order by o.id), v as (order by p.id)',
  'select window.id from orders window, (with x as (select 1) select * from x) t, parts with',
  'select customer as salaries from orders',
  'select orders.id, customer, payroll_id from orders where customer is not null order by customer, id',
  "select 'salaries', customer from orders",
  'select * from granted',
  'select * from renamed',
  'with salaries as (select 1 as x) select x from salaries',
  'with a as (select id from orders), b(x) as (select id from a) select * from a join b on b.x = a.id',
  'with recursive n(i) as (select 1 union all select i + 1 from n where i < 3) select i from n',
  'select * from (select id as secret_x from orders) t, (parts)',
  'select id from orders where id in (1, 2) and customer in (select customer from orders)',
  "select value from json_each('[1, 2]')",
  "select o.id, j.value from orders o join json_each('[1]') j",
  "select * from texts('all')",
  "select title from texts where texts match 'all'",
  'select count(*), max(id) from items',
  'select id is distinct from payroll_id, id from orders',
  'select id from orders union select id from parts order by 1 limit 5',
  'values (1, 2)',
];

/** Each of these leads outside, or cannot be followed. */
export const writeAttacks: readonly string[] = [
  "insert into salaries values (9, 'x')",
  "update salaries set amount_of = 'x'",
  'delete from salaries',
  'delete from main.salaries where id = 1',
  'insert into log (line) select amount_of from salaries',
  'insert into log (line) values ((select amount_of from salaries))',
  'update items set title = (select amount_of from salaries)',
  'update items set title = s.amount_of from salaries s',
  'with s as (select amount_of a from salaries) insert into log (line) select a from s',
  'insert into log (line) select other from granted',
  'insert into log (line) select code from codes',
  'insert into parts (id, day) values (77, 77)',
  'insert into orders (id, payroll_id) values (77, 1)',
  'update orders set payroll_id = 2 where id = 1',
  'insert into log (line) select name from sqlite_schema',
  'insert or replace into salaries values (1, 2)',
  'replace into salaries values (1, 2)',
  'update or ignore salaries set amount_of = 1',
  "insert into secret_texts values ('a', 'b')",
  "insert into items (title) values ('x') returning (select amount_of from salaries)",
  'create table stolen as select * from salaries',
  'create table stolen (x)',
  'create table secret_new (x)',
  'create view parts_view as select * from orders',
  'create index x on salaries (amount_of)',
  'create trigger t after insert on items begin delete from orders; end',
  'create virtual table items2 using fts5 (x)',
  'drop table salaries',
  'drop view payroll',
  'drop index salaries_amount',
  'drop trigger items_log',
  'alter table salaries add column x',
  'alter table orders rename to salaries2',
  'alter table items add column x int references salaries (id)',
  'analyze',
  'reindex',
  'vacuum',
];

export const innocentWrites: readonly string[] = [
  "insert into items (title) values ('x')",
  "update items set title = 'y' where id = 1",
  'insert into log (line) select customer from orders',
  "update orders set customer = 'c' where id = 1",
  'delete from parts where id = 5',
  "insert into texts values ('t', 'b')",
  "delete from items where title = 'y' returning id",
  'with a as (select 1 as x) insert into items (title) select x from a',
  'create index items_title on items (title)',
  'alter table items add column extra text',
  'drop index items_title',
];
