import { type CheckReport, type Finding, formatShare, joinFacts, readCount, readNumber } from '@dbmole/core';
import { formatBytes } from '../../../../catalog/schema-text.ts';
import type { CheckScope } from '../../../../diagnosis/diagnosis.ts';
import type { CatalogRun, Param } from '../../../../engine.ts';
import { formatLabel, isInScope, isOurs, lockedRelations } from '../../catalog/fragments.ts';
import { findOldTransactions } from './old-transactions.ts';
import { findPartitionTrouble } from './partitions.ts';
import { checkSequences, describeHiddenSequences } from './sequences.ts';
import { findUnenforced } from './unenforced.ts';

type Row = readonly (string | null)[];

const maxEach = 100;
/** Dead rows and changes below this are the business of the next autovacuum. */
const minRows = 1_000;
/** Dead rows that are too many when they outnumber the others, whatever the threshold of the table. */
const manyDead = 10_000;
/** How far beyond a table's own threshold its dead rows or changes may be before autovacuum counts as late. */
const lateFactor = 2;
const bloat = { minBytes: 50 * 1024 * 1024, share: 0.5, tables: 50 };

/** Partitions count with the table at their root. Only the largest by pages are measured; `$3` says how many. */
const sizesSql = `
with ${lockedRelations}, rooted as materialized (
  select case when c.relispartition then coalesce(pg_catalog.pg_partition_root(c.oid)::oid, c.oid) else c.oid end as root, c.oid, c.relpages,
    c.reltuples
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'm') and ${isOurs('n')} and ($1::text is null or n.nspname = $1::text)),
largest as materialized (
  select r.root, pg_catalog.sum(r.reltuples) filter (where r.reltuples >= 0) as rows, pg_catalog.array_agg(r.oid) as parts
  from rooted r group by r.root order by pg_catalog.sum(r.relpages) desc, r.root limit $3::int)
select ${formatLabel('c', 'n')}, l.rows::bigint::text, pg_catalog.cardinality(l.parts)::text,
  (select pg_catalog.sum(pg_catalog.pg_total_relation_size(p)) from pg_catalog.unnest(l.parts) p
    where p not in (select k.relation from locked k)) as bytes, c.relkind::text
from largest l join pg_catalog.pg_class c on c.oid = l.root join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where $2::text is null or c.relname = $2::text
order by bytes desc nulls last`;

/** What autovacuum goes by: the settings of the table, else those of the server. Few tables have settings of their own. */
const option = (name: string) =>
  `coalesce(case when c.reloptions is not null then (
    select o.option_value from pg_catalog.pg_options_to_table(c.reloptions) o where o.option_name = '${name}') end, pg_catalog.current_setting('${name}'))`;
const tableSwitch = `coalesce(case when c.reloptions is not null then (
  select o.option_value::boolean from pg_catalog.pg_options_to_table(c.reloptions) o where o.option_name = 'autovacuum_enabled') end, true)`;

const vacuumSql = `
with counted as materialized (
  select c.oid, c.relname, n.nspname, greatest(c.reltuples, 0) as rows, c.reltuples < 0 as unknown,
    pg_catalog.pg_stat_get_live_tuples(c.oid) as live, pg_catalog.pg_stat_get_dead_tuples(c.oid) as dead,
    pg_catalog.pg_stat_get_mod_since_analyze(c.oid) as changes, ${tableSwitch} as enabled,
    ${option('autovacuum_vacuum_threshold')}::float8 + ${option('autovacuum_vacuum_scale_factor')}::float8 * greatest(c.reltuples, 0) as due,
    ${option('autovacuum_analyze_threshold')}::float8 + ${option('autovacuum_analyze_scale_factor')}::float8 * greatest(c.reltuples, 0) as analyze_due,
    greatest(pg_catalog.pg_stat_get_last_vacuum_time(c.oid), pg_catalog.pg_stat_get_last_autovacuum_time(c.oid)) as vacuumed,
    greatest(pg_catalog.pg_stat_get_last_analyze_time(c.oid), pg_catalog.pg_stat_get_last_autoanalyze_time(c.oid)) as analyzed
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'm') and c.relpersistence <> 't' and ${isInScope('n', 'c')} and (c.reloptions is not null
    or pg_catalog.pg_stat_get_dead_tuples(c.oid) > ${minRows} or pg_catalog.pg_stat_get_mod_since_analyze(c.oid) > ${minRows}))
select ${formatLabel('c', 'c')}, c.live::text, c.dead::text, c.changes::text, c.enabled::text, c.due::bigint::text, c.analyze_due::bigint::text,
  coalesce(pg_catalog.to_char(c.vacuumed, 'YYYY-MM-DD HH24:MI'), 'never'), coalesce(pg_catalog.to_char(c.analyzed, 'YYYY-MM-DD HH24:MI'), 'never')
from counted c
where not c.enabled or c.dead > greatest(${lateFactor} * c.due, ${minRows}) or c.dead > greatest(c.live, ${manyDead}) or c.changes > greatest(${lateFactor} * c.analyze_due, ${minRows})
order by not c.enabled desc, c.dead desc limit ${maxEach}`;

