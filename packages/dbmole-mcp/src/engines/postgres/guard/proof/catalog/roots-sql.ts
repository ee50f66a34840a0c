import { decisiveSettings } from '../../tree/settings.ts';
import { listNumbers, trees } from './dependents-sql.ts';
import { catalogs, firstUserOid, formatFound, formatFunctions, isPlanned } from './describe-sql.ts';

const { cast, function: functions, operator, relation, type } = catalogs;

/** Languages by their numbers, which never change, unlike their names. */
const internal = '12';
const c = '13';
const sql = '14';

/** PL/pgSQL itself: a language that merely uses its handler may differ from it. */
const plpgsql = `
    select l.oid from pg_catalog.pg_language l join pg_catalog.pg_proc h on h.oid = l.lanplcallfoid
    where h.prosrc = 'plpgsql_call_handler' and h.probin = '$libdir/plpgsql' and (l.oid < ${firstUserOid} or exists (
      select from pg_catalog.pg_depend d join pg_catalog.pg_extension e on e.oid = d.refobjid and e.extname = 'plpgsql'
      where d.classid = 2612 and d.objid = l.oid and d.refclassid = 3079 and d.deptype = 'e'))`;

/** Rows that have not changed since the server was set up have an age that does not grow. */
const isInitial = (row: string) => `pg_catalog.age(${row}.xmin) = 2147483647`;

/** Since version 14 the bodies of functions in standard SQL are stored as trees. */
const isText = (major: number) => (major >= 14 ? 'and p.prosqlbody is null' : '');

const hasNoText = (major: number) => `and (p.prolang in (${internal}, ${c}) ${major >= 14 ? 'or p.prosqlbody is not null' : ''})`;

/** Functions among those, in 14 to 18, that accept NULL and are not denied. */
const lenient = [
  'json_populate_record',
  'json_populate_recordset',
  'jsonb_set_lax',
  'pg_current_logfile',
  'pg_show_replication_origin_status',
];

