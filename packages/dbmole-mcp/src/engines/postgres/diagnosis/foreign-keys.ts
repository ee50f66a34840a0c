import { type CheckReport, type Finding, readCount } from '@dbmole/core';
import { formatLabel, isInScope } from '../catalog/fragments.ts';

type Row = readonly (string | null)[];

const maxEach = 100;
/** Rows of a table from which a scan of it is felt. */
const manyRows = 10_000;
/** A foreign key without an index does not matter below it. */
const fewRows = 1_000;

/** As ANALYZE has counted them, or those that were written since. */
const countRows = (table: string) => `case when ${table}.reltuples >= ${fewRows} then ${table}.reltuples::bigint
  else greatest(${table}.reltuples::bigint, pg_catalog.pg_stat_get_live_tuples(${table}.oid), 0) end`;

/** The columns may have any order in the index, but must be its first ones. A partial index does only if it leaves out nulls. */
const unindexedKeysSql = `
with keys as materialized (
  select k.oid, k.conname, k.conrelid, k.confrelid, k.conkey from pg_catalog.pg_constraint k
    join pg_catalog.pg_class c on c.oid = k.conrelid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where k.contype = 'f' and k.conparentid = 0 and ${isInScope('n', 'c')} and not exists (
    select from pg_catalog.pg_index i where i.indrelid = k.conrelid and i.indisvalid and i.indkey[0] = any (k.conkey)
      and i.indnkeyatts >= pg_catalog.cardinality(k.conkey)
      and (pg_catalog.string_to_array(i.indkey::text, ' ')::int2[])[1:pg_catalog.cardinality(k.conkey)] @> k.conkey
      and (i.indpred is null or pg_catalog.pg_get_expr(i.indpred, i.indrelid) = (
        select '(' || pg_catalog.string_agg(pg_catalog.quote_ident(a.attname) || ' IS NOT NULL', ' AND ') || ')'
        from pg_catalog.pg_attribute a where a.attrelid = k.conrelid and a.attnum = any(k.conkey))))
  order by ${countRows('c')} desc limit ${maxEach})
select ${formatLabel('c', 'n')}, k.conname::text,
  (select pg_catalog.string_agg(pg_catalog.quote_ident(a.attname), ', ' order by pg_catalog.array_position(k.conkey, a.attnum))
    from pg_catalog.pg_attribute a where a.attrelid = k.conrelid and a.attnum = any(k.conkey)),
  ${formatLabel('t', 'm')}, (${countRows('c')})::text, (c.relkind = 'p')::text
from keys k join pg_catalog.pg_class c on c.oid = k.conrelid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  join pg_catalog.pg_class t on t.oid = k.confrelid join pg_catalog.pg_namespace m on m.oid = t.relnamespace
order by ${countRows('c')} desc`;

const listColumns = (relation: string, numbers: string) => `(
  select pg_catalog.string_agg(pg_catalog.quote_ident(a.attname) || ' ' || pg_catalog.format_type(a.atttypid, a.atttypmod), ', ' order by u.place)
  from pg_catalog.unnest(${numbers}) with ordinality u(num, place)
    join pg_catalog.pg_attribute a on a.attrelid = ${relation} and a.attnum = u.num)`;

const keyTables = `pg_catalog.pg_constraint k join pg_catalog.pg_class c on c.oid = k.conrelid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  join pg_catalog.pg_class t on t.oid = k.confrelid join pg_catalog.pg_namespace m on m.oid = t.relnamespace`;