/** Pages that the rows would fill by their average width, against those there are. Only as good as the last ANALYZE. */
const bloatSql = `
with largest as materialized (
  select c.oid, c.relname, n.nspname, c.reltuples, c.relpages,
    pg_catalog.current_setting('block_size')::int as block,
    coalesce((select o.option_value::float8 from pg_catalog.pg_options_to_table(c.reloptions) o where o.option_name = 'fillfactor'), 100) / 100 as filled
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'm') and c.reltuples > 0 and c.relpages > ${bloat.minBytes / 8192} and ${isInScope('n', 'c')}
  order by c.relpages desc limit ${bloat.tables}),
measured as (
  select l.*, (select pg_catalog.sum((1 - s.null_frac) * s.avg_width) from pg_catalog.pg_stats s
    where s.schemaname = l.nspname and s.tablename = l.relname and not s.inherited) as width
  from largest l)
select ${formatLabel('m', 'm')}, (m.relpages::bigint * m.block)::text,
  pg_catalog.ceil(m.reltuples * (m.width + 28) / ((m.block - 24) * m.filled) * m.block)::bigint::text
from measured m where m.width is not null`;

/** Both are rare, so that one pass over the catalog finds them. */
const rareSql = `
select c.relkind::text, ${formatLabel('c', 'n')} from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where (c.relkind = 'r' and c.relpersistence = 'u' or c.relkind = 'm' and not c.relispopulated) and ${isInScope('n', 'c')}
order by c.reltuples desc, c.relname limit ${maxEach}`;

export async function checkTables(run: CatalogRun, { schema, table, limit }: CheckScope): Promise<CheckReport> {
  const params: Param[] = [schema ?? null, table ?? null];
  const ask = (sql: string) => run(sql, params);
  const [sizes, late, sequences, unenforced, partitions, hidden, ages, widths, rare] = await Promise.all([
    run(sizesSql, [...params, limit]),
    ask(vacuumSql),
    checkSequences(run, params),
    findUnenforced(ask),
    findPartitionTrouble(ask),
    describeHiddenSequences(run),
    findOldTransactions(run, params),
    ask(bloatSql),
    ask(rareSql),
  ]);
  return {
    findings: [
      ...sequences.findings,
      ...partitions,
      ...unenforced,
      ...ages,
      ...late.flatMap(judgeVacuum),
      ...widths.flatMap(judgeBloat),
      ...judgeUnlogged(rare.filter(([kind]) => kind === 'r').map(([, table]) => table ?? '')),
      ...rare.filter(([kind]) => kind === 'm').map(judgeEmptyView),
    ],
    listing: sizes.map(formatSize),
    hidden,
    notes: [
      `Autovacuum counts as late from ${lateFactor} times a table's own threshold on, and ${minRows} rows.`,
      ...sequences.notes,
      ...(widths.length === 0
        ? []
        : [`Bloat is estimated for the ${bloat.tables} largest tables of more than ${formatBytes(bloat.minBytes)}.`]),
    ],
  };
}

function formatSize([table, rows, parts, bytes, kind]: Row): string {
  const count = readNumber(rows);
  const size = readNumber(bytes);
  const facts = joinFacts(
    size === undefined ? 'locked, so not measured' : formatBytes(size),
    count !== undefined && `~${count} rows`,
    kind === 'p' && `${parts} partitions`,
  );
  return `${table}: ${facts}`;
}

