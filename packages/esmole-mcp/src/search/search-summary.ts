import { RawNumber } from '@dbmole/core';
import { formatSaid } from '../said.ts';
import { isObject } from './hit-table.ts';

/** What has to be said of every search, whatever was found: how many there are, and what is missing. */
export function formatTotal(answer: Readonly<Record<string, unknown>>): string {
  const hits = isObject(answer.hits) ? answer.hits : {};
  const { total } = hits;
  if (typeof total === 'number') return String(total);
  if (!isObject(total)) return 'not counted';
  return total.relation === 'gte' ? `at least ${countOf(total.value)}` : countOf(total.value);
}

/** Nothing but a number. */
function countOf(value: unknown): string {
  return typeof value === 'number' ? String(value) : value instanceof RawNumber ? value.text : '?';
}

export function formatIncomplete(answer: Readonly<Record<string, unknown>>): string[] {
  const notes: string[] = [];
  if (answer.timed_out === true) notes.push('It timed out in the cluster: this is only a part.');
  if (answer.terminated_early === true) notes.push('It ended early, as terminate_after asked: counts are only a part.');
  notes.push(...failedShards(answer._shards), ...clusters(answer._clusters));
  return notes;
}

function failedShards(shards: unknown): string[] {
  if (!isObject(shards) || typeof shards.failed !== 'number' || shards.failed === 0) return [];
  const [first] = Array.isArray(shards.failures) ? shards.failures : [];
  const reason = isObject(first) && isObject(first.reason) ? `${String(first.reason.type)}: ${String(first.reason.reason)}` : '';
  const why = reason === '' ? 'no reason' : formatSaid(reason, 300);
  return [`${shards.failed} of ${countOf(shards.total)} shards failed (${why}): this is only a part.`];
}

function clusters(value: unknown): string[] {
  if (!isObject(value)) return [];
  const missing = ['skipped', 'partial', 'failed'].filter((key) => typeof value[key] === 'number' && value[key] > 0);
  return missing.length === 0 ? [] : [`Remote clusters: ${missing.map((key) => `${String(value[key])} ${key}`).join(', ')}.`];
}
