What is no read on SQLite, one mechanism after another, against the file of ../sqlite/guard-fixture.ts.
  input:   yes: an error about the caller's input is as good as a refusal
  control: yes: the statement changes the folder when it runs without a guard

{OUT} is a folder beside the file.

--- write-insert | refuse | a plain write | control: yes
insert into audits values (1)
--- write-insert-default | refuse | without values | control: yes
insert into audits default values
--- write-insert-select | refuse | from a query | control: yes
insert into audits select id from orders
--- write-insert-or | refuse | with a clause for conflicts | control: yes
insert or replace into audits values (1)
--- write-replace | refuse | the short form | control: yes
replace into audits values (1)
--- write-update | refuse | all rows | control: yes
update orders set status = 'x'
--- write-update-or | refuse | with a clause for conflicts | control: yes
update or ignore orders set status = 'x'
--- write-update-from | refuse | with another table | control: yes
update orders set status = c.name from customers c where c.id = customer_id
--- write-delete | refuse | all rows
delete from audits
--- write-delete-returning | refuse | rows come back, but they are gone | control: yes
delete from order_lines returning *
--- write-insert-returning | refuse | rows come back | control: yes
insert into audits values (1) returning order_id
--- write-small | refuse | small and large letters | control: yes
InSeRt InTo audits VaLuEs (1)
--- write-comment-before | refuse | a comment in front | control: yes
/* select */ insert into audits values (1)
--- write-line-comment-before | refuse | a comment up to the end of the line | control: yes
-- select 1
insert into audits values (1)
--- write-comment-inside | refuse | a comment between the words | control: yes
insert/**/into/**/audits values (1)
--- write-blanks | refuse | blanks of all kinds | control: yes
	
  insert	into
