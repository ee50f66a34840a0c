import { type CheckReport, type Finding, readCount } from '@dbmole/core';
import { formatBytes } from '../../../catalog/schema-text.ts';
import type { CheckScope } from '../../../diagnosis/diagnosis.ts';
import type { CatalogRun, Param } from '../../../engine.ts';
import { formatLabel, isInScope, lockedRelations } from '../catalog/fragments.ts';
import { findChangedCollations } from './collations.ts';
import { checkForeignKeys } from './foreign-keys.ts';
import { findPartitionsWithoutIndex } from './partition-indexes.ts';

type Row = readonly (string | null)[];

const maxEach = 100;
const largeBytes = 100 * 1024 * 1024;
/** Below these, what an index costs does not matter, and a young table may not have been read yet. */
const minUnused = { bytes: 1024 * 1024, rows: 1_000 };
/** What a server makes while it runs alone, as the one of the demo, has numbers below 16384 as well; the catalogs have those below this. */
const minOwnOid = 12_000;
/** The size takes a lock, so a table that is locked exclusively is left out. */
const size = (oid: string) =>
  `case when ${oid} not in (select l.relation from locked l) then pg_catalog.pg_relation_size(${oid}) end`;

const invalidSql = `
with ${lockedRelations}
select ${formatLabel('x', 'n')}, ${formatLabel('c', 'n')}, ${size('x.oid')}::text
from pg_catalog.pg_index i join pg_catalog.pg_class x on x.oid = i.indexrelid join pg_catalog.pg_class c on c.oid = i.indrelid
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where not i.indisvalid and x.relkind = 'i' and ${isInScope('n', 'c')}
  and i.indexrelid not in (select p.index_relid from pg_catalog.pg_stat_progress_create_index p)
limit ${maxEach}`;

/** Whether a unique index takes nulls for equal, which version 15 brought. */
const nullsRule = (index: string) =>
  `(select pg_catalog.to_jsonb(u) ->> 'indnullsnotdistinct' from pg_catalog.pg_index u where u.indexrelid = ${index}.indexrelid)`;

/**
 * Pairs of which the first index answers nothing that the second does not: the same columns in the same order, or the beginning of
 * them, also before included columns. The first is not unique and no constraint needs it; of two equal ones the younger.
 */
const redundantSql = `
with ${lockedRelations}, pairs as materialized (
  select i.indexrelid as one, j.indexrelid as other from pg_catalog.pg_index i join pg_catalog.pg_index j
    on j.indrelid = i.indrelid and j.indkey[0] = i.indkey[0] and j.indexrelid <> i.indexrelid and j.indnatts >= i.indnatts
  where i.indexrelid >= ${minOwnOid} and i.indisvalid and j.indisvalid and i.indnatts = i.indnkeyatts),
constrained as materialized (
  select k.conindid, pg_catalog.min(k.conname) as name, pg_catalog.count(*) = 1 and pg_catalog.bool_and(k.contype = 'u') as is_spare
  from pg_catalog.pg_constraint k where k.conindid in (select p.one from pairs p union select p.other from pairs p) group by 1),
plain as materialized (
  select i.indexrelid, i.indrelid, i.indisunique, i.indimmediate, x.relam, i.indkey::text as columns, i.indnatts, i.indnkeyatts,
    i.indclass::text as classes, i.indcollation::text as collations, i.indoption::text as options,
    pg_catalog.pg_get_expr(i.indexprs, i.indrelid) as expressions, pg_catalog.pg_get_expr(i.indpred, i.indrelid) as predicate,
    k.conindid is not null or i.indisreplident as needed, n.oid as space, i.indisprimary,
    case when k.is_spare and not i.indisreplident then pg_catalog.quote_ident(k.name) end as spare
  from pg_catalog.pg_index i join pg_catalog.pg_class x on x.oid = i.indexrelid join pg_catalog.pg_class c on c.oid = i.indrelid
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    left join constrained k on k.conindid = i.indexrelid
  where i.indexrelid in (select p.one from pairs p union select p.other from pairs p)
    and x.relkind = 'i' and not x.relispartition and ${isInScope('n', 'c')})
select distinct on (a.indexrelid) ${formatLabel('x', 'n')}, ${formatLabel('y', 'n')}, ${formatLabel('c', 'n')}, (a.indnatts = b.indnatts)::text,
  ${size('x.oid')}::text, a.spare
from pairs p join plain a on a.indexrelid = p.one join plain b on b.indexrelid = p.other and b.relam = a.relam
  join pg_catalog.pg_class x on x.oid = a.indexrelid join pg_catalog.pg_class y on y.oid = b.indexrelid
  join pg_catalog.pg_class c on c.oid = a.indrelid join pg_catalog.pg_namespace n on n.oid = a.space
  join pg_catalog.pg_am m on m.oid = a.relam
where (not a.needed or a.spare is not null)
  and (not a.needed or a.columns = b.columns and (b.indisprimary or b.needed and b.indexrelid < a.indexrelid))
  and not (a.indisunique and not (b.indisunique and b.indnkeyatts = a.indnkeyatts)) and a.indnatts = a.indnkeyatts
  and a.predicate is not distinct from b.predicate and (not a.indisunique or b.indimmediate and ${nullsRule('a')} is not distinct from ${nullsRule('b')})
  and (a.columns = b.columns and a.classes = b.classes and a.collations = b.collations
      and a.options = b.options and a.expressions is not distinct from b.expressions
      and (b.needed or (b.indisunique and not a.indisunique) or (a.indisunique = b.indisunique and b.indexrelid < a.indexrelid))
    or m.amname = 'btree' and a.expressions is null and b.expressions is null and b.indnatts > a.indnatts
      and pg_catalog.starts_with(b.columns || ' ', a.columns || ' ') and pg_catalog.starts_with(b.classes || ' ', a.classes || ' ')
      and pg_catalog.starts_with(b.collations || ' ', a.collations || ' ') and pg_catalog.starts_with(b.options || ' ', a.options || ' '))
order by a.indexrelid, b.indnkeyatts limit ${maxEach}`;

