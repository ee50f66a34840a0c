import { notARead, notPlaceable } from '../refuse.ts';

/** The end of the blanks or the comment that begin at `start`, or `start` itself. */
export function blankEnd(sql: string, start: number): number {
  let at = start;
  while (isBlank(sql.charCodeAt(at))) at += 1;
  return at > start ? at : commentEnd(sql, at);
}

function isBlank(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d);
}

/** The end of the comment that begins at `at`, or `at` itself. */
function commentEnd(sql: string, at: number): number {
  const code = sql.charCodeAt(at);
  // Most tokens begin with a character above all those that begin comments.
  if (code > 0x2f) return at;
  if (code === 0x23) return lineEnd(sql, at);
  if (code === 0x2d && sql.charCodeAt(at + 1) === 0x2d && isBlankOrControl(sql, at + 2)) return lineEnd(sql, at);
  if (code !== 0x2f || sql.charCodeAt(at + 1) !== 0x2a) return at;
  if (/^M?!/i.test(sql.slice(at + 2, at + 4))) throw executableComment(at);
  const end = sql.indexOf('*/', at + 2);
  if (end < 0) throw notARead({ message: 'a comment is not terminated', hint: 'Close it with */.', at });
  if (sql.charCodeAt(at + 2) === 0x2b) checkHint(sql.slice(at + 3, end), at);
  return end + 2;
}

/** Whether two dashes before `at` begin a comment: only a blank, a control character or the end may follow. */
function isBlankOrControl(sql: string, at: number): boolean {
  const code = sql.charCodeAt(at);
  if (at >= sql.length || isBlank(code)) return true;
  if (code < 0x20 || code === 0x7f) throw notPlaceable('a control character after --', at);
  return false;
}

function lineEnd(sql: string, at: number): number {
  const end = sql.indexOf('\n', at);
  return end < 0 ? sql.length : end;
}

function executableComment(at: number) {
  return notARead({
    message: 'an executable comment is refused: what it does depends on the server',
    hint: 'Write its content without the comment signs, or leave it out.',
    at,
  });
}

/**
 * The server reads quoted names in a hint, but a comment elsewhere: both must end at the same place. A hint that sets variables could
 * undo the settings of the session.
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
