import { listStatements, type WriteWorld } from './scope-write-world.ts';

const attacks = `
insert into hr.salaries values (100, 'x')
insert into hr.orders (id) values (1)
insert into app.secret_notes values (1, 'x')
insert into secret_notes values (1, 'x')
update hr.salaries set amount = 'x'
update hr.salaries set amount = 'x' where id = 1
delete from hr.salaries where id = 1
delete from hr.log
insert into app.notes (id, note) select id, amount from hr.salaries
insert into app.notes (id, note) select 50, max(amount) from hr.salaries
insert into app.notes (id, note) values (51, (select max(amount) from hr.salaries))
insert into app.notes (id, note) select o.id + 60, s.amount from app.orders o join hr.salaries s on s.id = o.id
insert into app.notes (id, note) with x as (select * from hr.salaries) select id, amount from x
insert into app.notes (id, note) select id + 70, note from app.secret_notes
insert into app.notes (id, note) select id, amount from app.granted
insert into app.notes (id) select id from app.over_granted
insert into app.hr_orders values (1, 'x')
update app.hr_orders set note = 'x' where id = 1
delete from app.hr_orders where id = 1
update app.notes set note = (select max(amount) from hr.salaries) where id = 1
update app.notes set note = 'x' where id in (select id from hr.salaries)
delete from app.notes where id in (select id from hr.salaries)
delete from app.notes where exists (select 1 from app.secret_notes)
insert into app.leaking values (1, 'x')
insert into app.reading values (1, 'x')
insert into app.deep values (1, 'x')
insert into app.calling values (1, 'x')
insert into app.notes (id, note) values (80, app.salary())
update app.notes set note = app.salary() where id = 1
delete from app.notes where note = app.salary()
select app.salary()
insert into app.notes (id) select 81 from app.calls
select * from app.calls
delete from app.parents where id = 1
update app.parents set id = 5 where id = 1
delete from app.checked where id = 1
update app.checked set id = 5 where id = 1
insert into app.orders (customer, payroll_id) values ('x', 1)
update app.orders set payroll_id = 2 where id = 1
call app.work()
create table hr.made (id int)
create table app.secret_made (id int)
create table app.copied as select * from hr.salaries
create table app.copied as select id, note from app.secret_notes
create view app.seen as select * from hr.salaries
create view app.seen as select * from app.granted
create view hr.seen as select * from app.notes
drop table hr.log
drop table app.secret_notes
drop table app.notes, hr.log
drop view hr.of_notes
drop table app.doomed
truncate table hr.log
truncate table app.parents
alter table hr.salaries add column x int
alter table app.secret_notes add column x int
alter table hr.salaries rename to sal
alter table app.notes rename to secret_all
alter table app.notes add foreign key (id) references hr.salaries (id)
create index made on hr.salaries (amount)
grant select on hr.salaries to public
create table app.like_it (like hr.salaries)
select * from hr.salaries
explain select * from hr.salaries
explain insert into app.notes (id) values (1)`;

