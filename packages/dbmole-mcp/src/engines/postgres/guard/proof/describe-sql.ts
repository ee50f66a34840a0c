/** The catalogs by their numbers, which never change. */
export const catalogs = {
  type: '1247',
  function: '1255',
  relation: '1259',
  cast: '2605',
  operator: '2617',
  /** A relation that is written to: the number is that of its rules. */
  target: '2618',
} as const;

/** Conversions, parsers and templates of text search: texts go through them, and nothing has to say so. */
export const unnamed: readonly string[] = ['2607', '3601', '3764'];

/** Objects from here on were made after the server was set up. */
export const firstUserOid = 16_384;

/** The functions that make JSON use a cast to it, whoever calls them and however it was declared. */
const jsonTypes = '114, 3802';

/** What can be before the dot: of VARIADIC, one of its values. */
export const firstType = 'case when p.pronargs = 1 and p.provariadic <> 0 then p.provariadic else p.proargtypes[0] end';

/**
 * What the matching of names needs to know of an object. `open`: its name alone can mean it, or nothing else that is visible has it.
 * `shadows`: the server has something of that name itself. `needs`: the types that its operands have, if they have to be there. `bare`: a
 * constant without a type is enough for one of them, as the server has nothing of its own for the others. `row`: what can be before a dot and its name; that need not be a row, unless it is `whole`. `definer`: with whose rights it runs.
 */
const descriptions = `
    select pg_catalog.json_build_object('schema', n.nspname, 'name', p.proname,
        'kind', case p.prokind when 'p' then 'procedure' when 'a' then 'aggregate' else 'function' end,
        'open', pg_catalog.pg_function_is_visible(p.oid)
          or ((p.pronargdefaults > 0 or p.provariadic <> 0) and n.nspname = any (pg_catalog.current_schemas(true)))
          or not exists (select from pg_catalog.pg_proc q where q.proname = p.proname and pg_catalog.pg_function_is_visible(q.oid)),
        'shadows', exists (select from pg_catalog.pg_proc q where q.proname = p.proname and q.oid < ${firstUserOid} and q.oid <> p.oid),
        'needs', (p.proargtypes::pg_catalog.oid[])[0:p.pronargs - p.pronargdefaults - 1],
        'most', case when p.provariadic = 0 then p.pronargs end, 'immutable', p.provolatile = 'i',
        'bare', p.provariadic <> 0 or p.pronargdefaults > 0 or not exists (
          select from pg_catalog.pg_proc q
          where q.proname = p.proname and q.oid < ${firstUserOid} and q.oid <> p.oid and q.pronargs = p.pronargs and not exists (
            select from pg_catalog.generate_series(0, p.pronargs - 1) i
            where p.proargtypes[i] < ${firstUserOid} and p.proargtypes[i] <> q.proargtypes[i])),
        'row', case when p.pronargs > 0 and p.pronargs - p.pronargdefaults <= 1 then ${firstType} end,
        'whole', exists (
          select from pg_catalog.pg_type t left join pg_catalog.pg_type b on b.oid = t.typbasetype
          where t.oid = ${firstType} and (t.typtype in ('c', 'p') or b.typtype in ('c', 'd'))),
        'definer', case when p.prosecdef then p.proowner end) as it
    from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
    where f.class = ${catalogs.function} and p.oid = f.oid
    union all
    select pg_catalog.json_build_object('schema', n.nspname, 'name', c.relname,
        'kind', case c.relkind when 'v' then 'view' when 'm' then 'materialized view' when 'f' then 'foreign table' else 'table' end,
        'open', pg_catalog.pg_table_is_visible(c.oid) or pg_catalog.to_regclass(pg_catalog.quote_ident(c.relname)) is null,
        'ownType', c.reltype)
    from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where f.class = ${catalogs.relation} and c.oid = f.oid
    union all
    select pg_catalog.json_build_object('schema', n.nspname, 'name', t.typname,
        'kind', case t.typtype when 'd' then 'domain' else 'type' end,
        'open', pg_catalog.pg_type_is_visible(t.oid) or pg_catalog.to_regtype(pg_catalog.quote_ident(t.typname)) is null)
    from pg_catalog.pg_type t join pg_catalog.pg_namespace n on n.oid = t.typnamespace
    where f.class = ${catalogs.type} and t.oid = f.oid
    union all
    select pg_catalog.json_build_object('schema', n.nspname, 'name', o.oprname, 'kind', 'operator',
        'open', pg_catalog.pg_operator_is_visible(o.oid)
          or not exists (select from pg_catalog.pg_operator q where q.oprname = o.oprname and pg_catalog.pg_operator_is_visible(q.oid)),
        'shadows', exists (select from pg_catalog.pg_operator q where q.oprname = o.oprname and q.oid < ${firstUserOid}),
        'needs', pg_catalog.array_remove(array[o.oprleft, o.oprright], 0::pg_catalog.oid),
        'bare', not exists (
          select from pg_catalog.pg_operator q
          where q.oprname = o.oprname and q.oid < ${firstUserOid} and (q.oprleft = 0) = (o.oprleft = 0) and (
            ((o.oprleft >= ${firstUserOid} or q.oprleft = o.oprleft) and (o.oprright >= ${firstUserOid} or q.oprright = o.oprright))
            or (q.oprleft = q.oprright and q.oprleft in (o.oprleft, o.oprright)))),
        'immutable', (select p.provolatile = 'i' from pg_catalog.pg_proc p where p.oid = o.oprcode))
    from pg_catalog.pg_operator o join pg_catalog.pg_namespace n on n.oid = o.oprnamespace
    where f.class = ${catalogs.operator} and o.oid = f.oid
    union all
    select pg_catalog.json_build_object('schema', n.nspname, 'name', t.typname, 'kind', 'cast', 'open', true,
        'needs', array[c.castsource], 'target', c.casttarget, 'implicit', c.castcontext <> 'e' or c.casttarget in (${jsonTypes}),
        'source', pg_catalog.format_type(c.castsource, null), 'immutable', p.provolatile = 'i')
    from pg_catalog.pg_cast c
      join pg_catalog.pg_type t on t.oid = c.casttarget
      join pg_catalog.pg_namespace n on n.oid = t.typnamespace
      left join pg_catalog.pg_proc p on p.oid = c.castfunc
    where f.class = ${catalogs.cast} and c.oid = f.oid
    union all
    select pg_catalog.json_build_object('schema', n.nspname, 'name', c.relname, 'kind', 'table',
        'open', pg_catalog.pg_table_is_visible(c.oid) or pg_catalog.to_regclass(pg_catalog.quote_ident(c.relname)) is null)
    from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where f.class = ${catalogs.target} and c.oid = f.oid
    union all
    select pg_catalog.json_build_object('name', x.name, 'kind', x.kind)
    from (
      select 2607, oid, conname, 'conversion' from pg_catalog.pg_conversion
      union all select 3601, oid, prsname, 'text search parser' from pg_catalog.pg_ts_parser
      union all select 3764, oid, tmplname, 'text search template' from pg_catalog.pg_ts_template
    ) x (class, oid, name, kind)
    where f.class = x.class and f.oid = x.oid and f.class in (${unnamed.join(', ')})`;

/** Rows of `found (class, oid, via_class, via, how, detail)`, each with what there is to know of it. */
export function formatFound(found: string): string {
  return `${found}
  select f.class, f.oid, f.via_class, f.via, f.how, f.detail, d.it
  from (select distinct * from found) f left join lateral (${descriptions}
  ) d on true`;
}
