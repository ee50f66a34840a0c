import type { CatalogQuestion } from '../../../../guard/read-statement.ts';
import { catalogs } from '../proof/catalog/describe-sql.ts';
import { formatName, outside, toJson } from '../scope.ts';
import { checkScopedWrite, type WritePlace } from './check-scoped-write.ts';
import { type ReachedText, readTree, toQuery } from './reached-text.ts';
import type { RelationName, ScopedDefinition } from './read-definition.ts';
import type { Trigger } from './relation-parts.ts';

/** Throws for a definition that is not known to stay inside. */
export async function checkDefinition(place: WritePlace, definition: ScopedDefinition, sql: string): Promise<void> {
  const { scope, ask } = place;
  const { created, relations, expressions, query, dropped, change } = definition;
  const named = [...relations, ...created.flatMap(({ beside }) => beside ?? [])];
  const found = await openNamed([...created, ...named], ask);
  const places = new Map(found.rows.map((row) => [row.ord, row]));
  for (const [i, { beside, ...name }] of created.entries()) {
    const around = beside && places.get(created.length + named.indexOf(beside))?.schema;
    const schema = name.schema ?? around ?? found.current;
    // What is replaced is as much inside as what comes.
    if (schema === undefined || !scope.allows(schema, name.name)) throw scope.refuse(formatName({ ...name, at: -1 }));
    if (name.schema === undefined && places.get(i)?.schema !== undefined && places.get(i)?.schema !== schema)
      throw scope.refuse(formatName({ ...name, at: -1 }));
  }
  const start = named.flatMap((name, i) => {
    const row = places.get(created.length + i);
    const schema = name.schema ?? row?.schema;
    if (schema === undefined || !scope.allows(schema, row?.table ?? name.name))
      throw scope.refuse(formatName({ ...name, at: -1 }));
    return row === undefined ? [] : [{ oid: row.oid, change, where: undefined }];
  });
  const texts: ReachedText[] = [];
  if (expressions.length > 0) texts.push(readTree(toQuery(...expressions), sql, undefined));
  if (query !== undefined) texts.push(readTree(query, sql, undefined));
  if (dropped.length > 0) await checkDependents(place, dropped);
  await checkScopedWrite(place, texts, start, await openEventTriggers(ask));
}

interface NamedRow {
  readonly ord: number;
  readonly schema: string;
  /** The table of an index. */
  readonly table: string;
  readonly oid: string;
}

const namedSql = `
  select w.ord, n.nspname, t.relname, t.oid, pg_catalog.current_schema()
  from (select -1, null, null union all select * from pg_catalog.jsonb_to_recordset($1::pg_catalog.jsonb) as w (ord int, nsp text, name text)) w (ord, nsp, name)
    left join lateral (
      select c.oid from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
      where c.relname = w.name and case when w.nsp is null then n.nspname = any (pg_catalog.current_schemas(true)) else n.nspname = w.nsp end
      order by pg_catalog.array_position(pg_catalog.current_schemas(true), n.nspname) limit 1) x on true
    left join pg_catalog.pg_index i on i.indexrelid = x.oid
    left join pg_catalog.pg_class t on t.oid = coalesce(i.indrelid, x.oid) left join pg_catalog.pg_namespace n on n.oid = t.relnamespace`;

async function openNamed(names: readonly RelationName[], ask: CatalogQuestion) {
  const rows = await ask(namedSql, [toJson(names)]);
  return {
    current: rows[0]?.[4] ?? undefined,
    rows: rows.flatMap(([ord, schema, table, oid]): NamedRow[] =>
      schema == null || table == null || oid == null ? [] : [{ ord: Number(ord), schema, table, oid }],
    ),
  };
}

/** Tables, views and functions that depend on what goes, directly or through others. */
const dependentsSql = `
  with recursive start (oid, number) as (
    select x.oid, coalesce(a.attnum, 0) from pg_catalog.jsonb_to_recordset($1::pg_catalog.jsonb) as w (nsp text, name text, col text) cross join lateral (
      select c.oid from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
      where c.relname = w.name and case when w.nsp is null then n.nspname = any (pg_catalog.current_schemas(true)) else n.nspname = w.nsp end
      order by pg_catalog.array_position(pg_catalog.current_schemas(true), n.nspname) limit 1) x
      left join pg_catalog.pg_attribute a on a.attrelid = x.oid and a.attname = w.col
  ), gone (class, oid) as (
    select d.classid, d.objid from start s join pg_catalog.pg_depend d on d.refclassid = ${catalogs.relation} and d.refobjid = s.oid
      where s.number = 0 or d.refobjsubid = s.number
    union select case d.classid when 2618 then ${catalogs.relation} else d.classid end, case d.classid when 2618 then (select ev_class from pg_catalog.pg_rewrite r where r.oid = d.objid) else d.objid end
      from gone g join pg_catalog.pg_depend d on d.refclassid = g.class and d.refobjid = g.oid
  ), owners (oid) as (
    select oid from gone where class = ${catalogs.relation}
    union select ev_class from gone g join pg_catalog.pg_rewrite r on g.class = 2618 and r.oid = g.oid
    union select conrelid from gone g join pg_catalog.pg_constraint k on g.class = 2606 and k.oid = g.oid
    union select tgrelid from gone g join pg_catalog.pg_trigger t on g.class = 2620 and t.oid = g.oid
    union select polrelid from gone g join pg_catalog.pg_policy p on g.class = 3256 and p.oid = g.oid
    union select adrelid from gone g join pg_catalog.pg_attrdef f on g.class = 2604 and f.oid = g.oid)
  select n.nspname, c.relname from owners o join pg_catalog.pg_class c on c.oid = o.oid and c.relkind in ('r', 'p', 'v', 'm', 'f')
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  union all select '', p.proname from gone g join pg_catalog.pg_proc p on g.class = ${catalogs.function} and p.oid = g.oid`;

async function checkDependents({ scope, ask }: WritePlace, dropped: ScopedDefinition['dropped']): Promise<void> {
  const names = dropped.map(({ schema, name, column }) => ({ nsp: schema ?? null, name, col: column ?? null }));
  const rows = await ask(dependentsSql, [JSON.stringify(names)]);
  if (rows.every(([schema, name]) => schema !== '' && scope.allows(schema ?? '', name ?? ''))) return;
  throw outside('something that depends on it is outside of', scope);
}

const eventTriggersSql = `
  select e.evtname, p.oid, case when l.lanname in ('sql', 'plpgsql') and l.lanpltrusted then l.lanname else pg_catalog.concat('language ', l.lanname) end
  from pg_catalog.pg_event_trigger e join pg_catalog.pg_proc p on p.oid = e.evtfoid join pg_catalog.pg_language l on l.oid = p.prolang
  where e.evtenabled <> 'D' and e.evtevent <> 'login'`;

/** They run with every definition. */
async function openEventTriggers(ask: CatalogQuestion): Promise<readonly Trigger[]> {
  const rows = await ask(eventTriggersSql);
  return rows.map(([name, oid, language]) => ({
    label: `the event trigger ${name}`,
    type: 0,
    isBuiltin: false,
    body: { class: catalogs.function, oid: oid ?? '', language: language ?? '' },
  }));
}
