import type { ColumnStats, TableDetails, TableStats } from '../../../catalog/catalog.ts';
import type { CatalogRun } from '../../../engine.ts';
import { listCandidates } from './fragments.ts';
import { listNames, readNumber } from './list.ts';

type Row = readonly (string | null)[];

/** This is far more than is shown, so that no secret is cut in two before it is found. */
const maxKept = 500;

/** The view shows what the account may read, and nothing of tables with row-level security that applies to it. */
const sql = `
with wanted as (
  select w.ord, c.oid, c.reltuples, n.nspname, c.relname, pg_catalog.row_number() over (
    partition by w.ord order by pg_catalog.pg_table_is_visible(c.oid) desc, w.rank) as place
  from pg_catalog.jsonb_to_recordset($1::jsonb) as w(ord int, rank int, nsp text, rel text)
    join pg_catalog.pg_class c on c.relname = w.rel join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where (w.nsp is null or n.nspname = w.nsp) and c.relkind in ('r', 'p', 'm', 'f'))
select w.ord::text, null, null, pg_catalog.to_char(greatest(pg_catalog.pg_stat_get_last_analyze_time(w.oid),
    pg_catalog.pg_stat_get_last_autoanalyze_time(w.oid)) at time zone 'UTC', 'YYYY-MM-DD HH24:MI'),
  pg_catalog.pg_stat_get_mod_since_analyze(w.oid)::text, null, null, null, 0
from wanted w where w.place = 1
union all
select w.ord::text, pg_catalog.quote_ident(s.attname), s.null_frac::text,
  case when s.n_distinct >= 0 then s.n_distinct when w.reltuples >= 0 then pg_catalog.round((-s.n_distinct * w.reltuples)::numeric) end::text,
  (select pg_catalog.json_agg(pg_catalog.left(v.value, ${maxKept}) order by v.place)
    from pg_catalog.unnest((s.most_common_vals::text::text[])[1:5]) with ordinality v(value, place))::text,
  (select pg_catalog.json_agg(v.share::text order by v.place)
    from pg_catalog.unnest(s.most_common_freqs[1:5]) with ordinality v(share, place))::text,
  pg_catalog.left((s.histogram_bounds::text::text[])[1], ${maxKept}),
  pg_catalog.left((s.histogram_bounds::text::text[])[pg_catalog.array_upper(s.histogram_bounds::text::text[], 1)], ${maxKept}), a.attnum
from wanted w join pg_catalog.pg_stats s on s.schemaname = w.nspname and s.tablename = w.relname
  join pg_catalog.pg_attribute a on a.attrelid = w.oid and a.attname = s.attname
where w.place = 1 and s.inherited = (select c.relkind = 'p' from pg_catalog.pg_class c where c.oid = w.oid)
order by 1, 9`;

export async function readStats(run: CatalogRun, tables: readonly TableDetails[]): Promise<TableStats[]> {
  const wanted = tables.flatMap(({ name }, ord) => listCandidates(name, ord, undefined));
  const rows = await run(sql, [JSON.stringify(wanted)]);
  return tables.map(({ name, kind }, ord) => {
    const own = rows.filter((row) => row[0] === String(ord));
    const columns = own.filter((row) => row[1] !== null).map(readColumn);
    const facts = own.find((row) => row[1] === null);
    return { table: name, columns, note: facts === undefined ? `a ${kind} has no statistics` : formatNote(name, facts, columns) };
  });
}

function readColumn([, column, nulls, distinct, values, shares, min, max]: Row): ColumnStats {
  const frequencies = listNames(shares);
  return {
    column: column ?? '',
    nulls: readNumber(nulls),
    distinct: readNumber(distinct),
    common: listNames(values).map((value, i) => [value, Number(frequencies[i])]),
    min: min ?? undefined,
    max: max ?? undefined,
  };
}

function formatNote(name: string, [, , , analyzed, changed]: Row, columns: readonly ColumnStats[]): string {
  const since =
    analyzed === null || analyzed === undefined ? 'of unknown age' : `of ${analyzed} UTC, ${changed} rows changed since`;
  if (columns.length > 0) return `statistics ${since}`;
  return `no statistics that this account may see: ANALYZE ${name} collects them, row-level security hides them`;
}
