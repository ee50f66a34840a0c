import { basename } from 'node:path';
import type { BaseConnection } from '../../connection.ts';
import { failureWith, toFailure } from '../../failure.ts';
import type { Backend } from '../../manager/backend.ts';
import { sampleParams } from '../../queries/params-schema.ts';
import type { QueryEntry } from '../../queries/query-library.ts';
import type { QueryRunner } from '../../queries/saved-tools.ts';
import { formatVisible } from '../../text.ts';
import type { CommandCall } from '../command.ts';
import { exitCodes } from '../command.ts';
import { formatProblem } from '../commands/reach.ts';
import { requireQueries } from './require-queries.ts';

/**
 * Checks every file, also one that is not allowed yet: its header, then its statement by the guard and by the planner of its
 * connection, or of the one that `connection=NAME` gives to files without one. Nothing is run. One line for each file; the exit code
 * says whether all are good.
 */
export async function check<C extends BaseConnection, B extends Backend>(call: CommandCall<C, B>): Promise<number> {
  const { app, terminal, definition } = call;
  const isPair = (word: string) => word.startsWith(connectionPrefix);
  const connection = call.words.find(isPair)?.slice(connectionPrefix.length);
  const words = call.words.filter((word) => !isPair(word));
  const all = requireQueries(call).library.read();
  const entries = all.filter(
    ({ name = '', path }) => words.length === 0 || words.includes(name) || words.includes(basename(path)),
  );
  const missing = words.find((word) => !entries.some(({ name, path }) => name === word || basename(path) === word));
  if (missing !== undefined) terminal.printError(`There is no saved query ${JSON.stringify(missing)}.`);
  const runner = await definition.queries?.openRunner(app);
  const stop = new AbortController();
  const forget = terminal.onInterrupt(() => stop.abort());
  let bad = missing === undefined ? 0 : 1;
  try {
    for (const entry of entries) {
      const { isGood, text } = await checkOne(entry, { runner, call, connection, signal: stop.signal });
      terminal.print(`${isGood ? 'ok  ' : 'BAD '} ${formatVisible(entry.path)}${text}`);
      if (!isGood) bad += 1;
    }
  } finally {
    forget();
  }
  return bad === 0 ? exitCodes.ok : exitCodes.failed;
}

const connectionPrefix = 'connection=';

interface Check<C extends BaseConnection, B extends Backend> {
  runner: QueryRunner | undefined;
  call: CommandCall<C, B>;
  /** The connection of files that name none. */
  connection: string | undefined;
  signal: AbortSignal;
}

async function checkOne<C extends BaseConnection, B extends Backend>(
  { query: found, problem, path, state }: QueryEntry,
  { runner, call, connection, signal }: Check<C, B>,
): Promise<{ isGood: boolean; text: string }> {
  if (found === undefined || state === 'broken')
    return { isGood: false, text: `: ${formatVisible(problem ?? 'it cannot be read')}` };
  const query = { ...found, connection: found.connection ?? connection };
  const note = state === 'ready' ? '' : ` (${state})`;
  try {
    if (query.connection === undefined) await requireOnly(call);
    const cost = await runner?.check({ query, file: path, values: sampleParams(query.params) }, { signal });
    return { isGood: true, text: `${call.options.explain && cost !== undefined ? `: ${cost}` : ''}${note}` };
  } catch (error) {
    return { isGood: false, text: `: ${formatVisible(formatProblem(toFailure(error), call.definition.program.name))}` };
  }
}

/** A call names one of several connections; what a check can do instead is another step. */
async function requireOnly<C extends BaseConnection, B extends Backend>({ app, definition }: CommandCall<C, B>): Promise<void> {
  try {
    await app.registry.get();
  } catch (error) {
    const failure = toFailure(error);
    if (failure.kind !== 'input') throw failure;
    const [mark] = definition.queries?.comments ?? [];
    const message = 'the file names no connection, and there are several';
    throw failureWith(failure, { message, hint: { cli: `Add the line "${mark} connection: NAME", or pass connection=NAME.` } });
  }
}
