import { redact } from './redact.ts';
import { formatVisibleReply } from './text.ts';

export type LogLevel = 'error' | 'warn' | 'info' | 'debug';

export type Log = (level: LogLevel, message: string, fields?: Record<string, string | number | boolean | undefined>) => void;

const rank: Record<LogLevel, number> = { error: 0, warn: 1, info: 2, debug: 3 };

/** What a person wrote into a variable; anything else means the default. */
export function logLevelOf(text: string | undefined): LogLevel {
  // The keys of `rank` are the levels; `hasOwn` has just said that this is one.
  return text !== undefined && Object.hasOwn(rank, text) ? (text as LogLevel) : 'info';
}

/**
 * One line per event on stderr; stdout belongs to the protocol. `write` is injected so that tests can read what was logged.
 */
export function createLog(prefix: string, threshold: LogLevel = 'info', write: (line: string) => void = toStderr): Log {
  return (level, message, fields = {}) => {
    if (rank[level] > rank[threshold]) return;
    const pairs = Object.entries(fields).filter(([, value]) => value !== undefined);
    const tail = pairs.map(([key, value]) => ` ${key}=${typeof value === 'string' ? JSON.stringify(value) : value}`).join('');
    write(
      formatVisibleReply(redact(`${new Date().toISOString()} ${prefix} ${level} ${message}${tail}`).replace(/[\r\n]+/g, ' | ')),
    );
  };
}

let guarded = false;

function toStderr(line: string): void {
  // Without a listener, a log that nobody reads any more would end the process.
  if (!guarded) process.stderr.on('error', () => undefined);
  guarded = true;
  process.stderr.write(`${line}\n`);
}
