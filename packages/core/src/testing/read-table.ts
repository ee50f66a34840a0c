/** A cell as a careful reader understands it; null is the engine's NULL. */
export interface ReadCell {
  text: string | null;
  /** Present when the cell is marked as a part: how many characters come before it, and how long the whole is. */
  part?: { from: number; length: number };
}

export interface ReadTable {
  line: string;
  columns: ReadCell[];
  rows: ReadCell[][];
}

const escapeMark = /⟦U\+([0-9A-F]{4,6})⟧/g;
/** A cell that is all there is: everything behind the name of its column. */
const textBody = /^([^\n]*)\n([\s\S]*)$/;
const cutMark = /⟦(?:(\d+)-\d+|0) of (\d+)(?: bytes)?⟧$/;

/**
 * Reads a reply of rows by nothing but its documented rules, so that tests see what a client can know. It shares no code with
 * what wrote the reply.
 */
export function parseTable(reply: string): ReadTable {
  const end = reply.indexOf('\n');
  if (end < 0) return { line: reply, columns: [], rows: [] };
  const line = reply.slice(0, end);
  const isText = line.includes('the cell as plain text.');
  const body = /Line breaks(?: \(⟦U\+000A⟧\))? are CRLF\./.test(line)
    ? withCarriageReturns(reply.slice(end + 1), isText)
    : reply.slice(end + 1);
  const [, header = body, text] = (isText ? textBody.exec(body) : null) ?? [];
  const [columns = [], ...rows] = parseRecords(header);
  return { line, columns, rows: text === undefined ? rows : [[parseCell(text, true)]] };
}

function withCarriageReturns(body: string, isText: boolean): string {
  const data = body.indexOf('\n') + 1;
  const shown = body.slice(data).replace(isText ? /\n/g : /⟦U\+000A⟧/g, (found) => `⟦U+000D⟧${found}`);
  return body.slice(0, data) + shown;
}

function parseRecords(text: string): ReadCell[][] {
  const records: ReadCell[][] = [];
  let record: ReadCell[] = [];
  let at = 0;
  while (at <= text.length) {
    const quoted = text[at] === '"';
    const end = quoted ? closingQuote(text, at + 1) : endOfBare(text, at);
    record.push(parseCell(quoted ? text.slice(at + 1, end).replaceAll('""', '"') : text.slice(at, end), quoted));
    at = quoted ? end + 1 : end;
    if (at < text.length && text[at] !== ',' && text[at] !== '\n') throw new Error(`stray text after a quoted cell at ${at}`);
    if (text[at] !== ',') {
      records.push(record);
      record = [];
    }
    at += 1;
  }
  return records;
}

function closingQuote(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] !== '"') continue;
    if (text[at + 1] !== '"') return at;
    at += 1;
  }
  throw new Error('a quoted cell does not end');
}

function endOfBare(text: string, from: number): number {
  let at = from;
  while (at < text.length && text[at] !== ',' && text[at] !== '\n') {
    if (text[at] === '"') throw new Error(`a quote inside a bare cell at ${at}`);
    at += 1;
  }
  return at;
}

function parseCell(raw: string, quoted: boolean): ReadCell {
  if (!quoted && raw === 'NULL') return { text: null };
  const mark = cutMark.exec(raw);
  const text = parseEscapes(mark ? raw.slice(0, mark.index) : raw);
  return mark ? { text, part: { from: Number(mark[1] ?? 1) - 1, length: Number(mark[2]) } } : { text };
}

function parseEscapes(text: string): string {
  const plain = text.replace(escapeMark, '');
  if (plain.includes('⟦')) throw new Error(`a bracket that is no escape: ${plain}`);
  return text.replace(escapeMark, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)));
}