const postgresAttacks = `
with x as (delete from hr.log returning *) select * from x
with x as (insert into hr.log values ('x') returning note) insert into app.notes (id, note) select 90, note from x
with x as (select * from hr.salaries) update app.notes set note = x.amount from x where notes.id = x.id
with notes as (select 1 as id) delete from hr.salaries using notes where salaries.id = notes.id
update app.notes n set note = s.amount from hr.salaries s where s.id = n.id
delete from app.notes n using hr.salaries s where s.id = n.id
insert into app.notes (id, note) values (1, 'x') on conflict (id) do update set note = (select max(amount) from hr.salaries)
insert into app.parents values (1, 'x') on conflict (id) do update set id = 77
insert into app.orders (id, customer) values (1, 'x') on conflict (id) do update set payroll_id = 3
insert into app.notes (id, note) values (92, 'x') returning (select max(amount) from hr.salaries)
merge into hr.salaries s using app.notes n on n.id = s.id when matched then delete
merge into app.notes n using hr.salaries s on n.id = s.id when matched then update set note = s.amount
merge into app.notes n using app.orders o on n.id = o.id when matched then update set note = app.salary()
merge into app.parents p using app.orders o on p.id = o.id when matched then delete
insert into app.leaking_parts values (1, 1)
update app.leaking_parts set day = 2 where id = 1
insert into hr.parts_1 values (1, 1)
update app.kin set id = 1 where id = 2
delete from app.kin where id = 2
insert into app.dynamic values (1, 'x')
insert into app.defining values (1)
insert into app.defaulted (id) values (1)
insert into app.ruled values (1, 'x')
insert into app.policed values (1, 'x')
update app.policed set note = 'x' where id = 1
insert into app.notes (id) select id from app.policed
insert into app.payments values (1, 'x')
insert into app.notes (id, note) values (93, 'x'::app.payment)
insert into app.instead values (1, 'x')
insert into app.numbered (note) values ('x')
insert into app.notes (id) values (nextval('hr.numbers'))
select setval('hr.numbers', 5)
select app.hide()
select app.hide_atomic()
insert into app.notes (id) values (null::hr.salaries)
insert into app.notes (id, note) select 94, query_to_xml('select * from hr.salaries', true, true, '')::text
insert into app.notes (id, note) values (95, pg_read_file('x'))
insert into app.notes (id, note) select 96, 'hr.salaries'::regclass::text
insert into app.notes (id, note) select oid::int, relname from pg_class
copy hr.salaries to stdout
copy app.notes from program 'x'
copy app.notes from '/tmp/x'
do $$ begin delete from hr.log; end $$
lock table hr.salaries
refresh materialized view hr.mat
prepare x as delete from hr.log
execute x
set search_path = hr
select set_config('search_path', 'hr', false)
select set_config('search_path', 'hr', true), app.add_note('x')
create trigger t after insert on app.notes for each row execute function app.leak()
create rule r as on insert to app.notes do also delete from hr.log
create policy p on app.notes using (true)
create function app.f() returns int language sql as 'select 1'
create materialized view app.mat as select * from hr.salaries
select * into app.made from hr.salaries
create table app.child () inherits (hr.orders)
create table app.typed of hr.salaries
create table app.part partition of hr.parts_1 for values from (0) to (1)
create table app.defaults (id int, note text default app.salary())
create table app.defaults (id int, amount hr.salaries)
create temp table notes (id int)
create table app.made (id int primary key references hr.salaries (id))
create index made on app.notes (app.salary())
alter table app.leaking_parts attach partition hr.orders for values from (10) to (20)
alter table app.orders inherit hr.orders
alter table hr.orders set schema app
alter table app.notes set schema hr
alter table app.notes owner to postgres
alter table app.notes disable trigger all
alter table app.notes alter column note set default app.salary()
alter table app.notes alter column note type text using app.salary()
alter table app.notes drop column note cascade
drop table app.notes cascade
drop table app.notes
drop schema app cascade
drop function app.leak() cascade
drop owned by current_user
comment on table hr.salaries is 'x'
truncate app.checked cascade
update app.unknown_table set id = 1 where id = 1
insert into unknown_table values (1)
analyze hr.salaries
vacuum
reindex table hr.salaries
cluster hr.salaries
notify x
alter system set work_mem = '1MB'`;

