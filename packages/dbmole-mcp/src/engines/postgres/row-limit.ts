/** The statement to send, and how many rows its portal may give: 0 is no limit. */
export interface Limited {
  sql: string;
  maxRows: number;
}

/**
 * A limit that the planner knows of can be a hundred times faster than one it does not: it keeps the first rows instead of sorting
 * all. So we append one where it is clear that there is none yet; everything else gets the limit of the protocol. Appended and not
 * wrapped around, so that order, column names and the places that errors name stay as they are.
 */
export function limitRows(sql: string, maxRows: number | undefined): Limited {
  const end = maxRows === undefined ? undefined : findEnd(sql);
  return end === undefined
    ? limitPortal(sql, maxRows)
    : { sql: `${sql.slice(0, end)}\nLIMIT ${maxRows}${sql.slice(end)}`, maxRows: 0 };
}

/** By the protocol alone; the text stays as it is. */
export function limitPortal(sql: string, maxRows: number | undefined): Limited {
  return { sql, maxRows: maxRows === undefined ? 0 : Math.max(1, maxRows) };
}

const starts = new Set(['select', 'with', 'values', 'table']);
const doubtful = new Set(['limit', 'fetch', 'for', 'into', 'insert', 'update', 'delete', 'merge']);

/** One lexical element each; a comment may have others in it, so its end is looked for by hand. */
const lexeme =
  /(?<space>\s+|--[^\n\r]*)|(?<comment>\/\*)|(?<quoted>[eE]'(?:[^'\\]|\\[\s\S]|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*")|(?<dollar>\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$)|(?<word>[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*)|(?<other>\$?\d[\d.]*|[^'"])/y;

/** Behind the last element of a statement that begins like a query and has, outside of parentheses, nothing of a limit. */
function findEnd(sql: string): number | undefined {
  const elements = readElements(sql);
  const last = elements?.at(-1);
  if (elements === undefined || last === undefined) return undefined;
  const body = last.text === ';' ? elements.slice(0, -1) : elements;
  return isUnlimited(body) ? body.at(-1)?.end : undefined;
}

function isUnlimited(elements: readonly Element[]): boolean {
  let depth = 0;
  for (const { kind, text } of elements) {
    depth += text === '(' ? 1 : text === ')' ? -1 : 0;
    if (depth < 0) return false;
    if (depth === 0 && (text === ';' || (kind === 'word' && doubtful.has(text)))) return false;
  }
  return depth === 0 && starts.has(elements[0]?.text ?? '');
}

/** Without white space and comments. */
function readElements(sql: string): Element[] | undefined {
  const elements: Element[] = [];
  for (let at = 0; at < sql.length; ) {
    const element = readElement(sql, at);
    if (element === undefined) return undefined;
    if (element.kind !== 'space') elements.push(element);
    at = element.end;
  }
  return elements;
}

interface Element {
  kind: 'space' | 'word' | 'other';
  /** In lower case; only of words and single characters. */
  text: string;
  end: number;
}

/** Undefined where the text ends inside of an element. */
function readElement(sql: string, at: number): Element | undefined {
  lexeme.lastIndex = at;
  const groups = lexeme.exec(sql)?.groups;
  if (groups === undefined) return undefined;
  const { comment, dollar, word, other, space } = groups;
  if (comment !== undefined) return closed('space', findCommentEnd(sql, at));
  if (dollar !== undefined) return closed('other', endOf(sql, dollar, at + dollar.length));
  const kind = space !== undefined ? 'space' : word !== undefined ? 'word' : 'other';
  return { kind, text: (word ?? other ?? '').toLowerCase(), end: lexeme.lastIndex };
}

function closed(kind: 'space' | 'other', end: number): Element | undefined {
  return end < 0 ? undefined : { kind, text: '', end };
}

function endOf(sql: string, closing: string, from: number): number {
  const found = sql.indexOf(closing, from);
  return found < 0 ? -1 : found + closing.length;
}

/** Comments nest. */
function findCommentEnd(sql: string, at: number): number {
  const mark = /\/\*|\*\//g;
  mark.lastIndex = at;
  let depth = 0;
  for (let found = mark.exec(sql); found !== null; found = mark.exec(sql)) {
    depth += found[0] === '/*' ? 1 : -1;
    if (depth === 0) return mark.lastIndex;
  }
  return -1;
}
