import { truncateRows } from '@dbmole/core';
import { valueAt } from '../call/answer-failure.ts';
import { isObject } from '../search/hit-table.ts';

/** Characters of a profile, and its rows. */
const maxLength = 4_000;
const maxShown = 12;
const columns = ['phase', 'node', 'operator', 'ms', 'rows_in', 'rows_out', 'drivers'];
const maxName = 100;

interface Part {
  readonly phase: string;
  readonly node: string;
  readonly operator: string;
  nanoseconds: number;
  rowsIn: number;
  rowsOut: number;
  drivers: number;
}

/** The slowest operators of a profile of ES|QL, those of all drivers of a node together; empty without a profile. */
export function formatProfile(json: unknown): string {
  const profile = valueAt(json, ['profile']);
  const drivers = listObjects(valueAt(profile, ['drivers']));
  if (drivers.length === 0) return '';
  const parts = [...addUp(drivers).values()].sort((a, b) => b.nanoseconds - a.nanoseconds);
  const writer = truncateRows({ columns, budget: maxLength, rowLimit: maxShown, cellLimit: maxName });
  for (const { phase, node, operator, nanoseconds, rowsIn, rowsOut, drivers: count } of parts)
    if (!writer.add([phase, node, operator, toMilliseconds(nanoseconds), rowsIn, rowsOut, count])) break;
  const { body, shownRows } = writer.finish();
  const total = toMilliseconds(readNumber(profile, ['query', 'took_nanos']));
  const planning = toMilliseconds(readNumber(profile, ['planning', 'took_nanos']));
  return `profile (${total} ms, of which planning ${planning}; slowest ${shownRows} of ${parts.length} operators):\n${body}`;
}

function addUp(drivers: readonly Readonly<Record<string, unknown>>[]): Map<string, Part> {
  const parts = new Map<string, Part>();
  for (const driver of drivers) {
    const phase = String(driver.description ?? driver.task_description ?? '');
    const node = String(driver.node_name ?? '');
    for (const { operator: description, status } of listObjects(driver.operators)) {
      const operator = String(description).replace(/Operator\b.*$/s, '');
      const key = JSON.stringify([phase, node, operator]);
      const part = parts.get(key) ?? { phase, node, operator, nanoseconds: 0, rowsIn: 0, rowsOut: 0, drivers: 0 };
      part.nanoseconds += readTime(status);
      part.rowsIn += readNumber(status, ['rows_received']);
      part.rowsOut += readNumber(status, ['rows_emitted']);
      part.drivers += 1;
      parts.set(key, part);
    }
  }
  return parts;
}

/** Operators name their times differently. */
function readTime(status: unknown): number {
  const times = isObject(status) ? Object.entries(status).filter(([name]) => name.endsWith('_nanos')) : [];
  return times.reduce((sum, [, value]) => sum + (typeof value === 'number' ? value : 0), 0);
}

function readNumber(value: unknown, path: readonly string[]): number {
  const found = valueAt(value, path);
  return typeof found === 'number' ? found : 0;
}

function toMilliseconds(nanoseconds: number): number {
  return Math.round(nanoseconds / 1e4) / 100;
}

function listObjects(value: unknown): Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
