import { readTokens } from '../guard/text/lexer.ts';

const objects: ReadonlySet<string> = new Set(['TABLE', 'VIEW', 'INDEX', 'TRIGGER']);
const objectWords: ReadonlySet<string> = new Set(['CREATE', 'ALTER', 'DROP']);
const changing: ReadonlySet<string> = new Set(['INSERT', 'REPLACE', 'UPDATE', 'DELETE']);

/** The command of a statement: `UPDATE`, `CREATE TABLE`. */
export function readCommand(sql: string): string {
  const tokens = readTokens(sql);
  const [first] = tokens;
  const word = first?.word ?? '';
  if (word === 'WITH') return tokens.find((token) => changing.has(token.word))?.word ?? word;
  if (!objectWords.has(word)) return word === '' ? 'statement' : word;
  const object = tokens.slice(1, 5).find((token) => objects.has(token.word))?.word;
  return object === undefined ? word : `${word} ${object}`;
}

/** Whether SQLite counts changed rows for the statement. */
export function countsRows(command: string): boolean {
  return changing.has(command);
}
