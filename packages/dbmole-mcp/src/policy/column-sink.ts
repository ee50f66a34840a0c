import { findStrictest, type ProtectValue, pseudonymLength } from '@dbmole/core';
import type { Cell, Column, RowSink } from '../engine.ts';
import type { ColumnPlan, ColumnVerdict } from '../guard/read-statement.ts';
import { redactPlan } from './redact-plan.ts';

/** A sink that gets the rows as the policy shows them. */
interface ColumnSink extends RowSink {
  /** What was hidden, for the first line; undefined if nothing was. */
  readonly summary: string | undefined;
}

const unknownColumn: ColumnVerdict = { action: 'mask', label: 'a column of unknown source' };
const maxLabels = 8;

/** Drops and replaces what the plan hides before anything else sees it. */
export function protectColumns(sink: RowSink, plan: ColumnPlan, protect: ProtectValue): ColumnSink {
  if (plan.hidesConstants) return hideConstants(sink);
  let verdicts: readonly (ColumnVerdict | null)[] = [];
  let isHidden = false;
  return {
    ...(sink.maxColumns !== undefined && { maxColumns: sink.maxColumns }),
    get summary() {
      return formatSummary(verdicts);
    },
    columns(columns, total = columns.length) {
      verdicts = judgeColumns(plan, columns, total);
      isHidden = verdicts.some((verdict) => verdict !== null);
      const kept = columns.filter((_, i) => verdicts[i]?.action !== 'drop').map(({ origin: _, ...column }) => column);
      sink.columns(kept, total - (columns.length - kept.length));
    },
    row: (cells) => sink.row(isHidden ? protectRow(cells, verdicts, protect) : cells),
  };
}

/** A plan without the constants in its conditions, which the engine may have read in a table. */
function hideConstants(sink: RowSink): ColumnSink {
  let isText = false;
  let summary: string | undefined;
  const hide = (cell: Cell): Cell => {
    if (cell === null) return null;
    const plan = typeof cell === 'string' ? cell : cell.text;
    const shown = redactPlan(plan);
    if (shown.replaceAll(/\s/g, '') !== plan.replaceAll(/\s/g, '')) summary = 'The constants of the plan are hidden by policy.';
    return shown;
  };
  return {
    ...(sink.maxColumns !== undefined && { maxColumns: sink.maxColumns }),
    get summary() {
      return summary;
    },
    columns(columns, total) {
      // A table of steps has no conditions.
      isText = (total ?? columns.length) === 1;
      sink.columns(
        columns.map(({ origin: _, ...column }) => column),
        total,
      );
    },
    row: (cells) => sink.row(isText ? cells.map(hide) : cells),
  };
}

/** Runs what gives rows, with what the plan hides taken out of them. Without a plan nothing is added to the way of a row. */
export async function withProtection<E extends { protectedColumns?: string | undefined }, R extends { keepPerCell: number }>(
  { plan, protect }: Protection,
  { request, sink }: { request: R; sink: RowSink },
  run: (request: R, sink: RowSink) => Promise<E>,
): Promise<E> {
  if (plan === undefined || protect === undefined) return await run(request, sink);
  const protecting = protectColumns(sink, plan, protect);
  const end = await run(keepForPseudonyms(request), protecting);
  return { ...end, protectedColumns: protecting.summary };
}

interface Protection {
  plan: ColumnPlan | undefined;
  protect: ProtectValue | undefined;
}

/** Enough of each cell is read for its pseudonym. */
export function keepForPseudonyms<R extends { keepPerCell: number }>(request: R): R {
  return { ...request, keepPerCell: Math.max(request.keepPerCell, pseudonymLength) };
}

/** The trace of the statement and the server's own report both count. A column that neither knows is masked. */
function judgeColumns({ verdicts, origins }: ColumnPlan, columns: readonly Column[], total: number) {
  const traced = verdicts?.length === total ? verdicts : undefined;
  return columns.map(({ origin }, i) => {
    const reported = origin === undefined ? undefined : origins[origin];
    const found = [traced?.[i], reported].filter((verdict) => verdict !== undefined);
    if (found.length === 0) return unknownColumn;
    const action = findStrictest(found.map((verdict) => verdict?.action));
    return found.find((verdict) => verdict !== null && verdict.action === action) ?? null;
  });
}

function protectRow(cells: readonly Cell[], verdicts: readonly (ColumnVerdict | null)[], protect: ProtectValue): Cell[] {
  return cells.flatMap((cell, i) => {
    const action = verdicts[i]?.action;
    if (action === 'drop') return [];
    return action === undefined ? cell : protectCell(cell, action, protect);
  });
}

/** NULL stays NULL. */
function protectCell(cell: Cell, action: Parameters<ProtectValue>[0], protect: ProtectValue): Cell {
  if (cell === null) return null;
  if (typeof cell === 'string') return protect(action, { text: cell });
  // A pseudonym is made of the beginning of the value.
  if ((cell.start ?? 0) > 0) return protect('mask', cell);
  return protect(action, { text: cell.text, fullLength: Math.max(cell.length, cell.text.length + 1) });
}

/** `2 columns masked by policy (email, phone).` */
function formatSummary(verdicts: readonly (ColumnVerdict | null)[]): string | undefined {
  const found = verdicts.filter((verdict) => verdict !== null);
  const describe = (isDropped: boolean, verb: string) => {
    const hidden = found.filter(({ action }) => (action === 'drop') === isDropped);
    if (hidden.length === 0) return [];
    const labels = [...new Set(hidden.flatMap(({ label }) => label.split(', ')))];
    const more = labels.length > maxLabels ? ', …' : '';
    const count = `${hidden.length} ${hidden.length === 1 ? 'column' : 'columns'}`;
    return [`${count} ${verb} by policy (${labels.slice(0, maxLabels).join(', ')}${more}).`];
  };
  const sentences = [...describe(false, 'masked'), ...describe(true, 'left out')];
  return sentences.length === 0 ? undefined : sentences.join(' ');
}
