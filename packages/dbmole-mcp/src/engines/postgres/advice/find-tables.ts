import type { TableName } from '../../../advice/statement-shape.ts';
import type { ColumnFacts, IndexFacts, TableFacts } from '../../../advice/table-facts.ts';
import type { CatalogRun } from '../../../engine.ts';
import { formatLabel, isOurs, lockedRelations } from '../catalog/fragments.ts';

const maxTables = 50;
/** Longer values do not fit into an index. */
const maxKeyWidth = 1_000;
/** A longer value is no usual one to compare with. */
const maxSampleWidth = 100;

/** The first cell says what a row is, the second to which of the names it belongs. */
const tablesSql = `
with ${lockedRelations}, wanted as (select * from pg_catalog.jsonb_to_recordset($1::jsonb) as w(ord int, nsp text, rel text)),
found as materialized (
  select w.ord, c.oid, c.relkind, c.reltuples, c.relpages, ${formatLabel('c', 'n')} as label
  from wanted w join pg_catalog.pg_class c on c.relname = w.rel join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p', 'm') and ${isOurs('n')}
    and case when w.nsp is null then pg_catalog.pg_table_is_visible(c.oid) else n.nspname = w.nsp end),
parts as (
  select f.oid, pg_catalog.sum(greatest(l.reltuples, 0)) as reltuples, pg_catalog.sum(l.relpages) as relpages
  from found f cross join pg_catalog.pg_partition_tree(f.oid) p join pg_catalog.pg_class l on l.oid = p.relid
  where f.relkind = 'p' and p.isleaf group by f.oid)
select 'table', f.ord::text, f.oid::text, f.label, (f.relkind = 'p')::text, coalesce(p.reltuples, greatest(f.reltuples, 0))::bigint::text,
  (coalesce(p.relpages, f.relpages) * pg_catalog.current_setting('block_size')::bigint)::bigint::text,
  (f.oid in (select k.relation from locked k))::text, null
from found f left join parts p on p.oid = f.oid
union all
select 'column', f.ord::text, a.attname::text, pg_catalog.quote_ident(a.attname), s.n_distinct::text, s.avg_width::text,
  case when b.typcategory = 'A' or b.typname in ('jsonb', 'tsvector') then 'document'
    when b.typcategory in ('B', 'D', 'E', 'I', 'N', 'S', 'T') or b.typname in ('uuid', 'bytea') then 'plain ' || case
      when b.typcategory <> 'S' or l.collname in ('C', 'POSIX', 'ucs_basic', 'pg_c_utf8')
        or l.collname = 'default' and (d.datcollate in ('C', 'POSIX') or pg_catalog.to_jsonb(d) ->> 'datlocprovider' = 'b') then ''
      when b.typname = 'varchar' then 'varchar_pattern_ops' when b.typname = 'bpchar' then 'bpchar_pattern_ops'
      when b.typname = 'text' then 'text_pattern_ops' else '' end
    else 'other' end,
  case when s.avg_width < ${maxSampleWidth} then coalesce(s.bounds[pg_catalog.cardinality(s.bounds) / 2 + 1], s.common[1]) end,
  pg_catalog.format_type(b.oid, case when t.typtype = 'd' then t.typtypmod else a.atttypmod end)
from found f join pg_catalog.pg_attribute a on a.attrelid = f.oid and a.attnum > 0 and not a.attisdropped
  join pg_catalog.pg_class c on c.oid = f.oid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  join pg_catalog.pg_type t on t.oid = a.atttypid
  join pg_catalog.pg_type b on b.oid = case when t.typtype = 'd' then t.typbasetype else t.oid end
  join pg_catalog.pg_database d on d.datname = pg_catalog.current_database()
  left join pg_catalog.pg_collation l on l.oid = a.attcollation
  left join lateral (select x.n_distinct, x.avg_width,
      x.histogram_bounds::text::text[] as bounds, x.most_common_vals::text::text[] as common from pg_catalog.pg_stats x
    where x.schemaname = n.nspname and x.tablename = c.relname and x.attname = a.attname order by x.inherited desc limit 1) s on true
union all
select 'index', f.ord::text, pg_catalog.quote_ident(x.relname), i.indisunique::text, (m.amname = 'btree' and i.indpred is null)::text,
  (select pg_catalog.json_agg(pg_catalog.pg_get_indexdef(i.indexrelid, k.place::int, true)
      || case when o.opcdefault or k.place > i.indnkeyatts then '' else ' ' || o.opcname end
      || case when k.place <= i.indnkeyatts and i.indoption[k.place - 1] & 1 = 1 then ' DESC' else '' end order by k.place)::text
    from pg_catalog.generate_series(1, i.indnatts) k(place) left join pg_catalog.pg_opclass o on o.oid = i.indclass[k.place - 1]),
  i.indnkeyatts::text, null, null
from found f join pg_catalog.pg_index i on i.indrelid = f.oid join pg_catalog.pg_class x on x.oid = i.indexrelid
  join pg_catalog.pg_am m on m.oid = x.relam
where i.indisvalid and (i.indpred is null or m.amname <> 'btree')
limit 5000`;

