import { formatVisible } from '../text.ts';

/** Of the columns those in which somebody says something. */
export function saidColumns(columns: readonly string[], views: readonly Readonly<Record<string, unknown>>[]): string[] {
  return columns.filter((column) => views.some((view) => (view[column] ?? '') !== ''));
}

/** What a person reads on a terminal: aligned columns, each text on one line. */
export function formatColumns(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, ...rows].map((row) => row.map((cell) => formatVisible(cell).replace(/\s+/g, ' ')));
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