/** Indexes that were never scanned since the statistics were reset, although the table is written to. Partitions are left out. */
const unusedSql = `
with ${lockedRelations}, idle as materialized (
  select i.indexrelid, i.indrelid, n.oid as space from pg_catalog.pg_index i join pg_catalog.pg_class x on x.oid = i.indexrelid
    join pg_catalog.pg_class c on c.oid = i.indrelid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where i.indisvalid and not i.indisunique and not i.indisreplident and x.relkind = 'i' and not x.relispartition
    and pg_catalog.pg_stat_get_numscans(x.oid) = 0 and c.reltuples >= ${minUnused.rows} and ${isInScope('n', 'c')}
    and not exists (select from pg_catalog.pg_constraint k where k.conindid = i.indexrelid)
  order by x.relpages desc limit ${maxEach})
select ${formatLabel('x', 'n')}, ${formatLabel('c', 'n')}, ${size('x.oid')}::text,
  (pg_catalog.pg_stat_get_tuples_inserted(c.oid) + pg_catalog.pg_stat_get_tuples_updated(c.oid) + pg_catalog.pg_stat_get_tuples_deleted(c.oid))::text
from idle i join pg_catalog.pg_class x on x.oid = i.indexrelid join pg_catalog.pg_class c on c.oid = i.indrelid
  join pg_catalog.pg_namespace n on n.oid = i.space`;

/** What is published without a replica identity of another kind cannot be changed. Of a partitioned table its partitions are published. */
const keylessSql = `
with published as materialized (
  select p.schemaname, p.tablename from pg_catalog.pg_publication b join pg_catalog.pg_publication_tables p on p.pubname = b.pubname
  where b.pubupdate or b.pubdelete),
keyless as materialized (
  select c.oid, c.relname, n.nspname, c.reltuples, c.relreplident in ('d', 'n') as is_default, c.relkind
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p') and not c.relispartition and c.relpersistence <> 't' and ${isInScope('n', 'c')}
    and not exists (select from pg_catalog.pg_index i where i.indrelid = c.oid and i.indisprimary)
  order by c.reltuples desc limit ${maxEach})
select ${formatLabel('k', 'k')}, k.reltuples::bigint::text, (k.is_default and exists (
    select from pg_catalog.pg_class l join pg_catalog.pg_namespace m on m.oid = l.relnamespace
      join published p on p.schemaname = m.nspname and p.tablename = l.relname
    where l.oid = k.oid or k.relkind = 'p' and l.oid in (select t.relid from pg_catalog.pg_partition_tree(k.oid) t)))::text,
  (k.relkind = 'p')::text
from keyless k order by k.reltuples desc`;

