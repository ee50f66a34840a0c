-- Statements that change something, reach out of the engine or leave something behind, by how they go about it.
--
-- Notes: `control:` says what the same statement does in an ordinary session of the superuser, where nothing guards it.
--   (none)    something of the server or of the session has changed
--   success   it succeeds, and that is bad enough
--   inside    something has changed as long as its transaction is open, or the transaction has ended
--   none      the server refuses it or it does no harm: here to see that the guard says so too, or takes no harm
-- `code:` is what it is refused with when that is not E_NOT_A_READ; `params:` are its parameters as JSON.
-- {CALL} writes through a second connection, {DSN} is what that one is opened with.

-- Several statements -------------------------------------------------------------------------------------------------

--- two-reads | refuse | two statements, even two reads | control: none | code: E_MULTIPLE_STATEMENTS
select 1; select 2

--- multi-commit-delete | refuse | leaves the transaction and deletes | code: E_MULTIPLE_STATEMENTS
select 1; commit; delete from child

--- multi-off | refuse | switches read-only off first | code: E_MULTIPLE_STATEMENTS
set transaction_read_only = off; delete from child; commit

--- multi-discard | refuse | removes the session's defaults first | code: E_MULTIPLE_STATEMENTS | control: none
commit; discard all; delete from child

--- multi-savepoint | refuse | savepoints, then out | code: E_MULTIPLE_STATEMENTS
begin; savepoint a; delete from child; rollback to a; commit; delete from child

--- multi-after-comment | refuse | the second statement stands behind a comment | code: E_MULTIPLE_STATEMENTS
select 1 /* ; */ ; -- ;
delete from child

--- multi-nested-comment | refuse | comments nest | code: E_MULTIPLE_STATEMENTS
select 1 /* /* */ ; */; delete from child

--- multi-escape | refuse | a backslash quote ends elsewhere than it seems | code: E_MULTIPLE_STATEMENTS
select e'\';'; delete from child --'

--- multi-dollar | refuse | a dollar quote with a tag | code: E_MULTIPLE_STATEMENTS
select $a$ $b$ ; $a$; delete from child -- $b$

--- multi-empty-first | refuse | empty statements before the real one
;;; delete from child

--- multi-empty-last | refuse | a read, empty statements, and a write | code: E_MULTIPLE_STATEMENTS
select 1;;; delete from child;;

--- multi-same-line | refuse | in one line of many reads | code: E_MULTIPLE_STATEMENTS
select 1; select 2; select 3; select 4; insert into child values (70); select 5

--- multi-crlf | refuse | the comment ends at a carriage return | code: E_MULTIPLE_STATEMENTS
select 1 -- \{r}; delete from child

--- multi-quoted-name | refuse | a semicolon in a name, and one behind it | code: E_MULTIPLE_STATEMENTS
select 1 as "a;b"; delete from child

--- multi-begin-end | refuse | a block of its own | code: E_MULTIPLE_STATEMENTS
begin; delete from child; end

--- nul-byte | refuse | text ends at a NUL for the server | code: E_INPUT | control: none
select 1\{0}; delete from child

--- nul-in-literal | refuse | NUL inside of a literal | code: E_INPUT | control: none
select 'a\{0}'; delete from child --'

-- Transactions -------------------------------------------------------------------------------------------------------

--- begin | refuse | opens another transaction | control: success
begin

--- start-write | refuse | opens one that writes | control: success
start transaction read write

--- commit | refuse | ends ours | control: inside
commit

--- rollback | refuse | ends ours | control: inside
rollback

--- end | refuse | another word for commit | control: inside
end

--- abort | refuse | another word for rollback | control: inside
abort

--- commit-chain | refuse | ends ours and opens another | control: none
commit and chain

--- savepoint | refuse | a subtransaction | control: none
savepoint a

--- release | refuse | ends a subtransaction | control: none
release savepoint a

--- rollback-to | refuse | undoes our settings | control: none
rollback to savepoint a

--- prepare-transaction | refuse | survives rollback and session, and keeps its locks | code: E_MULTIPLE_STATEMENTS
begin; insert into child values (71); prepare transaction 'pwn'

--- prepare-transaction-alone | refuse | the same in our transaction | control: none
prepare transaction 'pwn'

--- commit-prepared | refuse | ends someone else's transaction | control: none
commit prepared 'pwn'

--- rollback-prepared | refuse | ends someone else's transaction | control: none
rollback prepared 'pwn'

--- set-transaction | refuse | makes ours read-write | control: none
set transaction read write

--- set-local-transaction | refuse | the same as a setting | control: none
set local transaction_read_only to off

--- set-characteristics | refuse | for all transactions to come
set session characteristics as transaction read write, isolation level serializable

--- set-constraints | refuse | when constraints are checked | control: none
set constraints all deferred

-- Settings -----------------------------------------------------------------------------------------------------------

--- set-default-read-only | refuse | the default of the session | control: none
set default_transaction_read_only = off

--- set-search-path | refuse | other tables under the same names
set search_path to shadow, public

--- set-strings | refuse | strings would end elsewhere
set standard_conforming_strings = off

--- set-local | refuse | for this transaction | control: none
set local statement_timeout = 0

--- set-custom | refuse | a setting of one's own
set pwn.session = 'x'

--- set-time-zone | refuse | values would look different
set time zone 'Asia/Tokyo'

--- set-names | refuse | the encoding of what we send
set names 'latin1'

--- set-seed | refuse | random numbers are no longer random | control: none
set seed to 0.5

--- set-role | refuse | becomes another role
set role app

--- set-session-authorization | refuse | becomes another role
set session authorization app

--- reset | refuse | removes our settings | control: none
reset statement_timeout

--- reset-all | refuse | removes all of them | control: none
reset all

--- reset-role | refuse | becomes oneself again | control: none
reset role

--- discard-plans | refuse | session state | control: none
discard plans

--- discard-sequences | refuse | session state | control: none
discard sequences

--- set-config-read-only | refuse | the setting through a call | control: none
select set_config('transaction_read_only', 'off', false)

--- set-config-path | refuse | other tables under the same names
select set_config('search_path', 'shadow, public', false)

--- set-config-local | refuse | for this transaction | control: success
select set_config('statement_timeout', '0', true)

--- set-config-custom | refuse | carries something to later statements
select pg_catalog.set_config('pwn.session', 'x', false) from t limit 1

--- set-config-cte | refuse | the setting first, the write behind it
with x as materialized (select set_config('transaction_read_only', 'off', true)) select f_write() from x

--- set-config-where | refuse | in a condition
select 1 where set_config('pwn.session', 'y', false) = 'y'

--- update-settings | refuse | the view has a rule that calls set_config
update pg_settings set setting = 'pwn' where name = 'application_name'

--- f-session | allow | a setting for the session, by a function
select f_session()

--- alter-system | refuse | the server's own file
alter system set work_mem = '8MB'

--- alter-system-reset | refuse | the server's own file | control: success
alter system reset all

--- alter-role-set | refuse | settings of a role
alter role app set work_mem = '8MB'

--- alter-database-set | refuse | settings of a database
alter database guard set work_mem = '8MB'

-- Rows ---------------------------------------------------------------------------------------------------------------

--- insert | refuse | writes
insert into child values (72, 1, 'x')

--- insert-returning | refuse | writes, and answers rows
insert into child values (72, 1, 'x') returning *

--- insert-select | refuse | writes what it reads
insert into witness select v from t

--- insert-conflict | refuse | writes or locks
insert into child values (1, 1, 'x') on conflict (id) do update set note = 'y'

--- update | refuse | writes
update child set note = 'x'

--- update-nothing | refuse | writes, though no row | control: none
update child set note = 'x' where false

--- delete | refuse | writes
delete from child

--- delete-using | refuse | writes
delete from child using t where t.id = child.t_id returning child.id

--- truncate | refuse | empties tables
truncate child, witness restart identity cascade

--- merge | refuse | writes | only: >=15
merge into child using t on child.id = t.id when matched then delete when not matched then insert values (t.id + 50, t.id, 'm')

--- merge-returning | refuse | writes, and answers rows | only: >=17
with m as (merge into child using t on child.id = t.id when matched then delete returning child.*) select * from m

--- cte-insert | refuse | a write in a CTE
with x as (insert into child values (73, 1, 'x') returning *) select * from x

--- cte-update | refuse | a write in a CTE
with x as (update child set note = 'z' returning *) select count(*) from x

--- cte-delete | refuse | a write in a CTE
with d as (delete from child returning *) select * from d

--- cte-unused | refuse | a write in a CTE that nobody reads
with d as (delete from child) select 1

--- cte-recursive-word | refuse | a write among recursive CTEs
with recursive n(i) as (select 1 union all select i + 1 from n where i < 3), d as (delete from child returning id) select * from n, d

--- cte-in-union | refuse | nested, which the server refuses | control: none
select 1 union all (with d as (delete from child returning id) select id from d)

--- cte-in-subselect | refuse | nested, which the server refuses | control: none
select * from (with d as (delete from child returning id) select id from d) q

--- cte-in-expression | refuse | nested, which the server refuses | control: none
select (with d as (delete from child returning id) select id from d)

--- cte-insert-from-values | refuse | the main statement is the write
with x as (select 1) insert into witness select 'cte' from x

--- select-into | refuse | makes a table
select * into pwn from t

--- select-into-temp | refuse | makes a temporary table
select * into temp pwn from t

--- select-into-unlogged | refuse | makes a table
select 1 as a into unlogged table pwn

--- select-into-union | refuse | INTO in the first arm of a union
select 1 as a into pwn union select 2

--- with-select-into | refuse | INTO behind a CTE
with x as (select 1 as a) select * into pwn from x

--- for-update | refuse | locks rows, and writes that
select * from t for update

--- for-no-key-update | refuse | locks rows
select * from t for no key update

--- for-share | refuse | locks rows
select * from t for share of t

--- for-key-share | refuse | locks rows
select id from t for key share skip locked

--- for-update-nowait | refuse | locks rows
select * from t where id = 1 for update nowait

--- for-update-subselect | refuse | locks rows of a subselect
select * from (select * from t for update) q

--- for-update-cte | refuse | locks rows of a CTE
with x as materialized (select * from t for update) select * from x

--- for-update-exists | refuse | locks rows of a condition
select 1 where exists (select 1 from t for share)

