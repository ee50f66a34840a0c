import type { ScopeWorld } from './scope-world.ts';

/** Statements that reach, or would show, what is outside. */
export function listAttacks(world: ScopeWorld): readonly string[] {
  const isPostgres = world.account.type === 'postgres';
  return [both, isPostgres ? postgresAttacks : mysqlAttacks].flatMap((text) => readStatements(text, world));
}

/** Statements over what is inside alone. */
export function listInnocent(world: ScopeWorld): readonly string[] {
  return readStatements(world.account.type === 'postgres' ? postgresInnocent : mysqlInnocent, world);
}

/** One on each line: `app` is inside, and `hr` is outside. */
function readStatements(text: string, { inside, outside }: ScopeWorld): readonly string[] {
  const place = (line: string) =>
    line
      .trim()
      .replace(/\bapp\b/g, inside)
      .replace(/\bhr\b/g, outside)
      .replace(/\bHR\b/g, outside.toUpperCase());
  return text.trim().split('\n').map(place);
}

const both = `
  select * from hr.salaries
  select amount_of from hr.salaries where id = 1
  table hr.salaries
  select (select amount_of from hr.salaries limit 1)
  select * from app.orders where exists (select 1 from hr.salaries)
  select * from app.orders where id in (select id from hr.salaries)
  select o.id, s.* from app.orders o join hr.salaries s on s.id = o.id
  select o.id from app.orders o, hr.salaries s
  select o.id from app.orders o left join hr.salaries s using (id)
  select * from app.orders natural join hr.salaries
  with s as (select * from hr.salaries) select * from s
  with recursive s as (select id, amount_of from hr.salaries union all select id + 1, amount_of from s where id < 3) select * from s
  with a as (select 1 as x), b as (select amount_of from hr.salaries) select * from a, b
  with orders as (select * from hr.orders) select * from orders
  select * from (select * from (select amount_of from hr.salaries) a) b
  select id, customer, 1 from app.orders union all select id, amount_of, 2 from hr.salaries
  select case when (select count(*) from hr.salaries) > 1 then 1 else 0 end
  select count(*) from hr.salaries
  select max(amount_of) from hr.salaries group by id having count(*) > 0
  select * from app.orders order by (select amount_of from hr.salaries limit 1)
  select * from app.orders limit 1 offset 0 /* x */ union select id, amount_of, id from hr.salaries
  select * from hr.payroll
  select * from hr.orders
  select * from hr . salaries
  select * from hr/**/./**/salaries
  select * from app.orders o where o.id = (select max(s.id) from hr.salaries s where s.id = o.id)
  select * from hr.does_not_exist
  select * from app.secret_notes
  select note from secret_notes
  select * from app.secret_anything
  select app.leak_text()
  select id from app.orders where customer = app.leak_text()
  select app.leak_over()
  with x as (select app.leak_text() as t) select * from x
  select table_name from information_schema.tables
  select column_name from information_schema.columns where table_name = 'salaries'
  select * from information_schema.schemata
  select * from INFORMATION_SCHEMA.TABLES
  select (select count(*) from information_schema.columns)
  explain select * from hr.salaries
  explain select * from app.orders where exists (select 1 from hr.salaries)
  explain select * from app.granted
  explain select * from app.renamed where title = 'x'
  /* x */ explain select * from app.granted`;

