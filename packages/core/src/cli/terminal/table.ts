import { formatVisible } from '../../text.ts';

/** Returns the columns that are not empty. */
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

/** A line for each value, for rows that are wider than the terminal. Texts keep their lines. */
export function formatRecords(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const names = head.map((name) => formatVisible(name).replace(/\s+/g, ' '));
  const width = Math.max(...names.map((name) => name.length));
  const indent = `\n${' '.repeat(width)} | `;
  const formatRow = (row: readonly string[], index: number) => [
    `-[ ${index + 1} ]`.padEnd(width + 12, '-'),
    ...row.map((cell, column) => `${(names[column] ?? '').padEnd(width)} | ${formatVisible(cell).replaceAll('\n', indent)}`),
  ];
  return rows.flatMap(formatRow).join('\n');
}