--- for-update-array | refuse | locks rows of an array
select array(select id from t for update)

--- for-update-order | refuse | before the limit, and after it
select id from t order by id limit 1 for update

--- for-update-values | refuse | several clauses
select t.id from t join child c on c.t_id = t.id for update of t for share of c

-- EXPLAIN ------------------------------------------------------------------------------------------------------------

--- explain-analyze-delete | refuse | runs it
explain analyze delete from child

--- explain-options-delete | refuse | runs it, by an option
explain (costs off, analyze) delete from child

--- explain-analyze-true | refuse | runs it, by a value
explain (analyze true, verbose) insert into child values (74, 1, 'x')

--- explain-analyze-one | refuse | runs it, by a number
explain (analyze 1) update child set note = 'x'

--- explain-analyze-quoted | refuse | runs it, by a quoted option
explain ("analyze" on) delete from child

--- explain-analyze-twice | refuse | the last one counts
explain (analyze off, analyze on) delete from child

--- explain-british | refuse | the other spelling
explain analyse delete from child

--- explain-ctas | refuse | makes a table
explain analyze create table pwn as select 1

--- explain-matview | refuse | makes a materialized view
explain analyze create materialized view pwn as select 1

--- explain-select-into | refuse | makes a table
explain analyze select 1 as a into pwn

--- explain-cte | refuse | runs the write in the CTE
explain analyze with d as (delete from child returning *) select * from d

--- explain-execute | refuse | runs what was prepared | control: none
explain analyze execute p1

--- explain-declare | refuse | a cursor | control: success
explain declare c cursor for select 1

--- explain-for-update | refuse | locks rows
explain (analyze) select * from t for update

--- explain-call-in | refuse | runs the call
explain analyze select {CALL}

--- explain-plan-time | refuse | an IMMUTABLE function runs when it is planned
explain select f_imm_dblink(1)

--- explain-plan-time-where | refuse | the same in a condition
explain (costs off) select * from t where id = f_imm_dblink(1)

--- explain-plain-delete | allow | only plans | control: none
explain delete from child

--- explain-generic | refuse | a plan for any value, of a write | only: >=16 | control: none
explain (generic_plan) delete from child where id = $1

--- explain-merge | refuse | runs it | only: >=15
explain analyze merge into child using t on child.id = t.id when matched then delete

--- explain-refresh | refuse | runs it in the server, or says that it cannot | control: none
explain analyze refresh materialized view mv

--- explain-dml-params | refuse | runs it with parameters | params: [1]
explain analyze delete from child where id = $1

--- explain-imm | allow | the write at planning is refused by the transaction
explain select f_imm()

-- Definitions --------------------------------------------------------------------------------------------------------

--- create-table | refuse | makes a table
create table pwn (id int)

--- create-temp-table | refuse | makes a table that hides others
create temp table t (id int)

--- create-unlogged | refuse | makes a table
create unlogged table if not exists pwn (like t including all)

--- ctas | refuse | makes a table
create table pwn as select * from t

--- ctas-no-data | refuse | makes a table
create table pwn as table t with no data

--- ctas-execute | refuse | runs what was prepared | control: none
create table pwn as execute p1

--- create-view | refuse | makes a view
create or replace view v_t as select 1 as id, 'x'::text as v

--- create-matview | refuse | makes a materialized view
create materialized view pwn as select 1

--- refresh-matview | refuse | writes
refresh materialized view mv

--- create-index | refuse | makes an index
create index pwn on t (n)

--- create-index-concurrently | refuse | outside of a transaction
create index concurrently pwn on t (n)

--- create-function | refuse | makes a function
create function pwn() returns int language sql as 'select 1'

--- create-procedure | refuse | makes a procedure
create procedure pwn() language sql as 'delete from child'

--- create-aggregate | refuse | makes an aggregate
create aggregate pwn (int) (sfunc = int4pl, stype = int)

--- create-operator | refuse | makes an operator
create operator ### (leftarg = int, rightarg = int, function = int4pl)

--- create-cast | refuse | makes a cast
create cast (bigint as mood) with inout

--- create-type | refuse | makes a type
create type pwn as enum ('a')

--- create-domain | refuse | makes a domain
create domain pwn as int check (value > 0)

--- create-schema | refuse | makes a schema with a table in it
create schema pwn create table x (id int)

--- create-sequence | refuse | makes a sequence
create sequence pwn

--- create-trigger | refuse | runs with every write from now on
create trigger pwn before insert on child for each row execute function tr()

--- create-event-trigger | refuse | runs with every definition from now on
create event trigger pwn on sql_drop execute function tr_event()

--- create-rule | refuse | rewrites every write from now on
create rule pwn as on delete to child do instead nothing

--- create-policy | refuse | hides rows
create policy pwn on t using (false)

--- create-extension | refuse | makes an extension
create extension seg

--- create-role | refuse | makes a role
create role pwn login superuser password 'x'

--- create-database | refuse | makes a database
create database pwn template template0

--- create-tablespace | refuse | makes a tablespace | control: none
create tablespace pwn location '{OUT}'

--- create-server | refuse | makes a foreign server
create server pwn foreign data wrapper postgres_fdw options (host '127.0.0.1')

--- create-user-mapping | refuse | stores a password
create user mapping for public server loopback options (user 'app', password 'x')

--- create-foreign-table | refuse | makes a foreign table
create foreign table pwn (line text) server files options (program 'touch {OUT}/pwn')

--- import-foreign-schema | refuse | makes foreign tables, and reaches out
import foreign schema public limit to (customer) from server loopback into shadow

--- create-publication | refuse | makes a publication
create publication pwn for all tables

--- create-subscription | refuse | makes a subscription
create subscription pwn connection '{DSN}' publication pwn with (connect = false)

--- create-statistics | refuse | makes statistics
create statistics pwn on id, n from t

--- create-collation | refuse | makes a collation
create collation pwn from "C"

--- create-conversion | refuse | makes a conversion
create conversion pwn for 'LATIN1' to 'UTF8' from iso8859_1_to_utf8

--- create-text-search | refuse | makes a configuration
create text search configuration pwn (copy = english)

--- create-language | refuse | makes a language | control: none
create language pwn handler plpgsql_call_handler_x

--- create-transform | refuse | makes a transform | control: none
create transform for int language sql (from sql with function prsd_lextype(internal))

--- create-access-method | refuse | makes an access method
create access method pwn type index handler bthandler

--- create-operator-class | refuse | makes an operator class
create operator family pwn using btree

--- alter-table | refuse | changes a table
alter table t add column pwn int default 1

--- alter-table-owner | refuse | gives a table away
alter table t owner to postgres

--- alter-table-trigger | refuse | switches checks off
alter table child disable trigger all

--- alter-table-rewrite | refuse | writes it anew
alter table brin alter column n type bigint

--- alter-index | refuse | renames
alter index t_v rename to pwn

--- alter-function | refuse | runs as its owner from now on
alter function f_add(int, int) security definer

--- alter-sequence | refuse | another next number
alter sequence s restart with 1000

--- alter-enum | refuse | another value
alter type mood add value 'pwn'

--- alter-role | refuse | makes a superuser
alter role app superuser

--- alter-default-privileges | refuse | for all tables to come
alter default privileges grant select on tables to public

--- alter-extension | refuse | changes an extension
alter extension hstore set schema shadow

--- alter-large-object | refuse | gives it away
alter large object 4242 owner to postgres

--- drop-table | refuse | drops
drop table purchase

--- drop-if-exists | refuse | drops, if there is one | control: none
drop table if exists nothing_like_it

--- drop-schema | refuse | drops all of it
drop schema shadow cascade

--- drop-database | refuse | drops
drop database test

--- drop-owned | refuse | drops all of a role's
drop owned by app cascade

--- reassign-owned | refuse | gives all of it away
reassign owned by app to postgres

--- comment-on | refuse | writes a comment
comment on table t is 'pwn'

--- security-label | refuse | no provider is there | control: none
security label on table t is 'pwn'

--- grant | refuse | gives rights
grant all on t to public

--- grant-role | refuse | makes a member
grant pg_read_server_files to app

--- revoke | refuse | takes rights
revoke all on t from app

-- Calls of built-in functions ----------------------------------------------------------------------------------------

--- nextval | refuse | no rollback takes it back
select nextval('s')

--- nextval-oid | refuse | by number
select nextval('s'::regclass::oid)

--- setval | refuse | no rollback takes it back
select setval('s', 900, true)

--- setval-select | refuse | for each row
select setval('s', id + 100) from t

--- nextval-limit | refuse | in a LIMIT
select 1 limit nextval('s')

--- nextval-param | refuse | the name as a parameter | params: ["s"]
select nextval($1::text::regclass)

--- advisory-lock | refuse | stays until the session ends
select pg_advisory_lock(42)

--- advisory-try | refuse | stays until the session ends
select pg_try_advisory_lock(42, 43)

--- advisory-shared | refuse | stays until the session ends
select pg_advisory_lock_shared(44)

--- advisory-xact | refuse | as long as the transaction | control: inside
select pg_advisory_xact_lock(45)

--- advisory-unlock | refuse | gives back what is held elsewhere in the session | control: success
select pg_advisory_unlock_all()

--- pg-notify | refuse | tells other sessions
select pg_notify('pwn', 'x')

--- setseed | refuse | random numbers are no longer random | control: success
select setseed(0.5)

--- lo-create | refuse | makes a large object
select lo_create(777)

--- lo-creat | refuse | makes a large object
select lo_creat(-1)

--- lo-unlink | refuse | deletes one
select lo_unlink(4242)

--- lo-unlink-all | refuse | deletes all of them
select lo_unlink(oid) from pg_largeobject_metadata

--- lo-from-bytea | refuse | makes one
select lo_from_bytea(0, 'pwn')

--- lo-put | refuse | writes into one
select lo_put(4242, 0, 'pwn')

--- lo-import | refuse | reads a file of the server
select lo_import('/etc/hostname')

--- lo-export | refuse | writes a file of the server
select lo_export(4242, '{OUT}/pwn')

--- lo-write | refuse | writes by a descriptor | control: inside
select lowrite(lo_open(4242, 131072), 'pwn')

--- lo-truncate | refuse | cuts one | control: inside
select lo_truncate(lo_open(4242, x'20000'::int), 0)

--- read-file | refuse | reads a file of the server | control: success
select pg_read_file('PG_VERSION')