const postgresAttacks = `
  select * from does_not_exist
  select (hr.salaries('(1,x)')).*
  select pg_relpages('hr.salaries')
  select * from "hr"."salaries"
  select * from U&"\\0068r".salaries
  select * from only hr.salaries
  select * from hr.salaries tablesample system (100)
  select * from hr.salaries as s (a, b)
  select s from hr.salaries s
  select row_to_json(s) from hr.salaries s
  select to_jsonb(s) from hr.salaries s
  select array(select amount_of from hr.salaries)
  select x.* from app.orders o cross join lateral (select * from hr.salaries s where s.id = o.id) x
  select app.leak_body()
  select app.leak_std()
  select app.leak_std_over()
  select app.leak_dynamic('hr.salaries')
  select * from app.leak_row()
  select * from app.leak_text() as t
  select * from rows from (app.leak_text(), generate_series(1, 3)) x
  select o operator(app.%%%) 1 from app.orders o
  select o.leak_field from app.orders o
  select app.leak_int(o, 1) from app.orders o
  select query_to_xml('select * from hr.salaries', true, true, '')
  select table_to_xml('hr.salaries', true, true, '')
  select schema_to_xml('hr', true, true, '')
  select schema_to_xml('app', true, true, '')
  select database_to_xml(true, true, '')
  select table_to_xmlschema('hr.salaries', true, true, '')
  select * from ts_stat('select to_tsvector(amount_of) from hr.salaries')
  explain (verbose, format json) select * from app.renamed
  explain analyze select * from app.granted
  select 'x'::text::app.boxed
  select cast(o.customer as app.boxed) from app.orders o
  select ('x'::text::app.boxed).title
  select '{x}'::text[]::app.boxed[]
  select 'x'::app.unlisted
  select app.takes_listed('x')
  select o.leak_std_field from app.orders o
  select (o).leak_std_field from app.orders o
  select '{hr.salaries}'::_regclass
  select array(select g::oid from generate_series(16384, 18000) g)::_regclass
  select * from json_to_recordset('[{"a": ["hr.salaries"]}]') as x (a _regclass)
  select 'hr.salaries'::app.any_relation
  select '{hr.salaries}'::app._any_relation
  select regclassout(g::oid) from generate_series(16384, 18000) g
  select regtypeout(g::oid) from generate_series(16384, 18000) g
  select pg_basetype(g::oid) from generate_series(16384, 18000) g
  select case when false then pg_typeof(1) else 'hr.salaries' end
  select array_append(array[pg_typeof(1)], '16392')
  select app.name_of('hr.salaries')
  select app.name_of(g::oid) from generate_series(16384, 18000) g
  select app.name_of_std(g::oid) from generate_series(16384, 18000) g
  select app.name_at(g::oid) from generate_series(16384, 18000) g
  select app.name_at_pl(g::oid) from generate_series(16384, 18000) g
  select app.definition_of(g::oid) from generate_series(16384, 18000) g
  select app.definition_std(g::oid) from generate_series(16384, 18000) g
  select app.stats_std()
  select lower(m) from app.moods
  select to_json(m) from moods
  select row_to_json(x) from (select * from app.moods) x
  select data from app.bt_page_items('hr.salaries_pkey', 1)
  select * from app.pgstattuple('hr.salaries')
  select * from app.pg_stat_statements(true)
  select null::hr.salaries
  select (null::hr.salaries).*
  select json_populate_record(null::hr.salaries, '{"id": 1}')
  select * from jsonb_populate_recordset(null::hr.salaries, '[{}]')
  select '{}'::hr.salaries[]
  select 'hr.salaries'::regclass
  select cast('hr.salaries' as regclass)
  select regclass 'hr.salaries'
  select regclass('hr.salaries')
  select to_regclass('hr.salaries')
  select 'hr'::regnamespace
  select 'app.leak_text'::regproc
  select pg_relation_size('hr.salaries')
  select pg_total_relation_size('hr.salaries')
  select pg_table_size('hr.salaries')
  select pg_get_viewdef('app.granted'::regclass)
  select pg_get_functiondef(p.oid) from pg_proc p where proname = 'leak_text'
  select pg_get_constraintdef(oid) from pg_constraint
  select relname from pg_class
  select relname from pg_catalog.pg_class
  select attname from pg_attribute
  select most_common_vals from pg_stats where tablename = 'salaries'
  select stavalues1 from pg_statistic
  select * from pg_stat_user_tables
  select query from pg_stat_activity
  select * from pg_stat_get_activity(null)
  select prosrc from pg_proc where proname like 'leak%'
  select definition from pg_views
  select has_table_privilege('hr.salaries', 'select')
  select obj_description('hr.salaries'::regclass)
  select col_description(16384, 1)
  select pg_describe_object(1259, 16384, 0)
  select format_type(16386, null)
  select pg_column_is_updatable(16384, 1::int2, true)
  select pg_typeof(s) from hr.salaries s
  select currtid2('hr.salaries', '(0,1)')
  select currval('hr.salaries_id_seq')
  select pg_relation_filepath('hr.salaries')
  select lo_get(16384)
  select * from information_schema.view_table_usage
  select * from pg_tables
  select * from pg_indexes
  select nspname from pg_namespace
  select datname from pg_database`;

