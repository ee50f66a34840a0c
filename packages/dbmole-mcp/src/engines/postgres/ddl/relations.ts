import { formatSeconds, formatStatement, joinFacts, readCount } from '@dbmole/core';
import { formatBytes } from '../../../catalog/schema-text.ts';
import type { CatalogRun } from '../../../engine.ts';
import { findKind, formatLabel, lockedRelations } from '../catalog/fragments.ts';
import type { RelationName } from './actions.ts';
import { type LockMode, lockModes } from './lock-modes.ts';

/** A relation that a statement names, with what its cost depends on. */
export interface Relation {
  oid: string;
  /** The name that a statement has to write. */
  label: string;
  kind: string;
  /** Undefined where the planner has no estimate. */
  rows: number | undefined;
  tableBytes: number | undefined;
  indexBytes: number | undefined;
  indexes: number;
  /** Leaves and what is between. */
  partitions: number;
  /** The table of an index. */
  tableOid: string | undefined;
  tableLabel: string | undefined;
  /** An index that each partition has. */
  isOfPartitioned: boolean;
  /** The relation, its partitions, and the table of an index. */
  locked: readonly string[];
  /** Tables whose foreign keys reference it, and those that it references. */
  referencedBy: readonly string[];
  references: readonly string[];
  defaultPartition: string | undefined;
  /** The table whose partition it is. */
  partitionOf: string | undefined;
  hasUniqueIndex: boolean;
}

const maxPartitions = 1_000;

/** Sizes take a lock, so a relation that is locked exclusively is estimated by its pages. */
const bytes = (oid: string, size: string) => `case when ${oid}.oid in (select l.relation from locked l)
  then ${oid}.relpages::bigint * pg_catalog.current_setting('block_size')::bigint else ${size} end`;

const relationSql = `
with recursive ${lockedRelations}, target as materialized (
  select c.*, n.nspname from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where c.oid = pg_catalog.to_regclass($1::text)),
tree as (
  select t.oid from target t
  union select i.inhrelid from pg_catalog.pg_inherits i join tree on i.inhparent = tree.oid),
parts as materialized (select c.* from tree join pg_catalog.pg_class c on c.oid = tree.oid limit ${maxPartitions}),
indexes as materialized (select x.* from parts p join pg_catalog.pg_index i on i.indrelid = p.oid join pg_catalog.pg_class x on x.oid = i.indexrelid)
select t.oid::text, ${formatLabel('t', 'n')}, coalesce(${findKind('t')}, case t.relkind when 'S' then 'sequence' else 'index' end),
  (select pg_catalog.sum(p.reltuples) filter (where p.reltuples >= 0 and p.relkind <> 'p') from parts p)::bigint::text,
  (select pg_catalog.sum(${bytes('p', 'pg_catalog.pg_table_size(p.oid)')}) from parts p where p.relkind in ('r', 'm', 'i', 't'))::text,
  (select pg_catalog.sum(${bytes('x', 'pg_catalog.pg_relation_size(x.oid)')}) from indexes x where x.relkind = 'i')::text,
  (select pg_catalog.count(*) from pg_catalog.pg_index i where i.indrelid = t.oid)::text,
  (select pg_catalog.count(*) - 1 from parts)::text,
  o.oid::text, case when o.oid is not null then ${formatLabel('o', 'os')} end,
  (select pg_catalog.json_agg(p.oid::text) from parts p)::text,
  (select pg_catalog.json_agg(distinct ${formatLabel('r', 'rn')}) from pg_catalog.pg_constraint k
    join pg_catalog.pg_class r on r.oid = k.conrelid join pg_catalog.pg_namespace rn on rn.oid = r.relnamespace
    where k.contype = 'f' and k.confrelid = t.oid and k.conrelid <> t.oid)::text,
  (select pg_catalog.json_agg(distinct ${formatLabel('r', 'rn')}) from pg_catalog.pg_constraint k
    join pg_catalog.pg_class r on r.oid = k.confrelid join pg_catalog.pg_namespace rn on rn.oid = r.relnamespace
    where k.contype = 'f' and k.conrelid = t.oid and k.confrelid <> t.oid)::text,
  (select ${formatLabel('d', 'dn')} from pg_catalog.pg_partitioned_table q join pg_catalog.pg_class d on d.oid = q.partdefid
    join pg_catalog.pg_namespace dn on dn.oid = d.relnamespace where q.partrelid = t.oid),
  exists (select from pg_catalog.pg_index i where i.indrelid = t.oid and i.indisunique and i.indisvalid and i.indpred is null and i.indexprs is null)::text,
  case when t.relispartition and t.relkind in ('r', 'p', 'f') then (select ${formatLabel('d', 'dn')} from pg_catalog.pg_inherits h
    join pg_catalog.pg_class d on d.oid = h.inhparent join pg_catalog.pg_namespace dn on dn.oid = d.relnamespace where h.inhrelid = t.oid) end, (o.relkind = 'p')::text
from target t join pg_catalog.pg_namespace n on n.oid = t.relnamespace
  left join pg_catalog.pg_index oi on oi.indexrelid = t.oid left join pg_catalog.pg_class o on o.oid = oi.indrelid
  left join pg_catalog.pg_namespace os on os.oid = o.relnamespace`;

