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
  const [start = '', end] = baseline.split(betweenTimes);
  const lt = end === undefined ? window.gte : resolveTime(end, now);
  return { now: window, baseline: { gte: resolveTime(start, now), lt } };
}

/** As ranges are written: `A..B`, `A to B` and the interval `A/B`, but not the rounding of date math. */
const betweenTimes = /\.\.| to |\/(?=\d{4}-)/;

/** The forms of the times in a window, whatever the format of the field is. */
export const rangeFormat = 'strict_date_optional_time||epoch_millis';

function resolveTime(given: string, now: Date): string {
  const text = given.trim();
  const iso = now.toISOString();
  if (/^now(?=$|[-+/])/.test(text)) return addTo(now, text.slice(3)) ?? `${iso}||${text.slice(3)}`;
  // A time of today, in UTC.
  const [, hour, rest] = /^(\d{1,2})(:\d\d(?::\d\d(?:\.\d+)?)?)Z?$/.exec(text) ?? [];
  if (hour !== undefined) return `${iso.slice(0, 11)}${hour.padStart(2, '0')}${rest}Z`;
  if (/^\d{4}(?:-\d\d){0,2}(?:[T ]|$|\|\|)/.test(text)) return text.replace(/^(\d{4}-\d\d-\d\d) (?=\d)/, '$1T');
  if (/^\d{12,14}$/.test(text)) return text;
  throw new Failure('input', `${JSON.stringify(given.slice(0, 60))} is not a time`, {
    hint: 'Write 2026-01-31T10:00:00Z, 10:00 (today, UTC), milliseconds since 1970, or date math such as now-1h.',
  });
}

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Date math without calendar, as a time that can be read; the rest is left to the cluster. */
function addTo(now: Date, math: string): string | undefined {
  const steps = [...math.matchAll(/([-+])(\d{1,9})([smhdw])/g)];
  if (steps.map(([step]) => step).join('') !== math) return undefined;
  const offset = steps.reduce((sum, [, sign, count, unit = '']) => sum + Number(`${sign}${count}`) * (unitMs[unit] ?? 0), 0);
  const time = new Date(now.getTime() + offset);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

export function formatWindow({ gte, lt }: LogWindow): string {
  return `${formatTime(gte)} to ${formatTime(lt)}`;
}

function formatTime(text: string): string {
  return text.replace(/\.\d+Z/, 'Z').replace('||', '');
}
