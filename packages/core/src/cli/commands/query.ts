import { resolve } from 'node:path';
import type { BaseConnection } from '../../connection.ts';
import { Failure, toFailure } from '../../failure.ts';
import type { Backend } from '../../manager/backend.ts';
import type { RowWriter } from '../../program/cli-query.ts';
import type { CallRecord } from '../../tools/call-record.ts';
import { withManaged } from '../../tools/connections/managed.ts';
import { type CommandCall, type CommandOptions, exitCodes } from '../command.ts';
import { confirmReveal } from '../terminal/confirm-reveal.ts';
import { limitTime, readTextFile } from './long-read.ts';
import { createOutput, type Format, formats } from './query-output.ts';

/** On a terminal, unless --limit says otherwise. */
const shownOnTerminal = 1_000;

/** A person's own question: a table on a terminal, CSV for a program. Ctrl-C stops it in the engine. */
export async function query<C extends BaseConnection, B extends Backend>(call: CommandCall<C, B>): Promise<number> {
  const { definition, terminal, words, options } = call;
  const [name = '', ...rest] = words;
  const reveals = options.reveal === true && (await confirmReveal(terminal, name));
  const { words: question, isVertical } = withoutSuffix(await readQuestion(rest, call));
  const format = options.vertical || isVertical ? 'vertical' : readFormat(options.format, terminal.isTerminal);
  const limit = readLimit(options.limit) ?? (format === 'table' || format === 'vertical' ? shownOnTerminal : undefined);
  const stop = new AbortController();
  const expire = limitTime(call, stop);
  const forget = terminal.onInterrupt(() => stop.abort(new Failure('cancelled', 'cancelled')));
  const output = createOutput(format, {
    print: (text) => terminal.print(text),
    width: options.format ? undefined : terminal.width,
  });
  const waiting = terminal.busy(`asking ${name}`);
  const answer = limited(output, limit, waiting);
  const notes: string[] = [];
  const ask = (backend: B, record?: CallRecord) =>
    definition.program.query?.run(backend, {
      words: question,
      limit: limit === undefined ? undefined : limit + 1,
      database: options.database,
      params: options.param ?? [],
      reveals,
      signal: stop.signal,
      answer,
      note: (text) => void notes.push(text),
      record,
    });
  try {
    await recorded(call, (record) =>
      withManaged(call.app.manager, name, async (backend) => await ask(backend, record), {
        ...definition.backend,
        signal: stop.signal,
        onFound: record && ((_asked, destination) => record.found(destination)),
      }),
    );
  } finally {
    waiting();
    forget();
    clearTimeout(expire);
  }
  output.end();
  for (const note of [...notes, ...listUnused(options, answer.hasText())]) terminal.printError(note);
  if (answer.isCut()) terminal.printError(`There are more than ${limit} rows; raise --limit to see them.`);
  return exitCodes.ok;
}

/** Some questions are answered by a text. */
function listUnused({ format, limit, param }: CommandOptions, hasText: boolean): readonly string[] {
  const isUnused = hasText && (format ?? limit ?? param) !== undefined;
  return isUnused ? ['--format, --limit and --param are for rows; this answer has none.'] : [];
}

/** Records the question as if the tool of the same name had been called. */
async function recorded<C extends BaseConnection, B extends Backend>(
  { app, terminal }: CommandCall<C, B>,
  run: (record?: CallRecord) => Promise<void>,
): Promise<void> {
  const record = app.recorder?.begin({ tool: 'query', origin: { door: 'command' } });
  try {
    await run(record);
    record?.end({ failure: undefined });
  } catch (error) {
    record?.end({ failure: toFailure(error) });
    throw error;
  }
  const notice = record?.notice();
  if (notice !== undefined) terminal.printError(`${notice}.`);
}

/** From the command line, a file, or a pipe. */
async function readQuestion<C extends BaseConnection, B extends Backend>(
  words: readonly string[],
  { terminal, options: { file }, definition }: CommandCall<C, B>,
): Promise<readonly string[]> {
  if (file !== undefined && file !== '-') return [readTextFile(resolve(terminal.cwd, file), '-f').trim(), ...words];
  const fromInput = file === '-' || words.length === 0 || words[0] === '-';
  if (!fromInput) return words;
  const text = (await terminal.readInput())?.trim();
  if (text) return [text, ...words.slice(1)];
  throw new Failure('input', `query needs ${definition.program.query?.usage ?? 'a question'}`, {
    hint: 'Write it after the connection, name a file with -f FILE, or pipe it in.',
  });
}

/** `\\G` and `\\gx` at the end, as other programs take them, ask for one line for each value. */
function withoutSuffix(words: readonly string[]): { words: readonly string[]; isVertical: boolean } {
  const last = words.at(-1) ?? '';
  const suffix = /\\(?:G|gx|x)$/.exec(last);
  if (suffix === null) return { words, isVertical: false };
  return { words: [...words.slice(0, -1), last.slice(0, suffix.index).trimEnd()], isVertical: true };
}

/** Hides the sign of waiting as soon as there is something to read, and knows whether there was a row too many. */
function limited(output: ReturnType<typeof createOutput>, limit: number | undefined, first: () => void) {
  let isCut = false;
  let hasText = false;
  return {
    isCut: () => isCut,
    hasText: () => hasText,
    columns: (names: readonly string[], toJson: RowWriter) => output.columns(names, toJson),
    row(cells: readonly (string | null)[]): boolean {
      first();
      isCut ||= limit !== undefined && output.rows >= limit;
      if (isCut) return false;
      return output.row(cells);
    },
    text(text: string): void {
      first();
      hasText = true;
      output.text(text);
    },
  };
}

function readFormat(wanted: string | undefined, isTerminal: boolean): Format {
  if (wanted === undefined) return isTerminal ? 'table' : 'csv';
  const found = formats.find((one) => one === wanted);
  if (found !== undefined) return found;
  throw new Failure('input', `invalid format ${JSON.stringify(wanted)}`, { hint: `Use ${formats.join(', ')}.` });
}

function readLimit(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const limit = Number(text);
  if (Number.isSafeInteger(limit) && limit > 0) return limit;
  throw new Failure('input', `invalid --limit ${JSON.stringify(text)}: expected 1 or more`);
}
