import { type CheckReport, type Finding, formatSeconds, readCount } from '@dbmole/core';
import { askIfAllowed } from '../../../audit/ask-if-allowed.ts';
import type { CheckScope } from '../../../diagnosis/diagnosis.ts';
import type { CatalogRun } from '../../../engine.ts';
import { type CatalogContext, questionMarks, readContext, schemaCondition } from '../catalog/context.ts';
import { formatIdentifier } from '../values/identifiers.ts';
import { describeHiddenTables } from './account.ts';
import { narrowTables } from './many-indexes.ts';
import { maxMeasured } from './tables/tables.ts';

type Row = readonly (string | null)[];

const maxParts = 8_000;
/** Rows of one column each, which come from memory. */
const maxCounters = 19_000;
const maxTables = 200;
/** Below this, what an index costs does not matter. */
const minRows = 1_000;
/** A table that was not read more often than this says nothing about its indexes. */
const minReads = 100;

interface Index {
  table: string;
  name: string;
  isUnique: boolean;
  type: string;
  isNullable: boolean;
  /** `a`, `b(10) desc`; an expression counts as itself. */
  parts: string[];
  /** The same without the lengths of prefixes. */
  columns: string[];
  isHidden: boolean;
  rows: number;
}

/** The parts of all indexes. Cardinality would make the server read the indexes themselves. */
function formatPartsSql(where: string, maria: boolean): string {
  const more = maria ? "null, ignored = 'YES'" : "expression, is_visible = 'NO'";
  return `select table_schema, table_name, index_name, non_unique = 0, index_type, column_name, sub_part, collation, ${more}, seq_in_index, nullable
    from information_schema.statistics where ${where} limit ${maxParts}`;
}

function formatKeylessSql(where: string): string {
  return `select t.table_schema, t.table_name, t.table_rows from information_schema.tables t
    where t.engine = 'InnoDB' and ${where.replaceAll(/\b(table_schema|table_name)\b/g, 't.$1')} and not exists (select 1 from information_schema.statistics s
      where s.table_schema = t.table_schema and s.table_name = t.table_name and s.index_name = 'PRIMARY')
    limit ${maxTables}`;
}

/** Indexes without a use since the start of the server, of tables that were read; these are few of many. */
function formatIdleSql(where: string): string {
  return `select u.object_schema, u.object_name, u.index_name from performance_schema.table_io_waits_summary_by_table t
    straight_join performance_schema.table_io_waits_summary_by_index_usage u
      on u.object_type = t.object_type and u.object_schema = t.object_schema and u.object_name = t.object_name
    where t.object_type = 'TABLE' and t.count_star >= ${minReads} and u.index_name is not null and u.count_star = 0 and ${where}
    limit ${maxCounters}`;
}

/** Tables below that size do not matter. The server has estimates for all at once only where most accounts may not read them. */
async function countRows(run: CatalogRun, { where, params }: { where: string; params: readonly string[] }) {
  const kept = where.replaceAll('table_schema', 'database_name');
  return (
    (await askIfAllowed(
      run,
      `select database_name, table_name, n_rows from mysql.innodb_table_stats where ${kept} and n_rows >= ${minRows} limit ${maxCounters}`,
      params,
    )) ??
    (await run(
      `select table_schema, table_name, table_rows from information_schema.tables where table_type = 'BASE TABLE' and ${where} limit ${maxMeasured}`,
      params,
    ))
  );
}

