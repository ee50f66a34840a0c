/** White space and comments up to the end of a line. */
export const space = /(?:\s|--[^\n\r]*(?:[\n\r]|$))+/y;
const word = /[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*/y;
const quoted = /'(?:[^']|'')*'|"(?:[^"]|"")*"/y;
const escaped = /[eE]'(?:[^'\\]|\\[\s\S]|'')*'/y;
const tag = /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y;

/** The end of a string, a name, or of a single character. Negative where the text ends inside of an element. */
export function endOfElement(sql: string, at: number): number {
  const first = sql.charAt(at);
  if (first === "'" || first === '"') return endOfMatch(quoted, sql, at);
  if (sql.charAt(at + 1) === "'" && (first === 'e' || first === 'E')) return endOfMatch(escaped, sql, at);
  const opened = first === '$' ? endOfMatch(tag, sql, at) : -1;
  if (opened > 0) return locateEnd(sql, sql.slice(at, opened), opened);
  const end = endOfMatch(word, sql, at);
  return end < 0 ? at + 1 : end;
}

/** Negative where the pattern does not match at this place. */
export function endOfMatch(pattern: RegExp, sql: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(sql) ? pattern.lastIndex : -1;
}

function locateEnd(sql: string, closing: string, from: number): number {
  const found = sql.indexOf(closing, from);
  return found < 0 ? -1 : found + closing.length;
}

/** Comments nest. Negative where the text ends inside of one. */
export function findCommentEnd(sql: string, at: number): number {
  const mark = /\/\*|\*\//g;
  mark.lastIndex = at;
  let depth = 0;
  for (let found = mark.exec(sql); found !== null; found = mark.exec(sql)) {
    depth += found[0] === '/*' ? 1 : -1;
    if (depth === 0) return mark.lastIndex;
  }
  return -1;
}
