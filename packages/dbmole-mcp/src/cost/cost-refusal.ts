import { Failure, type Hint } from '@dbmole/core';
import type { TableDetails } from '../catalog/catalog.ts';
import { explainScan } from '../plan/plan-scan.ts';
import { toScanFacts } from '../plan/scan-facts.ts';
import type { CostKey, CostLimit } from './cost-limits.ts';
import type { Forecast, TableRead } from './forecast.ts';

/** A limit that a read would exceed. */
export interface Excess {
  limit: CostLimit;
  estimate: number;
}

export function findExcesses(forecast: Forecast, limits: readonly CostLimit[]): readonly Excess[] {
  return limits
    .map((limit) => ({ limit, estimate: measures[limit.key](forecast) }))
    .filter(({ limit, estimate }) => estimate > limit.max);
}

const measures: Record<CostKey, (forecast: Forecast) => number> = {
  maxCost: ({ cost }) => cost,
  maxScanRows: ({ reads }) => sum(reads.map(({ rows }) => rows)),
  maxBytes: ({ reads }) => sum(reads.map(({ bytes }) => bytes)),
};

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** The step that reads the most. */
export function findWorst({ reads }: Forecast): TableRead | undefined {
  return reads.reduce<TableRead | undefined>(
    (worst, read) => (worst === undefined || read.rows > worst.rows ? read : worst),
    undefined,
  );
}

/** The worst step, where the caller may be told of its table. */
export interface NamedRead {
  read: TableRead;
  /** What the catalog knows of the table; undefined where it could not be found. */
  table: TableDetails | undefined;
}

export function refuseExcess(excess: Excess, worst: NamedRead | undefined): Failure {
  // Joins and sorts can cost more than what they read.
  const what = excess.limit.key === 'maxCost' ? 'It reads most in' : 'Most of it';
  const share = worst === undefined ? '' : `. ${what}: ${describeRead(worst)}`;
  return new Failure('refused', `${describeExcess(excess)}; nothing was run${share}`, {
    code: 'E_TOO_COSTLY',
    hint: adviseOn(excess, worst),
  });
}

export function formatExcessNote(excesses: readonly Excess[]): string {
  return excesses.map((excess) => `${capitalize(describeExcess(excess))} (warn).`).join(' ');
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function describeExcess({ limit: { key, max }, estimate }: Excess): string {
  const words: Record<CostKey, string> = {
    maxCost: `the plan costs ${formatCount(estimate)}, and this connection allows ${formatCount(max)}`,
    maxScanRows: `the plan reads about ${formatCount(estimate)} rows from tables, and this connection allows ${formatCount(max)}`,
    maxBytes: `the plan reads about ${formatCount(estimate)} bytes from tables, and this connection allows ${formatCount(max)}`,
  };
  return words[key];
}

function formatCount(count: number): string {
  return count < 10 ? String(Number(count.toFixed(2))) : Math.round(count).toLocaleString('en-US');
}

function describeRead({ read, table }: NamedRead): string {
  const rows = `${read.label}, about ${formatCount(read.rows)} rows`;
  if (read.filter === undefined) return read.isSearch ? rows : `${rows}, without a condition that limits them`;
  return `${rows}: ${explainScan(read, table && toScanFacts(table))}`;
}

const leadingColumn = /^[^(]*\(\s*("(?:[^"]|"")*"|`(?:[^`]|``)*`|[\p{L}\p{N}_$]+)(?=\s*[,)\s])/u;
const maxColumns = 6;

function adviseOn({ limit: { key } }: Excess, worst: NamedRead | undefined): Hint {
  const columns = worst?.table === undefined ? [] : listLeadingColumns(worst.table);
  const name = worst?.table?.name;
  const narrow =
    name === undefined || columns.length === 0
      ? 'Add a condition that an index serves, or a smaller LIMIT.'
      : `Add a condition on a column that an index of ${name} begins with (${columns.join(', ')}), or a smaller LIMIT.`;
  return [
    narrow,
    { call: 'diagnose', run: 'diagnose CONNECTION indexes "SQL"', to: 'find an index that would help (check indexes, with sql)' },
    `Only the user can raise "${key}", where the connection is defined.`,
  ];
}

function listLeadingColumns({ keys, indexes }: TableDetails): string[] {
  const ofKeys = keys.flatMap(({ columns }) => columns[0] ?? []);
  const ofIndexes = indexes.flatMap(({ definition }) => leadingColumn.exec(definition)?.[1] ?? []);
  return [...new Set([...ofKeys, ...ofIndexes])].slice(0, maxColumns);
}

/** The refusal of a read that has no plan, although it may read whole tables. */
export function refuseUnplannable(what: string, hint: Hint): Failure {
  return new Failure('refused', `${what}, so what it would cost cannot be estimated; nothing was run`, {
    code: 'E_TOO_COSTLY',
    hint,
  });
}
