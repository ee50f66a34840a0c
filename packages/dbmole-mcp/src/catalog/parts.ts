import { redactData } from '@dbmole/core';
import type { ColumnStats, Description, OtherObject, Part, TableDetails, TableStats } from './catalog.ts';
import {
  commentLength,
  formatCheck,
  formatColumns,
  formatDefinition,
  formatIndex,
  formatKey,
  formatLine,
  formatPolicy,
  formatReference,
  formatReferencedBy,
  formatTrigger,
  formatType,
  withActions,
} from './schema-text.ts';

/** Characters of a comment that an engine reads: one more than is shown tells that it goes on. */
export function maxComment(parts: readonly Part[] | undefined): number {
  return (parts?.includes('columns') ? wholeComment : commentLength) + 1;
}

const wholeComment = 4_000;

/** What is not in the description itself. */
interface MoreParts {
  stats: readonly TableStats[];
  /** The CSV of each table by its name, or the reason why it has no sample. */
  samples: ReadonlyMap<string, readonly string[]>;
}

/** Only what was requested, with the name of each table on a line of its own. */
export function formatParts({ tables, types }: Description, parts: readonly Part[], more: MoreParts): string[] {
  const shown = tables.flatMap((table) => [
    formatLine(`${table.name}: ${table.kind}`),
    ...parts.flatMap((part) => formatPart(withActions(table), part, more)),
  ]);
  return parts.includes('columns') ? [...shown, ...types.map(formatType)] : shown;
}

const nothing: Readonly<Record<Part, string>> = {
  columns: 'no columns',
  keys: 'no keys',
  references: 'no references',
  indexes: 'no indexes',
  checks: 'no checks',
  triggers: 'no triggers',
  policies: 'no policies',
  definition: 'no definition beyond columns, keys, references, indexes and checks',
  stats: 'no statistics',
  sample: 'no rows',
};

function formatPart(table: TableDetails, part: Part, { stats, samples }: MoreParts): string[] {
  if (part === 'definition' && table.definition !== undefined) return formatDefinition(table.definition);
  if (part === 'sample') return [...(samples.get(table.name) ?? [])].map((line) => `  ${line}`);
  const lines: Readonly<Record<Exclude<Part, 'sample'>, () => readonly string[]>> = {
    columns: () => formatColumns({ ...table, keys: [], references: [], checks: [] }, wholeComment),
    keys: () => table.keys.map(formatKey),
    references: () => [...table.references.map(formatReference), ...formatReferencedBy(table)],
    indexes: () => table.indexes.map(formatIndex),
    checks: () => table.checks.map(formatCheck),
    triggers: () => table.triggers.map((trigger) => formatTrigger(trigger, wholeComment)),
    policies: () => [...table.notes.filter((note) => note.startsWith('row level')), ...table.policies.map(formatPolicy)],
    definition: () => [],
    stats: () => formatStats(stats.find((one) => one.table === table.name)),
  };
  const found = lines[part]();
  return (found.length === 0 ? [nothing[part]] : found).map((line) => formatLine(`  ${line}`));
}

function formatStats(stats: TableStats | undefined): string[] {
  return stats === undefined ? [] : [stats.note, ...stats.columns.map(formatColumnStats)];
}

function formatColumnStats({ column, nulls, distinct, common, min, max }: ColumnStats): string {
  const facts = [
    nulls === undefined ? '' : `${formatShare(nulls)} null`,
    distinct === undefined ? '' : `~${distinct} distinct`,
    common.length === 0
      ? ''
      : `most common ${common.map(([value, share]) => `${formatValue(value)} ${formatShare(share)}`).join(', ')}`,
    min === undefined || max === undefined ? '' : `from ${formatValue(min)} to ${formatValue(max)}`,
  ];
  return `${column}: ${facts.filter((fact) => fact !== '').join('; ')}`;
}

function formatShare(share: number): string {
  const percent = share * 100;
  return `${percent === 0 || percent >= 1 ? Math.round(percent) : percent.toPrecision(1)} %`;
}

const maxValue = 60;

function formatValue(value: string): string {
  const text = redactData(value);
  return `'${text.length > maxValue ? `${text.slice(0, maxValue)}…` : text}'`;
}

/** Something that is not a table, under a name that was asked for as one. */
export function formatOther({ asked, kind, definition }: OtherObject): string[] {
  const head = `${asked}: ${kind}`;
  if (definition === undefined) return [formatLine(`${head}, whose definition this account may not see`)];
  return definition.includes('\n') ? [formatLine(head), ...formatDefinition(definition)] : [formatLine(`${head}: ${definition}`)];
}