--- read-file-schema | refuse | qualified and quoted | control: success
select "pg_catalog"."pg_read_file"('PG_VERSION', 0, 2)

--- read-binary-file | refuse | reads a file of the server | control: success
select pg_read_binary_file('PG_VERSION')

--- read-file-from | refuse | as a table | control: success
select * from pg_read_file('PG_VERSION') as f(line)

--- read-file-param | refuse | which one is a parameter | params: ["PG_VERSION"] | control: success
select pg_read_file($1)

--- stat-file | refuse | looks at a file of the server | control: success
select * from pg_stat_file('PG_VERSION')

--- ls-dir | refuse | lists a folder of the server | control: success
select pg_ls_dir('.')

--- ls-log-dir | refuse | lists the logs | control: none
select * from pg_ls_logdir()

--- current-logfile | allow | only says where it is | control: none
select pg_current_logfile()

--- file-write | refuse | writes a file of the server | only: <16
select pg_catalog.pg_file_write('{OUT}/pwn', 'x', false)

--- file-unlink | refuse | deletes a file of the server | only: <16 | control: success
select pg_catalog.pg_file_unlink('{OUT}/nothing')

--- hba-rules | refuse | a configuration file, as a view | control: success
select * from pg_hba_file_rules

--- hba-function | refuse | the same as a function | control: success
select count(*) from pg_hba_file_rules()

--- file-settings | refuse | a configuration file, as a view | control: success
select * from pg_file_settings

--- authid | refuse | hashes of passwords | control: success
select rolname, rolpassword from pg_authid

--- shadow-view | refuse | hashes of passwords, as a view | control: success
select usename, passwd from pg_shadow

--- user-mapping | refuse | passwords of other servers | control: success
select umoptions from pg_user_mapping

--- user-mappings | refuse | passwords of other servers, as a view | control: success
select * from pg_user_mappings

--- authid-table | refuse | hashes of passwords, by TABLE | control: success
table pg_catalog.pg_authid

--- authid-row | refuse | hashes of passwords, as whole rows | control: success
select row_to_json(a) from pg_authid a

--- reload-conf | refuse | the server reads its files again
select pg_reload_conf()

--- rotate-logfile | refuse | another log | control: success
select pg_rotate_logfile()

--- switch-wal | refuse | another file of the write-ahead log | control: success
select pg_switch_wal()

--- restore-point | refuse | a mark in the write-ahead log
select pg_create_restore_point('pwn')

--- emit-message | refuse | a record in the write-ahead log | control: success
select pg_logical_emit_message(false, 'pwn', 'payload')

--- emit-message-transactional | refuse | a record in the write-ahead log | control: success
select pg_logical_emit_message(true, 'pwn', 'payload')

--- start-backup | refuse | keeps the write-ahead log | only: <15 | control: success
select pg_start_backup('pwn', true, false)

--- backup-start | refuse | keeps the write-ahead log | only: >=15 | control: success
select pg_backup_start('pwn', true)

--- promote | refuse | for a standby | control: none
select pg_promote(false)

--- wal-replay-pause | refuse | for a standby | control: none
select pg_wal_replay_pause()

--- log-standby-snapshot | refuse | a record in the write-ahead log | only: >=16 | control: success
select pg_log_standby_snapshot()

--- cancel-backend | refuse | stops someone else's statement | control: success
select pg_cancel_backend({VICTIM})

--- terminate-backend | refuse | ends someone else's session
select pg_terminate_backend({VICTIM})

--- terminate-from | refuse | ends sessions, by a query
select pg_terminate_backend(pid) from pg_stat_activity where pid = {VICTIM}

--- terminate-in-filter | refuse | ends a session in a FILTER
select count(*) filter (where pg_terminate_backend({VICTIM})) from t

--- terminate-param | refuse | whom is a parameter | params: [0] | control: success
select pg_terminate_backend($1 + 0)

--- log-memory | refuse | writes into the log of the server
select pg_log_backend_memory_contexts(pg_backend_pid())

--- export-snapshot | refuse | a file that holds a snapshot | control: inside
select pg_export_snapshot()

--- current-xid | allow | takes a number | control: none
select pg_current_xact_id()

--- slot-physical | refuse | keeps the write-ahead log
select pg_create_physical_replication_slot('pwn', true)

--- slot-logical | refuse | keeps the write-ahead log
select * from pg_create_logical_replication_slot('pwn', 'test_decoding')

--- slot-copy | refuse | keeps the write-ahead log
select pg_copy_physical_replication_slot('kept_physical', 'pwn')

--- slot-drop | refuse | someone needs it
select pg_drop_replication_slot('kept_physical')

--- slot-drop-all | refuse | all of them
select pg_drop_replication_slot(slot_name) from pg_replication_slots

--- slot-get | refuse | takes changes that someone waits for
select * from pg_logical_slot_get_changes('kept_logical', null, null)

--- slot-get-binary | refuse | takes changes that someone waits for
select * from pg_logical_slot_get_binary_changes('kept_logical', null, null)

--- slot-advance | refuse | skips changes that someone waits for
select pg_replication_slot_advance('kept_logical', pg_current_wal_lsn())

--- origin-create | refuse | makes an origin
select pg_replication_origin_create('pwn')

--- origin-drop | refuse | drops one
select pg_replication_origin_drop('kept_origin')

--- origin-setup | refuse | marks all that the session writes | control: success
select pg_replication_origin_session_setup('kept_origin')

--- origin-advance | refuse | skips changes
select pg_replication_origin_advance('kept_origin', '0/100')

--- stat-reset | refuse | counters are lost | control: success
select pg_stat_reset()

--- stat-reset-shared | refuse | counters are lost | control: success
select pg_stat_reset_shared('bgwriter')

--- stat-reset-table | refuse | counters are lost | control: success
select pg_stat_reset_single_table_counters('t'::regclass)

--- stat-reset-slru | refuse | counters are lost | control: success
select pg_stat_reset_slru(null)

--- stat-reset-new | refuse | counters are lost | only: >=15
select pg_stat_reset_shared('wal')

--- stat-statements-reset | refuse | counters are lost | control: success
select pg_stat_statements_reset()

--- stat-clear-snapshot | allow | only of this transaction | control: none
select pg_stat_clear_snapshot()

--- restore-statistics | refuse | the planner believes it | only: >=18
select pg_restore_relation_stats('schemaname', 'public', 'relname', 't', 'relpages', 5000::int)

--- restore-attribute-statistics | refuse | the planner believes it | only: >=18
select pg_restore_attribute_stats('schemaname', 'public', 'relname', 't', 'attname', 'id', 'inherited', false, 'null_frac', 0.9::real)

--- clear-statistics | refuse | the planner misses it | only: >=18
select pg_clear_relation_stats('public', 'brin')

--- gin-clean | refuse | writes an index
select gin_clean_pending_list('docs_words'::regclass)

--- brin-summarize | refuse | writes an index
select brin_summarize_new_values('brin_at')

--- brin-desummarize | refuse | writes an index
select brin_desummarize_range('brin_at', 0)

--- import-collations | refuse | writes the catalog | control: success
select pg_import_system_collations('pg_catalog')

--- nextoid | refuse | takes a number | only: >=14 | control: success
select pg_nextoid('pg_class', 'oid', 'pg_class_oid_index')

--- set-trigger-depth | allow | only reads | control: none
select pg_trigger_depth()

--- input-function-array | refuse | the input of an array of a type that calls out
select array_in('{5}', 'dom'::regtype, -1)

--- input-function-record | refuse | the input of a row of a type that calls out
select record_in('(5)', 'comp_dom'::regtype, -1)

--- input-function-domain | refuse | the input of a type that calls out
select domain_in('5', 'dom'::regtype, -1)

--- input-is-valid | refuse | tries the input of a type that calls out | only: >=16
select pg_input_is_valid('5', 'dom')

--- input-error | refuse | tries the input of a type that calls out | only: >=16
select * from pg_input_error_info('5', 'public.dom')

--- input-is-valid-param | refuse | the type is a parameter | only: >=16 | params: ["dom"]
select pg_input_is_valid('5', $1)

-- SQL in a string ----------------------------------------------------------------------------------------------------

--- query-to-xml | refuse | runs a string
select query_to_xml('select {QUOTED}', true, false, '')

--- query-to-xml-file | refuse | a forbidden call in a string | control: success
select query_to_xml('select pg_read_file(''PG_VERSION'')', true, false, '')

--- query-to-xml-concat | refuse | a string in pieces
select query_to_xml('sel' || 'ect f_dbl' || 'ink()', true, false, '')

--- query-to-xml-param | refuse | the string is a parameter | params: ["select f_dblink()"]
select query_to_xml($1, true, false, '')

--- query-to-xmlschema | refuse | plans a string
select query_to_xmlschema('select f_imm_dblink(1)', true, false, '')

--- query-to-xml-and-schema | refuse | runs a string
select query_to_xml_and_xmlschema('select f_dblink()', true, false, '')

--- table-to-xml | refuse | reads a view by its name
select table_to_xml('v_dblink'::regclass, true, false, '')

--- schema-to-xml | refuse | reads all of a schema | control: success
select schema_to_xml('shadow', true, false, '')

--- table-to-xml-passwords | refuse | reads passwords by the name of their table | control: success
select table_to_xml('pg_authid', true, false, '')

--- table-to-xml-spelling | refuse | the same, spelt otherwise | control: success
select table_to_xml('PG_Catalog . "pg_authid"'::regclass, true, false, '')

--- table-to-xml-schema | refuse | the same, and its columns | control: success
select table_to_xml_and_xmlschema('pg_shadow', true, false, '')

--- table-to-xml-number | refuse | the table by its number | control: success
select table_to_xml('1260', true, false, '')

--- table-to-xml-cast | refuse | the table by its number | control: success
select table_to_xml(1260::regclass, true, false, '')

--- table-to-xml-found | refuse | the table out of the catalog | control: success
select table_to_xml(oid, true, false, '') from pg_class where relname = 'pg_auth' || 'id'

--- table-to-xml-param | refuse | the table is a parameter | params: ["pg_authid"] | control: success
select table_to_xml($1, true, false, '')

--- table-to-xml-argument | refuse | the table in an argument by name | control: success
select table_to_xml(nulls => true, tbl => 'pg_authid', tableforest => false, targetns => '')

