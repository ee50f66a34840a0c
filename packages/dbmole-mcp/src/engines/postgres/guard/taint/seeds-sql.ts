import { catalogs, firstUserOid, formatFound } from './describe-sql.ts';

const { cast, function: functions, operator, relation, type } = catalogs;

/** Functions in C whose names are denied. Names are compared as the index has them. */
const denied = `
    select p.oid, p.proname, p.prosrc
    from (
      select oid from pg_catalog.pg_proc where proname = any ($1::pg_catalog.name[])
      union
      select p.oid from pg_catalog.unnest($2::text[]) x
        join pg_catalog.pg_proc p on p.proname >= x::pg_catalog.name and p.proname < (x || '~')::pg_catalog.name
      union
      select oid from pg_catalog.pg_proc where pronamespace in (select oid from pg_catalog.pg_namespace where nspname = any ($4::text[]))
    ) named
      join pg_catalog.pg_proc p on p.oid = named.oid
      join pg_catalog.pg_language l on l.oid = p.prolang and l.lanname in ('internal', 'c')
    where pg_catalog.concat(p.proname, '/', p.pronargs) <> all ($3::text[])`;

/** Finds the denied in a stored tree, which has everything by its number. */
const pattern = `
    select ':funcid (' || (select pg_catalog.string_agg(pg_catalog.concat(oid), '|') from builtin) || ') |:relid (' || coalesce((
      select pg_catalog.string_agg(nullif(pg_catalog.concat(pg_catalog.to_regclass(name)::pg_catalog.oid), ''), '|') from pg_catalog.unnest($5::text[]) name), '0') || ') ' as it`;

/** The rest of what is not in a language that we read, or that the server confines. */
const code = `
    select p.oid, p.proname, p.prosrc, p.probin, l.lanname, l.lanpltrusted, e.extname
    from pg_catalog.pg_proc p
      join pg_catalog.pg_language l on l.oid = p.prolang
      left join pg_catalog.pg_depend d on d.classid = ${functions} and d.objid = p.oid and d.deptype = 'e'
      left join pg_catalog.pg_extension e on e.oid = d.refobjid
    where p.oid >= ${firstUserOid} and (l.lanname in ('internal', 'c') or not l.lanpltrusted)
      and p.oid not in (select oid from denied)`;

const direct = `
    select ${functions}, oid, 'named', '' from denied where oid >= ${firstUserOid}
    union all
    select ${functions}, p.oid, 'alias', b.proname from code p join denied b on b.prosrc = p.prosrc
      where p.lanname = 'internal' and b.oid < ${firstUserOid}
    union all
    select ${functions}, oid, 'symbol', prosrc from code where lanname = 'c' and (prosrc = any ($1::text[])
      or exists (select from pg_catalog.unnest($2::text[]) x where pg_catalog.starts_with(prosrc, x)))
    union all
    select ${functions}, oid, 'library', coalesce(extname, probin) from code
      where lanname = 'c' and (extname = any ($6::text[]) or pg_catalog.regexp_replace(probin, '^.*/', '') = any ($6::text[]))
    union all
    select ${functions}, oid, 'code', coalesce(probin, '') from code where lanname = 'c' and extname is null
    union all
    select ${functions}, oid, 'language', lanname from code where lanname not in ('internal', 'c')
    union all
    select ${relation}, f.ftrelid, 'file', ''
      from pg_catalog.pg_foreign_table f
        join pg_catalog.pg_foreign_server s on s.oid = f.ftserver
        join pg_catalog.pg_foreign_data_wrapper w on w.oid = s.srvfdw
        join pg_catalog.pg_proc p on p.oid = w.fdwhandler
      where p.prosrc = 'file_fdw_handler'`;

/** Version 14 began to store the bodies of standard functions as trees. */
function formatTrees(major: number): string {
  const body = major >= 14 ? "|| coalesce(p.prosqlbody::text, '')" : '';
  const stored = major >= 14 ? 'or p.prosqlbody is not null' : '';
  return `
    select ${relation}, ev_class, 'calls', ev_action::text from pg_catalog.pg_rewrite where oid >= ${firstUserOid} and ev_type = '1'
    union all
    select ${relation}, polrelid, 'policy', polqual::text from pg_catalog.pg_policy where polcmd in ('r', '*')
    union all
    select ${type}, contypid, 'check', conbin::text from pg_catalog.pg_constraint where contypid >= ${firstUserOid}
    union all
    select ${functions}, p.oid, 'calls', coalesce(p.proargdefaults::text, '') ${body}
      from pg_catalog.pg_proc p
      where p.oid >= ${firstUserOid} and (p.proargdefaults is not null ${stored})`;
}

const indirect = `
    select t.class, t.oid, t.how, case when m[1] is null then ${relation} else ${functions} end, pg_catalog.to_number(coalesce(m[1], m[2]), '9999999999')::pg_catalog.int8::pg_catalog.oid
      from tree t, pattern, pg_catalog.regexp_matches(t.text, pattern.it, 'g') m
    union all
    select ${operator}, o.oid, 'calls', ${functions}, b.oid from pg_catalog.pg_operator o join builtin b on b.oid = o.oprcode
    union all
    select ${cast}, c.oid, 'calls', ${functions}, b.oid from pg_catalog.pg_cast c join builtin b on b.oid = c.castfunc
    union all
    select 2603, a.oid, 'calls', ${functions}, b.oid from pg_catalog.pg_amproc a join builtin b on b.oid = a.amproc
    union all
    select ${functions}, a.aggfnoid, 'calls', ${functions}, b.oid from pg_catalog.pg_aggregate a join builtin b on b.oid in (a.aggtransfn,
      a.aggfinalfn, a.aggcombinefn, a.aggserialfn, a.aggdeserialfn, a.aggmtransfn, a.aggminvtransfn, a.aggmfinalfn)`;

/**
 * Where it begins. Params: names, what other names begin with, exceptions as `name/arguments`, schemas; relations as `schema.name`;
 * extensions and libraries that are denied as a whole. A dependency on what belongs to the server itself is not recorded:
 * those are looked for in the stored trees.
 */
export function formatSeeds(major: number): string {
  return formatFound(`
  with denied as materialized (${denied}
  ), builtin as materialized (
    select oid from denied where oid < ${firstUserOid}
  ), pattern as materialized (${pattern}
  ), code as (${code}
  ), tree (class, oid, how, text) as (${formatTrees(major)}
  ), indirect (class, oid, how, via_class, via) as (${indirect}
  ), found (class, oid, via_class, via, how, detail) as (
    select class, oid, via_class, via, how, '' from indirect
    union all
    select via_class, via, 0, 0, 'named', '' from indirect
    union all
    select class, oid, 0, 0, how, detail from (${direct}) d (class, oid, how, detail)
  )`);
}
