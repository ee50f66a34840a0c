import { formatSeconds, formatStatement, joinFacts, readCount } from '@dbmole/core';
import { askIfAllowed } from '../../../audit/ask-if-allowed.ts';
import { formatBytes } from '../../../catalog/schema-text.ts';
import type { CatalogRun } from '../../../engine.ts';
import type { TableName } from './actions.ts';
import type { ColumnFacts } from './columns.ts';

/** A table that a statement names, with what its cost depends on. */
export interface Relation {
  label: string;
  schema: string;
  name: string;
  kind: string;
  engine: string;
  rows: number;
  dataBytes: number;
  indexBytes: number;
  rowFormat: string;
  isPartitioned: boolean;
  hasFulltext: boolean;
  indexedColumns: ReadonlySet<string>;
  columns: ReadonlyMap<string, ColumnFacts>;
  /** The collations that character sets have unless one is named. */
  defaultCollations: ReadonlyMap<string, string>;
  hasVirtualColumn: boolean;
  /** The kinds of constraints by their names. */
  constraints: ReadonlyMap<string, string>;
  /** Tables whose foreign keys reference it. */
  referencedBy: readonly string[];
}

const tableSql = `
select t.table_schema, t.table_name, t.table_type, t.engine, t.table_rows, t.data_length, t.index_length, t.row_format,
  t.create_options like '%partitioned%', t.table_collation
from information_schema.tables t
where t.table_schema = coalesce(?, database()) and t.table_name = ? limit 1`;
const columnsSql = `
select c.column_name, c.column_type, c.is_nullable, c.character_set_name, s.maxlen, c.extra, c.collation_name
from information_schema.columns c left join information_schema.character_sets s on s.character_set_name = c.character_set_name
where c.table_schema = ? and c.table_name = ? limit 5000`;
const collationsSql = `
select character_set_name, default_collate_name from information_schema.character_sets`;
const indexesSql = `
select column_name, index_type, index_name from information_schema.statistics where table_schema = ? and table_name = ? limit 5000`;
const constraintsSql = `
select constraint_name, constraint_type from information_schema.table_constraints where table_schema = ? and table_name = ? limit 5000`;
const referencesSql = `
select distinct concat(constraint_schema, '.', table_name) from information_schema.referential_constraints
where unique_constraint_schema = ? and referenced_table_name = ? limit 100`;

/** MariaDB opens every table for the view of references; this one has the names as InnoDB keeps them. */
const innodbReferencesSql = `
select distinct replace(for_name, '/', '.') from information_schema.innodb_sys_foreign where ref_name = concat(?, '/', ?) limit 100`;

async function listReferences(run: CatalogRun, params: readonly string[]) {
  return (await askIfAllowed(run, innodbReferencesSql, params)) ?? (await run(referencesSql, params));
}

/** Undefined where there is no such table, or it is not shown to this account. */
export async function readRelation(run: CatalogRun, { schema, name }: TableName): Promise<Relation | undefined> {
  const [table] = await run(tableSql, [schema ?? null, name]);
  if (table === undefined) return undefined;
  const [owner = '', label = '', type, engine, rows, data, index, rowFormat, partitioned, collation = ''] = table.map(
    (cell) => cell ?? '',
  );
  const ask = (sql: string) => run(sql, [owner, label]);
  const [columns, indexes, constraints, references, collations] = await Promise.all([
    ask(columnsSql),
    ask(indexesSql),
    ask(constraintsSql),
    listReferences(run, [owner, label]),
    run(collationsSql),
  ]);
  return {
    label: schema === undefined ? label : `${owner}.${label}`,
    schema: owner,
    name: label,
    kind: type === 'BASE TABLE' ? 'table' : (type ?? '').toLowerCase(),
    engine: engine ?? '',
    rows: readCount(rows),
    dataBytes: readCount(data),
    indexBytes: readCount(index),
    rowFormat: rowFormat ?? '',
    isPartitioned: partitioned === '1',
    hasFulltext: indexes.some(([, kind]) => kind === 'FULLTEXT'),
    indexedColumns: new Set(indexes.map(([column]) => (column ?? '').toLowerCase())),
    columns: new Map(columns.map((row) => [(row[0] ?? '').toLowerCase(), readFacts(row, collation)])),
    defaultCollations: new Map(collations.map(([charset, name]) => [charset ?? '', name ?? ''])),
    hasVirtualColumn: columns.some(([, , , , , extra]) => /VIRTUAL/i.test(extra ?? '')),
    constraints: new Map(constraints.map(([one, kind]) => [(one ?? '').toLowerCase(), kind ?? ''])),
    referencedBy: references.map(([one]) => one ?? ''),
  };
}