--- schema-to-xml-catalog | refuse | reads all catalogs, passwords among them | control: none
select schema_to_xml('pg_catalog', true, false, '')

--- raw-page | refuse | passwords in the pages of their table | control: success
select get_raw_page('pg_authid', 0)

--- raw-page-expression | refuse | the same, with a name that is put together | control: success
select get_raw_page('pg_auth' || 'id', 'main', 0)

--- view-table-xml | refuse | a view that does | control: success
select x from v_table_xml

--- view-database-xml | refuse | a view that reads all views | control: none
select x from v_database_xml

--- f-table-xml | refuse | a function that reads the table that it is told | control: success
select f_table_xml('pg_authid')

--- f-schema-xml | refuse | a function that reads all catalogs | control: none
select f_schema_xml()

--- database-to-xml | refuse | reads all of a database | control: none
select database_to_xml(true, false, '')

--- cursor-to-xml | refuse | reads someone's cursor | control: none
select cursor_to_xml('c', 10, true, false, '')

--- ts-stat | refuse | runs a string
select * from ts_stat('select to_tsvector(f_dblink())')

--- ts-rewrite | refuse | runs a string
select ts_rewrite('a & b'::tsquery, 'select ''a''::tsquery, to_tsquery(f_dblink())')

--- crosstab | refuse | runs a string
select * from crosstab('select ''a''::text, ''b''::text, f_dblink()') as x(a text, b text)

--- crosstab-two | refuse | runs two strings
select * from crosstab('select 1, 2, 3', 'select f_imm_dblink(2)') as x(a int, b int)

--- connectby | refuse | runs a string with names in it
select * from connectby('employee, (select f_dblink()) q', 'id', 'boss', '1', 0) as x(id int, boss int, level int)

--- xpath-table | refuse | runs a string with names in it
select * from xpath_table('f_dblink()', '''<a/>''', 't', '/', 'true') as x(a text, b text)

--- xml-named-argument | refuse | arguments by name
select query_to_xml(query => 'select f_dblink()', nulls => true, tableforest => false, targetns => '')

-- Reaching out -------------------------------------------------------------------------------------------------------

--- dblink-read | refuse | another server, though it only reads | control: success
select * from dblink('{DSN}', 'select 1') as x(a int)

--- dblink-write | refuse | writes through another connection
select * from dblink('{DSN}', 'insert into witness values (1) returning what') as x(a text)

--- dblink-exec | refuse | writes through another connection
select {CALL}

--- dblink-connect | refuse | a connection that stays
select dblink_connect('k', '{DSN}')

--- dblink-connect-unprivileged | refuse | a connection that stays
select dblink_connect_u('k', '{DSN}')

--- dblink-open | refuse | a cursor on another connection | control: none
select dblink_open('k', 'c', 'select 1')

--- dblink-send | refuse | and does not wait
select dblink_connect('k', '{DSN}'), dblink_send_query('k', 'delete from child'), pg_sleep(0.1)

--- dblink-cancel | refuse | on another connection | control: none
select dblink_cancel_query('k')

--- dblink-server | refuse | by the name of a foreign server | control: none
select * from dblink('loopback', 'select 1') as x(a int)

--- dblink-param | refuse | all of it as parameters | params: ["{DSN}", "delete from child"]
select dblink_exec($1, $2)

