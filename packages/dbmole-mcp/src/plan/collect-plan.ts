import type { RowSink } from '../engine.ts';

/** A sink for the rows of an EXPLAIN. Most have one column; the cells of several are separated by tabs. */
export function collectPlan(): { sink: RowSink; text(): string } {
  const lines: string[] = [];
  const sink: RowSink = {
    columns: () => undefined,
    row(cells) {
      lines.push(cells.map((cell) => (typeof cell === 'object' && cell !== null ? cell.text : (cell ?? ''))).join('\t'));
      return true;
    },
  };
  return { sink, text: () => lines.join('\n') };
}
