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

/** Conversions, and parsers and templates of text search: the server uses them without a name in the statement. */
export const unnamed: readonly string[] = ['2607', '3601', '3764'];

/** Objects from here on were made after the server was set up. */
export const firstUserOid = 16_384;

/** Functions of JSON apply any cast to it, and to the path that they are given, even one that was declared as explicit only. */
const jsonTypes = '114, 3802, 4072';
export const isImplicit = (c: string) => `(${c}.castcontext <> 'e' or ${c}.casttarget in (${jsonTypes}))`;

/** The planner may evaluate it, for an estimate where it is stable, or inline it and evaluate what it calls. */
export const isPlanned = (p: string) => `(${p}.provolatile <> 'v' or ${p}.prolang = 14)`;

/** `anyelement`, `anyarray`, … */
export const anyTypes = (name: string) => `${name}.typtype = 'p' and ${name}.typname ~ '^any.'`;

/**
 * Whether an operand of the type `other` fits the user's object better than the built-in one. An untyped constant becomes a string type such
 * as citext, or the preferred type of its category, rather than any other type except text.
 */
const isOther = (own: string, other: string) => `(case when ${own} < ${firstUserOid} then ${own} <> ${other} else ${other} <> 25
            and (select y.typcategory = 'S' or y.typispreferred from pg_catalog.pg_type y where y.oid = ${own}) end)`;

/** The type of a value before the dot; for a VARIADIC parameter, of one of its elements. */
const firstType = 'case when p.pronargs = 1 and p.provariadic <> 0 then p.provariadic else p.proargtypes[0] end';

/** It can be called with one argument. */
const isField = '(p.pronargs > 0 and p.pronargs - p.pronargdefaults <= 1)';

/**
 * Fills the fields of `CatalogObject` that names are matched by. `isVisible` is also true if no visible object has the name. `hasNames` is
 * true even where a function for the same types hides it. `takesUntyped` is true if no built-in takes the other operands as well.
 */
const functionDescription = `
    select n.nspname as schema, p.proname as name, case p.prokind when 'p' then 'procedure' when 'a' then 'aggregate' else 'function' end as kind,
      pg_catalog.pg_function_is_visible(p.oid)
        or ((p.pronargdefaults > 0 or p.provariadic <> 0) and n.nspname = any (pg_catalog.current_schemas(true)))
        or not exists (select from pg_catalog.pg_proc q where q.proname = p.proname and pg_catalog.pg_function_is_visible(q.oid)) as "isVisible",
      p.proargnames is not null and n.nspname = any (pg_catalog.current_schemas(true)) as "hasNames", h.hides as "hidesBuiltin",
      (p.proargtypes::pg_catalog.oid[])[0:p.pronargs - p.pronargdefaults - 1] as "argTypes",
      case when p.provariadic = 0 then p.pronargs end as "maxArgs", ${isPlanned('p')} as immutable,
      h.hides and (p.provariadic <> 0 or p.pronargdefaults > 0 or not exists (
        select from pg_catalog.pg_proc q
        where q.proname = p.proname and q.oid < ${firstUserOid} and q.oid <> p.oid and q.pronargs = p.pronargs and not exists (
          select from pg_catalog.generate_series(0, p.pronargs - 1) i
          where ${isOther('p.proargtypes[i]', 'q.proargtypes[i]')}))) as "takesUntyped",
      case when ${isField} then ${firstType} end as row, ${isField} and coalesce((
        select t.typtype in ('c', 'p') or (t.typbasetype <> 0 and exists (
          select from pg_catalog.pg_type b where b.oid = t.typbasetype and b.typtype in ('c', 'd')))
        from pg_catalog.pg_type t where t.oid = ${firstType}), false) as "takesRows",
      case when p.prosecdef then p.proowner end as definer,
      p.prosecdef and not exists (
        select from pg_catalog.unnest(p.proconfig) s (setting) where pg_catalog.starts_with(s.setting, 'search_path=')) as "hasNoPath"
    from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace cross join lateral (
      select exists (select from pg_catalog.pg_proc q where q.proname = p.proname and q.oid < ${firstUserOid} and q.oid <> p.oid) offset 0) h (hides)
    where f.class = ${catalogs.function} and p.oid = f.oid`;

