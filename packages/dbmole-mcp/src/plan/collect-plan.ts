import type { RowSink } from '../engine.ts';

/** A sink for the rows of an EXPLAIN, of which the first column is the plan. */
export function collectPlan(): { sink: RowSink; text(): string } {
  const lines: string[] = [];
  const sink: RowSink = {
    columns: () => undefined,
    row([cell = null]) {
      lines.push(typeof cell === 'object' && cell !== null ? cell.text : (cell ?? ''));
      return true;
    },
  };
  return { sink, text: () => lines.join('\n') };
}
