import { Failure } from '../../../failure.ts';
import { parseTime } from '../../../program/settings.ts';
import { defaultLimits, type HttpLimits } from './limits.ts';

/** The options as they are written on the command line. */
interface LimitTexts {
  'max-body'?: string;
  'max-calls-per-client'?: string;
  'max-calls'?: string;
  'calls-per-minute'?: string;
  'max-connections'?: string;
  'header-timeout'?: string;
  'idle-timeout'?: string;
}

const maxBodyBytes = 64 * 1024 * 1024;
const maxCount = 1_000_000;

/** Each limit that is not given has its default. */
export function readLimits(texts: LimitTexts): HttpLimits {
  const count = (name: keyof LimitTexts, missing: number) => readCount(name, texts[name], missing);
  return {
    body: readBytes(texts['max-body'], defaultLimits.body),
    callsPerClient: count('max-calls-per-client', defaultLimits.callsPerClient),
    calls: count('max-calls', defaultLimits.calls),
    callsPerMinute: count('calls-per-minute', defaultLimits.callsPerMinute),
    connections: count('max-connections', defaultLimits.connections),
    headerTimeout: readTime('header-timeout', texts['header-timeout'], defaultLimits.headerTimeout),
    idleTimeout: readTime('idle-timeout', texts['idle-timeout'], defaultLimits.idleTimeout),
  };
}

function readCount(name: string, text: string | undefined, missing: number): number {
  if (text === undefined) return missing;
  const count = /^\d{1,7}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= maxCount) return count;
  throw invalid(name, text, `a number from 1 to ${maxCount}`);
}

const units = { '': 1, k: 1_024, m: 1_024 * 1_024 } as const;

/** `4m` is 4 MiB. */
function readBytes(text: string | undefined, missing: number): number {
  if (text === undefined) return missing;
  const [, number = '', unit = ''] = /^(\d{1,9})([km]?)$/i.exec(text) ?? [];
  const factor = unit === '' ? units[''] : unit.toLowerCase() === 'k' ? units.k : units.m;
  const bytes = Number(number) * factor;
  if (bytes >= 1 && bytes <= maxBodyBytes) return bytes;
  throw invalid('max-body', text, 'a size such as 512k or 4m, at most 64m');
}

function readTime(name: string, text: string | undefined, missing: number): number {
  if (text === undefined) return missing;
  try {
    return parseTime(text);
  } catch {
    throw invalid(name, text, 'a duration such as 10s, 500ms or 5m');
  }
}

function invalid(name: string, text: string, expected: string): Failure {
  return new Failure('input', `invalid --${name} ${JSON.stringify(text.slice(0, 40))}: expected ${expected}`, {
    hint: 'Leave it out to use the default.',
  });
}
