import { type CheckReport, type Finding, formatShare, joinFacts, readCount } from '@dbmole/core';
import { askIfAllowed } from '../../../../audit/ask-if-allowed.ts';
import { formatBytes } from '../../../../catalog/schema-text.ts';
import type { CheckScope } from '../../../../diagnosis/diagnosis.ts';
import type { CatalogRun } from '../../../../engine.ts';
import { type CatalogContext, questionMarks, readContext, schemaCondition } from '../../catalog/context.ts';
import { formatIdentifier } from '../../values/identifiers.ts';
import { describeHiddenTables } from '../account.ts';
import { findBroken } from './broken-objects.ts';
import { findPartitionTrouble } from './partitions.ts';
import { findUnenforced } from './unenforced.ts';

type Row = readonly (string | null)[];

const counterShares = { medium: 0.7, high: 0.9 };
const free = { minBytes: 100 * 1024 * 1024, share: 0.3 };
/** Where the counter of a tinyint counts as near its end. */
const minNext = Math.floor(counterShares.medium * 127);
/** MariaDB opens each table for these facts, so of more than this it is asked for no counters. */
const maxOpened = 2_000;

interface Scope {
  /** The condition on `table_schema`, and on `table_name` where a table is named. */
  where: string;
  params: readonly string[];
}

interface TableFacts {
  label: string;
  name: string;
  engine: string;
  rows: number;
  bytes: number;
  freeBytes: number;
  nextNumber: number;
  isPartitioned: boolean;
  isOldText: boolean;
}

/** MySQL works out the size of each table, and keeps none of it in a transaction that only reads: 10,000 take seconds. */
export const maxMeasured = 1_000;

