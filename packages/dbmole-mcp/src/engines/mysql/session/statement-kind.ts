/** Space, comments and parentheses before a query. Executable comments do not match. */
const spacePattern = /[\s(]+|(?:--(?=\s|$)|#)[^\n]*|\/\*(?!M?!)[\s\S]*?\*\//y;
/** The most comments that are skipped before the first word. */
const maxSpaces = 1_000;
const wordPattern = /[A-Za-z_]+/y;
const objectPattern =
  /\b(TABLE|VIEW|INDEX|DATABASE|SCHEMA|PROCEDURE|FUNCTION|TRIGGER|EVENT|USER|ROLE|SERVER|SEQUENCE|TABLESPACE|INSTANCE|PACKAGE)\b/i;
const objectWords: ReadonlySet<string> = new Set(['CREATE', 'ALTER', 'DROP', 'TRUNCATE', 'RENAME', 'LOCK', 'UNLOCK']);
/** The kind of object is named within this many characters, also after a long definer. */
const objectWithin = 300;

/** Statements that change rows and can be rolled back. */
const changing: ReadonlySet<string> = new Set(['INSERT', 'REPLACE', 'UPDATE', 'DELETE']);
const telling: ReadonlySet<string> = new Set(['SHOW', 'EXPLAIN', 'DESCRIBE', 'DESC', 'ANALYZE', 'HELP', 'CHECKSUM']);
const planning: ReadonlySet<string> = new Set(['EXPLAIN', 'DESCRIBE', 'DESC', 'ANALYZE']);

/** The first word in capitals; empty when the statement begins with an executable comment or very many comments. */
export function readFirstWord(sql: string): string {
  let at = 0;
  for (let count = 0; count < maxSpaces; count += 1) {
    const space = matchAt(spacePattern, sql, at);
    if (space === '') return matchAt(wordPattern, sql, at).toUpperCase();
    at += space.length;
  }
  return '';
}

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}

/** Reads the command of the statement: `UPDATE`, `CREATE TABLE`. */
export function readCommand(sql: string): string {
  const word = readFirstWord(sql);
  if (!objectWords.has(word)) return word || 'statement';
  const object = objectPattern.exec(sql.slice(0, objectWithin))?.[1]?.toUpperCase();
  return object === undefined ? word : `${word} ${object}`;
}

/** Whether the statement creates, alters or drops an object. */
export function isDefinition(sql: string): boolean {
  return objectWords.has(readFirstWord(sql));
}

/** Whether a read is a query, which the engine can prepare, and not a statement like SHOW. */
export function isQuery(sql: string): boolean {
  return !telling.has(readFirstWord(sql));
}

/**
 * Whether a text returns rows in every `sql_mode`: it begins with SELECT, without a comment before it, and INTO, which alone makes a
 * SELECT without rows, is nowhere in it, not even in a string or a comment.
 */
export function surelyGivesRows(sql: string): boolean {
  return /^\s*select\b/i.test(sql) && !/into/i.test(sql);
}

/** Whether a read shows the plan of another statement. */
export function showsPlan(sql: string): boolean {
  return planning.has(readFirstWord(sql));
}

/** Whether the engine counts changed rows for the statement, even when there are none. */
export function countsRows(sql: string): boolean {
  return changing.has(readFirstWord(sql));
}
