import type { DescribeRequest, OtherObject } from '../../../catalog/catalog.ts';
import type { CatalogRun } from '../../../engine.ts';
import { formatLabel } from './fragments.ts';
import { listCandidates } from './table-candidates.ts';

/** Objects of the wanted names that are looked up at most. */
const maxOthers = 100;

const others = `
with wanted as (select * from pg_catalog.jsonb_to_recordset($1::jsonb) as w(ord int, rank int, nsp text, rel text))
select w.ord::text, x.kind, x.shown from wanted w join lateral (
  select case p.prokind when 'p' then 'procedure' when 'a' then 'aggregate' else 'function' end as kind, n.nspname,
    case when p.prokind <> 'a' then 'select pg_get_functiondef(' || pg_catalog.quote_literal(p.oid::pg_catalog.regprocedure::text) || '::regprocedure)'
      end as shown
  from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace where p.proname = w.rel
  union all
  select case c.relkind when 'S' then 'sequence' when 'c' then 'composite type' else 'index' end, n.nspname,
    case c.relkind when 'S' then 'select * from ' || ${formatLabel('c', 'n')}
      when 'c' then null else 'select pg_get_indexdef(' || pg_catalog.quote_literal(${formatLabel('c', 'n')}) || '::regclass)' end
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where c.relname = w.rel and c.relkind in ('S', 'i', 'I', 'c')
  union all
  select case t.typtype when 'e' then 'enum type' else 'domain' end, n.nspname, null
  from pg_catalog.pg_type t join pg_catalog.pg_namespace n on n.oid = t.typnamespace
  where t.typname = w.rel and t.typtype in ('e', 'd')) x on w.nsp is null or x.nspname = w.nsp
order by w.ord, w.rank limit ${maxOthers}`;

export async function findOthers(
  run: CatalogRun,
  { names, schema }: Pick<DescribeRequest, 'names' | 'schema'>,
): Promise<OtherObject[]> {
  const wanted = names.flatMap((name, ord) => listCandidates(name, ord, schema));
  const rows = await run(others, [JSON.stringify(wanted)]);
  return rows.map(([ord, kind, shownBy]) => ({
    asked: names[Number(ord)] ?? '',
    kind: kind ?? '',
    shownBy: shownBy ?? undefined,
  }));
}

/** More would not help to find a slip. */
const maxNames = 20_000;

const functions = `
select distinct pg_catalog.quote_ident(p.proname) from pg_catalog.pg_proc p
where pg_catalog.pg_function_is_visible(p.oid) limit ${maxNames}`;

export async function functionNames(run: CatalogRun): Promise<string[]> {
  return (await run(functions)).map(([name]) => name ?? '');
}