/** The tables that take the most room, if the account may read where they are kept; else undefined. */
async function listLargest(run: CatalogRun, schema: string): Promise<readonly string[] | undefined> {
  const rows = await askIfAllowed(
    run,
    `select table_name from mysql.innodb_table_stats where database_name = ?
     order by clustered_index_size + sum_of_other_index_sizes desc limit ${maxMeasured}`,
    [schema],
  );
  // A partition has its table in front of it.
  return rows && [...new Set(rows.map(([name]) => (name ?? '').split(/#p#/i)[0] ?? ''))];
}

/** The counter comes first: MySQL forgets it when it has read a size of a table that it has not cached. */
function formatFactsSql(where: string): string {
  return `select auto_increment, table_schema, table_name, engine, table_rows, data_length + index_length, data_free,
      create_options like '%partitioned%', table_collation regexp '^utf8(mb3)?_'
    from information_schema.tables where table_type = 'BASE TABLE' and ${where} limit ${maxMeasured}`;
}

/** The columns that count in tables whose counter has come so far that the smallest type could end. */
async function readCounters(run: CatalogRun, { where, params }: Scope, facts: readonly TableFacts[]) {
  const names = [...new Set(facts.filter(({ nextNumber }) => nextNumber >= minNext).map(({ name }) => name))];
  if (names.length === 0) return [];
  return await run(
    `select table_schema, table_name, column_name, column_type from information_schema.columns
     where extra like '%auto_increment%' and ${where} and table_name in (${questionMarks(names)}) limit ${maxMeasured}`,
    [...params, ...names],
  );
}

const longHistorySql = `select count from information_schema.innodb_metrics where name = 'trx_rseg_history_len'`;
const historyLength = { medium: 1_000_000, high: 10_000_000 };

export async function checkTables(run: CatalogRun, { schema, table, limit }: CheckScope): Promise<CheckReport> {
  const context = await readContext(run);
  const condition = schemaCondition('table_schema', context, schema);
  const where = table === undefined ? condition.sql : `${condition.sql} and table_name = ?`;
  const params = [...condition.params, ...(table === undefined ? [] : [table])];
  const [[counted = []], history, hidden] = await Promise.all([
    run(`select count(*) from information_schema.${context.names} where ${where}`, params),
    askIfAllowed(run, longHistorySql),
    describeHiddenTables(run, schema ?? context.database),
  ]);
  const total = readCount(counted[0]);
  const isMany = context.maria && total > maxOpened;
  const scope = { where, params };
  const [broken, ...others] = await Promise.all([
    findBroken(run, { ...scope, opensTables: !isMany }, context),
    ...(isMany ? [] : [findUnenforced(run, scope, context), findPartitionTrouble(run, scope, context)]),
  ]);
  const space = schema ?? context.database;
  const measured = !isMany && total > maxMeasured && space !== undefined ? await listLargest(run, space) : undefined;
  const rows = isMany ? [] : await readSizes(run, scope, measured ?? []);
  const facts = rows.map((row) => readFacts(row, context)).toSorted((a, b) => b.bytes - a.bytes);
  const counters = await readCounters(run, scope, facts);
  return {
    findings: [
      ...broken.findings,
      ...others.flat(),
      ...counters.flatMap((row) => judgeCounter(row, facts, context)),
      ...facts.flatMap(judgeFree),
      ...judgeEngines(facts),
      ...judgeText(facts),
      ...judgeHistory(readCount(history?.[0]?.[0])),
    ],
    listing: facts.slice(0, limit).map(formatFacts),
    hidden: [hidden, broken.hidden].filter((part) => part !== undefined).join(' ') || undefined,
    notes: [
      ...(isMany
        ? [`The database has ${total} tables, and this server would open each of them; name a schema or a table.`]
        : describeMeasured(total, measured)),
      ...(facts.length > limit ? [`${facts.length - limit} smaller tables are not listed.`] : []),
    ],
  };
}

async function readSizes(run: CatalogRun, { where, params }: Scope, tables: readonly string[]) {
  return tables.length === 0
    ? await run(formatFactsSql(where), params)
    : await run(formatFactsSql(`${where} and table_name in (${questionMarks(tables)})`), [...params, ...tables]);
}

function describeMeasured(total: number, measured: readonly string[] | undefined): string[] {
  const cached = 'Sizes and counters are those that the server has cached, at most a day old.';
  if (total <= maxMeasured) return [cached];
  return [
    cached,
    `Only ${measured === undefined ? '' : 'the largest '}${maxMeasured} of ${total} tables were measured; name a table.`,
  ];
}

function readFacts(
  [next, schema, table, engine, rows, bytes, unused, partitioned, oldText]: Row,
  context: CatalogContext,
): TableFacts {
  return {
    label: context.formatLabel(schema, table),
    name: table ?? '',
    engine: engine ?? 'unknown',
    rows: readCount(rows),
    bytes: readCount(bytes),
    freeBytes: readCount(unused),
    nextNumber: readCount(next),
    isPartitioned: partitioned === '1',
    isOldText: oldText === '1',
  };
}

function formatFacts({ label, engine, rows, bytes, freeBytes, isPartitioned }: TableFacts): string {
  const facts = joinFacts(
    formatBytes(bytes),
    `~${rows} rows`,
    freeBytes >= free.minBytes && `${formatBytes(freeBytes)} free inside`,
    engine !== 'InnoDB' && engine,
    isPartitioned && 'partitioned',
  );
  return `${label}: ${facts}`;
}

const bits: Readonly<Record<string, number>> = { tinyint: 8, smallint: 16, mediumint: 24, int: 32, bigint: 64 };

/** The end of a column's type; undefined if it has none. */
function readMaxNumber(columnType: string): bigint | undefined {
  const [, word = ''] = /^(\w+)/.exec(columnType) ?? [];
  const width = bits[word];
  if (width === undefined) return undefined;
  return 2n ** BigInt(/\bunsigned\b/.test(columnType) ? width : width - 1) - 1n;
}

function judgeCounter([schema, table, column, type]: Row, facts: readonly TableFacts[], context: CatalogContext): Finding[] {
  const label = context.formatLabel(schema, table);
  const maxNumber = readMaxNumber(type ?? '');
  const next = facts.find((one) => one.label === label)?.nextNumber ?? 0;
  if (maxNumber === undefined || next < counterShares.medium * Number(maxNumber)) return [];
  const share = next / Number(maxNumber);
  return [
    {
      severity: share >= counterShares.high ? 'high' : 'medium',
      weight: share * 1e9,
      evidence: `${label}.${formatIdentifier(column ?? '')} (${type}) counts on from ${next} of ${maxNumber} (${formatShare(share)})`,
      consequence: 'When it reaches its end, every INSERT fails with a duplicate key.',
      next: `ALTER TABLE ${label} MODIFY ${formatIdentifier(column ?? '')} BIGINT UNSIGNED NOT NULL AUTO_INCREMENT; (copies the table; columns that refer to it first)`,
    },
  ];
}

function judgeFree({ label, engine, bytes, freeBytes }: TableFacts): Finding[] {
  const share = freeBytes / (bytes + freeBytes);
  if (engine !== 'InnoDB' || freeBytes < free.minBytes || share < free.share) return [];
  return [
    {
      severity: 'low',
      weight: freeBytes,
      evidence: `${label} keeps ${formatBytes(freeBytes)} free inside (${formatShare(share)} of its file)`,
      consequence: 'Only this table reuses the space, and backups and scans still read through it.',
      next: `ALTER TABLE ${label} ENGINE=InnoDB; rebuilds it online, and needs twice the space meanwhile.`,
    },
  ];
}

const blackHole = 'BLACKHOLE';

/** One finding for each engine, however many tables it has. */
function judgeEngines(facts: readonly TableFacts[]): Finding[] {
  const others = facts.filter(({ engine }) =>
    ['MyISAM', 'Aria', 'MEMORY', 'CSV', 'ARCHIVE', 'MRG_MyISAM', 'MRG_MYISAM', 'FEDERATED', blackHole].includes(engine),
  );
  const engines = [...new Set(others.map(({ engine }) => engine))];
  return engines.map((engine) => {
    const own = others.filter((one) => one.engine === engine);
    const names = own.slice(0, 5).map(({ label }) => label);
    const isLost = engine === blackHole;
    return {
      severity: isLost ? ('high' as const) : ('medium' as const),
      weight: own.length,
      evidence: `${own.length} ${own.length === 1 ? 'table has' : 'tables have'} the engine ${engine}: ${names.join(', ')}${own.length > names.length ? ', …' : ''}`,
      consequence: isLost
        ? 'Rows that are written to them are thrown away, without an error.'
        : 'They have no transactions and no foreign keys, lock as a whole, and can be damaged or emptied by a crash.',
      next: `ALTER TABLE ${names[0]} ENGINE=InnoDB;`,
    };
  });
}

/** One finding, however many tables have it. */
function judgeText(facts: readonly TableFacts[]): Finding[] {
  const labels = facts.filter(({ isOldText }) => isOldText).map(({ label }) => label);
  if (labels.length === 0) return [];
  return [
    {
      severity: 'low',
      weight: labels.length,
      evidence: `${labels.length} ${labels.length === 1 ? 'table has' : 'tables have'} texts in utf8mb3: ${labels.slice(0, 5).join(', ')}${labels.length > 5 ? ', …' : ''}`,
      consequence: 'Characters of four bytes, such as emoji, are refused; joins with texts in utf8mb4 may use no index.',
      next: `ALTER TABLE ${labels[0]} CONVERT TO CHARACTER SET utf8mb4; (copies the table; those that refer to it by text as well)`,
    },
  ];
}

function judgeHistory(length: number): Finding[] {
  if (length < historyLength.medium) return [];
  return [
    {
      severity: length >= historyLength.high ? 'high' : 'medium',
      weight: length,
      evidence: `InnoDB keeps ${length} old versions of transactions that are not purged`,
      consequence: 'Reads step over them and get slower, and the undo log grows.',
      next: 'diagnose check=activity for the oldest transaction, which holds back the purge.',
    },
  ];
}