function judgeVacuum([table, live, dead, changes, enabled, due, analyzeDue, vacuumed, analyzed]: Row): Finding[] {
  const deadRows = readCount(dead);
  const liveRows = readCount(live);
  const found: Finding[] = [];
  if (enabled === 'false') {
    found.push({
      severity: 'medium',
      weight: deadRows + readCount(changes),
      evidence: `autovacuum is switched off for ${table}; it has ${deadRows} dead rows and ${liveRows} live ones and was last vacuumed ${vacuumed}`,
      consequence: 'Dead rows stay, scans get slower, and the statistics of the planner grow old.',
      next: `ALTER TABLE ${table} RESET (autovacuum_enabled); then VACUUM (ANALYZE) ${table};`,
    });
  } else if (deadRows > Math.max(lateFactor * readCount(due), minRows)) {
    found.push({
      severity: deadRows > liveRows ? 'high' : 'medium',
      weight: deadRows,
      evidence: `${table} has ${deadRows} dead rows and ${liveRows} live ones; autovacuum is due at ${due}, the last vacuum was ${vacuumed}`,
      consequence: 'Autovacuum does not keep up or is held back by an old transaction; scans read the dead rows too.',
      next: `diagnose check=activity for what holds it back, then VACUUM (ANALYZE) ${table};`,
    });
  } else if (deadRows > Math.max(liveRows, manyDead)) {
    found.push({
      severity: 'medium',
      weight: deadRows,
      evidence: `${table} has ${deadRows} dead rows and ${liveRows} live ones, and autovacuum is not due before ${due}`,
      consequence: 'Scans read the dead rows too, and the table does not shrink again.',
      next: `ALTER TABLE ${table} RESET (autovacuum_vacuum_threshold, autovacuum_vacuum_scale_factor); then VACUUM (ANALYZE) ${table};`,
    });
  }
  if (enabled !== 'false' && readCount(changes) > Math.max(lateFactor * readCount(analyzeDue), minRows)) {
    found.push({
      severity: 'low',
      weight: readCount(changes),
      evidence: `${table} has ${changes} changes since its last ANALYZE (${analyzed}); it is due at ${analyzeDue}`,
      consequence: 'The planner uses outdated statistics and may choose bad plans.',
      next: `ANALYZE ${table};`,
    });
  }
  return found;
}

function judgeEmptyView([, view]: Row): Finding {
  return {
    severity: 'medium',
    weight: 0,
    evidence: `materialized view ${view} has never been filled`,
    consequence: 'Every query of it fails.',
    next: `REFRESH MATERIALIZED VIEW ${view};`,
  };
}

function judgeUnlogged(tables: readonly string[]): Finding[] {
  if (tables.length === 0) return [];
  return [
    {
      severity: 'medium',
      weight: tables.length,
      evidence: `${tables.length} ${tables.length === 1 ? 'table is' : 'tables are'} unlogged: ${tables.slice(0, 5).join(', ')}${tables.length > 5 ? ', …' : ''}`,
      consequence: 'A crash empties them, and standbys and backups do not have their rows.',
      next: `Unless they hold nothing that matters: ALTER TABLE ${tables[0]} SET LOGGED; (rewrites it under an exclusive lock)`,
    },
  ];
}

function judgeBloat([table, actual, needed]: Row): Finding[] {
  const bytes = readCount(actual);
  const wasted = bytes - readCount(needed);
  if (wasted < bloat.minBytes || wasted < bloat.share * bytes) return [];
  return [
    {
      severity: wasted >= 20 * bloat.minBytes ? 'medium' : 'low',
      weight: wasted,
      evidence: `${table} takes ${formatBytes(bytes)}, of which about ${formatBytes(wasted)} (${formatShare(wasted / bytes)}) hold no rows, by the statistics`,
      consequence: 'Scans read the empty space; VACUUM reuses it but does not return it to the disk.',
      next: `VACUUM (FULL) ${table} locks it exclusively; pg_repack or pg_squeeze does the same while it is used.`,
    },
  ];
}
