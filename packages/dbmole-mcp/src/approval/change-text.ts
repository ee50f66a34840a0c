import { formatVisible } from '@dbmole/core';
import type { DdlReport } from '../ddl/ddl-report.ts';
import { formatDdl } from '../ddl/ddl-report.ts';
import type { CallerParam, WriteEnd } from '../engine.ts';
import type { Effects, Sample, SampleCell, SampleRow, TableChange } from './change.ts';

/** Characters of the statements and of the values that a person reads. */
const maxStatement = 2_000;
const maxValue = 60;

/** `UPDATE orders: 1,284 of 2.1 M rows, cascades to order_items (3,120); triggers audit (orders)`; without data. */
export function summarizeEffects({ command, changed }: WriteEnd, effects: Effects): string {
  const { table, total, cascades, others, triggers, notes } = effects;
  const of = total === undefined || changed === undefined || total < changed ? '' : ` of ${formatLarge(total)}`;
  const rows = changed === undefined ? 'done' : `${formatNumber(changed)}${of} ${changed === 1 && of === '' ? 'row' : 'rows'}`;
  const parts = [
    `${command}${table === undefined ? '' : ` ${table}`}: ${rows}`,
    cascades.length === 0 ? '' : `cascades to ${formatTables(cascades)}`,
    others.length === 0 ? '' : `also changes ${formatTables(others)}`,
  ];
  const more = [triggers.length === 0 ? '' : `triggers ${triggers.join(', ')}`, ...notes];
  return [parts.filter(isText).join(', '), ...more.filter(isText)].join('; ');
}

/** `for example id 7: status pending → cancelled` */
export function describeSample({ rows }: Sample): string[] {
  return rows.map((row, i) => `${i === 0 ? 'for example ' : ''}${formatKey(row.key)}: ${formatChange(row)}`);
}

function formatKey(key: readonly SampleCell[]): string {
  return key.length === 0 ? 'a row' : key.map(formatCell).join(', ');
}

function formatChange({ before, after }: SampleRow): string {
  if (after === undefined) return [before.map(formatCell).join(', '), 'is deleted'].filter(isText).join(' ');
  const changed = before.map((cell, i) => `${formatCell(cell)} → ${formatValue(after[i]?.value ?? null)}`);
  return changed.length === 0 ? 'stays the same' : changed.join(', ');
}

function formatCell({ column, value }: SampleCell): string {
  return `${column} ${formatValue(value)}`;
}

function formatValue(value: string | null): string {
  if (value === null) return 'NULL';
  const short = value.length > maxValue ? `${value.slice(0, maxValue)}…` : value;
  const line = formatVisible(short.replaceAll(/\s+/g, ' '));
  return line === '' ? "''" : line;
}

function formatTables(changes: readonly TableChange[]): string {
  return changes.map(({ table, rows }) => `${table} (${formatNumber(rows)})`).join(', ');
}

/** What a definition would do, from what is known of it; it is not run. */
export function describeDefinition(report: DdlReport): string {
  return `${report.command} on ${report.server}, not measured:\n${formatDdl(report)}`;
}

/** The text of one statement with its params, as it will run. */
export function describeStatement(sql: string, params: readonly CallerParam[]): string {
  const text = sql.trim();
  const shown = text.length > maxStatement ? `${text.slice(0, maxStatement)}… (${text.length} characters)` : text;
  if (params.length === 0) return shown;
  const values = JSON.stringify(params);
  return `${shown}\nparams: ${values.length > maxStatement ? `${values.slice(0, maxStatement)}… (${params.length} values)` : values}`;
}

function formatNumber(value: number): string {
  return value.toLocaleString('en-US');
}

/** `2.1 M`; an estimate. */
function formatLarge(value: number): string {
  if (value >= 1e9) return `${(value / 1e9).toFixed(1)} G`;
  if (value >= 1e6) return `${(value / 1e6).toFixed(1)} M`;
  return value >= 1e5 ? `${Math.round(value / 1e3)} k` : formatNumber(value);
}

function isText(text: string): boolean {
  return text !== '';
}