/** Functions in C whose names are denied. */
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
      join pg_catalog.pg_proc p on p.oid = named.oid and p.prolang in (${internal}, ${c})
    where pg_catalog.concat(p.proname, '/', p.pronargs) <> all ($3::text[])`;

/**
 * Functions of the server itself that may have been replaced. `initdb` changes some of its own rows a second time: of these, functions in SQL
 * are read like those of users, and the others still have the name of their symbol.
 */
const replaced = (major: number, param: number) => `
    select p.oid, p.prolang from pg_catalog.pg_proc p
    where p.oid < ${firstUserOid} and not (${isInitial('p')}) and case
      -- Names are denied in pg_catalog, whose number is 11.
      when p.prolang = ${internal} then p.pronamespace <> 11 or not (
        pg_catalog.concat(p.proname, '=', p.prosrc) = any ($${param}::text[]) or (p.proname = p.prosrc and (p.proisstrict or p.proname = any ('{${lenient.join(',')}}'::pg_catalog.name[])) and not exists (
          select from pg_catalog.pg_proc q where q.proname = p.proname and q.oid < ${firstUserOid} and ${isInitial('q')})))
      when p.prolang = ${c} then pg_catalog.concat(p.probin, ' ', p.prosrc) <> all ($${param + 1}::text[])
      when p.prolang = ${sql} then pg_catalog.concat(p.proname, '=', p.prosrc) <> all ($${param + 2}::text[]) ${isText(major)}
      else true end`;

/** In the format of `reviewed-symbols.ts`: `+` marks the type of an extension or a user. */
const typeName = (t: string) => `pg_catalog.concat(case when ${t}.oid >= ${firstUserOid} then '+' end, ${t}.typname)`;

/** Functions with machine code: those of the server under another name, and those of libraries. */
const code = `
    select p.oid, p.prosrc, p.probin, p.prolang, p.proargtypes, p.prorettype, p.proisstrict, p.proretset, e.extname, case
      when p.prolang = ${c} then pg_catalog.concat(p.probin, ' ', p.prosrc, '(', (
          select pg_catalog.string_agg(${typeName('t')}, ',' order by a.i) from pg_catalog.unnest(p.proargtypes::pg_catalog.oid[])
            with ordinality a (oid, i) join pg_catalog.pg_type t on t.oid = a.oid
        ), '>', case when p.proretset then '*' end, (select ${typeName('t')} from pg_catalog.pg_type t where t.oid = p.prorettype),
        case when not p.proisstrict then '?' end, ')') end as signature
    from pg_catalog.pg_proc p
      left join pg_catalog.pg_depend d on d.classid = ${functions} and d.objid = p.oid and d.refclassid = 3079 and d.deptype = 'e'
      left join pg_catalog.pg_extension e on e.oid = d.refobjid
    where p.oid >= ${firstUserOid} and p.prolang in (${internal}, ${c}) and p.prokind <> 'a' and p.oid not in (select oid from denied)`;

/**
 * Machine code called with other types than it was written for reads memory that it should not. Base types of an extension may be
 * stored as those of the server are.
 */
const sameSignature = (own: string, known: string) => `(
  ${own}.proisstrict >= ${known}.proisstrict and ${own}.proretset = ${known}.proretset
  and (${own}.proargtypes = ${known}.proargtypes and ${own}.prorettype = ${known}.prorettype or (${own}.extname is not null and not exists (
    select from rows from (pg_catalog.unnest(pg_catalog.array_prepend(${own}.prorettype, ${own}.proargtypes::pg_catalog.oid[])),
        pg_catalog.unnest(pg_catalog.array_prepend(${known}.prorettype, ${known}.proargtypes::pg_catalog.oid[]))) x (a, b)
      left join pg_catalog.pg_type t on t.oid = x.a
    where x.a is distinct from x.b and (x.b is null or t.oid is null or t.oid < ${firstUserOid} or t.typtype <> 'b')))))`;

const direct = (major: number) => `
    select ${functions}, oid, 'named', '' from denied where oid >= ${firstUserOid}
    union all
    -- All of them are volatile as shipped, so that the planner evaluates none of them.
    select ${functions}, p.oid, 'altered', '' from denied b join pg_catalog.pg_proc p on p.oid = b.oid
      where p.oid < ${firstUserOid} and not (${isInitial('p')}) and p.provolatile <> 'v'
    union all
    select ${functions}, p.oid, 'alias', b.proname from code p join denied b on b.prosrc = p.prosrc
      where p.prolang = ${internal} and b.oid < ${firstUserOid}
    union all
    -- The constructors of a range belong to its type.
    select ${functions}, p.oid, 'unknown', p.prosrc from code p
      where p.prolang = ${internal} and not exists (
        select from pg_catalog.pg_depend d where d.classid = ${functions} and d.objid = p.oid and d.refclassid = ${type} and d.deptype = 'i'
      ) and not exists (
        select from pg_catalog.pg_proc q where q.prosrc = p.prosrc and q.prolang = ${internal} and q.oid < ${firstUserOid}
          and (${isInitial('q')} or q.oid not in (select oid from replaced)) and ${sameSignature('p', 'q')})
    union all
    select ${functions}, oid, 'symbol', prosrc from code where prolang = ${c} and (prosrc = any ($1::text[])
      or exists (select from pg_catalog.unnest($2::text[]) x where pg_catalog.starts_with(prosrc, x)))
    union all
    select ${functions}, oid, 'library', coalesce(extname, probin) from code
      where prolang = ${c} and (extname = any ($6::text[]) or pg_catalog.regexp_replace(probin, '^.*/', '') = any ($6::text[]))
    union all
    select ${functions}, p.oid, case when p.extname is null then 'code' else 'body' end,
        case when p.extname is null then coalesce(p.probin, '') else 'extension ' || p.extname end
      from code p where p.prolang = ${c} and p.signature not in (select pg_catalog.unnest($7::text[]))
    union all
    select ${functions}, oid, 'replaced', '' from replaced where prolang in (${internal}, ${c})
    union all
    select ${functions}, oid, 'sets', '' from pg_catalog.pg_proc where proconfig is not null and exists (
      select from pg_catalog.unnest(proconfig) s (setting) where pg_catalog.strpos(pg_catalog.split_part(s.setting, '=', 1), '.') > 0)
    union all
    select ${functions}, p.oid, 'decides', pg_catalog.split_part(s.setting, '=', 1)
      from pg_catalog.pg_proc p cross join lateral pg_catalog.unnest(p.proconfig) s (setting)
      where pg_catalog.lower(pg_catalog.split_part(s.setting, '=', 1)) = any ('{${[...decisiveSettings].join(',')}}'::text[])
        and pg_catalog.lower(pg_catalog.split_part(s.setting, '=', 1)) <> 'search_path' ${hasNoText(major)}
    union all
    select ${type}, t.oid, 'modifiers', '' from pg_catalog.pg_type t join pg_catalog.pg_proc p on p.oid = t.typmodin
      where p.prolang not in (${internal}, ${c})
    union all
    select ${relation}, f.ftrelid, 'file', ''
      from pg_catalog.pg_foreign_table f
        join pg_catalog.pg_foreign_server s on s.oid = f.ftserver
        join pg_catalog.pg_foreign_data_wrapper w on w.oid = s.srvfdw
        left join pg_catalog.pg_proc p on p.oid = w.fdwhandler
      where p.prosrc is null or p.prosrc = 'file_fdw_handler'`;

const indirect = `
    select t.class, t.oid, t.how, ${functions}, b.oid
      from tree t cross join lateral ${listNumbers('t.text', ':funcid')} x join builtin b on b.number = x.number
        join pg_catalog.pg_proc p on p.oid = b.oid
      where t.runs or ${isPlanned('p')}
    union all
    -- Aggregates, of which none is among them unless one was replaced.
    select t.class, t.oid, t.how, ${functions}, b.oid
      from (select from builtin b join pg_catalog.pg_proc p on p.oid = b.oid and p.prokind = 'a' limit 1) aggregates
        cross join tree t cross join lateral ${listNumbers('t.text', 'fnoid')} x join builtin b on b.number = x.number
    union all
    select t.class, t.oid, t.how, ${relation}, r.oid
      from tree t cross join lateral ${listNumbers('t.text', ':relid')} x join (
        select pg_catalog.to_regclass(name)::pg_catalog.oid from pg_catalog.unnest($5::text[]) name) r (oid) on pg_catalog.concat(r.oid) = x.number
      where t.oid >= ${firstUserOid}
    union all
    select t.class, t.oid, t.how, 0, 0 from tree t
      where pg_catalog.strpos(t.text, '{TABLEFUNC ') > 0 and t.text ~ '{TABLEFUNC :(?:ns_uris|functype 0)'
    union all
    select ${operator}, o.oid, 'calls', ${functions}, b.oid from pg_catalog.pg_operator o join builtin b on b.oid = o.oprcode
    union all
    select ${cast}, k.oid, 'calls', ${functions}, b.oid from pg_catalog.pg_cast k join builtin b on b.oid = k.castfunc
    union all
    select 2603, a.oid, 'calls', ${functions}, b.oid from pg_catalog.pg_amproc a join builtin b on b.oid = a.amproc
    union all
    select ${type}, t.oid, 'type', ${functions}, b.oid from pg_catalog.pg_type t join builtin b on b.oid = t.typsend
    union all
    select ${functions}, a.aggfnoid, 'calls', ${functions}, b.oid from pg_catalog.pg_aggregate a join builtin b on b.oid in (a.aggtransfn,
      a.aggfinalfn, a.aggcombinefn, a.aggserialfn, a.aggdeserialfn, a.aggmtransfn, a.aggminvtransfn, a.aggmfinalfn)`;

/**
 * The unsafe objects, and what leads to those of the server. Params: names, prefixes of names, exceptions as `name/arguments`, schemas;
 * relations as `schema.name`; extensions and libraries that are denied entirely; reviewed functions of libraries; functions that `initdb`
 * changes a second time: internal ones as `name=symbol`, those of libraries, and those in SQL as `name=text`. Dependencies on objects of the
 * server are not recorded, so these are looked for in the stored trees.
 */
export function formatRoots(major: number): string {
  return formatFound(`
  with denied as materialized (${denied}
  ), replaced as materialized (${replaced(major, 8)}
  ), builtin as materialized (
    select oid, pg_catalog.concat(oid) as number from (
      select oid from denied where oid < ${firstUserOid}
      union select oid from replaced
      -- Standard functions of the server, which can lead to others as those of users can.
      union select oid from pg_catalog.pg_proc where oid < ${firstUserOid} and prolang = ${sql}) b
  ), code as materialized (${code}
  ), tree (class, oid, how, text, runs) as (${trees(major)}
  ), indirect (class, oid, how, via_class, via) as (${indirect}
  ), found (class, oid, via_class, via, how, detail) as (
    select class, oid, via_class, via, case when via = 0 then 'xmltable' else how end, '' from indirect
    union all
    select via_class, via, 0, 0, case when via_class = ${relation} or via in (select oid from denied) then 'named' else 'known' end, ''
      from indirect where via <> 0
    union all
    select class, oid, 0, 0, how, detail from (${direct(major)}) d (class, oid, how, detail)
  )`);
}

/**
 * A page of the functions whose body is a text, before version 14 also those of the server. Trigger functions in PL/pgSQL are left out, because
 * they refuse to be called. Params: the last three of the roots, and the OID after which the page begins.
 */
export function formatBodies(major: number): string {
  return formatFunctions(`
  with replaced as materialized (${replaced(major, 1)}
  ), found (class, oid, via_class, via, how, detail) as (
    select ${functions}, p.oid, 0, 0, case when l.lanpltrusted then 'body' else 'language' end,
      case when p.prolang = ${sql} then 'sql' when p.prolang in (${plpgsql}) then 'plpgsql' else 'language ' || l.lanname end
    from pg_catalog.pg_proc p join pg_catalog.pg_language l on l.oid = p.prolang
    where p.prolang not in (${internal}, ${c}) and (p.oid >= ${firstUserOid} or p.oid in (select oid from replaced)${major >= 14 ? '' : ` or p.prolang = ${sql}`}) and p.oid > $4::pg_catalog.oid
      ${isText(major)} and (p.prolang not in (${plpgsql}) or p.prorettype not in ('trigger'::pg_catalog.regtype, 'event_trigger'::pg_catalog.regtype))
    order by p.oid limit ${bodiesPerPage}
  )`);
}

/** Functions of the server that query its catalog by SQL and qualify no operator, as older minor versions do in their `||`. */
const selfQuerying = `pg_get_viewdef,pg_get_ruledef,schema_to_xml,schema_to_xmlschema,schema_to_xml_and_xmlschema,database_to_xml,
  database_to_xmlschema,database_to_xml_and_xmlschema`;

const calls = (field: string, from: string) =>
  `exists (select from ${listNumbers('t.tree', field)} x where x.number = any (array(select pg_catalog.concat(oid) from ${from})))`;

/**
 * These functions, and what calls them, lead to each user operator over types of the server that their SQL may mean: a function with a
 * search path of its own can call them. No dependency records that.
 */
export const formatSelfQuerying = (major: number) =>
  formatFound(`
  with asker as materialized (
    select oid from pg_catalog.pg_proc where pronamespace = 'pg_catalog'::pg_catalog.regnamespace and (
      proname = any ('{${selfQuerying}}'::pg_catalog.name[]) or prosrc ~ '^select [$]1[a-z_:.]* [|][|] ')
  ), tree as materialized (${trees(major)}
  ), view as materialized (
    select distinct t.oid from tree t where t.class = ${relation} and ${calls('funcid', 'asker')}
  ), asking (class, oid) as (
    select ${functions}, oid from asker
    union select t.class, t.oid from tree t where ${calls('funcid', 'asker')} or ${calls(':relid', 'view')}
  ), found (class, oid, via_class, via, how, detail) as (
    select a.class, a.oid, ${operator}, o.oid, 'calls', '' from asking a cross join pg_catalog.pg_operator o
    where o.oid >= ${firstUserOid} and o.oprname in ('=', '~', '||') and o.oprleft < ${firstUserOid} and o.oprright < ${firstUserOid}
  )`);

export const bodiesPerPage = 20_000;
