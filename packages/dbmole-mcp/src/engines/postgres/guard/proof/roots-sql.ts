import { actsInBody } from './dependents-sql.ts';
import { catalogs, firstType, firstUserOid, formatFound } from './describe-sql.ts';

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

/** Version 14 began to store the bodies of standard functions, and the expressions of statistics, as trees. */
const isText = (major: number) => (major >= 14 ? 'and p.prosqlbody is null' : '');

/** Those of them that take NULL, of 14 to 18, and are not denied. */
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
 * Functions of the server itself that may have been replaced. Setting up a server changes some of its own rows again; those in SQL
 * are read like anybody's, and the rest keep the name of what they call.
 */
const replaced = (major: number, param: number) => `
    select p.oid, p.prolang from pg_catalog.pg_proc p
    where p.oid < ${firstUserOid} and not (${isInitial('p')}) and case
      when p.prolang = ${internal} then not (
        pg_catalog.concat(p.proname, '=', p.prosrc) = any ($${param}::text[]) or (p.proname = p.prosrc and (p.proisstrict or p.proname = any ('{${lenient.join(',')}}'::pg_catalog.name[])) and not exists (
          select from pg_catalog.pg_proc q where q.proname = p.proname and q.oid < ${firstUserOid} and ${isInitial('q')})))
      when p.prolang = ${c} then pg_catalog.concat(p.probin, ' ', p.prosrc) <> all ($${param + 1}::text[])
      when p.prolang = ${sql} then pg_catalog.concat(p.proname, '=', p.prosrc) <> all ($${param + 2}::text[]) ${isText(major)}
      else true end`;

/** Finds those in a stored tree, which has everything by its number. */
const pattern = `
    select ':funcid (' || (select pg_catalog.string_agg(pg_catalog.concat(oid), '|') from builtin) || ') ' as calls,
      ':relid (' || coalesce((select pg_catalog.string_agg(nullif(pg_catalog.concat(pg_catalog.to_regclass(name)::pg_catalog.oid), ''), '|')
        from pg_catalog.unnest($5::text[]) name), '0') || ') ' as reads`;

/** Functions with machine code: those of the server under another name, and those of libraries. */
const code = `
    select p.oid, p.prosrc, p.probin, p.prolang, p.proargtypes, p.prorettype, p.proisstrict, p.proretset, e.extname
    from pg_catalog.pg_proc p
      left join pg_catalog.pg_depend d on d.classid = ${functions} and d.objid = p.oid and d.refclassid = 3079 and d.deptype = 'e'
      left join pg_catalog.pg_extension e on e.oid = d.refobjid
    where p.oid >= ${firstUserOid} and p.prolang in (${internal}, ${c}) and p.prokind <> 'a' and p.oid not in (select oid from denied)`;

/**
 * Machine code called with other types than it was written for reads memory that it should not. Base types of an extension may be
 * stored as those of the server are.
 */
const sameSignature = (own: string, known: string, ofExtension: string) => `(
  ${own}.proisstrict >= ${known}.proisstrict and ${own}.proretset = ${known}.proretset
  and (${own}.proargtypes = ${known}.proargtypes and ${own}.prorettype = ${known}.prorettype or (${ofExtension} and not exists (
    select from rows from (pg_catalog.unnest(pg_catalog.array_prepend(${own}.prorettype, ${own}.proargtypes::pg_catalog.oid[])),
        pg_catalog.unnest(pg_catalog.array_prepend(${known}.prorettype, ${known}.proargtypes::pg_catalog.oid[]))) x (a, b)
      left join pg_catalog.pg_type t on t.oid = x.a
    where x.a is distinct from x.b and (x.b is null or t.oid is null or t.oid < ${firstUserOid} or t.typtype <> 'b')))))`;

const direct = `
    select ${functions}, oid, 'named', '' from denied where oid >= ${firstUserOid}
    union all
    -- As the server ships them, the planner computes none of these.
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
          and (${isInitial('q')} or q.oid not in (select oid from replaced)) and ${sameSignature('p', 'q', 'p.extname is not null')})
    union all
    select ${functions}, oid, 'symbol', prosrc from code where prolang = ${c} and (prosrc = any ($1::text[])
      or exists (select from pg_catalog.unnest($2::text[]) x where pg_catalog.starts_with(prosrc, x)))
    union all
    select ${functions}, oid, 'library', coalesce(extname, probin) from code
      where prolang = ${c} and (extname = any ($6::text[]) or pg_catalog.regexp_replace(probin, '^.*/', '') = any ($6::text[]))
    union all
    select ${functions}, p.oid, 'code', coalesce(p.probin, '') from code p where p.prolang = ${c} and p.extname is null and not exists (
      select from code q where q.extname is not null and q.prosrc = p.prosrc and q.probin = p.probin
        and ${sameSignature('p', 'q', 'false')})
    union all
    select ${functions}, oid, 'replaced', '' from replaced where prolang in (${internal}, ${c})
    union all
    select ${relation}, f.ftrelid, 'file', ''
      from pg_catalog.pg_foreign_table f
        join pg_catalog.pg_foreign_server s on s.oid = f.ftserver
        join pg_catalog.pg_foreign_data_wrapper w on w.oid = s.srvfdw
        left join pg_catalog.pg_proc p on p.oid = w.fdwhandler
      where p.prosrc is null or p.prosrc = 'file_fdw_handler'`;

