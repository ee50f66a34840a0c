import { confirmations, type PersonPlace, respond, type ToolReply } from '@dbmole/core';
import type { WriteEnd } from '../engine.ts';
import type { TableSink } from '../table-sink.ts';

/** What the statements of a call did. */
export interface Outcome {
  ends: readonly WriteEnd[];
  sinks: readonly TableSink[];
  isDryRun: boolean;
  /** The effect is gone when the call ends. */
  isPassing?: boolean;
}

export function replyWritten({ ends, sinks, isDryRun, isPassing = false }: Outcome, confirmedBy?: PersonPlace): ToolReply {
  const passing = isPassing ? ' It applied to this call only: the next call has its own session.' : '';
  const confirmed = confirmedBy === undefined ? '' : ` ${confirmations[confirmedBy]}`;
  const replies = ends.map((end, i) =>
    replyOne(end, sinks[i], `${formatOutcome(end, isDryRun)}${passing}${ends.length === 1 ? confirmed : ''}`),
  );
  const [only] = replies;
  if (replies.length === 1 && only !== undefined) return only;
  const all = isDryRun
    ? `All ${ends.length} statements were rolled back.`
    : `All ${ends.length} statements were committed.${confirmed}`;
  return respond.noticed(all.replace(/\.$/, ''), respond.several(replies));
}

function replyOne({ protectedColumns = '' }: WriteEnd, sink: TableSink | undefined, outcome: string): ToolReply {
  if (sink === undefined || !sink.hasResult) return respond.text(outcome);
  const rows = sink.finish();
  const isWhole = rows.more === 'no' && rows.cutCells === rows.unkeptCells;
  const notes = isWhole ? [] : ['More is not shown: the same call would run the statement again.'];
  return respond.table(rows, { notes: [...notes, protectedColumns, outcome] });
}

/** No engine takes back numbers that a column has counted. */
const inserting = new Set(['INSERT', 'MERGE', 'REPLACE']);

function formatOutcome({ command, changed, moreResults = 0 }: WriteEnd, isDryRun: boolean): string {
  // The word comes from the server and is embedded in our own.
  const what = /^[A-Z][A-Z ]{0,40}$/.test(command) ? command : 'The statement';
  const rows = changed === 1 ? '1 row' : `${changed} rows`;
  if (isDryRun) {
    const kept = inserting.has(command) ? ' Numbers that it took from a sequence stay taken.' : '';
    return `Dry run: ${what} ${changed === undefined ? 'would succeed' : `would change ${rows}`}; rolled back.${kept}`;
  }
  const more = moreResults === 0 ? '' : ` Only its first result is shown, of ${moreResults + 1}.`;
  return `${what} ${changed === undefined ? 'done' : `changed ${rows}`}.${more}`;
}