export async function checkIndexes(run: CatalogRun, { schema, table }: CheckScope): Promise<CheckReport> {
  const context = await readContext(run);
  const scope = (prefix: string, schemaColumn: string, tableColumn: string) => {
    const { sql, params } = schemaCondition(`${prefix}${schemaColumn}`, context, schema);
    return {
      where: table === undefined ? sql : `${sql} and ${prefix}${tableColumn} = ?`,
      params: [...params, ...(table === undefined ? [] : [table])],
    };
  };
  const all = scope('', 'table_schema', 'table_name');
  const used = scope('t.', 'object_schema', 'object_name');
  const [narrowed, counted, idle, hidden, [state = []]] = await Promise.all([
    narrowTables(run, all, context),
    countRows(run, all),
    askIfAllowed(run, formatIdleSql(used.where), used.params),
    describeHiddenTables(run, schema ?? context.database),
    run(`select @@performance_schema, (select variable_value from ${context.maria ? 'information_schema' : 'performance_schema'}.global_status
      where variable_name = 'Uptime')`),
  ]);
  const own = narrowed === undefined ? all : limitTo([...narrowed.tables, ...listIdle(idle)], all);
  const [parts, keyless] = await Promise.all([
    run(formatPartsSql(own.where, context.maria), own.params),
    narrowed?.keyless ?? run(formatKeylessSql(own.where), own.params),
  ]);
  const rows = new Map(counted.map(([space, name, count]) => [context.formatLabel(space, name), readCount(count)]));
  const indexes = groupParts(parts, context, rows);
  const hasUses = state[0] === '1' && idle !== undefined;
  return {
    findings: [
      ...findRedundant(indexes),
      ...(hasUses ? findUnused(indexes, idle, context, formatSeconds(readCount(state[1]))) : []),
      ...indexes.filter(({ isHidden }) => isHidden).map(formatHidden),
      ...findKeyless(keyless, indexes, context),
    ],
    listing: [],
    hidden,
    notes: [
      hasUses
        ? `Uses are counted since the start of the server, ${formatSeconds(readCount(state[1]))} ago.`
        : 'Unused indexes are not known: performance_schema is off, or the account may not read it.',
      ...describeLimits({ parts: parts.length, counted: counted.length }),
      ...(narrowed === undefined ? [] : [narrowed.note]),
    ],
  };
}

function describeLimits({ parts, counted }: { parts: number; counted: number }): string[] {
  return [
    ...(counted === maxMeasured
      ? [`Rows are known of ${maxMeasured} tables only; indexes of others do not count as unused.`]
      : []),
    ...(parts >= maxParts ? [`Only the first ${maxParts} columns of indexes were looked at; name a schema or a table.`] : []),
  ];
}

/** An index without a use matters in a table that is read, however many there are. */
function listIdle(idle: readonly Row[] | undefined): string[] {
  return (idle ?? []).slice(0, maxTables).map(([, table]) => table ?? '');
}

function limitTo(tables: readonly string[], { where, params }: { where: string; params: readonly string[] }) {
  const names = [...new Set(tables)];
  if (names.length === 0) return { where: 'false', params: [] };
  return { where: `${where} and table_name in (${questionMarks(names)})`, params: [...params, ...names] };
}

/** The server would sort all of them before it leaves most of them out. The table at which it stopped may lack parts. */
function sortParts(rows: readonly Row[]): readonly Row[] {
  const [lastSchema, lastTable] = rows.length < maxParts ? [] : (rows.at(-1) ?? []);
  return rows
    .filter(([schema, table]) => schema !== lastSchema || table !== lastTable)
    .toSorted((a, b) => Number(a[10]) - Number(b[10]));
}

function groupParts(rows: readonly Row[], context: CatalogContext, counts: ReadonlyMap<string, number>): Index[] {
  const indexes = new Map<string, Index>();
  for (const [schema, table, name, unique, type, column, length, order, expression, hidden, , nullable] of sortParts(rows)) {
    const label = context.formatLabel(schema, table);
    const key = JSON.stringify([label, name]);
    const index = indexes.get(key) ?? {
      table: label,
      name: name ?? '',
      isUnique: unique === '1',
      type: type ?? '',
      isNullable: false,
      parts: [],
      columns: [],
      isHidden: hidden === '1',
      rows: counts.get(label) ?? 0,
    };
    indexes.set(key, index);
    const part = column === null ? `(${expression})` : (column ?? '');
    const direction = order === 'D' ? ' desc' : '';
    index.parts.push(`${part}${length === null ? '' : `(${length})`}${direction}`);
    index.columns.push(`${part}${direction}`);
    // An index on an expression, or on the beginning of a text, cannot be the key of a table.
    index.isNullable ||= nullable === 'YES' || column === null || length !== null;
  }
  return [...indexes.values()];
}

/** Pairs of which the first answers nothing that the second does not. A unique index is needed unless the other is as unique. */
function findRedundant(indexes: readonly Index[]): Finding[] {
  return [...groupByTable(indexes).values()].flatMap((own) =>
    own.flatMap((index) => {
      const other = own.find((candidate) => candidate !== index && covers(candidate, index));
      return other === undefined ? [] : [formatRedundant(index, other)];
    }),
  );
}

