import { Failure } from './failure.ts';
import { redact } from './redact/redact.ts';
import { formatVisibleReply } from './text.ts';

/** A notice is what a person who waits for a command should see at once, such as a download. */
type LogLevel = 'error' | 'warn' | 'notice' | 'info' | 'debug';

type LogFields = Record<string, string | number | boolean | undefined>;

export type Log = (level: LogLevel, message: string, fields?: LogFields) => void;

const rank: Record<LogLevel, number> = { error: 0, warn: 1, notice: 2, info: 3, debug: 4 };

/** What a person wrote into a variable; an empty one means the default. */
export function parseLogLevel(text: string | undefined, variable: string): LogLevel {
  const word = (text ?? '').trim().toLowerCase();
  if (word === '') return 'info';
  // The keys of `rank` are the levels; `hasOwn` has just proved that this is one.
  if (Object.hasOwn(rank, word)) return word as LogLevel;
  throw new Failure('input', `invalid ${variable} ${JSON.stringify(word.slice(0, 40))}: expected error, warn, info or debug`, {
    hint: 'Correct or unset it.',
  });
}

/** The message and its fields on one line, without a secret and without characters that cannot be seen. */
export function formatEvent(message: string, fields: LogFields = {}): string {
  const pairs = Object.entries(fields).filter(([, value]) => value !== undefined);
  const tail = pairs.map(([key, value]) => ` ${key}=${typeof value === 'string' ? JSON.stringify(value) : value}`).join('');
  return formatVisibleReply(redact(`${message}${tail}`).replace(/[\r\n]+/g, ' | '));
}

/**
 * One line per event on stderr; stdout belongs to the protocol. `write` is injected so that tests can read what was logged.
 */
export function createLog(prefix: string, threshold: LogLevel = 'info', write: (line: string) => void = toStderr): Log {
  return (level, message, fields) => {
    if (rank[level] > rank[threshold]) return;
    write(`${new Date().toISOString()} ${prefix} ${level} ${formatEvent(message, fields)}`);
  };
}

let guarded = false;

function toStderr(line: string): void {
  // Without a listener, a closed log would end the process.
  if (!guarded) process.stderr.on('error', () => undefined);
  guarded = true;
  process.stderr.write(`${line}\n`);
}
