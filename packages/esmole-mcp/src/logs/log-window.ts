import { Failure } from '@dbmole/core';

/** A window of time, as the range of a query: from `gte` up to, and without, `lt`. */
export interface LogWindow {
  readonly gte: string;
  readonly lt: string;
}

export interface LogWindows {
  readonly now: LogWindow;
  readonly baseline: LogWindow | undefined;
}

interface Given {
  readonly from: string;
  readonly to?: string | undefined;
  /** `FROM..TO`, or only the beginning. */
  readonly baseline?: string | undefined;
}

/** Every search of a call has to see the same window, so `now` is one moment for all of them. The baseline ends where the window begins. */
export function resolveWindows({ from, to, baseline }: Given, now: Date): LogWindows {
  const window = { gte: resolveTime(from, now), lt: resolveTime(to ?? 'now', now) };
  if (baseline === undefined) return { now: window, baseline: undefined };
  const [start = '', end] = baseline.split('..');
  const lt = end === undefined ? window.gte : resolveTime(end, now);
  return { now: window, baseline: { gte: resolveTime(start, now), lt } };
}

/** The forms of the times in a window, whatever the format of the field is. */
export const rangeFormat = 'strict_date_optional_time||epoch_millis';

function resolveTime(given: string, now: Date): string {
  const text = given.trim();
  const iso = now.toISOString();
  if (/^now(?=$|[-+/])/.test(text)) return text === 'now' ? iso : `${iso}||${text.slice(3)}`;
  // A time of today, in UTC.
  const [, hour, rest] = /^(\d{1,2})(:\d\d(?::\d\d(?:\.\d+)?)?)Z?$/.exec(text) ?? [];
  if (hour !== undefined) return `${iso.slice(0, 11)}${hour.padStart(2, '0')}${rest}Z`;
  if (/^\d{4}(?:-\d\d){0,2}(?:[T ]|$|\|\|)/.test(text)) return text.replace(/^(\d{4}-\d\d-\d\d) (?=\d)/, '$1T');
  if (/^\d{12,14}$/.test(text)) return text;
  throw new Failure('input', `${JSON.stringify(given.slice(0, 60))} is not a time`, {
    hint: 'Write 2026-01-31T10:00:00Z, 10:00 (today, UTC), milliseconds since 1970, or date math such as now-1h.',
  });
}

export function formatWindow({ gte, lt }: LogWindow): string {
  return `${formatTime(gte)} to ${formatTime(lt)}`;
}

function formatTime(text: string): string {
  return text.replace(/\.\d+Z/, 'Z').replace('||', '');
}
