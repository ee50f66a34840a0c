import type { Token } from '../../../../statement/tokens.ts';
import { tooComplex, unclosed } from '../refuse.ts';

/** A long list has two tokens for each value. */
const maxTokens = 500_000;

/** SQLite skips the mark of byte order as it skips blanks. A comment that is not closed reaches to the end of the text. */
const blank = /(?:[ \t\n\f\r\ufeff]+|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$))/y;
const blobLiteral = /[xX]'[^']*'/y;
const word = /[A-Za-z_\u0080-\u{10ffff}][\w$\u0080-\u{10ffff}]*/uy;
const number = /0[xX][0-9a-fA-F_]+|(?:\d[\d_]*(?:\.[\d_]*)?|\.\d[\d_]*)(?:[eE][+-]?\d[\d_]*)?/y;
/** A name of a variable may be followed by a part in parentheses, in which no quote begins. Only blanks of ASCII end it. */
const variable = /\?\d*|[:@#$](?:[\w$\u0080-\u{10ffff}]|::)+(?:\([^ \t-\r)]*\))?/uy;
const quotes: Readonly<Record<string, RegExp>> = {
  "'": /'(?:[^']|'')*'/y,
  '"': /"(?:[^"]|"")*"/y,
  '`': /`(?:[^`]|``)*`/y,
  '[': /\[[^\]]*\]/y,
};

/** Splits a text as SQLite does, without blanks and comments. */
export function tokenize(sql: string): Token[] {
  const tokens: Token[] = [];
  for (let at = skipBlanks(sql, 0); at < sql.length; at = skipBlanks(sql, at)) {
    if (tokens.length >= maxTokens) throw tooComplex(`more than ${maxTokens} tokens`, at);
    const token = readToken(sql, at);
    tokens.push(token);
    at = token.end;
  }
  return tokens;
}

/** The same for what SQLite has accepted or will refuse itself: a text that cannot be divided has no tokens. */
export function readTokens(sql: string): readonly Token[] {
  try {
    return tokenize(sql);
  } catch {
    return [];
  }
}

function skipBlanks(sql: string, from: number): number {
  let at = from;
  for (let end = match(blank, sql, at); end > at; end = match(blank, sql, at)) at = end;
  return at;
}

function readToken(sql: string, start: number): Token {
  const first = sql.charAt(start);
  const quote = quotes[first];
  if (quote !== undefined) return readQuoted(sql, start, quote);
  const blob = match(blobLiteral, sql, start);
  if (blob > start) return { kind: 'text', start, end: blob, word: '', name: '' };
  const wordEnd = match(word, sql, start);
  if (wordEnd > start) {
    const name = sql.slice(start, wordEnd);
    return { kind: 'word', start, end: wordEnd, word: toKeyword(name), name };
  }
  const numberEnd = match(number, sql, start);
  if (numberEnd > start) return { kind: 'number', start, end: numberEnd, word: '', name: '' };
  const variableEnd = match(variable, sql, start);
  if (variableEnd > start) return { kind: 'variable', start, end: variableEnd, word: '', name: sql.slice(start, variableEnd) };
  return { kind: 'mark', start, end: start + 1, word: first, name: '' };
}

function readQuoted(sql: string, start: number, pattern: RegExp): Token {
  const end = match(pattern, sql, start);
  if (end === start) throw unclosed(sql.charAt(start), start);
  const quote = sql.charAt(start);
  const inner = sql.slice(start + 1, end - 1);
  const name = quote === '[' ? inner : inner.replaceAll(quote + quote, quote);
  return { kind: quote === "'" ? 'text' : 'quoted', start, end, word: '', name };
}

/** SQLite folds the case of ASCII alone, so that no other letter makes a keyword. */
function toKeyword(name: string): string {
  return /^[\w$]+$/.test(name) ? name.toUpperCase() : name;
}

/** The end of what matches at a place; the place itself where nothing does. */
function match(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}
