import { notARead, notPlaceable } from './refuse.ts';

/**
 * Executable comments, which one server runs and another skips. A set bit of the mask: the comment of this number is read as if
 * it were run. The lexer counts them, so that whoever asks can ask again for all the other ways to read the text.
 */
export interface Executed {
  mask: number;
  count: number;
  /** Where the sign stands that ends the comment which is being read. */
  openUntil?: number | undefined;
}

/** Nothing that begins or ends a text, a name or another comment; a version of five digits, which all servers read alike. */
const readableComment = /\/\*M?!(?:[0-9]{5})?(?![0-9])([0-9A-Za-z_$ \t\n\r,.()=*]*?)\*\//y;

/** Behind the blanks, or the comment, that begin here; the same place if none do. */
export function blankEnd(sql: string, start: number, executed: Executed): number {
  let at = start;
  while (isBlank(sql.charCodeAt(at))) at += 1;
  if (at > start) return at;
  return at === executed.openUntil ? closeExecuted(at, executed) : commentEnd(sql, at, executed);
}

function isBlank(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d);
}

function closeExecuted(at: number, executed: Executed): number {
  executed.openUntil = undefined;
  return at + 2;
}

/** Behind the comment that begins here, or here if none does. */
function commentEnd(sql: string, at: number, executed: Executed): number {
  const code = sql.charCodeAt(at);
  // Most tokens begin with something beyond all signs of comments.
  if (code > 0x2f) return at;
  if (code === 0x23) return lineEnd(sql, at);
  if (code === 0x2d && sql.charCodeAt(at + 1) === 0x2d && isBlankOrControl(sql, at + 2)) return lineEnd(sql, at);
  if (code !== 0x2f || sql.charCodeAt(at + 1) !== 0x2a) return at;
  if (/^M?!/i.test(sql.slice(at + 2, at + 4))) return executedEnd(sql, at, executed);
  const end = sql.indexOf('*/', at + 2);
  if (end < 0) throw notARead({ message: 'a comment has no end', hint: 'Close it with */.', at });
  if (sql.charCodeAt(at + 2) === 0x2b) checkHint(sql.slice(at + 3, end), at);
  return end + 2;
}

/** Two dashes begin a comment only in front of these, or at the end. */
function isBlankOrControl(sql: string, at: number): boolean {
  const code = sql.charCodeAt(at);
  if (at >= sql.length || isBlank(code)) return true;
  if (code < 0x20 || code === 0x7f) throw notPlaceable('a control character behind --', at);
  return false;
}

function lineEnd(sql: string, at: number): number {
  const end = sql.indexOf('\n', at);
  return end < 0 ? sql.length : end;
}

/** Where it is not run, it ends at its first sign of an end, as there is no comment in it. */
function executedEnd(sql: string, at: number, executed: Executed): number {
  readableComment.lastIndex = at;
  const found = executed.openUntil === undefined ? readableComment.exec(sql) : null;
  if (found === null) {
    throw notARead({
      message: 'an executable comment is refused: what it does depends on the server',
      hint: 'Write what it holds without the comment signs, or leave it out.',
      at,
    });
  }
  const run = (executed.mask >> executed.count) & 1;
  executed.count += 1;
  const end = at + found[0].length;
  if (run === 0) return end;
  executed.openUntil = end - 2;
  return end - 2 - (found[1] ?? '').length;
}

/**
 * In a hint the server knows quoted names, elsewhere the same signs are a comment: both have to end at the same place. Hints that
 * set variables take back what we have set.
 */
function checkHint(hint: string, at: number): void {
  const setting = /\b(SET_VAR|RESOURCE_GROUP)\b/i.exec(hint);
  if (setting !== null) {
    throw notARead({ message: `the hint ${setting[0]} changes a setting`, hint: 'Leave the hint out.', at });
  }
  if (/['"\\]/.test(hint) || hint.split('`').length % 2 === 0) {
    throw notPlaceable('a hint with quotes', at, 'Leave the hint out.');
  }
}
