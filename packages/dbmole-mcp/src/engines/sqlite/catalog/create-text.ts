import { matchBrackets, noToken, type Token } from '../../../statement/tokens.ts';
import { tokenize } from '../guard/text/lexer.ts';

/** What only the text of CREATE TABLE says. */
export interface CreateText {
  checks: readonly { name: string; column: string | undefined; expression: string }[];
  /** Expressions by the name of their column in small letters. */
  generated: ReadonlyMap<string, string>;
  /** The column of INTEGER PRIMARY KEY AUTOINCREMENT, in small letters. */
  autoincrement: string | undefined;
}

const nothing: CreateText = { checks: [], generated: new Map(), autoincrement: undefined };
const constraintWords: ReadonlySet<string> = new Set(['CONSTRAINT', 'PRIMARY', 'UNIQUE', 'CHECK', 'FOREIGN']);

/** Reads the text as SQLite keeps it; nothing where it cannot be divided. */
export function readCreateText(sql: string | null | undefined): CreateText {
  if (!sql) return nothing;
  try {
    return readParts(sql, tokenize(sql));
  } catch {
    return nothing;
  }
}

function readParts(sql: string, tokens: readonly Token[]): CreateText {
  const open = tokens.findIndex(({ word }) => word === '(');
  const closing = matchBrackets(tokens);
  const found = splitParts(tokens, open + 1, closing(open)).map((bounds) => readPart({ sql, tokens, closing }, bounds));
  return {
    checks: found.flatMap(({ checks }) => checks),
    generated: new Map(
      found.flatMap(({ column, generated }) => (column && generated ? [[column.toLowerCase(), generated]] : [])),
    ),
    autoincrement: found.find(({ isCounted }) => isCounted)?.column?.toLowerCase(),
  };
}

interface Text {
  sql: string;
  tokens: readonly Token[];
  closing(open: number): number;
}

interface PartText {
  /** Undefined for a constraint of the table. */
  column: string | undefined;
  checks: CreateText['checks'][number][];
  generated: string | undefined;
  isCounted: boolean;
}

function readPart(text: Text, [from, to]: readonly [number, number]): PartText {
  const { tokens, closing } = text;
  const first = tokens[from] ?? noToken;
  const column = constraintWords.has(first.word) ? undefined : first.name;
  const part: PartText = { column, checks: [], generated: undefined, isCounted: false };
  let name = '';
  for (let at = from; at < to; at += 1) {
    const { word } = tokens[at] ?? noToken;
    if (word === 'CONSTRAINT') name = tokens[at + 1]?.name ?? '';
    if (word === 'AUTOINCREMENT') part.isCounted = true;
    if (word === 'CHECK') part.checks.push({ name, column, expression: write(text, at + 1) });
    if (word === 'AS') part.generated = write(text, at + 1);
    if (word === '(') at = closing(at);
  }
  return part;
}

/** The columns and constraints: what is between the commas of the outermost parentheses. */
function splitParts(tokens: readonly Token[], from: number, end: number): [number, number][] {
  const parts: [number, number][] = [];
  let depth = 0;
  let start = from;
  for (let at = from; at < end; at += 1) {
    const { word } = tokens[at] ?? noToken;
    if (word === '(') depth += 1;
    if (word === ')') depth -= 1;
    if (word !== ',' || depth > 0) continue;
    parts.push([start, at]);
    start = at + 1;
  }
  return [...parts, [start, end]];
}

function write({ sql, tokens, closing }: Text, open: number): string {
  const [first, last] = [tokens[open] ?? noToken, tokens[closing(open)] ?? noToken];
  return sql.slice(first.start, last.end).replace(/\s+/g, ' ');
}