/** The tables, partitioned tables and materialized views of these names, where each name means what it would mean in a statement. */
export async function findTables(run: CatalogRun, names: readonly TableName[]): Promise<(TableFacts | undefined)[]> {
  const wanted = names.slice(0, maxTables).map(({ schema, name }, ord) => ({ ord, nsp: schema ?? null, rel: name }));
  const rows = await run(tablesSql, [JSON.stringify(wanted)]);
  return names.map((_, ord) => {
    const own = rows.filter((row) => row[1] === String(ord));
    const table = own.find(([what]) => what === 'table');
    return table === undefined ? undefined : readTable(table, own);
  });
}

type Row = readonly (string | null)[];

function readTable([, , id, label, isPartitioned, rows, bytes, isLocked]: Row, own: readonly Row[]): TableFacts {
  const count = Number(rows);
  const only = (what: string) => own.filter((row) => row[0] === what);
  return {
    id: id ?? '',
    label: label ?? '',
    rows: count,
    bytes: Number(bytes),
    isLocked: isLocked === 'true',
    isPartitioned: isPartitioned === 'true',
    columns: new Map(only('column').map((row) => [row[2] ?? '', readColumn(row, count)])),
    indexes: only('index').map(readIndex),
  };
}

function readColumn([, , , label, distinct, width, kind, sample, type]: Row, rows: number): ColumnFacts {
  const known = distinct === null || distinct === undefined ? undefined : Number(distinct);
  const bytes = Number(width ?? 8);
  const [word = '', prefixClass = ''] = (kind ?? '').split(' ');
  return {
    label: label ?? '',
    type: type ?? '',
    collation: undefined,
    isNullable: true,
    // A negative number is a part of the rows; 0 is unknown.
    distinct: known === undefined || known === 0 ? undefined : known < 0 ? -known * rows : known,
    sample: sample ?? undefined,
    width: bytes,
    kind: word === 'plain' && bytes <= maxKeyWidth ? 'plain' : word === 'document' ? 'document' : 'other',
    prefixClass,
  };
}

/** A cast that the server has added: `lower((name)::text)`. */
const addedCast = /\(("[^"]*"|\w+)\)::(?:text|character varying)/g;

function readIndex([, , label, unique, isOrdered, keys, keyCount]: Row): IndexFacts {
  // The statement writes it as a list of texts.
  const all = (JSON.parse(keys ?? '[]') as string[]).map((key) => key.replace(addedCast, '$1'));
  const searched = all.slice(0, Number(keyCount));
  const isBackwards = searched.every((key) => key.endsWith(' DESC'));
  return {
    label: label ?? '',
    keys: isBackwards ? searched.map((key) => key.slice(0, -' DESC'.length)) : searched,
    included: all.slice(Number(keyCount)),
    unique: unique === 'true',
    isOrdered: isOrdered === 'true',
  };
}
