import type { ForeignKey, SearchFilter, SearchHit } from '../../../catalog/catalog.ts';
import { formatLikePart } from '../../../catalog/name-parts.ts';
import type { CatalogRun, Param } from '../../../engine.ts';
import { comment, findKind, formatLabel, isOurs, readColumns, relationKinds } from './fragments.ts';
import { listNames } from './list.ts';

/** A comment is searched as far as it is shown anywhere. */
const searched = 2000;

/**
 * All that has a name, with the text to look in. A column is found by words of which some are in the name of its table, but at
 * least one has to be its own, or every column of a table would come with it.
 */
const things = `
  select ${findKind('c')} as kind, n.nspname, c.oid, ${formatLabel('c', 'n')} as name, c.relname::text as bare, 0 as weight,
    pg_catalog.concat_ws(' ', n.nspname, c.relname, pg_catalog.left(d.description, ${searched})) as hay,
    pg_catalog.concat_ws(' ', c.relname, pg_catalog.left(d.description, ${searched})) as own, ${comment('d.description')} as detail, '' as types
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    left join pg_catalog.pg_description d on d.objoid = c.oid and d.classoid = 'pg_catalog.pg_class'::regclass and d.objsubid = 0
  where c.relkind in (${relationKinds}) and not c.relispartition
  union all
  select 'column', n.nspname, c.oid, ${formatLabel('c', 'n')} || '.' || pg_catalog.quote_ident(a.attname), a.attname::text, 1,
    pg_catalog.concat_ws(' ', c.relname, a.attname, pg_catalog.left(d.description, ${searched})),
    pg_catalog.concat_ws(' ', a.attname, pg_catalog.left(d.description, ${searched})),
    pg_catalog.concat_ws(': ', pg_catalog.format_type(a.atttypid, a.atttypmod), ${comment('d.description')}),
    pg_catalog.concat(' ', t.typname, ' ', pg_catalog.format_type(t.oid, null), case t.typname when 'int4' then ' int' when 'bpchar' then ' char' end, ' ')
  from pg_catalog.pg_attribute a join pg_catalog.pg_type t on t.oid = a.atttypid join pg_catalog.pg_class c on c.oid = a.attrelid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    left join pg_catalog.pg_description d on d.objoid = c.oid and d.classoid = 'pg_catalog.pg_class'::regclass and d.objsubid = a.attnum
  where c.relkind in (${relationKinds}) and not c.relispartition and a.attnum > 0 and not a.attisdropped
  union all
  select case p.prokind when 'p' then 'procedure' when 'a' then 'aggregate' else 'function' end, n.nspname, p.oid,
    case when pg_catalog.pg_function_is_visible(p.oid) then '' else pg_catalog.quote_ident(n.nspname) || '.' end || pg_catalog.quote_ident(p.proname),
    p.proname::text, 2, pg_catalog.concat_ws(' ', n.nspname, p.proname, pg_catalog.left(d.description, ${searched})),
    pg_catalog.concat_ws(' ', p.proname, pg_catalog.left(d.description, ${searched})),
    pg_catalog.left('(' || pg_catalog.pg_get_function_arguments(p.oid) || ')' || coalesce(' -> ' || pg_catalog.pg_get_function_result(p.oid), ''), 500)
      || coalesce(': ' || ${comment('d.description')}, ''), ''
  from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
    left join pg_catalog.pg_description d on d.objoid = p.oid and d.classoid = 'pg_catalog.pg_proc'::regclass
  union all
  select case t.typtype when 'e' then 'enum' else 'domain' end, n.nspname, t.oid, pg_catalog.format_type(t.oid, null), t.typname::text, 3,
    pg_catalog.concat_ws(' ', n.nspname, t.typname, e.labels), pg_catalog.concat_ws(' ', t.typname, e.labels),
    coalesce(pg_catalog.left(e.labels, 500), pg_catalog.format_type(t.typbasetype, t.typtypmod)), ''
  from pg_catalog.pg_type t join pg_catalog.pg_namespace n on n.oid = t.typnamespace left join lateral (
    select pg_catalog.left(pg_catalog.string_agg(pg_catalog.quote_literal(x.enumlabel), ',' order by x.enumsortorder), 4000) as labels
    from pg_catalog.pg_enum x where x.enumtypid = t.oid and t.typtype = 'e') e on true
  where t.typtype in ('e', 'd')
  union all
  select case k.contype when 'f' then 'foreign key' when 'c' then 'check' else 'key' end, n.nspname, k.oid, pg_catalog.quote_ident(k.conname),
    k.conname::text, 4, pg_catalog.concat_ws(' ', c.relname, k.conname), pg_catalog.replace(k.conname, c.relname, ''),
    pg_catalog.left('on ' || ${formatLabel('c', 'n')} || ': ' || pg_catalog.pg_get_constraintdef(k.oid, true), 500), ''
  from pg_catalog.pg_constraint k join pg_catalog.pg_class c on c.oid = k.conrelid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where k.conparentid = 0 and k.contype in ('p', 'u', 'x', 'c', 'f')
  union all
  select 'index', n.nspname, i.oid, pg_catalog.quote_ident(i.relname), i.relname::text, 5, pg_catalog.concat_ws(' ', c.relname, i.relname),
    pg_catalog.replace(i.relname, c.relname, ''), pg_catalog.left('on ' || ${formatLabel('c', 'n')} || ': ' || pg_catalog.pg_get_indexdef(i.oid), 500), ''
  from pg_catalog.pg_index x join pg_catalog.pg_class i on i.oid = x.indexrelid join pg_catalog.pg_class c on c.oid = x.indrelid
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where not i.relispartition and not exists (select from pg_catalog.pg_constraint k where k.conindid = i.oid and k.contype in ('p', 'u', 'x'))
  union all
  select 'trigger', n.nspname, t.oid, pg_catalog.quote_ident(t.tgname), t.tgname::text, 6, pg_catalog.concat_ws(' ', c.relname, t.tgname),
    pg_catalog.replace(t.tgname, c.relname, ''), pg_catalog.left('on ' || ${formatLabel('c', 'n')} || ': ' || pg_catalog.pg_get_triggerdef(t.oid, true), 500), ''
  from pg_catalog.pg_trigger t join pg_catalog.pg_class c on c.oid = t.tgrelid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where not t.tgisinternal and t.tgparentid = 0`;

