import { Failure } from '@dbmole/core';

/** Space, comments, and brackets around a query. Comments that the engine executes are none of these. */
const spacePattern = /[\s(]+|(?:--(?=\s|$)|#)[^\n]*|\/\*(?!M?!)[\s\S]*?\*\//y;
/** How many of these are looked at before a first word. */
const maxSpaces = 1_000;
const wordPattern = /[A-Za-z_]+/y;
const objectPattern =
  /\b(TABLE|VIEW|INDEX|DATABASE|SCHEMA|PROCEDURE|FUNCTION|TRIGGER|EVENT|USER|ROLE|SERVER|SEQUENCE|TABLESPACE|INSTANCE|PACKAGE)\b/i;
const objectWords: ReadonlySet<string> = new Set(['CREATE', 'ALTER', 'DROP', 'TRUNCATE', 'RENAME', 'LOCK', 'UNLOCK']);
/** The words before the kind of object are few, whatever the definer is called. */
const objectWithin = 300;

/** Statements that change rows, and whose changes ROLLBACK takes back. */
const changing: ReadonlySet<string> = new Set(['INSERT', 'REPLACE', 'UPDATE', 'DELETE']);
const telling: ReadonlySet<string> = new Set(['SHOW', 'EXPLAIN', 'DESCRIBE', 'DESC', 'ANALYZE', 'HELP', 'CHECKSUM']);
const planning: ReadonlySet<string> = new Set(['EXPLAIN', 'DESCRIBE', 'DESC', 'ANALYZE']);
const rollable: ReadonlySet<string> = new Set([...changing, 'WITH', 'SELECT', 'TABLE', 'VALUES']);

/** The first word, in capitals; empty when the statement begins with something else: an executable comment, or very many comments. */
export function firstWordOf(sql: string): string {
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

/** What the statement does, in the engine's words: `UPDATE`, `CREATE TABLE`. */
export function commandOf(sql: string): string {
  const word = firstWordOf(sql);
  if (!objectWords.has(word)) return word || 'statement';
  const object = objectPattern.exec(sql.slice(0, objectWithin))?.[1]?.toUpperCase();
  return object === undefined ? word : `${word} ${object}`;
}

/** Whether a read is a query, which the engine can prepare, and not one of the statements that tell about something. */
export function isQuery(sql: string): boolean {
  return !telling.has(firstWordOf(sql));
}

/** Whether a read tells how another statement is run. */
export function showsPlan(sql: string): boolean {
  return planning.has(firstWordOf(sql));
}

/** The engine counts rows for these, also when there are none. */
export function countsRows(sql: string): boolean {
  return changing.has(firstWordOf(sql));
}

/** Many statements commit what was before them, themselves, or both: trying them out would be doing them. */
export function refuseUnlessRollable(sql: string): void {
  const word = firstWordOf(sql);
  const toFile = /\b(outfile|dumpfile)\b/i.test(sql);
  if (rollable.has(word) && !toFile) return;
  const what = toFile ? 'a statement that writes a file' : commandOf(sql);
  throw new Failure('refused', `${what} cannot be tried out: this engine cannot roll it back`, {
    code: 'E_NO_DRY_RUN',
    hint: 'Only INSERT, UPDATE, DELETE, REPLACE and queries have a dry run here.',
  });
}