/** Columns that are smaller than those they refer to. */
const narrowSql = `
select ${formatLabel('c', 'n')}, k.conname::text, ${listColumns('k.conrelid', 'k.conkey')}, ${formatLabel('t', 'm')},
  ${listColumns('k.confrelid', 'k.confkey')}, c.reltuples::bigint::text
from ${keyTables}
where k.contype = 'f' and k.conparentid = 0 and ${isInScope('n', 'c')} and exists (
  select from rows from (pg_catalog.unnest(k.conkey), pg_catalog.unnest(k.confkey)) u(own, other)
    join pg_catalog.pg_attribute a on a.attrelid = k.conrelid and a.attnum = u.own
    join pg_catalog.pg_attribute b on b.attrelid = k.confrelid and b.attnum = u.other
  where a.atttypid in ('int2'::pg_catalog.regtype, 'int4'::pg_catalog.regtype) and b.atttypid in ('int4'::pg_catalog.regtype, 'int8'::pg_catalog.regtype)
    and a.attlen < b.attlen)
order by c.reltuples desc limit ${maxEach}`;

/** Of each group of equal ones the first, and how many there are. */
const repeatedSql = `
select ${formatLabel('c', 'n')}, pg_catalog.quote_ident(pg_catalog.min(k.conname)), pg_catalog.quote_ident(pg_catalog.max(k.conname)), ${formatLabel('t', 'm')},
  c.reltuples::bigint::text
from ${keyTables}
where k.contype = 'f' and k.conparentid = 0 and ${isInScope('n', 'c')}
group by c.oid, c.relname, n.nspname, c.reltuples, t.oid, t.relname, m.nspname, k.conkey, k.confkey having pg_catalog.count(*) > 1
order by c.reltuples desc limit ${maxEach}`;

/** `ask` passes the schema and the table that the check is limited to. */
export async function checkForeignKeys(
  ask: (sql: string) => Promise<readonly Row[]>,
): Promise<Pick<CheckReport, 'findings' | 'listing'>> {
  const [unindexed, narrow, repeated] = await Promise.all([ask(unindexedKeysSql), ask(narrowSql), ask(repeatedSql)]);
  return {
    findings: [
      ...unindexed.filter((row) => !isSmall(row)).map(formatUnindexed),
      ...narrow.map(formatNarrow),
      ...repeated.map(formatRepeated),
    ],
    listing: unindexed.filter(isSmall).map((row) => `${describeUnindexed(row)}, so it does not matter yet`),
  };
}

function isSmall([, , , , rows]: Row): boolean {
  return readCount(rows) < fewRows;
}

function describeUnindexed([table, name, columns, , rows]: Row): string {
  return `foreign key ${name} of ${table} (${columns}) has no index; the table has about ${rows} rows`;
}

function formatUnindexed(row: Row): Finding {
  const [table, , columns, target, rows, isPartitioned] = row;
  const count = readCount(rows);
  return {
    severity: count >= manyRows ? 'medium' : 'low',
    weight: count,
    evidence: describeUnindexed(row),
    consequence: `Each DELETE in ${target}, and each change of its key, scans the whole of ${table}, holding locks meanwhile.`,
    next:
      isPartitioned === 'true'
        ? `CREATE INDEX ON ${table} (${columns}); it blocks writes: without that, ON ONLY, then CONCURRENTLY on each partition and ALTER INDEX … ATTACH PARTITION.`
        : `CREATE INDEX CONCURRENTLY ON ${table} (${columns});`,
  };
}

function formatNarrow([table, name, columns, target, keys, rows]: Row): Finding {
  return {
    severity: 'low',
    weight: readCount(rows),
    evidence: `foreign key ${name} of ${table} (${columns}) refers to ${target} (${keys}), whose values can be larger`,
    consequence: `Once ${target} has such a value, no row of ${table} can refer to it.`,
    next: `ALTER TABLE ${table} ALTER COLUMN … TYPE that of ${target}; rewrites it under an exclusive lock: explain of that statement says more.`,
  };
}

function formatRepeated([table, name, other, target, rows]: Row): Finding {
  return {
    severity: 'low',
    weight: readCount(rows),
    evidence: `foreign keys ${name} and ${other} of ${table} check the same reference to ${target}`,
    consequence: 'Every write checks it twice.',
    next: `ALTER TABLE ${table} DROP CONSTRAINT ${other};`,
  };
}
