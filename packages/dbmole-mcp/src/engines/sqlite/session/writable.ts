import { Failure } from '@dbmole/core';
import { deniedFunctions } from '../guard/allowed.ts';
import { notARead, severalStatements } from '../guard/refuse.ts';
import { tokenize } from '../guard/text/lexer.ts';

/** Statements that change the database, and nothing else. What begins or ends a transaction has been refused before. */
const accepted: ReadonlySet<string> = new Set(
  'INSERT REPLACE UPDATE DELETE WITH SELECT VALUES CREATE ALTER DROP REINDEX ANALYZE VACUUM'.split(' '),
);
/** Other files, and settings of the connection, which end with the call; or of the file, by which it can be damaged. */
const refused: Readonly<Record<string, string>> = {
  ATTACH: 'ATTACH reaches another file',
  DETACH: 'DETACH has no effect: each call has a connection of its own',
  PRAGMA: 'PRAGMA changes settings, some of which can damage the file',
  EXPLAIN: 'EXPLAIN changes nothing',
};

/** Throws for what `execute` does not run on SQLite, before anything is sent. */
export function refuseUnwritable(sql: string): void {
  const tokens = tokenize(sql);
  const [first] = tokens;
  const word = first?.word ?? '';
  const end = tokens.findIndex((token) => token.word === ';');
  const isTrigger = word === 'CREATE' && tokens.slice(1, 4).some((token) => token.word === 'TRIGGER');
  const behind = tokens.slice(end + 1).find((token) => token.word !== ';');
  if (end >= 0 && behind !== undefined && !isTrigger) throw severalStatements(behind.start);
  if (!accepted.has(word)) throw refuse(refused[word] ?? `the statement does not begin with one of ${[...accepted].join(', ')}`);
  if (word === 'VACUUM' && tokens.some((token) => token.word === 'INTO')) throw refuse('VACUUM INTO writes another file');
  const denied = tokens.find(({ name }, i) => tokens[i + 1]?.word === '(' && deniedFunctions.has(name.toLowerCase()));
  if (denied !== undefined)
    throw notARead({
      message: `the function ${denied.name} can load code or reach files`,
      hint: 'Leave it out.',
      at: denied.start,
    });
}

function refuse(message: string): Failure {
  return new Failure('refused', `${message}; nothing was run`, { hint: 'Use the command line of SQLite for it.' });
}

/** Whether it cannot run inside of a transaction. */
export function commitsItself(sql: string): boolean {
  return /^VACUUM$/.test(tokenize(sql)[0]?.word ?? '');
}
