import type { SqlGrammar } from '../engine.ts';

/** Whether a statement gives its rows in no certain order, so that pages of it may overlap. */
export function isUnordered(sql: string, { isQuery }: Pick<SqlGrammar, 'isQuery'>): boolean {
  // Engines read a backslash in a text in two ways: what is found by one of them is worth nothing to be warned of.
  return isQuery(sql) && !hasOrder(sql, false) && !hasOrder(sql, true);
}

/** On the outermost level, or in the brackets around all of it. */
function hasOrder(sql: string, escapes: boolean): boolean {
  const outside = /^[\s(]*/.exec(sql)?.[0].split('(').length ?? 1;
  let depth = 0;
  for (let at = 0; at < sql.length; at = next(sql, at, escapes)) {
    const char = sql[at];
    if (char === '(') depth += 1;
    else if (char === ')') depth -= 1;
    else if ((char === 'o' || char === 'O') && depth < outside && isOrderBy(sql, at)) return true;
  }
  return false;
}

function isOrderBy(sql: string, at: number): boolean {
  const piece = sql.slice(Math.max(0, at - 1), at + 60);
  return (at === 0 ? /^order\s{1,40}by\b/i : /^\Worder\s{1,40}by\b/i).test(piece);
}

/** Behind the text, the quoted name, the comment or the character that begins here. */
function next(sql: string, at: number, escapes: boolean): number {
  const char = sql[at] ?? '';
  if (char === "'" || char === '"' || char === '`') return behindQuote(sql, at, escapes && char === "'");
  if (sql.startsWith('--', at)) return behind(sql, '\n', at);
  return sql.startsWith('/*', at) ? behind(sql, '*/', at + 2) : at + 1;
}

function behindQuote(sql: string, start: number, escapes: boolean): number {
  const quote = sql[start];
  for (let at = start + 1; at < sql.length; at += 1) {
    if (escapes && sql[at] === '\\') at += 1;
    else if (sql[at] === quote) return at + 1;
  }
  return sql.length;
}

function behind(sql: string, end: string, from: number): number {
  const at = sql.indexOf(end, from);
  return at < 0 ? sql.length : at + end.length;
}