/** Stored trees of everything that reading a relation, a type or a function evaluates. */
const virtual = `
    union all
    select ${relation}, a.attrelid, 'column ' || a.attname, x.adbin::text, true
      from pg_catalog.pg_attrdef x join pg_catalog.pg_attribute a on a.attrelid = x.adrelid and a.attnum = x.adnum and a.attgenerated = 'v'`;

const stored = `
    union all
    select ${functions}, p.oid, 'calls', p.prosqlbody::text, true from pg_catalog.pg_proc p where p.prosqlbody is not null
    union all
    select ${relation}, stxrelid, 'statistics', stxexprs::text, false from pg_catalog.pg_statistic_ext where stxexprs is not null`;

const trees = (major: number) => `
    select ${relation}, ev_class, 'calls', ev_action::text, true from pg_catalog.pg_rewrite where ev_type = '1'
    union all
    select 2618, r.ev_class, 'rule', r.ev_action::text, (${actsInBody('r', 'false')}) from pg_catalog.pg_rewrite r where r.ev_type <> '1'
    union all
    select ${relation}, polrelid, 'policy', polqual::text, true from pg_catalog.pg_policy where polcmd in ('r', '*')
    union all
    select ${type}, contypid, 'check', conbin::text, true from pg_catalog.pg_constraint where contypid <> 0
    union all
    select ${relation}, conrelid, 'check', conbin::text, false from pg_catalog.pg_constraint where contype = 'c' and conrelid <> 0
    union all
    select ${relation}, indrelid, 'index', pg_catalog.concat(indexprs, indpred), false from pg_catalog.pg_index
      where indexprs is not null or indpred is not null
    union all
    select ${relation}, partrelid, 'partitions', partexprs::text, false from pg_catalog.pg_partitioned_table where partexprs is not null
    union all
    select ${functions}, p.oid, 'calls', p.proargdefaults::text, true from pg_catalog.pg_proc p where p.proargdefaults is not null
    ${major >= 14 ? stored : ''}${major >= 18 ? virtual : ''}`;

const indirect = `
    select t.class, t.oid, t.how, ${functions}, pg_catalog.to_number(m[1], '9999999999')::pg_catalog.int8::pg_catalog.oid
      from tree t, pattern, pg_catalog.regexp_matches(t.text, pattern.calls, 'g') m
      where t.runs or pg_catalog.to_number(m[1], '9999999999')::pg_catalog.int8::pg_catalog.oid in (select oid from pg_catalog.pg_proc where provolatile = 'i')
    union all
    select t.class, t.oid, t.how, ${relation}, pg_catalog.to_number(m[1], '9999999999')::pg_catalog.int8::pg_catalog.oid
      from tree t, pattern, pg_catalog.regexp_matches(t.text, pattern.reads, 'g') m where t.oid >= ${firstUserOid}
    union all
    select t.class, t.oid, t.how, 0, 0 from tree t
      where pg_catalog.strpos(t.text, '{TABLEFUNC :ns_uris') > 0 or pg_catalog.strpos(t.text, '{TABLEFUNC :functype 0') > 0
    union all
    select ${operator}, o.oid, 'calls', ${functions}, b.oid from pg_catalog.pg_operator o join builtin b on b.oid = o.oprcode
    union all
    select ${cast}, k.oid, 'calls', ${functions}, b.oid from pg_catalog.pg_cast k join builtin b on b.oid = k.castfunc
    union all
    select 2603, a.oid, 'calls', ${functions}, b.oid from pg_catalog.pg_amproc a join builtin b on b.oid = a.amproc
    union all
    select ${functions}, a.aggfnoid, 'calls', ${functions}, b.oid from pg_catalog.pg_aggregate a join builtin b on b.oid in (a.aggtransfn,
      a.aggfinalfn, a.aggcombinefn, a.aggserialfn, a.aggdeserialfn, a.aggmtransfn, a.aggminvtransfn, a.aggmfinalfn)`;

/**
 * Where it begins. Params: names, prefixes of names, exceptions as `name/arguments`, schemas; relations as `schema.name`; extensions and
 * libraries that are denied as a whole; functions of the server that setting it up changes again: internal ones as `name=symbol`,
 * those of libraries, and those in SQL as `name=text`. A dependency on what belongs to the server itself is not recorded: those are
 * looked for in the stored trees.
 */
