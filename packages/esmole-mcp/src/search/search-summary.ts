import { RawNumber } from '@dbmole/core';
import { isObject } from './hit-table.ts';

/** Returns the number of matches if they were all counted. */
export function countTotal(answer: unknown): number | undefined {
  const total = isObject(answer) && isObject(answer.hits) ? answer.hits.total : undefined;
  if (typeof total === 'number') return total;
  return isObject(total) && total.relation === 'eq' && typeof total.value === 'number' ? total.value : undefined;
}

/** Formats the number of matches as far as they were counted. */
export function formatTotal(answer: Readonly<Record<string, unknown>>): string {
  const hits = isObject(answer.hits) ? answer.hits : {};
  const { total } = hits;
  if (typeof total === 'number') return String(total);
  if (!isObject(total)) return 'not counted';
  return total.relation === 'gte' ? `at least ${formatCount(total.value)}` : formatCount(total.value);
}

/** Formats a number, and nothing else. */
function formatCount(value: unknown): string {
  return typeof value === 'number' ? String(value) : value instanceof RawNumber ? value.text : '?';
}
