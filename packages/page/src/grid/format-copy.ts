import { type Cell, decodeText, type ParsedTable } from './parse-table.ts';

export type CopyFormat = 'CSV' | 'JSON' | 'Markdown';
export const copyFormats: readonly CopyFormat[] = ['CSV', 'JSON', 'Markdown'];

/** Rows as a text for other programs. A cut cell keeps the mark that says so. */
export function formatCopy(table: ParsedTable, format: CopyFormat): string {
  if (format === 'JSON') return formatJson(table);
  return format === 'CSV' ? formatCsv(table) : formatMarkdown(table);
}

/** NULL is an empty field, and the empty text is quoted. Control characters stay written out: a terminal would obey them. */
function formatCsv({ columns, rows }: ParsedTable): string {
  const lines = [
    columns.map(quoteField),
    ...rows.map((row) => row.map(({ text, mark }) => (text === null ? '' : quoteField(text + mark)))),
  ];
  return `${lines.map((line) => line.join(',')).join('\r\n')}\r\n`;
}

function quoteField(text: string): string {
  const field = decodeBreaks(text);
  return field === '' || /[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}

function decodeBreaks(text: string): string {
  return text.replaceAll('⟦U+000A⟧', '\n').replaceAll('⟦U+000D⟧', '\r');
}

/** Every value is a text, which keeps each digit; two columns of one name are told apart by a number. */
function formatJson({ columns, rows }: ParsedTable): string {
  const names = distinguish(columns.map(decodeText));
  const lines = rows.map(
    (row) => `  {${row.map((cell, index) => `${toJson(names[index] ?? '')}: ${cellToJson(cell)}`).join(', ')}}`,
  );
  return `[\n${lines.join(',\n')}\n]\n`;
}

function cellToJson({ text, mark }: Cell): string {
  return text === null ? 'null' : toJson(decodeText(text) + mark);
}

/** What is invisible is written as an escape of JSON. */
function toJson(text: string): string {
  return JSON.stringify(text).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (char) =>
    Array.from({ length: char.length }, (_, at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, '0')}`).join(''),
  );
}

function distinguish(names: readonly string[]): string[] {
  const used = new Set<string>();
  return names.map((name) => {
    let free = name;
    for (let number = 2; used.has(free); number += 1) free = `${name}_${number}`;
    used.add(free);
    return free;
  });
}

function formatMarkdown({ columns, rows }: ParsedTable): string {
  const lines = [
    columns.map(escapeMarkdown),
    columns.map(() => '---'),
    ...rows.map((row) => row.map(({ text, mark }) => (text === null ? 'NULL' : escapeMarkdown(text + mark)))),
  ];
  return `${lines.map((line) => `| ${line.join(' | ')} |`).join('\n')}\n`;
}

/** No markup of a value becomes markup of the table. */
function escapeMarkdown(text: string): string {
  return text
    .replaceAll('⟦U+000D⟧⟦U+000A⟧', ' ')
    .replaceAll('⟦U+000A⟧', ' ')
    .replace(/[\\`*_[\]<>|~&]/g, (char) => (char === '<' ? '&lt;' : `\\${char}`));
}