export function formatRoots(major: number): string {
  return formatFound(`
  with denied as materialized (${denied}
  ), replaced as materialized (${replaced(major, 7)}
  ), builtin as materialized (
    select oid from denied where oid < ${firstUserOid}
    union select oid from replaced
    -- Standard functions of the server, which can lead to others as those of anybody can.
    union select oid from pg_catalog.pg_proc where oid < ${firstUserOid} and prolang = ${sql}
  ), pattern as materialized (${pattern}
  ), code as materialized (${code}
  ), tree (class, oid, how, text, runs) as (${trees(major)}
  ), indirect (class, oid, how, via_class, via) as (${indirect}
  ), found (class, oid, via_class, via, how, detail) as (
    select class, oid, via_class, via, case when via = 0 then 'xmltable' else how end, '' from indirect
    union all
    select via_class, via, 0, 0, case when via_class = ${relation} or via in (select oid from denied) then 'named' else 'known' end, ''
      from indirect where via <> 0
    union all
    select class, oid, 0, 0, how, detail from (${direct}) d (class, oid, how, detail)
  )`);
}

/**
 * Functions with a body that is a text, a page of them by their numbers. There may be very many, so what is known of each is found by
 * few comparisons of whole catalogs. Params: the last three of the roots, and the number behind which
 * the page begins.
 */
export function formatBodies(major: number): string {
  return `
  with replaced as materialized (${replaced(major, 1)}
  ), path (names) as materialized (select pg_catalog.current_schemas(true)
  ), builtin as materialized (select oid, proname, pronargs, proargtypes from pg_catalog.pg_proc where oid < ${firstUserOid}
  ), known as materialized (select proname, pg_catalog.count(*) as n from builtin group by proname
  ), body as (
    select p.oid, p.proname, n.nspname, p.prokind, p.pronargs, p.pronargdefaults, p.provariadic, p.proargtypes, p.provolatile, p.prosecdef, p.proowner, p.proconfig,
      case when l.lanpltrusted then 'body' else 'language' end as how,
      case when p.prolang = ${sql} then 'sql' when p.prolang in (${plpgsql}) then 'plpgsql' else 'language ' || l.lanname end as language,
      case when n.nspname = any (path.names)
        then known.n is null or p.pronargdefaults > 0 or p.provariadic <> 0 or pg_catalog.pg_function_is_visible(p.oid)
        else not exists (
          select from pg_catalog.pg_proc q join pg_catalog.pg_namespace m on m.oid = q.pronamespace
          where q.proname = p.proname and m.nspname = any (path.names)) end as open,
      coalesce(known.n, 0) > case when p.oid < ${firstUserOid} then 1 else 0 end as shadows,
      ${firstType} as first
    from pg_catalog.pg_proc p join pg_catalog.pg_language l on l.oid = p.prolang join pg_catalog.pg_namespace n on n.oid = p.pronamespace
      left join known on known.proname = p.proname, path
    where p.prolang not in (${internal}, ${c}) and (p.oid >= ${firstUserOid} or p.oid in (select oid from replaced)) and p.oid > $4::pg_catalog.oid
      ${isText(major)} and p.prorettype not in ('trigger'::pg_catalog.regtype, 'event_trigger'::pg_catalog.regtype)
    order by p.oid limit ${bodiesPerPage}
  )
  select ${functions}, f.oid, 0, 0, f.how, f.language, pg_catalog.json_build_object('schema', f.nspname, 'name', f.proname,
      'kind', case f.prokind when 'p' then 'procedure' else 'function' end, 'open', f.open, 'shadows', f.shadows,
      'needs', (f.proargtypes::pg_catalog.oid[])[0:f.pronargs - f.pronargdefaults - 1],
      'most', case when f.provariadic = 0 then f.pronargs end, 'immutable', f.provolatile = 'i',
      'bare', not f.shadows or f.provariadic <> 0 or f.pronargdefaults > 0 or not exists (
        select from builtin q where q.proname = f.proname and q.oid <> f.oid and q.pronargs = f.pronargs and not exists (
          select from pg_catalog.generate_series(0, f.pronargs - 1) i
          where f.proargtypes[i] < ${firstUserOid} and f.proargtypes[i] <> q.proargtypes[i])),
      'row', case when f.pronargs > 0 and f.pronargs - f.pronargdefaults <= 1 then f.first end,
      'whole', coalesce(t.typtype in ('c', 'p') or b.typtype in ('c', 'd'), false),
      'definer', case when f.prosecdef then f.proowner end,
      'unpinned', f.prosecdef and not exists (select from pg_catalog.unnest(f.proconfig) s (setting) where pg_catalog.starts_with(s.setting, 'search_path=')))
  from body f left join pg_catalog.pg_type t on t.oid = f.first left join pg_catalog.pg_type b on b.oid = t.typbasetype
  order by f.oid`;
}

export const bodiesPerPage = 10_000;
