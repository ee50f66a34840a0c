import { type CellValue, truncateRows } from '@dbmole/core';
import { formatCell, isObject, jsonText } from '../hit-table.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Characters of all suggestions. */
const maxLength = 6_000;
const maxRows = 200;
const maxCell = 500;
/** What every suggestion has, and then what some have: a document of its own, or a phrase with marks. */
const columns = ['suggest', 'text', 'option', 'score', 'freq', 'highlighted', 'collate_match', '_id', '_source'];

/** A line for each suggestion, and one for each text that has none. */
export function formatSuggestions(suggest: unknown): string {
  const { rows, total } = collectRows(isObject(suggest) ? suggest : {});
  if (rows.length === 0) return '';
  const used = columns.filter((_, at) => rows.some((row) => row[at] !== null));
  const writer = truncateRows({ columns: used, budget: maxLength, rowLimit: maxRows, cellLimit: maxCell });
  for (const row of rows) if (!writer.add(row.filter((_, at) => used.includes(columns[at] ?? '')))) break;
  const { body, shownRows } = writer.finish();
  const cut = shownRows < total ? ` (${shownRows} of ${total})` : '';
  return `suggestions${cut}:\n${body}`;
}

/** Only as many rows as can be shown, and how many there are. */
function collectRows(suggest: Fields): { rows: readonly CellValue[][]; total: number } {
  const rows: CellValue[][] = [];
  let total = 0;
  for (const [name, entries] of Object.entries(suggest)) {
    for (const entry of listObjects(entries)) {
      total += Array.isArray(entry.options) ? Math.max(1, entry.options.length) : 1;
      if (rows.length < maxRows) rows.push(...listRows(name, entry));
    }
  }
  return { rows, total };
}

function listRows(name: string, { text, options }: Fields): CellValue[][] {
  const plain = name.slice(name.indexOf('#') + 1);
  const found = listObjects(options).slice(0, maxRows);
  if (found.length === 0) return [[plain, formatCell(text), ...columns.slice(2).map(() => null)]];
  return found.map((option) => [plain, formatCell(text), ...listValues(option)]);
}

/** A suggestion that completes has the score and the document of a hit. */
function listValues({ text, score, _score, freq, highlighted, collate_match, _id, _source }: Fields): CellValue[] {
  const values = [text, score ?? _score, freq, highlighted, collate_match, _id];
  return [...values.map(formatCell), _source === undefined ? null : jsonText(_source)];
}

function listObjects(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
