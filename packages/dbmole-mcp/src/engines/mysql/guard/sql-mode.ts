/** What of `sql_mode` decides where a token ends and what it is. */
export interface LexMode {
  /** Double quotes hold a name, not a text. */
  ansiQuotes: boolean;
  /** A backslash in a text is just that. */
  plainBackslash: boolean;
  /** The other grammar of MariaDB, with `s.nextval`. */
  oracle: boolean;
  /** A blank between the name of a function and its bracket does not count. */
  ignoreSpace: boolean;
}

/** As the server says it: the groups of modes (`ANSI`, `ORACLE`) stand there beside all that they consist of. */
export function parseMode(sqlMode: string): LexMode {
  const known = parsed.get(sqlMode);
  if (known !== undefined) return known;
  const words = new Set(sqlMode.toUpperCase().split(','));
  const mode = {
    ansiQuotes: words.has('ANSI_QUOTES') || groups.some((group) => words.has(group)),
    plainBackslash: words.has('NO_BACKSLASH_ESCAPES'),
    oracle: words.has('ORACLE'),
    ignoreSpace: words.has('IGNORE_SPACE') || groups.some((group) => words.has(group)),
  };
  // Servers have one mode each, and the bodies of their functions a few more.
  if (parsed.size >= mostParsed) parsed.clear();
  parsed.set(sqlMode, mode);
  return mode;
}

/** For the definition of a view: the server writes it down, and reads it again, in one form whatever the mode. */
export const plainMode: LexMode = { ansiQuotes: false, plainBackslash: false, oracle: false, ignoreSpace: false };

const groups = ['ANSI', 'ORACLE', 'MSSQL', 'DB2', 'POSTGRESQL', 'MAXDB'];
const mostParsed = 50;
const parsed = new Map<string, LexMode>();

/** Whether the text is a mode and nothing else, so that it may stand in a SET of ours. */
export function isSqlMode(text: string): boolean {
  return /^[A-Z0-9_,]*$/i.test(text);
}
