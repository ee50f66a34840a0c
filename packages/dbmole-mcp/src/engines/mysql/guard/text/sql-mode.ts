import { useExecute } from '../../../../next-steps.ts';
import { notARead } from '../refuse.ts';

/** The parts of `sql_mode` that decide where a token ends and what it is. */
export interface LexMode {
  /** Double quotes enclose a name, not a string. */
  ansiQuotes: boolean;
  /** A backslash in a string is an ordinary character. */
  plainBackslash: boolean;
  /** A blank between the name of a function and its parenthesis is ignored. */
  ignoreSpace: boolean;
}

/** Parses the mode, and refuses that of another grammar. The server lists groups (`ANSI`, `MSSQL`) together with their parts. */
export function parseMode(sqlMode: string): LexMode {
  const known = parsed.get(sqlMode);
  if (known !== undefined) return known;
  const words = new Set(sqlMode.toUpperCase().split(','));
  if (words.has('ORACLE')) {
    throw notARead({
      message: 'sql_mode ORACLE is refused: its grammar cannot be checked',
      hint: ['Ask an administrator to remove ORACLE from the sql_mode of the server.', useExecute],
      at: 0,
    });
  }
  const mode = {
    ansiQuotes: words.has('ANSI_QUOTES') || groups.some((group) => words.has(group)),
    plainBackslash: words.has('NO_BACKSLASH_ESCAPES'),
    ignoreSpace: words.has('IGNORE_SPACE') || groups.some((group) => words.has(group)),
  };
  // A server has one mode, and its routines have a few more.
  if (parsed.size >= maxParsed) parsed.clear();
  parsed.set(sqlMode, mode);
  return mode;
}

/** The mode of a view's definition, which the server stores in one form whatever the mode of the session. */
export const plainMode: LexMode = { ansiQuotes: false, plainBackslash: false, ignoreSpace: false };

const groups = ['ANSI', 'MSSQL', 'DB2', 'POSTGRESQL', 'MAXDB'];
const maxParsed = 50;
const parsed = new Map<string, LexMode>();

/** Whether the text is a mode and nothing else, so that a SET may contain it. */
export function isSqlMode(text: string): boolean {
  return /^[A-Z0-9_,]*$/i.test(text);
}
