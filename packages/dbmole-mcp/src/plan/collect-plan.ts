import type { RowSink } from '../engine.ts';
import { readText } from '../read-cell.ts';

/** A sink for the rows of an EXPLAIN. Most have one column; the cells of several are separated by tabs. */
export function collectPlan(): { sink: RowSink; text(): string } {
  const lines: string[] = [];
  const sink: RowSink = {
    columns: () => undefined,
    row(cells) {
      lines.push(cells.map((cell) => readText(cell) ?? '').join('\t'));
      return true;
    },
  };
  return { sink, text: () => lines.join('\n') };
}
