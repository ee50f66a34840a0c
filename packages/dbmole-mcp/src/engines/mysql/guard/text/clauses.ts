import type { Hint } from '@dbmole/core';
import { exportRows } from '../../../../next-steps.ts';
import type { Steps } from '../in-turns.ts';
import { notARead, severalStatements } from '../refuse.ts';
import { noToken, stepTokens, type Token } from './tokens.ts';

interface Place {
  before: string;
  next: string;
  /** The statement is a query, in which PROCEDURE is a clause. */
  query: boolean;
}

interface Said {
  message: string;
  hint?: Hint;
}

type Clause = (place: Place) => Said | undefined;

const lockHint = 'Leave the locking clause out: a read sees one consistent state without it.';
const intoHint: Hint = ['Leave INTO out to read the rows.', exportRows];
const sequence: Said = { message: 'the next value advances a sequence', hint: 'Use LASTVAL() to read it.' };
const files: ReadonlySet<string> = new Set(['OUTFILE', 'DUMPFILE']);

/** Words that cannot be unquoted names, at least not before the word that follows. */
const clauses: ReadonlyMap<string, Clause> = new Map<string, Clause>(
  Object.entries<Clause>({
    INTO: ({ next }) => ({
      message: files.has(next) ? `INTO ${next} writes a file of the server` : 'INTO writes the result to a variable',
      hint: intoHint,
    }),
    OUTFILE: () => ({ message: 'OUTFILE writes a file of the server', hint: intoHint }),
    FOR: ({ next }) =>
      next === 'UPDATE' || next === 'SHARE' ? { message: `FOR ${next} locks the rows`, hint: lockHint } : undefined,
    LOCK: () => ({ message: 'LOCK IN SHARE MODE locks the rows', hint: lockHint }),
    PROCEDURE: ({ query }) => (query ? { message: 'PROCEDURE runs code over the result' } : undefined),
    VALUE: ({ before, next }) => (before === 'NEXT' && next === 'FOR' ? sequence : undefined),
  }),
);

/** Throws for clauses that make a query more than a read, wherever they are in it. */
export function* refuseClauses(tokens: readonly Token[], query: boolean): Steps<void> {
  for (let index = 0; index < tokens.length; index += 1) {
    if (index % stepTokens === stepTokens - 1) yield;
    const token = tokens[index] ?? noToken;
    if (token.word === ';') throw severalStatements(tokens[index + 1]?.start ?? token.start);
    const clause = clauses.get(token.word);
    if (clause === undefined) continue;
    const before = tokens[index - 1]?.word ?? '';
    const said = clause({ before, next: tokens[index + 1]?.word ?? '', query });
    if (said !== undefined) throw notARead({ ...said, at: token.start });
  }
}