--- dblink-lateral | refuse | for each row
select * from t, lateral dblink_exec('{DSN}', 'insert into witness values (''' || t.id || ''')') as x

--- fdw-program | refuse | a foreign table that is a program
select * from ft_program

--- fdw-file | refuse | a foreign table that is a file of the server | control: success
select * from ft_file

--- fdw-write | allow | a view with a write behind a foreign table: the other side is rolled back with ours
select * from ft_write

--- copy-to-file | refuse | writes a file of the server
copy t to '{OUT}/pwn'

--- copy-query-to-file | refuse | writes a file of the server
copy (select id from t) to '{OUT}/pwn' with (format csv)

--- copy-to-program | refuse | runs a program
copy (select 'x') to program 'cat > {OUT}/pwn'

--- copy-from-program | refuse | runs a program
copy child from program 'touch {OUT}/pwn' csv

--- copy-from-file | refuse | reads a file of the server
copy witness from '/etc/hostname'

--- copy-from-stdin | refuse | writes, and waits for us | control: none
copy child from stdin

--- copy-to-stdout | refuse | another protocol | control: success
copy t to stdout

--- copy-query-to-stdout | refuse | another protocol | control: success
copy (select 1) to stdout

--- copy-dml | refuse | writes inside
copy (delete from child returning *) to stdout

--- copy-binary | refuse | writes a file of the server, in the old form
copy binary t to '{OUT}/pwn'

--- load | refuse | a library into the session | control: success
load 'auto_explain'

-- Other statements ---------------------------------------------------------------------------------------------------

--- do | refuse | a block of code
do $$ begin delete from child; end $$

--- do-dynamic | refuse | a block of code that makes its SQL
do $$ begin execute 'delete ' || 'from child'; end $$

--- do-language | refuse | a block of code in another order
do language plpgsql 'begin perform f_dblink(); end'

--- do-tcl | refuse | a program by an untrusted language | control: none
do language pltclu 'exec touch {OUT}/pwn'

--- call | refuse | a procedure that commits
call p_commit()

--- call-dblink | refuse | a procedure that writes through another connection
call p_dblink()

--- prepare | refuse | stays in the session
prepare p1 as select 1

--- prepare-delete | refuse | stays in the session
prepare p1(int) as delete from child where id = $1

--- execute | refuse | runs what was prepared | control: none
execute p1

--- execute-args | refuse | runs what was prepared | control: none
execute p1(1, 'x')

--- deallocate | refuse | session state | control: success
deallocate all

--- declare | refuse | a cursor | control: inside
declare c cursor for select * from t

--- declare-hold | refuse | a cursor that outlives the transaction
declare c cursor with hold for select * from t

--- fetch | refuse | from a cursor | control: none
fetch 1 from c

--- move | refuse | a cursor | control: none
move forward all in c

--- close | refuse | a cursor | control: success
close all

--- lock-table | refuse | nobody else can read | control: inside
lock table t in access exclusive mode

--- lock-share | refuse | nobody else can write | control: inside
lock t in share mode nowait

--- listen | refuse | hears of others
listen pwn

--- unlisten | refuse | session state | control: success
unlisten *

--- notify | refuse | tells others
notify pwn, 'x'

--- checkpoint | refuse | work for the whole server
checkpoint

--- vacuum | refuse | writes
vacuum

--- vacuum-full | refuse | writes it anew
vacuum (full, analyze) t

--- analyze | refuse | writes statistics
analyze t

--- analyze-verbose | refuse | writes statistics
analyze (verbose) child (id)

--- analyse | refuse | the other spelling
analyse t

--- reindex | refuse | writes it anew
reindex table t

--- reindex-concurrently | refuse | outside of a transaction
reindex index concurrently t_v

--- reindex-system | refuse | the catalogs
reindex system guard

--- cluster | refuse | writes it anew
cluster t using t_v

--- show-then | refuse | SHOW and another statement | code: E_MULTIPLE_STATEMENTS
show work_mem; delete from child

--- import-copy-freeze | refuse | COPY in its old form | control: none
copy child (id) from stdin delimiters ','

--- replication-command | refuse | the other language of the server | code: E_SYNTAX | control: none
IDENTIFY_SYSTEM

--- backup-command | refuse | the other language of the server | code: E_SYNTAX | control: none
BASE_BACKUP LABEL 'x'

-- Names written otherwise --------------------------------------------------------------------------------------------

--- name-quoted | refuse | quoted
select "dblink_exec"('{DSN}', 'insert into witness values (1)')

--- name-qualified | refuse | qualified and quoted
select "public" . "dblink_exec" ('{DSN}', 'insert into witness values (1)')

--- name-unicode | refuse | with a Unicode escape
select U&"dblink\005fexec"('{DSN}', 'insert into witness values (1)')

--- name-unicode-long | refuse | with a long Unicode escape
select u&"\+00006E\0065xtval"('s')

--- name-unicode-uescape | refuse | with an escape character of one's own
select U&"dblink!005fexec" UESCAPE '!' ('{DSN}', 'insert into witness values (1)')

--- name-unicode-uescape-comment | refuse | and a comment between, which the parser of the guard does not know | code: E_SYNTAX
select U&"next#0076al" /* x */ uescape '#' ('s')

--- name-case | refuse | in mixed case
select DbLink_EXEC('{DSN}', 'insert into witness values (1)')

--- name-comment | refuse | with comments between
select dblink_exec/* a /* b */ c */-- d
('{DSN}', 'insert into witness values (1)')

--- name-newlines | refuse | over several lines
select pg_catalog
  .
  nextval
  (
  's'
  )

--- name-catalog | refuse | with the name of the database
select * from guard.public.v_dblink

--- name-file-unicode | refuse | a file by an escaped name | control: success
select U&"pg_read\005Ffile"('PG_VERSION')

--- name-tab | refuse | with tabs and form feeds
select	nextval	('s')

--- name-long | allow | the server cuts names at 63 bytes, which leaves another name | control: none
select "nextvalxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"('s')

--- name-operator-schema | refuse | an operator by its schema
select 1 operator(public.===) 2

--- name-variadic | refuse | VARIADIC
select f_variadic_evil(variadic array['a', 'b'])

--- name-named | refuse | named arguments, the old way
select f_default(x := f_dblink())

-- Where strings end --------------------------------------------------------------------------------------------------

--- string-backslash | refuse | a lexer that honours backslashes sees only a literal
select '\', {CALL} --'

--- string-backslash-off | allow | a call where strings are not standard, which we see to | control: none
select '\'' , {DOLLARS} , ' --'

--- string-escape | refuse | an escape string ends here
select e'\\', {CALL} --'

--- string-continued | refuse | literals go on in the next line
select 'a'
'b', {CALL} --'

--- string-unicode | refuse | a Unicode literal
select U&'\0027', {CALL} --'

--- string-dollar-name | refuse | a dollar belongs to the name before it
select 1 as a$$, {CALL} as b$$

--- string-dollar-tags | refuse | tags must match in case
select $A$ $a$ $A$, {CALL} -- $a$

--- string-dollar-param | refuse | a parameter, no quote | params: [1]
select $1, {CALL} -- $1

--- string-bits | refuse | bit strings
select b'01', x'1F', {CALL}

--- string-national | refuse | national strings
select n'\', {CALL} --'

--- comment-nested | refuse | comments nest
select /* /* */ 1, */ {CALL}

--- comment-in-operator | refuse | an operator ends where a comment begins
select 1 +/* x */ 2, {CALL}

--- comment-dashes | refuse | two dashes are a comment, also in an operator
select 5 --1, 2
, {CALL}

--- comment-carriage | refuse | a comment ends at a carriage return
select 1 -- x\{r}, {CALL}

-- Functions of the user ----------------------------------------------------------------------------------------------

--- f-write | allow | the transaction refuses the write
select f_write()

--- f-write-from | allow | the same as a table
select * from f_write()

--- f-delete | allow | the same in SQL
select f_delete()

--- f-imm | allow | declared IMMUTABLE, which it is not
select f_imm()

--- f-secdef | allow | with the rights of a superuser
select f_secdef()

--- f-secdef-role | allow | makes a role
select f_secdef_role()

--- f-truncate | allow | empties a table
select f_truncate()

--- f-ddl | allow | makes a table
select f_ddl()

--- f-temp | allow | makes a temporary table
select f_temp()

--- f-attribute | allow | a function that switches read-only off | only: <18
select f_attr_rw()

--- f-attribute-default | allow | a function that switches the default off
select f_attr_default_rw()

--- f-nextval | allow | a sequence inside
select f_nextval()

--- f-setval | allow | a sequence inside
select f_sequence_loop()

--- f-dblink | refuse | a call behind a function
select f_dblink()

--- f-stable-dblink | refuse | the same, declared STABLE
select f_stable_dblink()

--- f-imm-dblink | refuse | the same, declared IMMUTABLE
select f_imm_dblink(1)

--- f-deep | refuse | three functions deep
select f_deep()

--- f-dynamic | refuse | SQL put together inside
select f_dynamic()

--- f-dynamic-argument | refuse | SQL from outside
select f_dynamic_using('select f_dblink()')

--- f-dynamic-parameter | refuse | SQL from outside, as a parameter | params: ["select f_dblink()"]
select f_dynamic_using($1)

--- f-format | refuse | SQL by format(), in a block with a handler
select f_format()

--- f-cursor | refuse | SQL of a cursor
select f_cursor()

--- f-quoted | refuse | a quoted name inside
select f_quoted()

--- f-unicode | refuse | an escaped name inside
select f_unicode()

--- f-standard | refuse | a body in the standard's form
select f_standard_dblink()

--- f-atomic | refuse | a body in the standard's form, in a block
select f_atomic()

--- f-default | refuse | the default of an argument
select f_default()

--- f-query-to-xml | refuse | SQL in a string inside
select f_query_to_xml()

--- f-ts-stat | refuse | SQL in a string inside
select f_ts_stat()

--- f-path | refuse | with a search path of its own
select f_path()

--- f-setof | refuse | as a table
select * from f_setof()

--- f-rows-from | refuse | ROWS FROM
select * from rows from (generate_series(1, 2), f_setof()) as x(a, b)

--- f-lock | refuse | an advisory lock inside
select f_lock()

--- f-terminate | refuse | ends a session
select f_terminate({VICTIM})

--- f-emit | refuse | a record in the write-ahead log | control: success
select f_emit()

--- f-secdef-file | refuse | a file of the server | control: success
select f_secdef_file()

--- f-secdef-copy | refuse | COPY inside
select f_secdef_copy()

--- f-secdef-program | refuse | a program, by dynamic SQL
select f_secdef_program()

--- f-secdef-export | refuse | a large object into a file
select f_secdef_export()

--- f-internal | refuse | another name for a function of the server | control: success
select f_internal('PG_VERSION')

--- f-c | refuse | another name for a function of a library
select f_c('{DSN}', 'insert into witness values (1)')

--- f-catalog-schema | refuse | a function of a user in the schema of the system
select text_size(1)

--- f-overload | refuse | a function of a user beside one of the system
select abs('x'::text)

--- f-any | refuse | for any type
select coalesce_it(1)

--- f-attribute-notation | refuse | a function written as a column
select evil.f_comp from evil

--- f-attribute-notation-row | refuse | a function written as a column of a row
select (e).f_comp from evil as e

--- f-tcl | refuse | an untrusted language | needs: pltclu
select f_tcl()

--- f-trusted-tcl | refuse | another trusted language | needs: pltcl
select f_trusted_tcl()

--- f-declare | refuse | where a variable begins
select f_declare()

--- f-raise | refuse | in a message
select f_raise()

--- f-assert | refuse | in an assertion
select f_assert()

--- f-if | refuse | in a condition
select f_if()

--- f-return-query | refuse | RETURN QUERY EXECUTE
select * from f_return_query()

--- f-for-execute | refuse | FOR … IN EXECUTE
select f_for_execute()

--- f-where | refuse | a piece of SQL from outside
select f_where('f_bool(id)')

--- f-execute-into | refuse | SQL of an argument that has a default
select f_execute_into()

--- f-exception | refuse | in a handler
select f_exception()

--- f-search-path | refuse | a search path of its own finds something else
select f_search_path()

--- f-weird | refuse | a name with a quote and a space
select f_weird()

--- f-weird-direct | refuse | the same from here
select "F ""Dblink"()

--- f-comment | refuse | a comment before the parenthesis
select f_comment()

--- f-operator | refuse | an operator inside
select f_operator()

--- f-domain | refuse | a variable of a domain
select f_domain()

--- f-domain-result | refuse | a result of a domain
select f_domain_result()

--- f-domain-argument | refuse | an argument of a domain
select f_domain_argument(5)

--- f-domain-argument-param | refuse | by a parameter | params: ["5"]
select f_domain_argument($1)

--- f-out | refuse | an OUT argument of a domain
select * from f_out()

--- f-table-domain | refuse | a column of a domain
select * from f_table_dom()

--- f-view | refuse | a view inside
select f_view_inside()

--- f-scalar-notation | refuse | a function written as a field of a value
select (t.id).f_imm_dblink from t

--- f-other-schema | refuse | in a schema that is not searched
select shadow.lower('x')

--- f-constant | refuse | EXECUTE of a constant
select f_constant()

--- f-escaped | refuse | EXECUTE of a constant with escapes
select f_escaped()

--- f-unicode-string | refuse | EXECUTE of a constant with Unicode escapes
select f_unicode_string()

--- f-continued | refuse | EXECUTE of a constant in two lines
select f_continued()

--- f-dollar | refuse | EXECUTE of a constant in dollar quotes
select f_dollar()

--- f-bound-cursor | refuse | a cursor that is declared with its query
select f_bound_cursor()

--- f-perform | refuse | PERFORM of a view
select f_perform()

--- f-uescape | refuse | an escaped name with an escape character of its own
select f_uescape()

--- f-notation | refuse | a function written as a column, inside
select f_notation()

--- f-index | refuse | a table whose index calls out, inside
select f_index()

--- f-calls-default | refuse | the default of a function inside
select f_calls_default()

--- f-seed | refuse | setseed inside | control: success
select f_seed()

--- f-connect | refuse | a named connection inside
select f_connect()

--- f-slot | refuse | a replication slot inside
select f_slot()

--- f-type-function | refuse | a type written as a function, inside
select f_type_function()

--- f-cast-assignment | refuse | an assignment that casts
select f_cast_assignment()

--- extension-replaced | refuse | a function of an extension, with another body
select difference('a', 'b')

--- extension-member | refuse | a function of the user that belongs to an extension
select f_member()

--- builtin-replaced | refuse | a function of the system, with another body
select cbrt(27)

--- information-schema-view | refuse | a view of the system, with another query
select * from information_schema.information_schema_catalog_name

--- information-schema-domain | refuse | a domain of the system, with another check
select 5::information_schema.cardinal_number

--- domain-range | refuse | a range of it
select '[5,6]'::dom_range

--- domain-multirange | refuse | a multirange of it
select '{[5,6]}'::dom_multirange

--- domain-of-array | refuse | a domain over an array of it
select '{5}'::dom_array

--- domain-over-good | refuse | a domain over a harmless one
select 5::dom_over_good

--- domain-over-row | refuse | a domain over a row
select row(1, 'x')::dom_row

--- cast-array | refuse | the elements of an array are cast
select array[row(1)::ct]::int[]

--- cast-row | refuse | the fields of a row are cast
select row(row(1)::ct, 'x')::pair

--- cast-function-result | refuse | the result of a harmless function is cast
select 1 + f_ct()

--- cast-function-argument | refuse | the same as an argument
select repeat('x', f_ct())

--- cast-json-function-result | refuse | the result of a harmless function as JSON
select to_json(f_ej())

--- cast-aggregate-result | refuse | the result of an aggregate is cast
select 1 + (array_agg(c))[1] from t_cast

--- cast-view-column | refuse | the column of a view is a cast
select * from v_distinct

--- check-union | refuse | the checks of tables in a union run when it is planned
select * from (select id from t_check union all select id from t_check) x where id = 1

--- partition-direct | refuse | a partition itself: with constraint_exclusion on, what its key calls is run | control: none
select * from t_part_1 where id = 1

--- index-view | refuse | a view of a table whose index calls out
select * from v_partial where id = 1

--- index-partition | refuse | the index of a partition
select * from t_indexed_parent where id = 1

-- What calls a function without saying so ----------------------------------------------------------------------------

--- view | refuse | a view
select * from v_dblink

--- view-deep | refuse | a view of a view
select count(*) from v_deep where x is not null

--- view-table | refuse | a view by TABLE
table v_dblink

--- view-only | refuse | a view in a subselect
select id from t where v in (select x from v_dblink)

--- view-cte | refuse | a view in a CTE
with x as (select * from v_deep) select * from x

--- view-direct | refuse | a view of another server | control: success
select * from v_direct

--- view-exec | refuse | a view that calls out
select * from v_exec

--- view-nextval | allow | a sequence in a view
select * from v_nextval

--- view-order | refuse | a view that calls out in its order
select * from v_order

--- view-join | refuse | a view that calls out in a join
select * from v_join_evil

--- view-domain | refuse | a view with a cast
select x from v_dom

--- view-cast | refuse | a view with a cast of one's own
select x from v_cast

--- view-natural | refuse | a view in a join
select * from t natural join v_dblink

--- operator | refuse | an operator
select 1 === 2

--- operator-prefix | refuse | an operator before its operand
select !!! 1

--- operator-overload | refuse | an operator of the user beside those of the system
select 'a'::text + 'b'::text

--- operator-any | refuse | an operator with ANY
select 1 === any (array[1, 2])

--- operator-subselect | refuse | an operator with a subselect
select 1 === all (select 2)

--- operator-order | refuse | an operator with a row
select id from evil where id === 1 or c === c

--- cast-explicit | refuse | a cast of one's own
select row(1)::ct::int

--- cast-function-style | refuse | the same as CAST
select cast(c as int) from t_cast

--- cast-implicit | refuse | a cast that is not written
select 1 + c from t_cast

--- cast-implicit-boolean | refuse | a condition that is cast
select 1 from t_cast where b

--- cast-json | refuse | what to_json does with a type that has a cast
select to_json(e) from t_cast

--- cast-json-row | refuse | the same for a whole row
select row_to_json(t_cast) from t_cast

--- cast-json-agg | refuse | the same for all rows
select json_agg(x) from t_cast as x

--- cast-jsonb-build | refuse | the same inside of an object
select jsonb_build_object('a', e) from t_cast

--- cast-json-array | refuse | the same in an array
select array_to_json(array['a'::ej])

--- domain | refuse | a domain with a check
select 5::dom

--- domain-cast | refuse | the same as CAST
select cast(c as dom) from evil

--- domain-typed-literal | refuse | the type before the literal
select dom '5'

--- domain-over | refuse | a domain over a domain
select 5::dom2

--- domain-text | refuse | a domain over text
select 'x'::domtext

--- domain-null | refuse | also for NULL | control: success
select null::dom

--- domain-array | refuse | an array of it
select '{5}'::dom[]

--- domain-array-nested | refuse | an array of it, in an array of another notation
select array['5', '6']::public.dom[]

--- domain-composite | refuse | inside of a row
select '(5)'::comp_dom

--- domain-row | refuse | a row that is cast
select row(5)::comp_dom

--- domain-composite-deep | refuse | inside of an array of rows
select '("{(5)}")'::comp_deep

--- domain-param | refuse | by a parameter | params: ["5"]
select $1::dom

--- domain-param-composite | refuse | by a parameter, inside of a row | params: ["(5)"]
select ($1::comp_dom).a

--- domain-column-definition | refuse | the type of a column of a function
select * from json_to_recordset('[{"a": 5}]') as x(a dom)

--- domain-populate | refuse | a row from JSON
select jsonb_populate_record(null::comp_dom, '{"a": 5}')

--- domain-populate-table | refuse | a row of a table from JSON
select (json_populate_record(null::t_dom, '{"a": 5}')).b

--- domain-populate-set | refuse | rows from JSON
select * from jsonb_populate_recordset(null::t_dom, '[{"a": 5}]')

--- domain-json-table | refuse | the type of a column of JSON_TABLE | only: >=17
select * from json_table('[5]'::jsonb, '$[*]' columns (a dom path '$'))

--- domain-json-value | refuse | RETURNING | only: >=17
select json_value('5'::jsonb, '$' returning dom)

--- domain-json-query | refuse | RETURNING a row | only: >=17
select json_query('{"a": 5}'::jsonb, '$' returning comp_dom)

--- domain-xmltable | refuse | the type of a column of XMLTABLE
select * from xmltable('/r/x' passing ('<r><x>5</x></r>'::xml) columns a dom path '.')

--- domain-hstore | refuse | a row from hstore
select populate_record(null::comp_dom, 'a=>5'::hstore)

--- domain-as-function | refuse | a type written as a function
select dom('5')

--- domain-as-function-schema | refuse | the same with its schema
select public.domtext('x')

--- domain-as-field | refuse | a type written as a field
select (t.v).domtext from t

--- domain-table-row | refuse | the row of a table from a string
select '(5,1)'::t_dom

--- domain-table-row-literal | refuse | the type before the literal
select t_dom '(5,1)'

--- domain-table-array | refuse | an array of rows of a table
select '{"(5,1)"}'::t_dom[]

--- domain-text-row | refuse | a row by way of text
select (row(5)::text)::comp_dom

--- domain-array-definition | refuse | an array as the type of a column
select * from jsonb_to_record('{"a": [5]}') as x(a dom[])

--- domain-hstore-operator | refuse | a row from hstore, by an operator
select null::comp_dom #= 'a=>5'::hstore

--- domain-populate-param | refuse | JSON as a parameter | params: ["{\"a\": 5}"]
select json_populate_record(null::t_dom, $1::json)

--- domain-column | allow | a column of a domain: what is stored was checked before | control: none
select a, b, a + 1, coalesce(a, 5) from t_dom

--- domain-unnest | refuse | elements of an array of it
select * from unnest('{5,6}'::dom[]) as x

--- domain-function-cast | refuse | in a condition
select 1 from evil where c = any ('{5}'::dom[])

--- domain-rows-from | refuse | column definitions of ROWS FROM
select * from rows from (json_to_record('{"a": 5}') as (a dom)) as x

--- foreign-partition | refuse | a partition that is a program
select * from t_foreign

--- view-program | refuse | a view of a program
select * from v_program

--- cast-implicit-argument | refuse | an argument that is cast
select f_add(c) from t_cast

--- cast-implicit-array | refuse | a subscript that is cast
select (array[1, 2])[c] from t_cast

--- cast-implicit-not | refuse | NOT
select not b from t_cast

--- cast-implicit-filter | refuse | FILTER
select count(*) filter (where b) from t_cast

--- cast-json-standard | refuse | JSON_ARRAY | only: >=16
select json_array(e) from t_cast

--- cast-json-objectagg | refuse | JSON_OBJECTAGG | only: >=16
select json_objectagg('a': e) from t_cast

--- cast-json-build | refuse | json_build_array
select json_build_array(1, e) from t_cast

--- cast-json-object-agg | refuse | jsonb_object_agg
select jsonb_object_agg('a', e) from t_cast

--- cast-to-jsonb-row | refuse | to_jsonb of a row
select to_jsonb(t_cast) from t_cast

--- cast-to-jsonb-anonymous | refuse | to_jsonb of a row of no type
select to_jsonb(row(e, 1)) from t_cast

--- cast-to-json-subselect | refuse | to_json of a subselect
select row_to_json(q) from (select e as x, id from t_cast) q

--- aggregate | refuse | an aggregate
select agg_evil(id) from t

--- aggregate-final | refuse | the last function of an aggregate
select agg_final(id) from t

--- aggregate-window | refuse | an aggregate as a window
select agg_evil(id) over (order by id) from t

--- aggregate-moving | refuse | the function that moves a window
select agg_moving(id) over (order by id rows between 1 preceding and current row) from t

--- aggregate-ordered | refuse | an ordered set | control: none
select agg_ordered() within group (order by id) from t

--- operator-class-order | refuse | the order of a type of one's own
select j from (values (row(1)::cj), (row(2)::cj)) as x(j) order by j

--- operator-class-distinct | refuse | what is the same
select distinct j from (values (row(1)::cj), (row(2)::cj)) as x(j)

--- operator-class-group | refuse | groups of the same
select count(*) from (select j from t_cast union all select j from t_cast) x group by j

--- operator-class-union | refuse | a union without duplicates
select j from t_cast union select row(3)::cj

--- operator-class-using | refuse | an order by an operator
select j from (values (row(1)::cj), (row(2)::cj)) as x(j) order by j using <<<<

--- operator-class-greatest | refuse | GREATEST
select greatest(row(1)::cj, row(2)::cj)

--- operator-class-count | refuse | count of the distinct
select count(distinct j) from (values (row(1)::cj), (row(2)::cj)) as x(j)

--- operator-class-window | refuse | a partition of a window
select count(*) over (partition by j) from (values (row(1)::cj), (row(2)::cj)) as x(j)

--- operator-class-array | refuse | arrays compared
select array[row(1)::cj] < array[row(2)::cj]

--- operator-class-position | refuse | array_position
select array_position(array[row(1)::cj], row(2)::cj)

--- operator-class-range | refuse | a range of the type
select cj_range(row(1)::cj, row(2)::cj)

--- operator-class-range-literal | refuse | the same from a string
select '["(1)","(2)"]'::cj_range

--- operator-class-table | refuse | the column of a table
select distinct j from t_cast, generate_series(1, 2)

--- operator-class-star | refuse | all columns of a table
select distinct * from t_cast, generate_series(1, 2)

--- operator-equal-using | refuse | USING has an operator that is not written
select 1 from t_cast a join t_cast b using (j)

--- operator-equal-natural | refuse | so has NATURAL
select 1 from (select j from t_cast) a natural join (select j from t_cast) b

--- operator-equal-case | refuse | so has CASE
select case j when row(1)::cj then 1 end from t_cast

--- operator-equal-in | refuse | and IN
select 1 from t_cast where j in (row(1)::cj, row(2)::cj)

--- operator-equal-subselect | refuse | and IN with a subselect
select 1 from t_cast where j in (select j from t_cast)

--- operator-equal-nullif | refuse | and NULLIF
select nullif(j, j) from t_cast

--- operator-equal-distinct | refuse | and IS DISTINCT FROM
select j is distinct from row(1)::cj from t_cast

--- operator-like | refuse | and LIKE
select 1 from t_cast where j like 'x'

--- operator-between | refuse | and BETWEEN
select 1 from t_cast where j between j and j

--- policy | refuse | a policy of row security, for whom it is for | control: none
select * from rls_evil

--- index-predicate | refuse | the condition of an index runs when it is planned
select * from t_partial where id = 1

--- index-expression | refuse | the expression of an index runs when it is planned
select * from t_expression where id = 1

--- statistics-expression | refuse | the expression of statistics runs when it is planned
select * from t_stats where id = 1

--- check-constraint | refuse | the check of a child table runs when it is planned
select * from t_parent where id = 1

--- partition-key | refuse | the key of partitions runs when it is planned
select * from t_part where id = 1

-- Constants without a type -------------------------------------------------------------------------------------------

--- untyped-array | refuse | a text becomes an array of a domain with a check
select a = '{5}' from t_deep

--- untyped-array-param | refuse | a parameter does | params: ["{5}"]
select a = $1 from t_deep

--- untyped-array-in | refuse | in a list
select * from t_deep where a in ('{5}')

--- untyped-array-join | refuse | beside a column of an alias
select 1 from evil e, lateral (select a from t_deep) q where q.a = '{5}'

--- untyped-array-with | refuse | beside a column of WITH
with q as (select a from t_deep) select a || '{5}' from q

--- untyped-array-union | refuse | in an arm of a union
select a from t_deep union all select '{5}'

--- untyped-array-view | refuse | beside a column of a view
select b = '{5}' from v_deep_array

--- untyped-array-row | refuse | in a row of several
select * from t_deep where (a, 1) = ('{5}', '1')

--- untyped-array-argument | refuse | in an argument of any type
select array_position(a, '5') from t_deep

--- untyped-array-replace | refuse | in several of them
select array_replace(a, '1', '5') from t_deep

--- untyped-array-rank | refuse | where it would be sorted
select rank('{5}') within group (order by a) from t_deep

--- untyped-array-unknown | refuse | a cast that says nothing
select coalesce(a, '{5}'::unknown) from t_deep

--- untyped-array-collate | refuse | with a collation
select coalesce(a, ('{5}' collate "C")) from t_deep

--- untyped-row | refuse | a text becomes a row with a domain in it
select coalesce(c, '(5)') from t_deep

--- untyped-row-case | refuse | in a branch of CASE
select case when true then '(5)' else c end from t_deep

--- untyped-row-whole | refuse | a text becomes a row of a table
select coalesce(t_flat, '(5,x)') from t_flat

--- untyped-row-alias | refuse | by an alias
select coalesce(q, '(5,x)') from t_flat q

--- untyped-row-star | refuse | by its columns
select coalesce(q.*, '(5,x)') from t_flat q

--- untyped-row-view | refuse | a row of a view
select coalesce(q, '(5)') from v_flat q

--- untyped-row-column | refuse | a column that is a row of a table
select coalesce(x, '(5,x)') from v_row

--- untyped-row-deeper | refuse | a row in an array in a row
select coalesce(x, '("{(5)}")') from t_below

--- untyped-range | refuse | a text becomes a range over a domain
select r = '[5,6)' from t_deep

--- untyped-range-merge | refuse | in an argument
select range_merge(r, '[5,6)') from t_deep

--- untyped-over-domain | refuse | an array of a domain over it
select y = '{5}' from t_below

--- untyped-made-array | refuse | beside an array that is made of a column
select array[v] || '{5}' from t_flat

--- untyped-made-array-null | refuse | NULL is checked too
select array_append(array[v], null) from t_flat

--- untyped-made-array-query | refuse | beside an array that is made of rows
select array(select v from t_flat) = '{5}'

--- untyped-made-array-agg | refuse | beside an array that is collected
select array_agg(v) = '{5}' from t_flat

--- untyped-made-array-fill | refuse | beside an array that is filled
select array_fill(v, array[2]) || '{5}' from t_flat

--- untyped-argument | refuse | beside a column, in an argument of the same type
select lag(v, 1, '5') over () from t_flat

--- untyped-argument-null | refuse | NULL there
select lag(v, 1, null) over () from t_flat

--- untyped-argument-array | refuse | beside a column, as an array of it
select width_bucket(v, '{5,6}') from t_flat

--- untyped-function | refuse | a function of any type does it
select f_make(v) from t_flat

--- untyped-function-copy | refuse | a variable of the type of an argument
select f_copy(v) from t_flat

--- untyped-function-assign | refuse | an argument that is assigned to
select f_assign(v) from t_flat

--- untyped-function-result | refuse | a result that becomes what came in
select f_sum(v) from t_flat

--- untyped-function-view | refuse | a view over such a function
select x from v_make

--- untyped-function-operator | refuse | an operator over one
select x from v_copy

--- untyped-aggregate | refuse | an aggregate of any type that begins with a text
select agg_begin(v) from t_flat

--- untyped-aggregate-view | refuse | a view over it
select x from v_begin

--- untyped-function-body | refuse | a body that has the text
select f_array_body()

--- untyped-domain | allow | beside a domain a text is what the domain is made of | control: none
select v = '5', v in ('5', '6'), coalesce(v, '5'), nullif(v, '5'), case v when '5' then 'a' else w || 'x' end, w like 'x%' from t_flat

--- untyped-domain-union | allow | and in a union too | control: none
select v from t_flat union select '5' order by 1

--- untyped-domain-param | allow | and as a parameter | control: none | params: [1, "x"]
select v, w from t_flat where v = $1 and w = $2

--- untyped-elsewhere | allow | texts that have a type say nothing about the array | control: none
select a, a[1], c, r, array_length(a, 1) from t_deep where 'x'::text = 'x'::text

-- Where a call can stand ---------------------------------------------------------------------------------------------

--- place-where | refuse | WHERE
select id from t where f_dblink() is not null

--- place-having | refuse | HAVING
select v from t group by v having f_dblink() is not null

--- place-order | refuse | ORDER BY
select id from t order by f_dblink()

--- place-group | refuse | GROUP BY
select count(*) from t group by f_dblink()

--- place-grouping-sets | refuse | GROUPING SETS
select count(*) from t group by grouping sets ((f_dblink()), ())

--- place-limit | refuse | LIMIT
select id from t limit length(f_dblink())

--- place-offset | refuse | OFFSET
select id from t offset (select length(f_dblink()))

--- place-fetch | refuse | FETCH FIRST
select id from t order by id fetch first (length(f_dblink())) rows with ties

--- place-distinct-on | refuse | DISTINCT ON
select distinct on (f_dblink()) id from t

--- place-filter | refuse | FILTER
select count(*) filter (where f_dblink() is not null) from t

--- place-aggregate-order | refuse | the order inside of an aggregate
select string_agg(v, ',' order by f_dblink()) from t

--- place-within-group | refuse | WITHIN GROUP
select percentile_cont(0.5) within group (order by length(f_dblink())) from t

--- place-window | refuse | a window
select count(*) over (partition by f_dblink()) from t

--- place-window-clause | refuse | WINDOW
select count(*) over w from t window w as (order by f_dblink())

--- place-frame | refuse | the frame of a window
select count(*) over (order by id rows length(f_dblink()) preceding) from t

--- place-join | refuse | ON
select t.id from t left join child c on f_dblink() = c.note

--- place-lateral | refuse | LATERAL
select * from t, lateral (select f_dblink()) q

--- place-lateral-function | refuse | LATERAL with a function
select * from t cross join lateral f_setof()

--- place-ordinality | refuse | WITH ORDINALITY
select * from f_setof() with ordinality

--- place-values | refuse | VALUES
values (1, f_dblink())

--- place-values-from | refuse | VALUES as a table
select * from (values (1), (length(f_dblink()))) v(a)

--- place-in | refuse | IN
select 1 where 'x' in ('y', f_dblink())

--- place-between | refuse | BETWEEN
select 1 where 'm' between f_dblink() and 'z'

--- place-case | refuse | CASE
select case when id = 1 then f_dblink() else 'x' end from t

--- place-coalesce | refuse | COALESCE
select coalesce(null, f_dblink())

--- place-nullif | refuse | NULLIF
select nullif(f_dblink(), 'x')

--- place-greatest | refuse | GREATEST
select greatest('a', f_dblink())

--- place-array | refuse | an array
select array[f_dblink()]

--- place-array-select | refuse | an array of a select
select array(select f_dblink())

--- place-row | refuse | a row
select row(1, f_dblink())

--- place-field | refuse | a field of a row
select (row(f_dblink(), 1)).f1

--- place-subscript | refuse | a subscript
select (array['a', 'b'])[length(f_dblink())]

--- place-slice | refuse | a slice
select (array['a', 'b'])[1:length(f_dblink())]

--- place-exists | refuse | EXISTS
select exists (select f_dblink() offset 0)

--- place-collate | refuse | COLLATE
select f_dblink() collate "C"

--- place-at-time-zone | refuse | AT TIME ZONE
select now() at time zone coalesce(nullif(f_dblink(), f_dblink()), 'UTC')

--- place-extract | refuse | EXTRACT
select extract(epoch from (f_dblink() is null)::int * interval '1 s')

--- place-substring | refuse | SUBSTRING
select substring(f_dblink() from 1 for 2)

--- place-overlay | refuse | OVERLAY
select overlay('abc' placing f_dblink() from 1)

--- place-trim | refuse | TRIM
select trim(both 'x' from f_dblink())

--- place-position | refuse | POSITION
select position('x' in f_dblink())

--- place-like | refuse | LIKE
select 'x' like f_dblink() escape '!'

--- place-similar | refuse | SIMILAR TO
select f_dblink() similar to 'x'

--- place-is-distinct | refuse | IS DISTINCT FROM
select 'x' is distinct from f_dblink()

--- place-is-json | refuse | IS JSON | only: >=16
select f_dblink() is json

--- place-json-table | refuse | JSON_TABLE | only: >=17
select * from json_table(to_jsonb(f_dblink()), '$' columns (a text path '$'))

--- place-json-table-default | refuse | DEFAULT of a column of JSON_TABLE | only: >=17
select * from json_table('{}'::jsonb, '$' columns (a text path '$.x' default f_dblink() on empty))

--- place-json-passing | refuse | PASSING | only: >=17
select json_exists('{}'::jsonb, '$ ? (@ == $x)' passing f_dblink() as x)

--- place-json-object | refuse | JSON_OBJECT | only: >=16
select json_object('a' value f_dblink())

--- place-json-arrayagg | refuse | JSON_ARRAYAGG | only: >=16
select json_arrayagg(f_dblink() order by id) from t

--- place-xmltable | refuse | XMLTABLE
select * from xmltable('/a' passing xmlelement(name a, f_dblink()) columns x text path '.')

--- place-xmltable-default | refuse | DEFAULT of a column of XMLTABLE
select * from xmltable('/a' passing ('<a/>'::xml) columns x text path 'b' default f_dblink())

--- place-xmlelement | refuse | XMLELEMENT
select xmlelement(name a, xmlattributes(f_dblink() as b), 'c')

--- place-xmlserialize | refuse | XMLSERIALIZE
select xmlserialize(content xmlparse(content f_dblink()) as text)

--- place-tablesample | refuse | TABLESAMPLE
select * from t tablesample bernoulli (length(f_dblink()))

--- place-tablesample-repeat | refuse | REPEATABLE
select * from t tablesample system (50) repeatable (length(f_dblink()))

--- place-recursive | refuse | a recursive CTE
with recursive r(n, x) as (select 1, f_dblink() union all select n + 1, x from r where n < 2) select * from r

--- place-cte-unused | refuse | a CTE that nobody reads | control: none
with x as (select f_dblink()) select 1

--- place-union | refuse | an arm of a union
select 'x' union all select f_dblink()

--- place-except | refuse | an arm of EXCEPT, in parentheses
(((select 'x')) except ((select f_dblink())))

--- place-named-argument | refuse | an argument by name
select make_interval(days => length(f_dblink()))

--- place-nested | refuse | many calls deep
select upper(lower(upper(lower(upper(lower(upper(trim(f_dblink()))))))))

--- place-explain-verbose | refuse | EXPLAIN ANALYZE with all its options
explain (analyze, verbose, costs, buffers, timing, summary, format json) select f_dblink()

--- place-hidden-columns | refuse | among thousands of harmless things
select {MANY}, f_dblink()

--- place-deep-parentheses | refuse | in many parentheses
select ((((((((((((((((((((((((((((((((((((((((f_dblink()))))))))))))))))))))))))))))))))))))))))

-- Extensions ---------------------------------------------------------------------------------------------------------

--- surgery-kill | refuse | destroys rows, whatever the transaction
select heap_force_kill('t'::regclass, array['(0,1)']::tid[])

--- surgery-freeze | refuse | destroys rows, whatever the transaction
select heap_force_freeze('child'::regclass, array['(0,1)']::tid[])

--- visibility-truncate | refuse | drops the visibility map
select pg_truncate_visibility_map('docs'::regclass)

--- prewarm | refuse | fills the buffers | control: success
select pg_prewarm('t')

--- buffercache-evict | refuse | empties buffers | only: >=17 | control: success
select pg_buffercache_evict(1)

--- fdw-disconnect | refuse | closes connections of the session | control: success
select postgres_fdw_disconnect_all()

--- pgcrypto-random | allow | random bytes are a read | control: none
select length(gen_random_bytes(8))

-- What is neither named nor written -----------------------------------------------------------------------------------

--- unsaid-negator | refuse | the planner takes the opposite of an operator for NOT
select not (id =~= 2) from evil

--- unsaid-operator-array | refuse | an operator over a function of the server makes an array of a domain
select v +| '{7}' from t_flat

--- unsaid-operator-row | refuse | an operator over a function of the server fills a row
select d ##= '{"a": 5}'::jsonb from (select null::int) x left join t_dom d on true

--- unsaid-cast-union | refuse | by a cast without a function, a row becomes one with a domain in it
select q from t_cq union all select c from t_deep

--- unsaid-cast-coalesce | refuse | the same in COALESCE
select coalesce(q, c) from t_cq left join t_deep on false

--- unsaid-array-union | refuse | an array of the type below becomes an array of a domain
select a from t_deep union all select array[7]

--- unsaid-array-argument | refuse | the same as an argument
select lag(a, 1, array[7]) over () from t_deep

--- unsaid-array-values | refuse | the same in VALUES
select * from (values ((select a from t_deep)), (array[7])) x

--- unsaid-array-greatest | refuse | the same in GREATEST
select greatest(a, array[7]) from t_deep

--- unsaid-array-made | refuse | beside an array that is collected of a column
select array_agg(v) from t_flat union all select array[7]

--- unsaid-foreign | refuse | a row that arrives is made of values of a domain
select * from ft_dom

--- unsaid-quote-literal | refuse | a function of the server casts what it is given
select quote_literal(l) from t_cl

--- unsaid-concatenation | refuse | and so does an operator
select l || 'x'::text from t_cl

--- unsaid-text-of | refuse | a function of any type does
select f_text_of(l) from t_cl

--- unsaid-typed | refuse | the types of arguments are not in the body
select f_cl_typed(l) from t_cl

--- unsaid-domain-row | refuse | a function of a domain over a row, written as a field
select (l).f_dom_cl from t_cl

--- unsaid-array-of | refuse | an array is made of a column
select sqrt(array[l]) from t_cl

--- unsaid-cast-argument | refuse | what is cast without a word to what the function is for
select cbrt(m) from t_cm

--- unsaid-operator-result | refuse | operands that come from an operator
select (1 @+ 2) = (3 @+ 4)

--- unsaid-equal-any | refuse | an operator in a function of any type
select f_cl_any(l, l) from t_cl

--- unsaid-equal-record | refuse | in a function of any row
select f_cl_record(t_cl) from t_cl

--- unsaid-equal-arguments | refuse | with operands that are arguments
select f_cl_arguments(l, l) from t_cl

--- unsaid-equal-in | refuse | for IN, in a body
select f_cl_in()

--- unsaid-unlike | refuse | an operator with two spellings
select f_cl_unlike()

--- unsaid-equal-told | refuse | over a table that the function is told
select f_cl_told('t_cl')

--- unsaid-signs | refuse | an operator ends before the sign of a number
select f_signs()

--- unsaid-folded | refuse | only letters of ASCII become small
select f_folded()

--- unsaid-cut | refuse | a name that is too long, inside
select f_cut()

--- unsaid-space | refuse | a space that is a letter to the server
select f_space()

--- unsaid-strings | refuse | a string in a string in a string
select f_strings()

--- unsaid-field | refuse | a column by a name that the function is told
select f_field('f_comp')

--- unsaid-hash | refuse | the key of a table by its name
select satisfies_hash_partition('t_hash'::regclass, 2, 0, 5)

--- unsaid-bare-argument | refuse | a constant becomes what a function is for that the server has with fewer arguments
select ascii('a', '(1)')

--- unsaid-bare-param | refuse | and so does a parameter | params: ["(1)"]
select ascii('a', $1)

--- unsaid-bare-exact | refuse | a function that fits better than the server's own
select div(5, '(1)')

--- unsaid-bare-default | refuse | an argument that is not there
select radians(5)

--- unsaid-bare-operator | refuse | an operator for what the server has none for
select true |>> '(1)'

--- unsaid-bare-prefix | refuse | an operator that the server has between two only
select <<= '(1)'

--- unsaid-bare-body | refuse | the same inside
select f_bare()

--- unsaid-field-constant | refuse | a constant with a field becomes what the function is for
select ('(1)').fld

--- unsaid-field-null | refuse | so does nothing at all
select (null collate "C").fld

--- unsaid-field-body | refuse | the same inside
select f_fld()

--- unsaid-field-of-number | refuse | a field of a number is a call
select (5::bigint).pg_advisory_lock

--- unsaid-field-of-column | refuse | of a column too | control: success
select (id).pg_terminate_backend from (select -1 as id) x

--- unsaid-field-of-element | refuse | of an element of an array | control: success
select (array['{DSN}'])[1].dblink_connect

--- unsaid-field-of-query | refuse | of a query | control: success
select (select '{DSN}').dblink_connect

--- unsaid-field-of-value | refuse | of a function in FROM that gives a value | control: success
select x.dblink_connect from unnest(array['{DSN}']) x

--- unsaid-field-of-call | refuse | and has no other name | control: none
select pg_backend_pid.pg_cancel_backend from pg_backend_pid()

--- unsaid-field-inside | refuse | the same in the body of a function | control: success
select f_fields()

--- unsaid-field-argument | refuse | of an argument
select f_field_of(5)

--- unsaid-field-quote | refuse | a cast that a function of the server makes
select (l).quote_literal from t_cl

--- unsaid-field-of-row | refuse | of a row that becomes a number by itself | control: success
select r.pg_advisory_lock from t_row r

--- unsaid-field-of-table | refuse | or a text, by the name of the table | control: success
select public.t_row.dblink_connect from t_row

--- unsaid-field-of-row-own | refuse | for a function of the database
select r.amount from t_row r

--- unsaid-field-of-row-body | refuse | the same in a body
select f_row_field()

--- unsaid-field-of-row-execute | refuse | in what a body executes | control: success
select f_row_execute()

--- unsaid-field-of-row-loop | refuse | in a loop
select f_row_loop()

--- unsaid-field-of-word | refuse | of a function without parentheses | control: none
select f_word_field()

--- unsaid-field-of-hole | refuse | of something that is put in
select f_hole_field()

--- unsaid-field-own | refuse | of a number from a function in FROM
select x.amount from generate_series(1, 2) x

--- unsaid-field-own-unnamed | refuse | of one without another name
select generate_series.name from generate_series(1, 2)

--- unsaid-field-own-cast | refuse | of no function at all
select x.name from cast(5 as int) x

--- unsaid-field-own-rows | refuse | of the only one in ROWS FROM
select x.name from rows from (f_add(1)) x

--- unsaid-field-own-column | refuse | of one whose column has another name
select x.amount from f_any(5::bigint) x(total)

--- unsaid-field-own-inside | refuse | in a query that has the name for something else
select x.id from t x where (select max(x.amount) from generate_series(1, 2) x) is null

--- unsaid-field-own-enum | refuse | of an enum
select x.note from unnest(enum_range(null::mood)) x

--- unsaid-field-own-projected | refuse | of a column that is written as a call, and named as a function that gives rows
select x.amount from (select 5::bigint as json_each) q, lateral json_each(q) x

--- unsaid-field-own-projection | refuse | the same as an expression
select (json_each(q)).amount from (select 5::bigint as json_each) q

--- unsaid-field-own-function-type | refuse | of a cast that is written as a call, to what is named as such a function
select (f_rowed('5')).amount

--- unsaid-field-own-function-type-from | refuse | the same in FROM
select x.amount from f_rowed('5') x

--- unsaid-field-own-letters | refuse | where the server may fold other letters than the parser | control: none
select "é".amount from generate_series(1, 2) É

-- Work without end: bounded by the time limit ------------------------------------------------------------------------

--- endless-series | allow | counts for ever | control: none
select count(*) from generate_series(1, 100000000000)

--- endless-join | allow | multiplies the catalog | control: none
select count(*) from pg_class a, pg_class b, pg_class c, pg_class d

--- endless-recursion | allow | a recursion without end | control: none
with recursive r(n) as (select 1 union all select n + 1 from r) select max(n) from r

--- endless-sleep | allow | sleeps | control: none
select pg_sleep(1000)
