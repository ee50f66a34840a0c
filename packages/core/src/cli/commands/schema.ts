import { resolve } from 'node:path';
import type { BaseConnection } from '../../connection.ts';
import { Failure } from '../../failure.ts';
import type { Backend } from '../../manager/backend.ts';
import { formatVisible } from '../../text.ts';
import { withManaged } from '../../tools/connections/managed.ts';
import { type CommandCall, exitCodes } from '../command.ts';
import { limitTime, readTextFile } from './long-read.ts';

/** The whole schema, one line for each thing; with a file of such lines, only what differs from them. */
export async function printSchema<C extends BaseConnection, B extends Backend>(call: CommandCall<C, B>): Promise<number> {
  const { terminal, words, options } = call;
  const [name = ''] = words;
  // The file comes first: its absence should not cost a read of the schema.
  const earlier = options.diff === undefined ? undefined : readTextFile(resolve(terminal.cwd, options.diff), '--diff');
  const lines = await readLines(call, name);
  if (earlier === undefined) {
    terminal.print(lines.join('\n'));
    return exitCodes.ok;
  }
  const changes = diffLines(
    earlier.split(/\r?\n/).filter((line) => line !== ''),
    lines,
  );
  if (changes.length === 0) {
    terminal.printError(`No difference from ${options.diff}: ${lines.length} lines.`);
    return exitCodes.ok;
  }
  terminal.print(changes.join('\n'));
  terminal.printError(`${changes.length} lines differ from ${options.diff}: - only in the file, + only in ${name}.`);
  return exitCodes.differs;
}

async function readLines<C extends BaseConnection, B extends Backend>(call: CommandCall<C, B>, name: string): Promise<string[]> {
  const { app, definition, options, terminal } = call;
  const { database, schema } = options;
  const stop = new AbortController();
  const expire = limitTime(call, stop);
  const forget = terminal.onInterrupt(() => stop.abort(new Failure('cancelled', 'cancelled')));
  const waiting = terminal.busy(`reading the schema of ${name}`);
  const where = { database, schema, signal: stop.signal };
  try {
    const read = async (backend: B) => (await definition.program.schemaLines?.list(backend, where)) ?? [];
    const lines = await withManaged(app.manager, name, read, { ...definition.backend, signal: stop.signal });
    return lines.map(formatVisible);
  } finally {
    waiting();
    forget();
    clearTimeout(expire);
  }
}

/** Lines are compared as a set, and shown side by side where they begin with the same name. */
export function diffLines(earlier: readonly string[], now: readonly string[]): string[] {
  const [before, after] = [new Set(earlier), new Set(now)];
  const gone = earlier.filter((line) => !after.has(line)).map((line) => ({ line, sign: '-' }));
  const fresh = now.filter((line) => !before.has(line)).map((line) => ({ line, sign: '+' }));
  const toKey = ({ line }: { line: string }) => line.split(' ', 1)[0] ?? '';
  const all = [...gone, ...fresh].sort((a, b) => compare(toKey(a), toKey(b)));
  return all.map(({ line, sign }) => `${sign} ${line}`);
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
