import type { SearchFilter, SearchHit } from '../../../catalog/catalog.ts';
import { formatLikePart } from '../../../catalog/name-parts.ts';
import type { CatalogRun, Param } from '../../../engine.ts';
import { comment, findKind, formatLabel, isOurs, relationKinds } from './fragments.ts';

/** A comment is searched as far as it is shown anywhere. */
const searched = 2000;

/**
 * All that has a name, with the text to look in. A column is found by words of which some are in the name of its table, but at
 * least one has to be its own, or every column of a table would come with it.
 */
const things = `
  select ${findKind('c')} as kind, n.nspname, c.oid, ${formatLabel('c', 'n')} as name, c.relname::text as bare, 0 as weight,
    pg_catalog.concat_ws(' ', n.nspname, c.relname, pg_catalog.left(d.description, ${searched})) as hay,
    pg_catalog.concat_ws(' ', c.relname, pg_catalog.left(d.description, ${searched})) as own, ${comment('d.description')} as detail
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    left join pg_catalog.pg_description d on d.objoid = c.oid and d.classoid = 'pg_catalog.pg_class'::regclass and d.objsubid = 0
  where c.relkind in (${relationKinds}) and not c.relispartition
  union all
  select 'column', n.nspname, c.oid, ${formatLabel('c', 'n')} || '.' || pg_catalog.quote_ident(a.attname), a.attname::text, 1,
    pg_catalog.concat_ws(' ', c.relname, a.attname, pg_catalog.left(d.description, ${searched})),
    pg_catalog.concat_ws(' ', a.attname, pg_catalog.left(d.description, ${searched})),
    pg_catalog.concat_ws(': ', pg_catalog.format_type(a.atttypid, a.atttypmod), ${comment('d.description')})
  from pg_catalog.pg_attribute a join pg_catalog.pg_class c on c.oid = a.attrelid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    left join pg_catalog.pg_description d on d.objoid = c.oid and d.classoid = 'pg_catalog.pg_class'::regclass and d.objsubid = a.attnum
  where c.relkind in (${relationKinds}) and not c.relispartition and a.attnum > 0 and not a.attisdropped
  union all
  select case p.prokind when 'p' then 'procedure' when 'a' then 'aggregate' else 'function' end, n.nspname, p.oid,
    case when pg_catalog.pg_function_is_visible(p.oid) then '' else pg_catalog.quote_ident(n.nspname) || '.' end || pg_catalog.quote_ident(p.proname),
    p.proname::text, 2, pg_catalog.concat_ws(' ', n.nspname, p.proname, pg_catalog.left(d.description, ${searched})),
    pg_catalog.concat_ws(' ', p.proname, pg_catalog.left(d.description, ${searched})),
    pg_catalog.left('(' || pg_catalog.pg_get_function_arguments(p.oid) || ')' || coalesce(' -> ' || pg_catalog.pg_get_function_result(p.oid), ''), 500)
      || coalesce(': ' || ${comment('d.description')}, '')
  from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
    left join pg_catalog.pg_description d on d.objoid = p.oid and d.classoid = 'pg_catalog.pg_proc'::regclass
  union all
  select case t.typtype when 'e' then 'enum' else 'domain' end, n.nspname, t.oid, pg_catalog.format_type(t.oid, null), t.typname::text, 3,
    pg_catalog.concat_ws(' ', n.nspname, t.typname, e.labels), pg_catalog.concat_ws(' ', t.typname, e.labels),
    coalesce(pg_catalog.left(e.labels, 500), pg_catalog.format_type(t.typbasetype, t.typtypmod))
  from pg_catalog.pg_type t join pg_catalog.pg_namespace n on n.oid = t.typnamespace left join lateral (
    select pg_catalog.left(pg_catalog.string_agg(pg_catalog.quote_literal(x.enumlabel), ',' order by x.enumsortorder), 4000) as labels
    from pg_catalog.pg_enum x where x.enumtypid = t.oid and t.typtype = 'e') e on true
  where t.typtype in ('e', 'd')`;

/** Names before comments, names that are the word before names that have it. */
function formatSearch(words: number): string {
  const places = Array.from({ length: words }, (_, index) => `$${index + 4}::text`);
  const all = places.map((place) => `h.hay ilike ${place}`).join(' and ');
  const some = places.map((place) => `h.own ilike ${place}`).join(' or ');
  const inName = places.map((place) => `(h.bare ilike ${place})::int`).join(' + ');
  const isName = places
    .map((place) => `(h.bare ilike pg_catalog.substr(${place}, 2, pg_catalog.length(${place}) - 2))::int`)
    .join(' + ');
  return `select h.kind, h.name, h.detail from (${things}) h
    where case when $1::text is null then ${isOurs('h')} else h.nspname = $1::text end and ${all} and (${some})
    order by ${isName} desc, ${inName} desc, h.weight, h.name, h.oid limit $2::int offset $3::int`;
}

export async function search(run: CatalogRun, { words, schema, limit, offset }: SearchFilter): Promise<SearchHit[]> {
  const params: Param[] = [schema ?? null, limit + 1, offset, ...words.map(formatLikePart)];
  const rows = await run(formatSearch(words.length), params);
  return rows.map(([kind, name, detail]) => ({ kind: kind ?? '', name: name ?? '', detail: detail ?? '' }));
}

const maxColumns = 20_000;

const columns = `
select distinct pg_catalog.quote_ident(a.attname)
from pg_catalog.pg_attribute a join pg_catalog.pg_class c on c.oid = a.attrelid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where c.relkind in (${relationKinds}) and ${isOurs('n')} and a.attnum > 0 and not a.attisdropped
  and ($1::jsonb = '[]' or c.oid in (
    select r.oid from pg_catalog.jsonb_to_recordset($1::jsonb) as w(nsp text, rel text)
      join pg_catalog.pg_class r on r.relname = w.rel join pg_catalog.pg_namespace m on m.oid = r.relnamespace
    where w.nsp is null or m.nspname = w.nsp))
limit ${maxColumns}`;

/** `candidates` are readings of table names. */
export async function columnNames(run: CatalogRun, candidates: readonly object[]): Promise<string[]> {
  return (await run(columns, [JSON.stringify(candidates)])).map(([name]) => name ?? '');
}