audits values (1)
--- write-bom | refuse | the mark of byte order in front
﻿insert into audits values (1)
--- write-semicolon-first | refuse | an empty statement first
; insert into audits values (1)
--- write-with | refuse | behind WITH | control: yes
with a as (select 1) insert into audits select * from a
--- write-with-update | refuse | behind WITH | control: yes
with a(x) as (select 1) update orders set status = 'x' where id in (select x from a)
--- write-with-delete | refuse | behind WITH | control: yes
with a as (select 1) delete from order_lines
--- write-with-replace | refuse | behind WITH | control: yes
with a as (select 1) replace into audits select * from a
--- write-with-recursive | refuse | behind WITH RECURSIVE | control: yes
with recursive a(x) as (select 1 union all select x + 1 from a where x < 3) insert into audits select x from a
--- write-with-materialized | refuse | with a word for the planner | control: yes
with a as not materialized (select 1) insert into audits select * from a
--- write-with-two | refuse | behind two of them | control: yes
with a as (select 1), b as (select 2) insert into audits select * from b
--- write-with-named-select | refuse | a name that looks like a query | control: yes
with [select] as (select 1) insert into audits select * from [select]
--- write-upsert | refuse | ON CONFLICT | control: yes
insert into customers (id, name) values (1, 'x') on conflict (id) do update set name = 'y'
--- write-fts | refuse | an index for texts | control: yes
insert into docs values ('a', 'b')
--- write-fts-command | refuse | a command as a row | control: yes
insert into docs (docs) values ('rebuild')
--- write-fts-optimize | refuse | a command as a row
insert into docs (docs) values ('optimize')
--- write-rtree | refuse | an index for places | control: yes
insert into places values (2, 1, 2)
--- write-schema | refuse | the catalog itself
update sqlite_schema set sql = ''
--- write-master | refuse | by its old name
delete from sqlite_master
--- write-sequence | refuse | the counter of AUTOINCREMENT | control: yes
update sqlite_sequence set seq = 0
--- ddl-create-table | refuse | changes the structure | control: yes
create table evil (a)
--- ddl-create-table-as | refuse | changes the structure | control: yes
create table evil as select * from orders
--- ddl-create-temp | refuse | changes the structure
create temp table evil (a)
--- ddl-create-index | refuse | changes the structure | control: yes
create index evil on orders (total)
--- ddl-create-view | refuse | changes the structure | control: yes
create view evil as select 1
--- ddl-create-trigger | refuse | changes the structure | control: yes
create trigger evil after insert on audits begin delete from orders; end
--- ddl-create-virtual | refuse | changes the structure | control: yes
create virtual table evil using fts5(a)
--- ddl-create-virtual-csv | refuse | changes the structure
create virtual table evil using csv(filename = '/etc/passwd')
--- ddl-create-virtual-dbstat | refuse | changes the structure
create virtual table temp.evil using dbstat(main)
--- ddl-alter-rename | refuse | changes the structure | control: yes
alter table orders rename to evil
--- ddl-alter-add | refuse | changes the structure | control: yes
alter table orders add column evil
--- ddl-alter-drop | refuse | changes the structure | control: yes
alter table order_lines drop column sku
--- ddl-drop-table | refuse | changes the structure | control: yes
drop table order_lines
--- ddl-drop-view | refuse | changes the structure | control: yes
drop view big_orders
--- ddl-drop-index | refuse | changes the structure | control: yes
drop index orders_status
--- ddl-drop-trigger | refuse | changes the structure | control: yes
drop trigger audit_orders
--- ddl-reindex | refuse | changes the structure
reindex
--- ddl-analyze | refuse | changes the structure | control: yes
analyze
--- ddl-analyze-table | refuse | changes the structure | control: yes
analyze orders
--- transaction-begin | refuse | each call has a transaction of its own
begin
--- transaction-begin-immediate | refuse | each call has a transaction of its own
begin immediate
--- transaction-begin-exclusive | refuse | each call has a transaction of its own
begin exclusive transaction
--- transaction-commit | refuse | each call has a transaction of its own
commit
--- transaction-end | refuse | each call has a transaction of its own
end
--- transaction-rollback | refuse | each call has a transaction of its own
rollback
--- transaction-savepoint | refuse | each call has a transaction of its own
savepoint a
--- transaction-release | refuse | each call has a transaction of its own
release a
--- vacuum-plain | refuse | writes a file
vacuum
--- vacuum-main | refuse | writes a file
vacuum main
--- vacuum-into | refuse | writes a file | control: yes
vacuum into '{OUT}/evil.db'
--- vacuum-main-into | refuse | writes a file | control: yes
vacuum main into '{OUT}/evil.db'
--- vacuum-into-expression | refuse | writes a file | control: yes
vacuum into '{OUT}' || '/evil.db'
--- vacuum-into-comment | refuse | writes a file | control: yes
vacuum/*a*/into'{OUT}/evil.db'
--- vacuum-into-upper | refuse | writes a file | control: yes
VACUUM INTO '{OUT}/evil.db'
--- vacuum-into-quoted-schema | refuse | writes a file | control: yes
vacuum "main" into '{OUT}/evil.db'
--- vacuum-into-function | refuse | writes a file | control: yes
vacuum into printf('%s/evil.db', '{OUT}')
--- vacuum-into-uri | refuse | writes a file | control: yes
vacuum into 'file:{OUT}/evil.db'
--- vacuum-into-select | refuse | writes a file | control: yes
vacuum into (select '{OUT}/evil.db')
--- vacuum-into-param | refuse | writes a file
vacuum into ?
--- attach-plain | refuse | reaches another file
attach '{OUT}/evil.db' as evil
--- attach-database | refuse | reaches another file
attach database '{OUT}/evil.db' as evil
--- attach-memory | refuse | reaches another file
attach ':memory:' as evil
--- attach-uri | refuse | reaches another file
attach 'file:{OUT}/evil.db?mode=rwc' as evil
--- attach-other | refuse | reaches another file
attach '/etc/passwd' as evil
--- attach-key | refuse | reaches another file
attach '{OUT}/evil.db' as evil key 'x'
--- attach-expression | refuse | reaches another file
attach '{OUT}' || '/evil.db' as evil
--- attach-comment | refuse | reaches another file
/**/attach/**/'{OUT}/evil.db'/**/as/**/evil
--- detach-main | refuse | gives up the file
detach main
--- pragma-01 | refuse | changes a setting, or is not known
pragma journal_mode = wal
--- pragma-02 | refuse | changes a setting, or is not known
pragma journal_mode(wal)
--- pragma-03 | refuse | changes a setting, or is not known
pragma main.journal_mode = delete
--- pragma-04 | refuse | changes a setting, or is not known
pragma journal_mode='off'
--- pragma-05 | refuse | changes a setting, or is not known
pragma writable_schema = on
--- pragma-06 | refuse | changes a setting, or is not known
pragma writable_schema
--- pragma-07 | refuse | changes a setting, or is not known
pragma user_version = 7
--- pragma-08 | refuse | changes a setting, or is not known
pragma user_version(7)
--- pragma-09 | refuse | changes a setting, or is not known
pragma application_id = 1
--- pragma-10 | refuse | changes a setting, or is not known
pragma query_only = off
--- pragma-11 | refuse | changes a setting, or is not known
pragma query_only(0)
--- pragma-12 | refuse | changes a setting, or is not known
pragma trusted_schema = on
--- pragma-13 | refuse | changes a setting, or is not known
pragma wal_checkpoint
--- pragma-14 | refuse | changes a setting, or is not known
pragma wal_checkpoint(truncate)
--- pragma-15 | refuse | changes a setting, or is not known
pragma incremental_vacuum
--- pragma-16 | refuse | changes a setting, or is not known
pragma incremental_vacuum(10)
--- pragma-17 | refuse | changes a setting, or is not known
pragma optimize
--- pragma-18 | refuse | changes a setting, or is not known
pragma optimize(0x10002)
--- pragma-19 | refuse | changes a setting, or is not known
pragma shrink_memory
--- pragma-20 | refuse | changes a setting, or is not known
pragma temp_store_directory = '{OUT}'
--- pragma-21 | refuse | changes a setting, or is not known
pragma data_store_directory = '{OUT}'
--- pragma-22 | refuse | changes a setting, or is not known
pragma schema_version = 9
--- pragma-23 | refuse | changes a setting, or is not known
pragma locking_mode = exclusive
--- pragma-24 | refuse | changes a setting, or is not known
pragma page_size = 8192
--- pragma-25 | refuse | changes a setting, or is not known
pragma auto_vacuum = 2
--- pragma-26 | refuse | changes a setting, or is not known
pragma encoding = 'UTF-16'
--- pragma-27 | refuse | changes a setting, or is not known
pragma secure_delete = 1
--- pragma-28 | refuse | changes a setting, or is not known
pragma mmap_size = 1000000
--- pragma-29 | refuse | changes a setting, or is not known
pragma cache_size = -1000000
--- pragma-30 | refuse | changes a setting, or is not known
pragma foreign_keys = off
--- pragma-31 | refuse | changes a setting, or is not known
pragma recursive_triggers=1
--- pragma-32 | refuse | changes a setting, or is not known
pragma case_sensitive_like = 1
--- pragma-33 | refuse | changes a setting, or is not known
pragma journal_size_limit = 1
--- pragma-34 | refuse | changes a setting, or is not known
pragma max_page_count = 1
--- pragma-35 | refuse | changes a setting, or is not known
pragma legacy_file_format = 1
--- pragma-36 | refuse | changes a setting, or is not known
pragma ignore_check_constraints = 1
--- pragma-37 | refuse | changes a setting, or is not known
pragma defer_foreign_keys = 1
--- pragma-38 | refuse | changes a setting, or is not known
pragma key = 'x'
--- pragma-39 | refuse | changes a setting, or is not known
pragma rekey = 'x'
--- pragma-40 | refuse | changes a setting, or is not known
pragma activate_extensions = 'x'
--- pragma-41 | refuse | changes a setting, or is not known
pragma "journal_mode" = wal
--- pragma-42 | refuse | changes a setting, or is not known
pragma [journal_mode](wal)
--- pragma-43 | refuse | changes a setting, or is not known
PRAGMA/**/journal_mode/**/=/**/wal
--- pragma-44 | refuse | changes a setting, or is not known
pragma main . user_version = 7
--- pragma-45 | refuse | changes a setting, or is not known
pragma table_info(orders); drop table orders
--- pragma-46 | refuse | changes a setting, or is not known
pragma integrity_check(orders) = 1
--- pragma-47 | refuse | changes a setting, or is not known
pragma table_list = orders
--- explain-01 | refuse | only queries are explained
explain pragma journal_mode = wal
--- explain-02 | refuse | only queries are explained
explain query plan pragma user_version = 7
--- explain-03 | refuse | only queries are explained
explain vacuum
--- explain-04 | refuse | only queries are explained
explain query plan vacuum into '{OUT}/evil.db'
--- explain-05 | refuse | only queries are explained
explain attach '{OUT}/evil.db' as evil
--- explain-06 | refuse | only queries are explained
explain explain select 1
--- explain-07 | refuse | only queries are explained
explain query plan insert into audits values (1)
--- explain-08 | refuse | only queries are explained
explain delete from orders
--- explain-09 | refuse | only queries are explained
explain
--- explain-10 | refuse | only queries are explained
explain query plan
--- explain-11 | refuse | only queries are explained
explain begin
--- several-01 | refuse | a second statement
select 1; delete from orders
--- several-02 | refuse | a second statement
select 1;; drop table orders
--- several-03 | refuse | a second statement
select 1; select 2
--- several-04 | refuse | a second statement
select 1 /* ; */ ; drop table orders
--- several-05 | refuse | a second statement
select ';'; drop table orders
--- several-06 | refuse | a second statement
select 1;
-- comment
drop table orders
--- several-07 | refuse | a second statement
select 1; vacuum into '{OUT}/evil.db'
--- several-08 | refuse | a second statement
values (1); insert into audits values (1)
--- several-09 | refuse | a second statement
pragma user_version; pragma user_version = 7
--- several-10 | refuse | a second statement
with a as (select 1) select * from a; delete from orders
--- several-11 | refuse | a second statement
select ";"; delete from orders
--- several-12 | refuse | a second statement
select 1 --
; delete from orders
--- several-13 | refuse | a second statement
select [;]; delete from orders
--- several-14 | refuse | a second statement
select x'00'; delete from orders
--- several-15 | refuse | a second statement
select 1;﻿ delete from orders
--- function-01 | refuse | loads code, or reaches files or raw pages
select load_extension('{OUT}/evil')
--- function-02 | refuse | loads code, or reaches files or raw pages
select load_extension('{OUT}/evil', 'entry')
--- function-03 | refuse | loads code, or reaches files or raw pages
select LOAD_EXTENSION('{OUT}/evil')
--- function-04 | refuse | loads code, or reaches files or raw pages
select "load_extension"('{OUT}/evil')
--- function-05 | refuse | loads code, or reaches files or raw pages
select [load_extension]('{OUT}/evil')
--- function-06 | refuse | loads code, or reaches files or raw pages
select load_extension/**/('{OUT}/evil')
--- function-07 | refuse | loads code, or reaches files or raw pages
select writefile('{OUT}/evil', 'x')
--- function-08 | refuse | loads code, or reaches files or raw pages
select readfile('/etc/passwd')
--- function-09 | refuse | loads code, or reaches files or raw pages
select edit('x')
--- function-10 | refuse | loads code, or reaches files or raw pages
select edit('x', 'touch {OUT}/evil')
--- function-11 | refuse | loads code, or reaches files or raw pages
select zipfile('a', 'b')
--- function-12 | refuse | loads code, or reaches files or raw pages
select fts3_tokenizer('simple')
--- function-13 | refuse | loads code, or reaches files or raw pages
select fts3_tokenizer('simple', x'0000000000000000')
--- function-14 | refuse | loads code, or reaches files or raw pages
select sqlite_log(1, 'x')
--- function-15 | refuse | loads code, or reaches files or raw pages
select * from fsdir('/etc')
--- function-16 | refuse | loads code, or reaches files or raw pages
select * from zipfile('/tmp/a.zip')
--- function-17 | refuse | loads code, or reaches files or raw pages
select * from csv('/etc/passwd')
--- function-18 | refuse | loads code, or reaches files or raw pages
select * from sqlite_dbpage
--- function-19 | refuse | loads code, or reaches files or raw pages
select * from sqlite_dbpage('main')
--- function-20 | refuse | loads code, or reaches files or raw pages
select * from "sqlite_dbpage"
--- function-21 | refuse | loads code, or reaches files or raw pages
select data from main.sqlite_dbpage where pgno = 1
--- function-22 | refuse | loads code, or reaches files or raw pages
select * from sqlite_dbdata
--- function-23 | refuse | loads code, or reaches files or raw pages
select * from pragma_wal_checkpoint('truncate')
--- function-24 | refuse | loads code, or reaches files or raw pages
select * from pragma_optimize(-1)
--- function-25 | refuse | loads code, or reaches files or raw pages
select * from pragma_incremental_vacuum(1)
--- function-26 | refuse | loads code, or reaches files or raw pages
select * from 'sqlite_dbpage'
--- function-27 | refuse | loads code, or reaches files or raw pages
select 1 where load_extension('{OUT}/evil') is null
--- function-28 | refuse | loads code, or reaches files or raw pages
select 1 order by load_extension('{OUT}/evil')
--- function-29 | refuse | loads code, or reaches files or raw pages
with a as (select load_extension('{OUT}/evil')) select * from a
--- form-02 | refuse | no statement that reads | input: yes
/* only a comment */
--- form-03 | refuse | no statement that reads | input: yes
-- nothing
--- form-04 | refuse | no statement that reads | input: yes
sel\{0}ect 1
--- form-05 | refuse | no statement that reads | input: yes
select 'not closed
--- form-06 | refuse | no statement that reads | input: yes
select "not closed
--- form-07 | refuse | no statement that reads | input: yes
select `not closed
--- form-08 | refuse | no statement that reads | input: yes
select [not closed
--- form-09 | refuse | no statement that reads | input: yes
('select 1')
--- form-10 | refuse | no statement that reads | input: yes
(select 1)
--- form-11 | refuse | no statement that reads | input: yes
1
--- form-12 | refuse | no statement that reads | input: yes
?
--- form-13 | refuse | no statement that reads | input: yes
'select 1'
--- form-14 | refuse | no statement that reads | input: yes
"select" 1
--- form-15 | refuse | no statement that reads | input: yes
[select] 1
--- form-16 | refuse | no statement that reads | input: yes
`select` 1
--- form-17 | refuse | no statement that reads | input: yes
select\{0}1
--- form-18 | refuse | no statement that reads | input: yes
table orders
--- form-19 | refuse | no statement that reads | input: yes
show tables
--- form-20 | refuse | no statement that reads | input: yes
describe orders
--- form-21 | refuse | no statement that reads | input: yes
call f()
--- form-22 | refuse | no statement that reads | input: yes
do 1
--- form-23 | refuse | no statement that reads | input: yes
set a = 1
--- form-24 | refuse | no statement that reads | input: yes
use main
--- form-25 | refuse | no statement that reads | input: yes
copy orders to '/tmp/a'
--- form-26 | refuse | no statement that reads | input: yes
.tables
--- form-27 | refuse | no statement that reads | input: yes
.read /etc/passwd
--- form-28 | refuse | no statement that reads | input: yes
import x
--- schema-01 | allow | what the schema holds must be harmless when it is read
select * from evil_load
--- schema-02 | allow | what the schema holds must be harmless when it is read
select * from evil_pragma
--- schema-03 | allow | what the schema holds must be harmless when it is read
select * from evil_file
--- schema-04 | allow | what the schema holds must be harmless when it is read
select * from evil_tokenizer
--- schema-05 | allow | what the schema holds must be harmless when it is read
select * from evil_trigger_view
--- schema-06 | allow | what the schema holds must be harmless when it is read
select count(*) from evil_deep
--- schema-07 | allow | what the schema holds must be harmless when it is read
select * from evil_generated
--- schema-08 | allow | what the schema holds must be harmless when it is read
select * from pragma_table_list
--- schema-09 | allow | what the schema holds must be harmless when it is read
select name from pragma_function_list where name like 'load%'
--- schema-10 | allow | what the schema holds must be harmless when it is read
select * from dbstat limit 1
--- variable-01 | refuse | a quote in the parentheses of a variable is a part of its name
with a as (select :a, :a(')) delete from orders --')
--- variable-02 | refuse | the same with another sign
with a as (select @a, @a(')) delete from orders --')
--- variable-03 | refuse | the same where colons come first
with a as (select $::a, $::a(')) delete from orders --')
--- variable-04 | refuse | the same with a blank that is none for SQLite
with a as (select #a, #a( ')) delete from orders --')
--- variable-05 | refuse | a function behind it
select :a, :a('), fts3_tokenizer('simple') --')
--- variable-06 | refuse | a second statement behind it
select :a, :a('); vacuum into '{OUT}/evil' --')