const mysqlAttacks = `
update (hr.log) set note = 'x'
update ((hr.log l)) set l.note = 'x'
update (app.notes, hr.log) set log.note = 'x'
with x as (select 1) update (hr.log) set note = 'x'
update (app.secret_notes) set note = 'x'
update app.parents set id := 77
update app.parents set note = 'x', \`İd\` = 77
insert into app.parents values (1, 'x') on duplicate key update id := 77
insert into .secret_notes values (2, 'x')
replace .secret_notes values (1, 'x')
create table app.made (id int) engine = \`merge\`
create table app.made (id int) engine "mrg_myisam"
create table app.made (id int) engine 'connect' table_type = 'DOS' file_name = '/etc/passwd'
alter table app.notes convert partition p to table hr.stolen
alter table app.notes convert table hr.log to partition p values less than (9)
rename table app.notes wait 1 to hr.notes
replace into hr.salaries values (1, 'x')
replace into app.notes (id, note) select id, amount from hr.salaries
replace into app.parents values (1, 'x')
replace into app.checked values (1, 'x')
insert into app.notes (id, note) values (1, 'x') on duplicate key update note = (select max(amount) from hr.salaries)
insert into app.parents values (1, 'x') on duplicate key update id = 77
insert into app.orders (id, customer) values (1, 'x') on duplicate key update payroll_id = 2
insert into app.notes set id = 90, note = (select max(amount) from hr.salaries)
insert into app.notes (id, note) table hr.salaries
update app.notes n join hr.salaries s on s.id = n.id set n.note = s.amount
update app.notes n, hr.salaries s set s.amount = 'x' where s.id = n.id
update hr.salaries s, app.notes n set n.note = 'x' where s.id = n.id
update app.notes n left join (select * from hr.salaries) s on s.id = n.id set n.note = s.amount
delete n from app.notes n join hr.salaries s on s.id = n.id
delete hr.salaries from app.notes join hr.salaries on salaries.id = notes.id
delete from hr.salaries using app.notes join hr.salaries on salaries.id = notes.id
delete from s using app.notes n join hr.salaries s on s.id = n.id
delete from app.notes using app.notes, hr.salaries where salaries.id = notes.id
delete low_priority quick ignore from hr.log
insert low_priority ignore hr.log values ('x')
insert into hr . log values ('x')
insert /* x */ into /*! hr.log */ values ('x')
/*! insert into hr.log values ('x') */
insert into \`hr\`.\`log\` values ('x')
insert into app.through values (1, 'x')
insert into app.notes (id, note) values (91, app.log_note('x'))
select app.log_note('x')
update app.notes set note = 'y' where app.log_note('x') = 1
select amount from hr.salaries into outfile '/tmp/x'
select note from app.notes into outfile '/tmp/x'
select max(amount) into @x from hr.salaries
insert into app.notes (id, note) values (92, load_file('/etc/passwd'))
load data infile '/tmp/x' into table app.notes
load data local infile '/tmp/x' into table hr.log
load xml infile '/tmp/x' into table app.notes
do app.log_note('x')
do (select count(*) from hr.salaries)
call app.hide()
handler hr.salaries open
prepare x from 'delete from hr.log'
execute x
set @x = (select max(amount) from hr.salaries)
create table app.made select * from hr.salaries
create table app.made like hr.salaries
create table app.made (id int, foreign key (id) references hr.salaries (id))
create table app.made (id int) engine = merge union = (hr.salaries)
create table app.made (id int) engine = federated connection = 'mysql://x/y'
create table app.made (id int) data directory = '/tmp'
create or replace view app.open_orders as select * from hr.salaries
alter view app.open_orders as select * from hr.salaries
create trigger app.t after insert on app.notes for each row delete from hr.log
create procedure app.p() delete from hr.log
create function app.f() returns int deterministic return 1
create event app.e on schedule every 1 day do delete from hr.log
create database more
drop database hr
drop trigger app.leak
drop procedure app.hide
rename table app.notes to hr.notes
rename table hr.log to app.log
rename table app.notes to app.more, hr.log to app.log
alter table app.notes rename hr.notes
alter table app.notes rename to hr.notes
alter table app.notes exchange partition p with table hr.log
alter table app.notes engine = federated
create temporary table app.t (id int)
create unique index made on hr.salaries (id)
drop index made on hr.salaries
analyze table hr.salaries
optimize table hr.salaries
flush tables
lock tables hr.salaries read
insert into information_schema.tables values (1)
update mysql.user set host = 'x'
insert into app.notes (id, note) select 95, table_name from information_schema.tables
insert into app.notes (id, note) values (96, 'x'); delete from hr.log`;