const mysqlAttacks = `
  select lastval(hr.sal_seq)
  select previous value for \`hr\`.sal_seq
  select * from \`hr\`.\`salaries\`
  select * from hr.salaries partition (p0)
  select straight_join o.id from app.orders o join hr.salaries s
  select * from (app.orders o, hr.salaries s)
  select * from ((hr.salaries))
  select * from { oj app.orders o left join hr.salaries s on s.id = o.id }
  select app.leak_begin()
  select json_arrayagg(amount_of) from hr.salaries
  select group_concat(amount_of) from hr.salaries
  select * from app.orders use index (primary), hr.salaries
  select /*+ no_merge(s) */ * from hr.salaries s
  select * from app.orders where (id, customer) = (select id, amount_of from hr.salaries limit 1)
  select * from app.orders o where id = any (select id from hr.salaries)
  select exists (select 1 from hr.salaries)
  select if((select count(*) from hr.salaries) = 2, 1, 0)
  show tables
  show tables from hr
  show full columns from hr.salaries
  show columns from salaries from hr
  show create table hr.salaries
  show create view app.granted
  show create function app.leak_text
  show databases
  show table status from hr
  show index from hr.salaries
  show full processlist
  show grants
  show triggers from hr
  show open tables
  show variables where exists (select 1 from hr.salaries)
  show status where (select count(*) from hr.salaries) > 0
  describe hr.salaries
  desc hr.salaries amount_of
  explain hr.salaries
  explain format=json select * from hr.salaries
  checksum table hr.salaries
  select * from mysql.user
  select * from mysql.innodb_table_stats
  select * from performance_schema.table_io_waits_summary_by_table
  select digest_text from performance_schema.events_statements_summary_by_digest
  select * from sys.schema_table_statistics
  select * from sys.statement_analysis
  select * from sys.innodb_buffer_stats_by_table
  select sys.version_major()
  select index_name from information_schema.statistics
  select routine_definition from information_schema.routines
  select view_definition from information_schema.views
  select * from information_schema.innodb_tables
  select * from information_schema.key_column_usage
  select * from information_schema.processlist
  (select amount_of from hr.salaries) limit 1
  values row((select amount_of from hr.salaries limit 1))
  select * from app.orders join (select amount_of from hr.salaries) s
  select * from HR.salaries
  select * from hr.SALARIES
  with orders as (select 1 as a) select * from hr.orders
  select distinct amount_of from hr.salaries
  select * from app.orders o, lateral (select amount_of from hr.salaries s where s.id = o.id) x
  select secret_notes.* from orders join secret_notes
  select * from orders where id in (table hr.orders)
  select lead(amount_of) over (order by id) from hr.salaries`;

const postgresInnocent = `
  select * from app.orders
  select count(*) from orders
  with o as (select * from orders) select * from o
  with orders as (select 1 as id) select * from orders
  select app.total(), app.total_std()
  select * from parts
  select * from app.granted
  select now(), version(), current_setting('server_version'), lower('A')
  select o, row_to_json(o) from orders o limit 1
  select 1::int, 'x'::text, '{1}'::int[], null::app.orders
  select array[1]::text[], o.customer::varchar, (o).customer from orders o
  select * from generate_series(1, 3)
  show server_version
  values (1), (2)`;

const mysqlInnocent = `
  select * from app.orders
  select count(*) from orders o
  with o as (select * from orders) select * from o
  with orders as (select 1 as id) select * from orders
  select app.total()
  select * from app.granted
  select now(), version(), lower('A'), concat('a', 'b')
  select * from orders o join orders p using (id)
  select 1`;