/** From this weight on, things of tables, whose names repeat those of tables and columns: they come last. */
const constraintWeight = 4;

/** Names before comments, names that are the word before names that have it. A type counts if it is the word. */
function formatSearch(words: number): string {
  const each = (test: (like: string, exact: string, type: string) => string) =>
    Array.from({ length: words }, (_, index) =>
      test(`$${index + 4}::text`, `$${index + words + 4}::text`, `$${index + 2 * words + 4}::text`),
    );
  const all = each((like, _, type) => `(h.hay ilike ${like} or h.types like ${type})`).join(' and ');
  const some = each((like, exact, type) => `h.own ilike ${like} or h.bare ilike ${exact} or h.types like ${type}`).join(' or ');
  const inName = each((like) => `(h.bare ilike ${like})::int`).join(' + ');
  const isName = each((_, exact) => `(h.bare ilike ${exact})::int`).join(' + ');
  return `select h.kind, h.name, h.detail from (${things}) h
    where case when $1::text is null then ${isOurs('h')} else h.nspname = $1::text end and ${all} and (${some})
    order by ${isName} desc, h.weight >= ${constraintWeight}, ${inName} desc, h.weight, h.name, h.oid limit $2::int offset $3::int`;
}

export async function search(run: CatalogRun, { words, schema, limit, offset }: SearchFilter): Promise<SearchHit[]> {
  const likes = words.map(formatLikePart);
  const exact = likes.map((like) => like.slice(1, -1));
  const types = words.map((word) => formatLikePart(` ${word.toLowerCase()} `));
  const params: Param[] = [schema ?? null, limit + 1, offset, ...likes, ...exact, ...types];
  const rows = await run(formatSearch(words.length), params);
  return rows.map(([kind, name, detail]) => ({ kind: kind ?? '', name: name ?? '', detail: detail ?? '' }));
}

const maxForeignKeys = 20_000;

const allForeignKeys = `
select pg_catalog.quote_ident(f.conname), ${formatLabel('c', 'n')}, ${formatLabel('t', 'm')},
  ${readColumns('f.conrelid', 'f.conkey')}, ${readColumns('f.confrelid', 'f.confkey')}
from pg_catalog.pg_constraint f join pg_catalog.pg_class c on c.oid = f.conrelid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  join pg_catalog.pg_class t on t.oid = f.confrelid join pg_catalog.pg_namespace m on m.oid = t.relnamespace
where f.contype = 'f' and f.conparentid = 0 order by 2, 1 limit ${maxForeignKeys + 1}`;

export async function foreignKeys(run: CatalogRun): Promise<ForeignKey[]> {
  return (await run(allForeignKeys)).map(([name, from, table, columns, targets]) => ({
    name: name ?? '',
    from: from ?? '',
    table: table ?? '',
    columns: listNames(columns),
    targets: listNames(targets),
  }));
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