function readFacts(
  [, type, nullable, charset, maxBytes, extra, collation]: readonly (string | null)[],
  tableCollation: string,
): ColumnFacts {
  return {
    type: (type ?? '').toLowerCase(),
    isNullable: nullable === 'YES',
    charset: charset ?? undefined,
    collation: collation ?? undefined,
    tableCharset: tableCollation.split('_')[0],
    tableCollation,
    maxBytesPerCharacter: readCount(maxBytes) || 1,
    isGenerated: /GENERATED/i.test(extra ?? '') && !/DEFAULT_GENERATED/i.test(extra ?? ''),
    isAutoIncrement: /auto_increment/i.test(extra ?? ''),
  };
}

/** `orders: InnoDB table, about 50000 rows, 12 MB, indexes of 4 MB` */
export function formatRelation({ label, kind, engine, rows, dataBytes, indexBytes, isPartitioned }: Relation): string {
  if (kind !== 'table') return `${label}: ${kind}`;
  return `${label}: ${joinFacts(`${engine} table`, isPartitioned && 'partitioned', `about ${rows} rows`, formatBytes(dataBytes), `indexes of ${formatBytes(indexBytes)}`)}`;
}

const holders = `
select t.processlist_id, t.processlist_user, t.processlist_db, t.processlist_command, t.processlist_time, left(t.processlist_info, 400),
  l.lock_type, l.lock_status
from performance_schema.metadata_locks l join performance_schema.threads t on t.thread_id = l.owner_thread_id
where l.object_type = 'TABLE' and l.object_schema = ? and l.object_name = ? and t.processlist_id <> connection_id() limit 100`;
const holdersOfMaria = `
select p.id, p.user, p.db, p.command, p.time, left(p.info, 400), l.lock_mode, 'GRANTED'
from information_schema.metadata_lock_info l join information_schema.processlist p on p.id = l.thread_id
where l.table_schema = ? and l.table_name = ? and p.id <> connection_id() limit 100`;
const transactions = `
select p.id, p.user, p.db, p.command, p.time, left(p.info, 400), t.trx_started, null
from information_schema.innodb_trx t join information_schema.processlist p on p.id = t.trx_mysql_thread_id
where p.id <> connection_id() order by t.trx_started limit 100`;

export interface InTheWay {
  sessions: readonly string[];
  note: string | undefined;
}

/** Sessions with a metadata lock on the table: each transaction that has used it, readers included. */
export async function findInTheWay(run: CatalogRun, { schema, name }: Relation, isMaria: boolean): Promise<InTheWay> {
  const rows = await askIfAllowed(run, isMaria ? holdersOfMaria : holders, [schema, name]);
  if (rows !== undefined) {
    const bySession = new Map(rows.map((row) => [row[0], row]));
    return {
      sessions: [...bySession.values()].map((row) => `${formatSession(row)}; it ${describeHold(row)} on ${name}`),
      note: undefined,
    };
  }
  const open = (await askIfAllowed(run, transactions)) ?? [];
  const remedy = isMaria ? "INSTALL SONAME 'metadata_lock_info' shows it" : 'GRANT SELECT ON performance_schema.* shows it';
  return {
    sessions: open.map((row) => `perhaps ${formatSession(row)}; its transaction is open since ${row[6]}`),
    note: `Who holds a metadata lock on ${name} is not known; ${remedy}.`,
  };
}

function describeHold([, , , , , , mode, status]: readonly (string | null)[]): string {
  return `${status === 'PENDING' ? 'waits for' : 'holds'} ${mode}`;
}

function formatSession([id, user, database, command, seconds, sql]: readonly (string | null)[]): string {
  const state = command === 'Sleep' ? 'idle' : 'active';
  const text = sql === null || sql === undefined || sql === '' ? '' : `: ${formatStatement(sql)}`;
  return `session ${id} (${user ?? ''}@${database ?? ''}), ${state} for ${formatSeconds(readCount(seconds))}${text}`;
}
