import { endOfElement, endOfMatch, findCommentEnd, space } from '../values/elements.ts';

/** The statement to send, and how many rows its portal may give: 0 is no limit. */
export interface Limited {
  sql: string;
  maxRows: number;
}

/** Reading a longer text would keep the event loop busy; the limit of the protocol does as well. */
const maxRead = 100_000;

/**
 * A limit that the planner knows of can be a hundred times faster than one it does not: it keeps the first rows instead of sorting
 * all. So we append one where it seems to be missing; everything else gets the limit of the protocol. Appended and not
 * wrapped around, so that order, column names and the places that errors name stay as they are.
 */
export function limitRows(sql: string, maxRows: number | undefined): Limited {
  const isRead = maxRows !== undefined && sql.length <= maxRead;
  const end = isRead && isUnlimited(sql) ? findEnd(sql) : undefined;
  return end === undefined
    ? limitPortal(sql, maxRows)
    : { sql: `${sql.slice(0, end)}\nLIMIT ${maxRows}${sql.slice(end)}`, maxRows: 0 };
}

/**
 * The guard has read the text without our LIMIT, so it must not come to stand in the middle of a string or a name, also not where the
 * server takes the text apart in another way than we do. At its end, the server is outside of all of them, or in a comment up to the
 * end of the line; and so it is before a last semicolon.
 */
function findEnd(sql: string): number {
  return lastSemicolon.exec(sql)?.index ?? sql.length;
}

/** Uses the white space of the server, which treats other kinds as letters. */
const lastSemicolon = /;[ \t\n\r\f\v]*$/;

/** Limits through the protocol alone; the text stays as it is. */
export function limitPortal(sql: string, maxRows: number | undefined): Limited {
  return { sql, maxRows: maxRows === undefined ? 0 : Math.max(1, maxRows) };
}

const starts = new Set(['select', 'with', 'values', 'table']);
const doubtful = new Set(['limit', 'fetch', 'for', 'into', 'insert', 'update', 'delete', 'merge']);

/** Whether it begins like a query and has, outside of parentheses, nothing of a limit. When we are wrong, the server complains. */
function isUnlimited(sql: string): boolean {
  const elements = new Elements(sql);
  if (!starts.has(elements.next() ?? '')) return false;
  let depth = 0;
  for (let text = elements.next(); text !== undefined; text = elements.next()) {
    // A comment may follow, where nothing can be appended.
    if (text === ';' && depth === 0) return elements.isOver() && lastSemicolon.exec(sql)?.index === elements.end - 1;
    depth += stepsOf.get(text) ?? 0;
    if (depth < 0 || (depth === 0 && doubtful.has(text))) return false;
  }
  return depth === 0 && elements.isOver();
}

/** Into parentheses, and out of them. */
const stepsOf: ReadonlyMap<string, number> = new Map([
  ['(', 1],
  [')', -1],
]);

/** Lexical elements without white space and comments, one after the other: every statement comes through here. */
class Elements {
  /** The end of the last token. */
  end = 0;
  readonly #sql: string;
  /** The text ends inside of an element or a comment. */
  #isOpen = false;

  constructor(sql: string) {
    this.#sql = sql;
  }

  /** Returns the token in lower case; empty if it is too long to matter, undefined at the end. */
  next(): string | undefined {
    const at = this.#skipSpace();
    if (this.#isOpen || at >= this.#sql.length) return undefined;
    this.end = endOfElement(this.#sql, at);
    this.#isOpen = this.end < 0;
    if (this.#isOpen) return undefined;
    return this.end - at <= maxWordLength ? this.#sql.slice(at, this.end).toLowerCase() : '';
  }

  /** There are no more, and the last one is whole. */
  isOver(): boolean {
    return !this.#isOpen && this.next() === undefined && !this.#isOpen;
  }

  #skipSpace(): number {
    for (let at = this.end; ; ) {
      const isComment = this.#sql.startsWith('/*', at);
      const next = isComment ? findCommentEnd(this.#sql, at) : endOfMatch(space, this.#sql, at);
      this.#isOpen = isComment && next < 0;
      if (next < 0) return at;
      at = next;
    }
  }
}

const maxWordLength = 6;