const innocent = `
insert into app.orders (customer) values ('x')
insert into orders (customer, qty) values ('x', 2), ('y', 3)
update app.orders set customer = 'z' where id = 3
update orders set qty = qty + 1 where id in (select order_id from items)
delete from app.items where id = 2
delete from app.orders where id = 2
insert into app.items (order_id, name) values (1, 'x')
insert into app.notes (id, note) select id + 100, customer from app.orders
insert into app.notes (id, note) select id + 200, customer from open_orders
update app.open_orders set customer = 'v' where id = 3
insert into app.audited values (1, 'x')
insert into app.stamped (id, note) values (1, null)
insert into app.notes (id, note) values (300, upper(concat('a', 'b')))
update app.notes set note = 'n' where id = (select max(id) from app.orders) + 1000
insert into app.notes (id, note) values (301, app.total())
insert into app.parents values (1, 'x')
update app.parents set note = 'y' where id = 1
insert into app.refs values (1, 1)
delete from app.refs where id = 1
create table app.made (id int primary key, note varchar(20) default 'x', order_id int references app.orders (id))
alter table app.made add column more int
create index made_note on app.made (note)
insert into app.made (id) values (1)
alter table app.made rename to made_again
create view app.made_view as select id, customer from app.orders
drop view app.made_view
truncate table app.made_again
drop table app.made_again
select count(*) from app.orders
create table app.copied as select id, customer from app.orders
drop table if exists app.copied`;

const postgresInnocent = `
with gone as (delete from app.items where id = 1 returning *) insert into app.audits (what) select name from gone
insert into app.notes (id, note) values (1, 'x') on conflict (id) do update set note = excluded.note
insert into app.notes (id, note) values (400, 'x') returning id, note
merge into app.notes n using app.orders o on n.id = o.id when matched then update set note = o.customer when not matched then insert (id, note) values (o.id + 500, 'm')
update app.notes n set note = o.customer from app.orders o where o.id = n.id
delete from app.notes n using app.orders o where o.id + 100 = n.id
insert into app.parts values (1, 1)
update app.parts set day = 3 where id = 1
insert into app.ruled_inside values (1, 'x')
select app.add_note('x')
select nextval('app.orders_id_seq')
comment on table app.notes is 'x'
create index made_lower on app.notes (lower(note))
create materialized view app.mat as select count(*) as n from app.orders
drop materialized view app.mat
create table app.more_parts partition of app.parts for values from (10) to (20)
alter table app.orders add constraint short check (length(customer) < 100)
alter table app.notes add column added text default 'x', alter column added set not null`;

const mysqlInnocent = `
replace into app.audits (id, what) values (1, 'x')
insert into app.notes (id, note) values (1, 'x') on duplicate key update note = values(note)
insert into app.notes set id = 400, note = 'x'
insert ignore into app.notes (id, note) select id, customer from app.orders
update app.notes n join app.orders o on o.id = n.id set n.note = o.customer
delete n from app.notes n join app.orders o on o.id + 100 = n.id
delete from n using app.notes n join app.orders o on o.id + 200 = n.id
insert into app.notes (id, note) with x as (select id + 600 as i, customer from app.orders) select i, customer from x
insert into app.notes (id, note) values (402, app.add_note('x'))
update orders o set o.customer = 'q' where o.id = 4 order by o.id limit 1
create table app.twin like app.notes
rename table app.twin to app.twins
drop table app.twins`;

export function listWriteAttacks(world: WriteWorld): readonly string[] {
  return listStatements(
    `${attacks.trim()}\n${(world.account.type === 'postgres' ? postgresAttacks : mysqlAttacks).trim()}`,
    world,
  );
}

export function listInnocentWrites(world: WriteWorld): readonly string[] {
  return listStatements(
    `${innocent.trim()}\n${(world.account.type === 'postgres' ? postgresInnocent : mysqlInnocent).trim()}`,
    world,
  );
}
