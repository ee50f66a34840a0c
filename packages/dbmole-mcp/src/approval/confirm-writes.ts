import { basename } from 'node:path';
import type { Change } from '@dbmole/core';
import { Failure, readMaxRows } from '@dbmole/core';
import type { CallerParam, RowSink, WriteEnd } from '../engine.ts';
import type { Call } from '../tool.ts';
import { type ChangeShape, type ChangeStatement, noShape } from './change.ts';
import { describeDefinition, describeSample, describeStatement, summarizeEffects } from './change-text.ts';
import { describeSweep, type Reason, readShape, toFailure } from './judge-writes.ts';
import { countRows, isSame, type MeasuredCounts, nowhere, type Ran, readCounts, runChanges } from './run-changes.ts';

export interface Confirming {
  call: Call;
  statements: readonly { sql: string; params: readonly CallerParam[] }[];
  reason: Reason;
}

/** What was found out about the statements, without changing anything. */
interface Measured {
  /** Undefined where it could not be measured. */
  counts: MeasuredCounts | undefined;
  /** One for each statement, without data. */
  summaries: readonly string[];
  /** What a person sees beside that. */
  details: readonly (readonly string[])[];
  /** What a person should see first. */
  warnings: readonly string[];
}

/** The confirmation holds for this connection as it is defined now. */
export function bindTo({ lease, options }: Call): unknown {
  return { connection: lease.name, config: lease.config, database: options.database ?? null };
}

/** Measures the statements in a transaction that is rolled back, and words the question. */
export async function measureChange(confirming: Confirming): Promise<Change> {
  return toChange(confirming, await measure(confirming));
}

/** Runs what a person has confirmed, if it still has the same counts; else returns the next question. */
export async function commitConfirmed(
  { call, statements, reason }: Confirming,
  counts: unknown,
  { sinks, keepPerCell }: { sinks: readonly RowSink[]; keepPerCell: number },
): Promise<{ ends: readonly WriteEnd[] } | { change: Change }> {
  const bound = bindAll(call, statements);
  const [only] = statements;
  if (counts === undefined && only !== undefined) {
    const request = { ...only, dryRun: false, keepPerCell, timeoutMs: call.engineMs };
    return { ends: [await call.backend.write(request, sinks[0] ?? nowhere, call.options)] };
  }
  const shapes = await readShapes(call, statements);
  const decide = (ran: Ran) => isSame(readCounts(ran), counts);
  const ran = await runChanges({ call, statements: bound, shapes, sinks, keepPerCell, decide, isDryRun: false });
  if (ran.isCommitted) return { ends: ran.ends };
  const change = toChange({ call, statements, reason }, describeRan(ran, findWarnings(call, shapes, ran)));
  const before = summarizeCounts(counts);
  return {
    change: { ...change, message: `The counts changed since you confirmed. Before:\n${before}\nNow:\n${change.message}` },
  };
}

async function measure({ call, statements }: Confirming): Promise<Measured> {
  const [only] = statements;
  if (statements.length === 1 && only !== undefined && call.backend.grammar.isDefinition(only.sql))
    return await describeAlone(call, only.sql);
  const shapes = await readShapes(call, statements);
  const sinks = statements.map(() => nowhere);
  const bound = bindAll(call, statements);
  try {
    const ran = await runChanges({ call, statements: bound, shapes, sinks, keepPerCell: 0, decide: () => false, isDryRun: true });
    const measured = describeRan(ran, findWarnings(call, shapes, ran));
    const definitions = await Promise.all(statements.map(({ sql }) => describeIfDefinition(call, sql)));
    return { ...measured, details: measured.details.map((lines, i) => [...lines, ...(definitions[i] ?? [])]) };
  } catch (error) {
    // Other failures are those of the statement, which there is nothing to ask about.
    if (statements.length > 1 || !(error instanceof Failure) || !unmeasurable.has(error.code)) throw error;
    return {
      counts: undefined,
      summaries: [`it could not be measured: ${error.message}`],
      details: [[]],
      warnings: findWarnings(call, shapes),
    };
  }
}

const unmeasurable: ReadonlySet<string> = new Set(['E_NO_DRY_RUN', 'E_NOT_ROLLED_BACK']);

function bindAll({ backend }: Call, statements: Confirming['statements']): readonly ChangeStatement[] {
  return statements.map(({ sql, params }) => backend.bind(sql, params));
}

async function readShapes(call: Call, statements: Confirming['statements']) {
  return await Promise.all(
    statements.map(async ({ sql }) => (call.backend.grammar.isDefinition(sql) ? noShape : await readShape(call, sql))),
  );
}

async function describeAlone(call: Call, sql: string): Promise<Measured> {
  const lines = await describeIfDefinition(call, sql);
  return { counts: undefined, summaries: ['a definition, which was not run to measure it'], details: [lines], warnings: [] };
}

async function describeIfDefinition(call: Call, sql: string): Promise<string[]> {
  if (!call.backend.grammar.isDefinition(sql)) return [];
  try {
    const reader = await call.backend.plan.ddl();
    return [describeDefinition(await reader.explain(call.backend.catalogRun(call.options), sql))];
  } catch {
    call.options.signal.throwIfAborted();
    return ['What it locks and how long it takes is not known.'];
  }
}

function findWarnings({ lease }: Call, shapes: readonly ChangeShape[], ran?: Ran): string[] {
  const sweeps = shapes.flatMap(({ noWhere }, i) => (noWhere === undefined ? [] : describeSweep(noWhere, i, shapes.length)));
  const [rows, maxRows] = [ran === undefined ? 0 : countRows(ran), readMaxRows(lease.config)];
  const many = maxRows !== undefined && rows > maxRows ? [`${rows} rows change, and "maxRows" is ${maxRows}`] : [];
  return [...sweeps, ...many].map((warning) => `Careful: ${warning}.`);
}

function describeRan(ran: Ran, warnings: readonly string[]): Measured {
  const summaries = ran.ends.map((end, i) => {
    const effects = ran.effects[i];
    return effects === undefined ? end.command : summarizeEffects(end, effects);
  });
  const details = ran.effects.map(({ sample }) => (sample === undefined ? [] : describeSample(sample)));
  return { counts: readCounts(ran), summaries, details, warnings };
}

function summarizeCounts(counts: unknown): string {
  // The state was sealed with what `readCounts` made.
  const { statements } = counts as MeasuredCounts;
  return statements
    .map(({ command, changed, tables }) => {
      const others = tables.map(([table, rows]) => `, ${table} (${rows})`).join('');
      return `${command}: ${changed ?? 'no'} rows${others}`;
    })
    .join('\n');
}

function toChange({ call, statements, reason }: Confirming, { counts, summaries, details, warnings }: Measured): Change {
  const { name, config } = call.lease;
  const number = (i: number) => (statements.length === 1 ? '' : `${i + 1}. `);
  const database: unknown = call.options.database ?? Reflect.get(config, 'database');
  // A connection to a file has neither host nor database.
  const place = [config.host, database, config.file && basename(config.file)].filter(Boolean).join(', ');
  const blocks = statements.map(({ sql, params }, i) =>
    [`${number(i)}${summaries[i] ?? ''}`, ...(details[i] ?? []), describeStatement(sql, params)].join('\n'),
  );
  const head = [`Commit this on ${name}${place === '' ? '' : ` (${place})`}?`, ...warnings].join('\n');
  return {
    binding: bindTo(call),
    counts,
    summary: summaries.map((summary, i) => `${number(i)}${summary}`).join(' '),
    message: [head, ...blocks].join('\n\n'),
    refusal: toFailure(reason),
  };
}
