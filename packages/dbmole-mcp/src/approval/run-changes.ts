import { canonical, Failure, failureWith } from '@dbmole/core';
import { withNameSuggestions } from '../catalog/unknown-name.ts';
import type { RowSink, WriteEnd } from '../engine.ts';
import { tooManyRows } from '../policy/uncounted-rows.ts';
import type { Call } from '../tool.ts';
import type { ChangeShape, ChangeStatement, Effects } from './change.ts';

/** What became of the statements of a call, in their order. */
export interface Ran {
  ends: readonly WriteEnd[];
  /** Empty where nothing was measured. */
  effects: readonly Effects[];
}

/** What has to be the same when the statements run again. */
export interface MeasuredCounts extends Record<string, unknown> {
  statements: readonly {
    command: string;
    changed: number | null;
    tables: readonly (readonly [table: string, rows: number])[];
  }[];
}

interface RunOptions {
  call: Call;
  statements: readonly ChangeStatement[];
  /** Measures each statement; left out where only its own rows count. */
  shapes: readonly ChangeShape[] | undefined;
  /** Where the rows of each go. */
  sinks: readonly RowSink[];
  keepPerCell: number;
  /** Whether to commit, after all of them have run. */
  decide(ran: Ran): boolean;
  isDryRun: boolean;
}

/** Runs the statements in one transaction: all of them, or none. A failure names the statement. */
export async function runChanges(options: RunOptions): Promise<Ran & { isCommitted: boolean }> {
  const { call, statements, sinks, shapes, keepPerCell, decide, isDryRun } = options;
  // None of them has begun.
  let at = -1;
  const run = call.backend.transact(
    { statements, timeoutMs: call.engineMs, isDryRun },
    async (transaction) => {
      const [ends, effects]: [WriteEnd[], Effects[]] = [[], []];
      for (const [i, statement] of statements.entries()) {
        at = i;
        const shape = shapes?.[i];
        const meter = shape && (await call.backend.changes.meter.begin(transaction, statement, shape));
        ends.push(await transaction.run({ ...statement, keepPerCell }, sinks[i] ?? nowhere));
        // A deferred constraint may be broken between two statements, and what it does counts with the last one.
        if (i === statements.length - 1) await transaction.settle();
        if (meter !== undefined) effects.push(passEffects(call, await meter.end()));
      }
      const result = { ends, effects };
      const commit = decide(result);
      return { commit, result: { ...result, isCommitted: commit } };
    },
    call.options,
  );
  const sqlOf = () => statements[at]?.sql ?? '';
  const advised = run.catch((error: unknown) => withNameSuggestions(call, sqlOf(), () => Promise.reject(error)));
  return await advised.catch((error: unknown) => Promise.reject(withNumber(error, at, statements.length)));
}

export const nowhere: RowSink = { columns: () => undefined, row: () => true };

function passEffects({ backend, options }: Call, effects: Effects): Effects {
  return effects.sample === undefined ? effects : { ...effects, sample: backend.passSample(effects.sample, options) };
}

function withNumber(error: unknown, at: number, count: number): unknown {
  if (count === 1 || !(error instanceof Failure) || error.code === 'E_OUTCOME_UNKNOWN') return error;
  if (error.code === 'E_NO_DRY_RUN') {
    const which = at < 0 ? 'a statement of the list' : `statement ${at + 1} of ${count}`;
    const message = `${which} cannot be measured together with others: ${error.message}; nothing was changed`;
    return failureWith(error, { message, hint: 'Run that statement alone.' });
  }
  if (at < 0) return error;
  return failureWith(error, { message: `statement ${at + 1} of ${count}: ${error.message}; all of them were rolled back` });
}

export function readCounts({ ends, effects }: Ran): MeasuredCounts {
  return {
    statements: ends.map(({ command, changed = null }, i) => {
      const { cascades = [], others = [] } = effects[i] ?? {};
      const tables = [...cascades, ...others].map(({ table, rows }) => [table, rows] as const);
      return { command, changed, tables: tables.toSorted(([one], [other]) => (one < other ? -1 : 1)) };
    }),
  };
}

export function isSame(one: unknown, other: unknown): boolean {
  return canonical(one) === canonical(other);
}

/** The rows of all tables that changed, as far as the engine counts them. */
export function countRows({ ends, effects }: Ran): number {
  const own = ends.reduce((sum, { changed = 0 }) => sum + changed, 0);
  const others = effects.flatMap(({ cascades, others: more }) => [...cascades, ...more]);
  return others.reduce((sum, { rows }) => sum + rows, own);
}

/** Runs a list that no person has to confirm. More rows than the policy allows are rolled back. */
export async function runList(options: Omit<RunOptions, 'decide'>, maxRows: number | undefined): Promise<Ran> {
  const isFew = (ran: Ran) => maxRows === undefined || countRows(ran) <= maxRows;
  const ran = await runChanges({ ...options, decide: (done) => !options.isDryRun && isFew(done) });
  if (!options.isDryRun && maxRows !== undefined && !isFew(ran)) throw tooManyRows(maxRows, countRows(ran));
  return ran;
}
