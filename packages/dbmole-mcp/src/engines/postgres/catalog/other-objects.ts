import type { DescribeRequest, OtherObject } from '../../../catalog/catalog.ts';
import type { CatalogRun } from '../../../engine.ts';
import { formatLabel, listCandidates } from './fragments.ts';

/** Objects of the wanted names that are looked up at most. */
const maxOthers = 100;
const maxDefinition = 50_000;

const sql = `
with wanted as (select * from pg_catalog.jsonb_to_recordset($1::jsonb) as w(ord int, rank int, nsp text, rel text))
select w.ord::text, x.kind, pg_catalog.left(x.definition, ${maxDefinition}) from wanted w join lateral (
  select case p.prokind when 'p' then 'procedure' when 'a' then 'aggregate' else 'function' end as kind, n.nspname, case
    when p.prokind <> 'a' then pg_catalog.pg_get_functiondef(p.oid)
    else p.oid::pg_catalog.regprocedure::text || ' -> ' || pg_catalog.pg_get_function_result(p.oid) end as definition
  from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace where p.proname = w.rel
  union all
  select 'sequence', n.nspname, pg_catalog.format('%s from %s by %s, between %s and %s%s%s', pg_catalog.format_type(s.seqtypid, null),
    s.seqstart, s.seqincrement, s.seqmin, s.seqmax, case when s.seqcycle then ', CYCLE' else '' end, coalesce((
      select ', owned by ' || ${formatLabel('t', 'tn')} || '.' || pg_catalog.quote_ident(a.attname)
      from pg_catalog.pg_depend d join pg_catalog.pg_class t on t.oid = d.refobjid join pg_catalog.pg_namespace tn on tn.oid = t.relnamespace
        join pg_catalog.pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
      where d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass and d.objid = c.oid and d.deptype in ('a', 'i') limit 1), ''))
    || case when pg_catalog.has_sequence_privilege(c.oid, 'USAGE') or pg_catalog.has_sequence_privilege(c.oid, 'SELECT')
      then coalesce(', last value ' || pg_catalog.pg_sequence_last_value(c.oid), ', not used yet') else '' end
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace join pg_catalog.pg_sequence s on s.seqrelid = c.oid
  where c.relname = w.rel
  union all
  select 'index', n.nspname, pg_catalog.pg_get_indexdef(c.oid)
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace where c.relname = w.rel and c.relkind in ('i', 'I')
  union all
  select 'composite type', n.nspname, (
    select '(' || pg_catalog.string_agg(pg_catalog.quote_ident(a.attname) || ' ' || pg_catalog.format_type(a.atttypid, a.atttypmod), ', ' order by a.attnum) || ')'
    from pg_catalog.pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped)
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace where c.relname = w.rel and c.relkind = 'c'
  union all
  select case t.typtype when 'e' then 'enum type' else 'domain' end, n.nspname, case t.typtype
    when 'e' then (select pg_catalog.string_agg(pg_catalog.quote_literal(e.enumlabel), ',' order by e.enumsortorder)
      from pg_catalog.pg_enum e where e.enumtypid = t.oid)
    else pg_catalog.format_type(t.typbasetype, t.typtypmod) || case when t.typnotnull then ' NOT NULL' else '' end
      || coalesce(' DEFAULT ' || t.typdefault, '') || coalesce((
        select ' ' || pg_catalog.string_agg(pg_catalog.pg_get_constraintdef(con.oid, true), ' ' order by con.conname)
        from pg_catalog.pg_constraint con where con.contypid = t.oid and con.contype = 'c'), '') end
  from pg_catalog.pg_type t join pg_catalog.pg_namespace n on n.oid = t.typnamespace
  where t.typname = w.rel and t.typtype in ('e', 'd')
  union all
  select 'trigger', n.nspname, pg_catalog.pg_get_triggerdef(t.oid, true)
  from pg_catalog.pg_trigger t join pg_catalog.pg_class c on c.oid = t.tgrelid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where t.tgname = w.rel and not t.tgisinternal
  union all
  select 'constraint', n.nspname, 'of ' || ${formatLabel('c', 'n')} || ': ' || pg_catalog.pg_get_constraintdef(k.oid, true)
  from pg_catalog.pg_constraint k join pg_catalog.pg_class c on c.oid = k.conrelid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where k.conname = w.rel and k.contype in ('c', 'f')) x on w.nsp is null or x.nspname = w.nsp
order by w.ord, w.rank, x.kind, x.definition limit ${maxOthers}`;

/** Finds objects that are not tables by the names of tables that are missing. */
export async function findOthers(
  run: CatalogRun,
  { names, schema }: Pick<DescribeRequest, 'names' | 'schema'>,
): Promise<OtherObject[]> {
  const wanted = names.flatMap((name, ord) => listCandidates(name, ord, schema));
  const rows = await run(sql, [JSON.stringify(wanted)]);
  return rows.map(([ord, kind, definition]) => ({
    asked: names[Number(ord)] ?? '',
    kind: kind ?? '',
    definition: definition ?? undefined,
  }));
}
