import type { BaseConnection } from '../connection.ts';
import { Failure } from '../failure.ts';
import type { Backend } from '../manager/backend.ts';
import { parseTime } from '../program/settings.ts';
import { withManaged } from '../tools/managed.ts';
import type { CommandCall } from './command.ts';
import { exitCodes } from './exit-codes.ts';
import { createOutput, type Format, formats } from './query-output.ts';

/** On a terminal; whoever wants more says so, or reads from a pipe. */
const shownOnTerminal = 1_000;

/** A person's own question: a table on a terminal, CSV for a program. Ctrl-C stops it in the engine. */
export async function query<C extends BaseConnection, B extends Backend>(call: CommandCall<C, B>): Promise<number> {
  const { leaf, terminal, words, options } = call;
  const [name = '', ...question] = words;
  const format = formatOf(options.format, terminal.isTerminal);
  const limit = limitOf(options.limit) ?? (format === 'table' ? shownOnTerminal : undefined);
  const stop = new AbortController();
  const expire = limitTime(call, stop);
  const forget = terminal.onInterrupt(() => stop.abort(new Failure('cancelled', 'stopped by you')));
  const output = createOutput(format, (text) => terminal.print(text));
  const waiting = terminal.busy(`asking ${name}`);
  const answer = limited(output, limit, waiting);
  const ask = (backend: B) =>
    leaf.query?.run(backend, {
      words: question,
      limit: limit === undefined ? undefined : limit + 1,
      database: options.database,
      signal: stop.signal,
      answer,
    });
  try {
    await withManaged(call.app.manager, name, async (backend) => await ask(backend), { ...leaf, signal: stop.signal });
  } finally {
    waiting();
    forget();
    clearTimeout(expire);
  }
  output.end();
  if (answer.isCut()) terminal.printError(`There are more than these ${limit} rows; --limit shows more.`);
  return exitCodes.ok;
}

/** A person may wait as long as they like, unless they say otherwise. */
function limitTime<C extends BaseConnection, B extends Backend>({ app }: CommandCall<C, B>, stop: AbortController) {
  const { timeout } = app.settings;
  if (timeout === undefined) return undefined;
  const late = new Failure('timeout', `there was no answer within ${timeout}`, { hint: 'Ask for less, or give more --timeout.' });
  return setTimeout(() => stop.abort(late), parseTime(timeout));
}

/** Hides the sign of waiting as soon as there is something to read, and knows whether there was a row too many. */
function limited(output: ReturnType<typeof createOutput>, limit: number | undefined, first: () => void) {
  let isCut = false;
  return {
    isCut: () => isCut,
    columns: (names: readonly string[]) => output.columns(names),
    row(cells: readonly (string | null)[]): boolean {
      first();
      isCut ||= limit !== undefined && output.rows >= limit;
      if (isCut) return false;
      return output.row(cells);
    },
    text(text: string): void {
      first();
      output.text(text);
    },
  };
}

function formatOf(wanted: string | undefined, isTerminal: boolean): Format {
  if (wanted === undefined) return isTerminal ? 'table' : 'csv';
  const found = formats.find((one) => one === wanted);
  if (found !== undefined) return found;
  throw new Failure('input', `no format is called ${JSON.stringify(wanted)}`, { hint: `There are ${formats.join(', ')}.` });
}

function limitOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const limit = Number(text);
  if (Number.isSafeInteger(limit) && limit > 0) return limit;
  throw new Failure('input', `--limit is ${JSON.stringify(text)}`, { hint: 'Write a number of rows.' });
}
