import { formatLabel, isOurs, relationKinds, schemaOrder } from '../catalog/fragments.ts';
import { firstUserOid } from '../guard/proof/catalog/describe-sql.ts';

/** The account, and what PUBLIC may do in this database. One row. */
export const accountSql = `
select r.rolsuper::text, r.rolcreaterole::text, r.rolcreatedb::text, r.rolreplication::text, r.rolbypassrls::text,
  pg_catalog.pg_is_in_recovery()::text, pg_catalog.quote_ident(d.datname), pg_catalog.pg_has_role(d.datdba, 'USAGE')::text,
  pg_catalog.has_database_privilege(d.oid, 'CREATE')::text, pg_catalog.has_database_privilege(d.oid, 'TEMPORARY')::text,
  pg_catalog.has_database_privilege('public', d.oid, 'CREATE')::text,
  pg_catalog.has_database_privilege('public', d.oid, 'TEMPORARY')::text,
  (select pg_catalog.json_agg(m.rolname::text order by m.rolname) from pg_catalog.pg_roles m
    where m.rolname <> r.rolname and pg_catalog.pg_has_role(m.oid, 'MEMBER')
      and (m.oid < ${firstUserOid} or not pg_catalog.pg_has_role(m.oid, 'USAGE'))),
  (select pg_catalog.json_agg(s.srvname::text order by s.srvname) from pg_catalog.pg_foreign_server s
    where pg_catalog.has_server_privilege(s.oid, 'USAGE')),
  (select pg_catalog.json_agg(w.fdwname::text order by w.fdwname) from pg_catalog.pg_foreign_data_wrapper w
    where pg_catalog.has_foreign_data_wrapper_privilege(w.oid, 'USAGE')),
  (select pg_catalog.json_agg(m.rolname::text) from pg_catalog.pg_roles m where m.rolname like 'mole\\_reader%')
from pg_catalog.pg_roles r, pg_catalog.pg_database d
where r.rolname = current_user and d.datname = pg_catalog.current_database()`;

const sampled = '[1:4]';
const few = (label: string, order: string, which: string) =>
  `pg_catalog.to_json((pg_catalog.array_agg(${label} order by ${order}) filter (where ${which}))${sampled})`;

const writes = `case when pg_catalog.current_setting('server_version_num')::int >= 170000
  then 'INSERT, UPDATE, DELETE, TRUNCATE, TRIGGER, MAINTAIN' else 'INSERT, UPDATE, DELETE, TRUNCATE, TRIGGER' end`;

/** Column privileges are checked only if there are any, because the check visits every column. One row. */
export const relationsSql = `
with spaces as materialized (
  select n.oid, n.nspname, pg_catalog.has_schema_privilege(n.oid, 'USAGE') as used,
    pg_catalog.has_schema_privilege(n.oid, 'CREATE') as makes, pg_catalog.has_schema_privilege('public', n.oid, 'CREATE') as open
  from pg_catalog.pg_namespace n where ${isOurs('n')}),
relations as materialized (
  select c.oid, c.relname, c.relkind, n.oid as space, n.nspname, pg_catalog.pg_has_role(c.relowner, 'USAGE') as owned,
    case when c.relkind = 'S' then pg_catalog.has_sequence_privilege(c.oid, 'USAGE, UPDATE')
      when pg_catalog.has_table_privilege(c.oid, ${writes}) then true
      when c.oid in (select a.attrelid from pg_catalog.pg_attribute a where a.attacl is not null)
      then pg_catalog.has_any_column_privilege(c.oid, 'INSERT, UPDATE') else false end as written
  from pg_catalog.pg_class c join spaces n on n.oid = c.relnamespace
  where n.used and c.relkind in (${relationKinds}, 'S'))
select pg_catalog.count(*) filter (where c.written and c.relkind <> 'S'),
  ${few(formatLabel('c', 'c'), 'c.nspname, c.relname', "c.written and c.relkind <> 'S'")},
  pg_catalog.count(*) filter (where c.owned and c.relkind <> 'S'),
  pg_catalog.count(*) filter (where c.written and c.relkind = 'S'),
  ${few(formatLabel('c', 'c'), 'c.nspname, c.relname', "c.written and c.relkind = 'S'")},
  (select pg_catalog.json_agg(pg_catalog.quote_ident(n.nspname) order by ${schemaOrder('n')}) from spaces n where n.makes and n.used),
  (select pg_catalog.json_agg(pg_catalog.quote_ident(n.nspname) order by ${schemaOrder('n')}) from spaces n where n.open),
  (select pg_catalog.json_agg(pg_catalog.quote_ident(n.nspname) order by ${schemaOrder('n')}) from spaces n
    where n.oid in (select r.space from relations r where r.relkind <> 'S'))
from relations c`;

/** Extensions whose functions reach out of the server or start work in it. */
const outward = "'dblink', 'http', 'pg_net', 'adminpack', 'pg_background', 'pg_cron', 'aws_s3', 'aws_lambda', 'oracle_fdw'";

/**
 * Functions that do more than the rights of who calls them: of untrusted languages, with the rights of their owner, and those that
 * reach out. One that is not volatile cannot change rows. One row for each kind.
 */
export const functionsSql = `
with risky as materialized (
  select p.oid, p.pronamespace, p.proowner, p.proname, e.extname, l.lanname,
    case when e.extname in (${outward}) then 'outward'
      when not l.lanpltrusted and l.lanname not in ('internal', 'c') then 'untrusted' else 'definer' end as kind
  from pg_catalog.pg_proc p join pg_catalog.pg_language l on l.oid = p.prolang
    left join pg_catalog.pg_depend d
      on d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass and d.objid = p.oid and d.deptype = 'e'
    left join pg_catalog.pg_extension e on d.refclassid = 'pg_catalog.pg_extension'::pg_catalog.regclass and e.oid = d.refobjid
  where p.oid >= ${firstUserOid} and p.prorettype not in ('trigger'::pg_catalog.regtype, 'event_trigger'::pg_catalog.regtype)
    and (e.extname in (${outward}) or (not l.lanpltrusted and l.lanname not in ('internal', 'c'))
      or (p.prosecdef and p.provolatile = 'v'))),
named as (
  select f.kind, pg_catalog.quote_ident(n.nspname) || '.' || pg_catalog.quote_ident(f.proname) as label,
    pg_catalog.quote_ident(n.nspname) || '.' || pg_catalog.quote_ident(f.proname)
      || '(' || pg_catalog.pg_get_function_identity_arguments(f.oid) || ')' as signature,
    case f.kind when 'outward' then f.extname when 'untrusted' then f.lanname
      else pg_catalog.pg_get_userbyid(f.proowner) end::text as whose,
    pg_catalog.has_function_privilege(f.oid, 'EXECUTE') and pg_catalog.has_schema_privilege(n.oid, 'USAGE')
      and (f.kind <> 'definer' or not pg_catalog.pg_has_role(f.proowner, 'USAGE')) as mine,
    pg_catalog.has_function_privilege('public', f.oid, 'EXECUTE') as open
  from risky f join pg_catalog.pg_namespace n on n.oid = f.pronamespace)
select f.kind, pg_catalog.count(*) filter (where f.mine), ${few('distinct f.label', 'f.label', 'f.mine')},
  ${few('distinct f.whose', 'f.whose', 'f.mine')}, pg_catalog.count(*) filter (where f.open),
  pg_catalog.left(pg_catalog.string_agg(f.signature, ', ' order by f.signature) filter (where f.open), 400)
from named f group by f.kind order by pg_catalog.array_position(array['untrusted', 'outward', 'definer'], f.kind)`;