/** Undefined where there is no such relation. */
export async function readRelation(run: CatalogRun, { schema, name }: RelationName): Promise<Relation | undefined> {
  const written = [schema, name].flatMap((part) => (part === undefined ? [] : [quoteName(part)])).join('.');
  const [row] = await run(relationSql, [written]);
  if (row === undefined) return undefined;
  const [oid, label, kind, rows, tableBytes, indexBytes, indexes, partitions, tableOid, tableLabel, ...more] = row;
  const [tree, referencedBy, references, defaultPartition, unique, partitionOf, ofPartitioned] = more;
  return {
    oid: oid ?? '',
    label: label ?? '',
    kind: kind ?? '',
    rows: readOptional(rows),
    tableBytes: readOptional(tableBytes),
    indexBytes: readOptional(indexBytes),
    indexes: readCount(indexes),
    partitions: readCount(partitions),
    tableOid: tableOid ?? undefined,
    tableLabel: tableLabel ?? undefined,
    locked: [...parseList(tree), ...(tableOid === null || tableOid === undefined ? [] : [tableOid])],
    referencedBy: parseList(referencedBy),
    references: parseList(references),
    defaultPartition: defaultPartition ?? undefined,
    partitionOf: partitionOf ?? undefined,
    isOfPartitioned: ofPartitioned === 'true',
    hasUniqueIndex: unique === 'true',
  };
}

export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function readOptional(text: string | null | undefined): number | undefined {
  return text === null || text === undefined ? undefined : Number(text);
}

function parseList(json: string | null | undefined): string[] {
  // The server wrote it: a list of texts.
  return json === null || json === undefined ? [] : (JSON.parse(json) as string[]);
}

/** `orders: table, about 50000 rows, 12 MB, 2 indexes of 4 MB` */
export function formatRelation(relation: Relation): string {
  const { label, kind, rows, tableBytes, indexBytes, indexes, partitions, tableLabel } = relation;
  const facts = joinFacts(
    kind,
    tableLabel !== undefined && `on ${tableLabel}`,
    partitions > 0 && `${partitions} partitions`,
    rows !== undefined && kind !== 'index' && kind !== 'sequence' && `about ${rows} rows`,
    tableBytes !== undefined && formatBytes(tableBytes),
    indexes > 0 &&
      `${indexes} ${indexes === 1 ? 'index' : 'indexes'}${indexBytes === undefined ? '' : ` of ${formatBytes(indexBytes)}`}`,
  );
  return `${label}: ${facts}`;
}

/** The pid of a prepared transaction is null. Parallel workers hold what their leader holds. */
const sessionsSql = `
select a.pid::text, a.usename::text, a.datname::text, a.application_name, a.state,
  extract(epoch from pg_catalog.clock_timestamp() - case when a.state = 'active' then a.query_start else a.state_change end)::text,
  pg_catalog.left(a.query, 400), l.mode, l.granted::text, ${formatLabel('c', 'n')}
from pg_catalog.pg_locks l join pg_catalog.pg_database d on d.oid = l.database and d.datname = pg_catalog.current_database()
  join pg_catalog.pg_class c on c.oid = l.relation join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  left join pg_catalog.pg_stat_activity a on a.pid = l.pid
where l.locktype = 'relation' and l.pid is distinct from pg_catalog.pg_backend_pid() and a.leader_pid is null
  and l.relation::text in (select pg_catalog.json_array_elements_text($1::json))
order by a.xact_start limit 200`;

/** Transactions that a build in several steps waits for, wherever in this database they read. */
const oldSql = `
select a.pid::text, a.usename::text, a.datname::text, a.application_name, a.state,
  extract(epoch from pg_catalog.clock_timestamp() - a.xact_start)::text, pg_catalog.left(a.query, 400)
from pg_catalog.pg_stat_activity a
where a.datname = pg_catalog.current_database() and a.pid <> pg_catalog.pg_backend_pid() and a.backend_xmin is not null
  and a.leader_pid is null and a.backend_type = 'client backend' and a.xact_start < pg_catalog.clock_timestamp() - interval '1 second'
order by a.xact_start limit 50`;

export interface Wanted {
  lock: LockMode;
  oids: readonly string[];
}

/** The sessions that hold, or wait for, a lock that conflicts with one that is wanted: one line each. */
export async function findInTheWay(run: CatalogRun, wanted: readonly Wanted[]): Promise<string[]> {
  const oids = [...new Set(wanted.flatMap((one) => one.oids))];
  if (oids.length === 0) return [];
  const strongest = new Set(wanted.flatMap(({ lock }) => lockModes[lock].conflicts.map(toServerMode)));
  const rows = await run(sessionsSql, [JSON.stringify(oids)]);
  const found = rows.filter(([, , , , , , , mode]) => strongest.has(mode ?? ''));
  const byPid = new Map(found.map((row) => [row[0] ?? 'prepared', row]));
  return [...byPid.values()].map((row) => {
    const [, , , , , , , mode, granted, label] = row;
    return `${formatSession(row)}; it ${granted === 'true' ? 'holds' : 'waits for'} ${mode} on ${label}`;
  });
}

export async function findOldTransactions(run: CatalogRun): Promise<string[]> {
  return (await run(oldSql)).map((row) => `${formatSession(row)}; its transaction is older than the index would be`);
}

function formatSession(row: readonly (string | null)[]): string {
  const [pid, user, database, application, state, seconds, sql] = row;
  if (pid === null || pid === undefined) return 'a prepared transaction';
  const name = `pid ${pid} (${application || user || 'a client'}@${database ?? ''})`;
  if (state === null || state === undefined) return name;
  return `${name}, ${state} for ${formatSeconds(readCount(seconds))}: ${formatStatement(sql)}`;
}

/** `ACCESS EXCLUSIVE` as pg_locks writes it. */
function toServerMode(mode: LockMode): string {
  return `${mode.replace(/\w+/g, (word) => `${word.slice(0, 1)}${word.slice(1).toLowerCase()}`).replaceAll(' ', '')}Lock`;
}