const descriptions = [
  functionDescription,
  `
    select n.nspname as schema, c.relname as name,
      case c.relkind when 'v' then 'view' when 'm' then 'materialized view' when 'f' then 'foreign table' else 'table' end as kind,
      pg_catalog.pg_table_is_visible(c.oid) or pg_catalog.to_regclass(pg_catalog.quote_ident(c.relname)) is null as "isVisible"
    from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where f.class in (${catalogs.relation}, ${catalogs.target}) and c.oid = f.oid`,
  `
    select n.nspname as schema, t.typname as name, case t.typtype when 'd' then 'domain' else 'type' end as kind,
      pg_catalog.pg_type_is_visible(t.oid) or pg_catalog.to_regtype(pg_catalog.quote_ident(t.typname)) is null as "isVisible"
    from pg_catalog.pg_type t join pg_catalog.pg_namespace n on n.oid = t.typnamespace
    where f.class = ${catalogs.type} and t.oid = f.oid`,
  `
    select n.nspname as schema, o.oprname as name, 'operator' as kind,
      pg_catalog.pg_operator_is_visible(o.oid)
        or not exists (select from pg_catalog.pg_operator q where q.oprname = o.oprname and pg_catalog.pg_operator_is_visible(q.oid)) as "isVisible",
      exists (select from pg_catalog.pg_operator q where q.oprname = o.oprname and q.oid < ${firstUserOid}) as "hidesBuiltin",
      pg_catalog.array_remove(array[o.oprleft, o.oprright], 0::pg_catalog.oid) as "argTypes",
      not exists (
        select from pg_catalog.pg_operator q
        where q.oprname = o.oprname and q.oid < ${firstUserOid} and (q.oprleft = 0) = (o.oprleft = 0) and (
          (not ${isOther('o.oprleft', 'q.oprleft')} and not ${isOther('o.oprright', 'q.oprright')})
          or (q.oprleft = q.oprright and q.oprleft in (o.oprleft, o.oprright)))) as "takesUntyped",
      (select ${isPlanned('p')} from pg_catalog.pg_proc p where p.oid = o.oprcode) as immutable
    from pg_catalog.pg_operator o join pg_catalog.pg_namespace n on n.oid = o.oprnamespace
    where f.class = ${catalogs.operator} and o.oid = f.oid`,
  `
    select n.nspname as schema, t.typname as name, 'cast' as kind, true as "isVisible", array[c.castsource] as "argTypes", c.casttarget as target,
      (select t.names from targets t where t.target = c.casttarget) as targets,
      ${isImplicit('c')} as "isImplicitCast", pg_catalog.format_type(c.castsource, null) as source, ${isPlanned('p')} as immutable
    from pg_catalog.pg_cast c
      join pg_catalog.pg_type t on t.oid = c.casttarget
      join pg_catalog.pg_namespace n on n.oid = t.typnamespace
      left join pg_catalog.pg_proc p on p.oid = c.castfunc
    where f.class = ${catalogs.cast} and c.oid = f.oid`,
  `
    select x.name, x.kind
    from (
      select 2607, oid, conname, 'conversion' from pg_catalog.pg_conversion
      union all select 3601, oid, prsname, 'text search parser' from pg_catalog.pg_ts_parser
      union all select 3764, oid, tmplname, 'text search template' from pg_catalog.pg_ts_template
    ) x (class, oid, name, kind)
    where f.class = x.class and f.oid = x.oid and f.class in (${unnamed.join(', ')})`,
];

/** What the target of a cast in `found` may be written as: an array as its elements; and a row is cast column by column. */
const castTargets = `targets (target, names) as materialized (
    with recursive x (target, oid) as (
      select c.casttarget, p.oid from found f join pg_catalog.pg_cast c on f.class = ${catalogs.cast} and c.oid = f.oid
        join pg_catalog.pg_type t on t.oid = c.casttarget cross join lateral (values (t.oid), (t.typelem)) p (oid)
      union
      select x.target, y.oid from x join (
        select oid, typbasetype from pg_catalog.pg_type where typbasetype <> 0
        union all select oid, typelem from pg_catalog.pg_type where typelem <> 0
        union all select r.reltype, a.atttypid from pg_catalog.pg_class r join pg_catalog.pg_attribute a on a.attrelid = r.oid
          where r.reltype <> 0 and a.attnum > 0) y (oid, part) on y.part = x.oid)
    select x.target, pg_catalog.json_agg(distinct y.typname) from x join pg_catalog.pg_type y on y.oid = x.oid group by x.target
  )`;

/** Adds a description to each row of `found (class, oid, via_class, via, how, detail)`. */
export function formatFound(found: string): string {
  return describeFound(`${found}, ${castTargets}`, descriptions);
}

/** The same for rows that are all functions, of which there can be very many. */
export function formatFunctions(found: string): string {
  return describeFound(found, [functionDescription]);
}

/** The rows per JSON list: sending one row for each would take both sides longer. */
const perList = 200;

function describeFound(found: string, described: readonly string[]): string {
  const description = described.map((one) => `select pg_catalog.row_to_json(x) from (${one}) x`).join('\n    union all\n    ');
  return `${found}
  select pg_catalog.json_agg(r) from (
    select f.class::pg_catalog.oid as class, f.oid, f.via_class::pg_catalog.oid as "viaClass", f.via::pg_catalog.oid as via, f.how, f.detail,
      coalesce(d.it, '{}') as description,
      pg_catalog.row_number() over (order by f.class, f.oid, f.via_class, f.via, f.how, f.detail) / ${perList} as list
    from (select distinct * from found) f left join lateral (${description}
    ) d (it) on true) r
  group by r.list order by r.list`;
}