const sinceSql = `
select pg_catalog.to_char(coalesce(d.stats_reset, pg_catalog.pg_postmaster_start_time()), 'YYYY-MM-DD HH24:MI'), (d.stats_reset is null)::text
from pg_catalog.pg_stat_database d where d.datname = pg_catalog.current_database()`;

export async function checkIndexes(run: CatalogRun, { schema, table }: CheckScope): Promise<CheckReport> {
  const params: Param[] = [schema ?? null, table ?? null];
  const ask = (sql: string) => run(sql, params);
  const [invalid, redundant, unused, keys, keyless, partitions, collations, [since = []]] = await Promise.all([
    ask(invalidSql),
    ask(redundantSql),
    ask(unusedSql),
    checkForeignKeys(ask),
    ask(keylessSql),
    findPartitionsWithoutIndex(ask),
    findChangedCollations(run),
    run(sinceSql),
  ]);
  const counted = since[1] === 'true' ? `at least since the start of the server, ${since[0]}` : `since ${since[0]}`;
  return {
    findings: [
      ...collations,
      ...invalid.map(formatInvalid),
      ...partitions,
      ...redundant.map(formatRedundant),
      ...unused
        .filter((row) => readCount(row[2]) >= minUnused.bytes && readCount(row[3]) > 0)
        .map((row) => formatUnused(row, counted)),
      ...keys.findings,
      ...keyless.map(formatKeyless),
    ],
    listing: keys.listing,
    notes: [`Scans are counted ${counted}. Of each kind the first ${maxEach} are looked at; indexes of partitions are left out.`],
  };
}

function formatInvalid([index, table, bytes]: Row): Finding {
  return {
    severity: 'high',
    weight: readCount(bytes),
    evidence: `index ${index} on ${table} is invalid (${formatBytes(readCount(bytes))})`,
    consequence: 'A CREATE INDEX CONCURRENTLY failed: no query uses it, and every write still maintains it.',
    // What a failed REINDEX leaves behind is beside the index that it was to replace.
    next: /_cc(?:new|old)\d*"?$/.test(index ?? '')
      ? `DROP INDEX CONCURRENTLY ${index};`
      : `REINDEX INDEX CONCURRENTLY ${index}; or DROP INDEX CONCURRENTLY ${index};`,
  };
}

function formatRedundant([index, other, table, isSame, bytes, constraint]: Row): Finding {
  const size = readCount(bytes);
  return {
    severity: isSame === 'true' || size >= largeBytes ? 'medium' : 'low',
    weight: size,
    evidence: `index ${index} on ${table} (${formatBytes(size)}) ${isSame === 'true' ? 'is the same as' : 'is covered by the first columns of'} ${other}`,
    consequence: `Every write maintains both, and ${other} answers the same queries.`,
    next: constraint ? `ALTER TABLE ${table} DROP CONSTRAINT ${constraint};` : `DROP INDEX CONCURRENTLY ${index};`,
  };
}

function formatUnused([index, table, bytes, writes]: Row, counted: string): Finding {
  const size = readCount(bytes);
  return {
    severity: size >= largeBytes ? 'medium' : 'low',
    weight: size,
    evidence: `index ${index} on ${table} (${formatBytes(size)}) was never scanned, counted ${counted}`,
    consequence: `${writes} writes to the table have maintained it for nothing, unless a standby or a rare report uses it.`,
    next: `After checking the standbys and a whole business cycle: DROP INDEX CONCURRENTLY ${index};`,
  };
}

function formatKeyless([table, rows, isPublished, isPartitioned]: Row): Finding {
  const count = readCount(rows);
  const fails = isPublished === 'true';
  return {
    severity: fails ? 'high' : 'low',
    weight: count,
    evidence: `${table} has no primary key${count >= 0 ? `; it has about ${count} rows` : ''}`,
    consequence: fails
      ? 'It is published for logical replication, where UPDATE and DELETE fail unless it has a replica identity.'
      : 'Rows cannot be identified reliably, and logical replication cannot replay UPDATE and DELETE.',
    next: `${fails ? `ALTER TABLE ${table} REPLICA IDENTITY FULL;${isPartitioned === 'true' ? ' and the same for each of its partitions' : ''} until it has a key: ` : ''}describe_table of ${table}, then ALTER TABLE … ADD PRIMARY KEY (…), with a unique index made CONCURRENTLY first.`,
  };
}
