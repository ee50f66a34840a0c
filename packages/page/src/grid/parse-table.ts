import type { AnswerTable } from '../api.ts';

/** A value as the server shows it: what is invisible in it is written `⟦U+202E⟧`. */
export interface Cell {
  /** Null is the NULL of the database, not a text. */
  text: string | null;
  /** Which part of a long value this is, such as `⟦1-300 of 5000⟧`; empty if it is all of it. */
  mark: string;
}

export type Row = readonly Cell[];

export interface ParsedTable {
  columns: readonly string[];
  rows: readonly Row[];
}

interface Field {
  text: string;
  isQuoted: boolean;
}

const lineFeed = '⟦U+000A⟧';
const carriageReturn = '⟦U+000D⟧';
/** The bracket is only the server's: one that came with the data is written `⟦U+27E6⟧`. */
const markAtEnd = /⟦(?!U\+)[^⟦⟧]{1,80}⟧$/;
const below = '⟦below⟧';

/** The names and the rows of an answer. */
export function parseTable({ body, columns, shownRows, text, isCrlf }: AnswerTable): ParsedTable {
  if (columns === 0) return { columns: [], rows: [] };
  const [names, afterNames] = splitLine(body);
  const header = (parseRecords(names)[0] ?? []).map((field) => field.text);
  if (shownRows === 0) return { columns: header, rows: [] };
  const rows = parseRows(afterNames, text);
  return { columns: header, rows: isCrlf ? rows.map((row) => row.map(restoreReturns)) : rows };
}

function parseRows(text: string, form: AnswerTable['text']): readonly Row[] {
  if (form === 'cell') return [[toCell(text.replaceAll('\n', lineFeed))]];
  if (form === undefined) return parseRecords(text).map((record) => record.map(readField));
  const [record, rest] = splitLine(text);
  const cells = (parseRecords(record)[0] ?? []).map(readField);
  return [cells.map((cell) => (cell.mark === below ? toCell(rest.replaceAll('\n', lineFeed)) : cell))];
}

function splitLine(text: string): [line: string, rest: string] {
  const end = text.indexOf('\n');
  return end < 0 ? [text, ''] : [text.slice(0, end), text.slice(end + 1)];
}

/** The records of RFC 4180. Whether a field was quoted says whether it is NULL or the text. */
export function parseRecords(text: string): Field[][] {
  const records: Field[][] = [[]];
  let at = 0;
  for (;;) {
    const field = readOne(text, at);
    records.at(-1)?.push({ text: field.text, isQuoted: field.isQuoted });
    at = field.end;
    if (text.startsWith('\r\n', at)) at += 1;
    const separator = text[at];
    if (separator === undefined) return records;
    at += 1;
    if (separator === '\n') {
      if (at === text.length) return records;
      records.push([]);
    }
  }
}

function readOne(text: string, start: number): Field & { end: number } {
  if (text[start] !== '"') {
    let end = start;
    while (end < text.length && text[end] !== ',' && text[end] !== '\n') end += 1;
    if (text[end] === '\n' && text[end - 1] === '\r') end -= 1;
    return { text: text.slice(start, end), isQuoted: false, end };
  }
  const pieces: string[] = [];
  let from = start + 1;
  for (;;) {
    const quote = text.indexOf('"', from);
    if (quote < 0) return { text: pieces.join('') + text.slice(from), isQuoted: true, end: text.length };
    if (text[quote + 1] !== '"') {
      return { text: pieces.join('') + text.slice(from, quote), isQuoted: true, end: quote + 1 };
    }
    pieces.push(text.slice(from, quote + 1));
    from = quote + 2;
  }
}

function readField({ text, isQuoted }: Field): Cell {
  return text === 'NULL' && !isQuoted ? { text: null, mark: '' } : toCell(text);
}

function toCell(text: string): Cell {
  const mark = markAtEnd.exec(text)?.[0] ?? '';
  return { text: text.slice(0, text.length - mark.length), mark };
}

function restoreReturns({ text, mark }: Cell): Cell {
  return { text: text?.replaceAll(lineFeed, carriageReturn + lineFeed) ?? null, mark };
}

/** A value with its line breaks, for reading; everything else that is invisible stays written out. */
export function showLines(text: string): string {
  return text.replaceAll(carriageReturn + lineFeed, '\n').replaceAll(lineFeed, '\n');
}

/** The value as the database has it. */
export function decodeText(text: string): string {
  return text.replace(/⟦U\+([0-9A-F]{4,6})⟧/g, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)));
}
