/** A cell as a careful reader understands it; null is the engine's NULL. */
export interface ReadCell {
  text: string | null;
  /** Present when the cell is marked as a part: how many characters come before it, and how long the whole is. */
  part?: { from: number; length: number };
  /** Present when the row refers to the text after it. */
  isBelow?: true;
}

interface ReadTable {
  line: string;
  columns: ReadCell[];
  rows: ReadCell[][];
}

const escapeMark = /⟦U\+([0-9A-F]{4,6})⟧/g;
/** A cell that is all there is: everything after the name of its column. */
const textBody = /^([^\n]*)\n([\s\S]*)$/;
/** A cell of the only row: everything after the row. */
const belowBody = /^([^\n]*\n[^\n]*)\n([\s\S]*)$/;
const cutMark = /⟦(?:(\d+)-\d+|0) of (\d+)(?: bytes)?⟧$/;

/**
 * Reads a reply of rows by nothing but its documented rules, so that tests see what a client can know. It shares no code with
 * what wrote the reply.
 */
export function parseTable(reply: string): ReadTable {
  const end = reply.indexOf('\n');
  if (end < 0) return { line: reply, columns: [], rows: [] };
  const line = reply.slice(0, end);
  const body = reply.slice(end + 1);
  const isBelow = line.includes('The cell ⟦below⟧ follows as plain text.');
  const isText = line.includes('the cell as plain text.');
  const [, table = body, text] = (isBelow ? belowBody : isText ? textBody : undefined)?.exec(body) ?? [];
  const isCrlf = /Line breaks(?: \(⟦U\+000A⟧\))? are CRLF\./.test(line);
  const [header = '', ...records] = table.split('\n');
  const [columns = []] = parseRecords(header);
  const rows = records.flatMap((record) => parseRecords(isCrlf ? withCarriageReturns(record, /⟦U\+000A⟧/g) : record));
  if (text === undefined) return { line, columns, rows };
  const cell = parseCell(isCrlf ? withCarriageReturns(text, /\n/g) : text, true);
  return { line, columns, rows: isBelow ? rows.map((row) => row.map((one) => (one.isBelow ? cell : one))) : [[cell]] };
}

function withCarriageReturns(text: string, lineBreak: RegExp): string {
  return text.replace(lineBreak, (found) => `⟦U+000D⟧${found}`);
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
  if (!quoted && raw === '⟦below⟧') return { text: null, isBelow: true };
  const mark = cutMark.exec(raw);
  const text = parseEscapes(mark ? raw.slice(0, mark.index) : raw);
  return mark ? { text, part: { from: Number(mark[1] ?? 1) - 1, length: Number(mark[2]) } } : { text };
}

function parseEscapes(text: string): string {
  const plain = text.replace(escapeMark, '');
  if (plain.includes('⟦')) throw new Error(`a bracket that is no escape: ${plain}`);
  return text.replace(escapeMark, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)));
}
