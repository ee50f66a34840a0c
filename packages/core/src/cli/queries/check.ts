import { basename } from 'node:path';
import type { BaseConnection } from '../../connection.ts';
import { toFailure } from '../../failure.ts';
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
 * connection. Nothing is run. One line for each file; the exit code says whether all are good.
 */
export async function check<C extends BaseConnection, B extends Backend>(call: CommandCall<C, B>): Promise<number> {
  const { app, terminal, words, definition } = call;
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
      const { isGood, text } = await checkOne(entry, { runner, call, signal: stop.signal });
      terminal.print(`${isGood ? 'ok  ' : 'BAD '} ${formatVisible(entry.path)}${text}`);
      if (!isGood) bad += 1;
    }
  } finally {
    forget();
  }
  return bad === 0 ? exitCodes.ok : exitCodes.failed;
}

interface Check<C extends BaseConnection, B extends Backend> {
  runner: QueryRunner | undefined;
  call: CommandCall<C, B>;
  signal: AbortSignal;
}

async function checkOne<C extends BaseConnection, B extends Backend>(
  { query, problem, path, state }: QueryEntry,
  { runner, call, signal }: Check<C, B>,
): Promise<{ isGood: boolean; text: string }> {
  if (query === undefined || state === 'broken')
    return { isGood: false, text: `: ${formatVisible(problem ?? 'it cannot be read')}` };
  const note = state === 'ready' ? '' : ` (${state})`;
  try {
    const cost = await runner?.check({ query, file: path, values: sampleParams(query.params) }, { signal });
    return { isGood: true, text: `${call.options.explain && cost !== undefined ? `: ${cost}` : ''}${note}` };
  } catch (error) {
    return { isGood: false, text: `: ${formatVisible(formatProblem(toFailure(error), call.definition.program.name))}` };
  }
}