function groupByTable(indexes: readonly Index[]): Map<string, Index[]> {
  const groups = new Map<string, Index[]>();
  for (const index of indexes) {
    const group = groups.get(index.table);
    if (group === undefined) groups.set(index.table, [index]);
    else group.push(index);
  }
  return groups;
}

function covers(other: Index, index: Index): boolean {
  if (index.name === 'PRIMARY' || other.type !== index.type || other.isHidden) return false;
  const isPrefix = index.type === 'BTREE' && !index.isUnique;
  if (!index.parts.every((part, at) => other.parts[at] === part || (isPrefix && other.parts[at] === index.columns[at])))
    return false;
  const isSame = hasSameParts(other, index);
  if (isSame)
    return (
      other.name === 'PRIMARY' ||
      (other.isUnique && !index.isUnique) ||
      (other.isUnique === index.isUnique && other.name < index.name)
    );
  return !index.isUnique && index.type === 'BTREE';
}

function hasSameParts(one: Index, other: Index): boolean {
  return one.parts.length === other.parts.length && one.parts.every((part, at) => other.parts[at] === part);
}

function formatRedundant(index: Index, other: Index): Finding {
  const { table, name, parts, rows } = index;
  const isSame = hasSameParts(index, other);
  return {
    severity: isSame ? 'medium' : 'low',
    weight: rows,
    evidence: `index ${formatIdentifier(name)} on ${table} (${parts.join(', ')}) ${isSame ? 'is the same as' : 'is covered by the first columns of'} ${formatIdentifier(other.name)}`,
    consequence: `Every write maintains both, and ${formatIdentifier(other.name)} answers the same queries.`,
    next: `ALTER TABLE ${table} DROP INDEX ${formatIdentifier(name)};`,
  };
}

function findUnused(indexes: readonly Index[], idle: readonly Row[], context: CatalogContext, since: string): Finding[] {
  const unused = new Set(idle.map(([schema, table, name]) => JSON.stringify([context.formatLabel(schema, table), name])));
  return indexes.flatMap((index) => {
    const { table, name, isUnique, rows, isHidden } = index;
    if (isUnique || isHidden || rows < minRows || !unused.has(JSON.stringify([table, name]))) return [];
    return [
      {
        severity: 'low' as const,
        weight: rows,
        evidence: `index ${formatIdentifier(name)} on ${table} (~${rows} rows) was not used in the ${since} since the start of the server`,
        consequence: 'Every write maintains it for nothing, unless a foreign key, a replica or a rare report needs it.',
        next: context.maria
          ? `ALTER TABLE ${table} ALTER INDEX ${formatIdentifier(name)} IGNORED; and drop it later, if nothing gets slower.`
          : `ALTER TABLE ${table} ALTER INDEX ${formatIdentifier(name)} INVISIBLE; and drop it later, if nothing gets slower.`,
      },
    ];
  });
}

function formatHidden({ table, name, rows }: Index): Finding {
  return {
    severity: 'low',
    weight: rows,
    evidence: `index ${formatIdentifier(name)} on ${table} is invisible to the planner`,
    consequence: 'No query uses it, and every write still maintains it.',
    next: `If nothing got slower: ALTER TABLE ${table} DROP INDEX ${formatIdentifier(name)};`,
  };
}

/** InnoDB takes a unique index without nulls for the key. */
function findKeyless(keyless: readonly Row[], indexes: readonly Index[], context: CatalogContext): Finding[] {
  const keyed = new Set(indexes.filter(({ isUnique, isNullable }) => isUnique && !isNullable).map(({ table }) => table));
  return keyless
    .map(([schema, table, rows]) => [context.formatLabel(schema, table), rows] as const)
    .filter(([label]) => !keyed.has(label))
    .map(([label, rows]) => formatKeyless(label, rows));
}

function formatKeyless(label: string, rows: string | null | undefined): Finding {
  return {
    severity: readCount(rows) >= minRows ? 'medium' : 'low',
    weight: readCount(rows),
    evidence: `${label} has no primary key; it has about ${readCount(rows)} rows`,
    consequence: 'InnoDB orders it by a hidden row id, and a replica searches the whole table for each changed row.',
    next: `ALTER TABLE ${label} ADD COLUMN id BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY FIRST; or make a primary key of its columns.`,
  };
}
