/** RFC 4180, for files and pipes: what the engine says, to the byte. NULL is an empty field, so an empty text is quoted. */
export function formatCsvRecord(cells: readonly (string | null)[]): string {
  return cells.map(formatField).join(',');
}

function formatField(cell: string | null): string {
  if (cell === null) return '';
  return cell === '' || /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
