import type { Finding } from '@dbmole/core';
import { formatLabel, isInScope } from '../catalog/fragments.ts';

type Row = readonly (string | null)[];

const maxEach = 100;
const maxIndexes = 5_000;
const maxNames = 4;

/** An index on a partitioned table is invalid until each partition has one attached to it. */
const unattachedSql = `
select ${formatLabel('x', 'n')}, ${formatLabel('c', 'n')},
  (select pg_catalog.json_agg(${formatLabel('p', 'm')} order by p.relname)::text
    from pg_catalog.pg_inherits h join pg_catalog.pg_class p on p.oid = h.inhrelid join pg_catalog.pg_namespace m on m.oid = p.relnamespace
    where h.inhparent = i.indrelid and not exists (
      select from pg_catalog.pg_inherits j join pg_catalog.pg_index k on k.indexrelid = j.inhrelid
      where j.inhparent = i.indexrelid and k.indrelid = p.oid and k.indisvalid)),
  pg_catalog.regexp_replace(pg_catalog.pg_get_indexdef(i.indexrelid), '^.* USING ', ''), c.reltuples::bigint::text
from pg_catalog.pg_index i join pg_catalog.pg_class x on x.oid = i.indexrelid join pg_catalog.pg_class c on c.oid = i.indrelid
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where not i.indisvalid and x.relkind = 'I' and ${isInScope('n', 'c')} limit ${maxEach}`;

/** Indexes that most partitions of a table have, each on its own, and some have not. */
const unevenSql = `
with own as materialized (
  select h.inhparent, i.indrelid, pg_catalog.regexp_replace(pg_catalog.pg_get_indexdef(i.indexrelid), '^.* USING ', '') as form
  from pg_catalog.pg_index i join pg_catalog.pg_class x on x.oid = i.indexrelid and not x.relispartition
    join pg_catalog.pg_class c on c.oid = i.indrelid and c.relispartition join pg_catalog.pg_inherits h on h.inhrelid = c.oid
  where i.indisvalid limit ${maxIndexes}),
parts as materialized (
  select h.inhparent, pg_catalog.array_agg(h.inhrelid) as all from pg_catalog.pg_inherits h
  where h.inhparent in (select o.inhparent from own o) group by h.inhparent),
forms as (
  select o.inhparent, o.form, pg_catalog.array_agg(distinct o.indrelid) as having_it from own o group by o.inhparent, o.form)
select f.form, ${formatLabel('c', 'n')}, (
    select pg_catalog.json_agg(${formatLabel('p', 'm')} order by p.relname)::text
    from pg_catalog.unnest(s.all) a(part) join pg_catalog.pg_class p on p.oid = a.part join pg_catalog.pg_namespace m on m.oid = p.relnamespace
    where a.part <> all (f.having_it)), pg_catalog.cardinality(f.having_it)::text, pg_catalog.cardinality(s.all)::text, c.reltuples::bigint::text
from forms f join parts s on s.inhparent = f.inhparent join pg_catalog.pg_class c on c.oid = f.inhparent
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where pg_catalog.cardinality(f.having_it) < pg_catalog.cardinality(s.all)
  and 2 * pg_catalog.cardinality(f.having_it) >= pg_catalog.cardinality(s.all)
  and c.relkind = 'p' and ${isInScope('n', 'c')} limit ${maxEach}`;

/** `ask` passes the schema and the table that the check is limited to. */
export async function findPartitionsWithoutIndex(ask: (sql: string) => Promise<readonly Row[]>): Promise<Finding[]> {
  const [unattached, uneven] = await Promise.all([ask(unattachedSql), ask(unevenSql)]);
  return [...unattached.map(judgeUnattached), ...uneven.map(judgeUneven)];
}

function judgeUnattached([index, table, names, form, rows]: Row): Finding {
  const missing = readNames(names);
  return {
    severity: 'medium',
    weight: Number(rows),
    evidence: `index ${index} of the partitioned table ${table} is invalid: ${missing.length} partitions have none attached to it: ${formatNames(missing)}`,
    consequence: 'Queries of these partitions read all of their rows, and new partitions alone get the index by themselves.',
    next: `On each, if it has none: CREATE INDEX CONCURRENTLY ON ${missing[0] ?? '…'} USING ${form}; then ALTER INDEX ${index} ATTACH PARTITION its name;`,
  };
}

function judgeUneven([form, table, names, count, total, rows]: Row): Finding {
  const missing = readNames(names);
  return {
    severity: 'medium',
    weight: Number(rows),
    evidence: `${count} of the ${total} partitions of ${table} have an index USING ${form}; it is missing on ${formatNames(missing)}`,
    consequence: 'Queries that search by it read all rows of these partitions.',
    next: `CREATE INDEX CONCURRENTLY ON ${missing[0] ?? '…'} USING ${form}; and one on ${table} itself, so that new partitions get it.`,
  };
}

function readNames(json: string | null | undefined): string[] {
  return json === null || json === undefined ? [] : (JSON.parse(json) as string[]);
}

function formatNames(names: readonly string[]): string {
  return `${names.slice(0, maxNames).join(', ')}${names.length > maxNames ? ', …' : ''}`;
}
