import type { Steps } from './in-turns.ts';
import { notARead } from './refuse.ts';
import { noToken, stepTokens, type Token } from './tokens.ts';

interface Place {
  before: string;
  next: string;
  /** PROCEDURE is a clause here, not a word of SHOW. */
  query: boolean;
}

interface Said {
  message: string;
  hint?: string;
}

type Clause = (place: Place) => Said | undefined;

const lockHint = 'Leave the locking clause out: a read sees one state without it.';
const intoHint = 'Leave INTO out: the rows are the answer, and `export_query` writes them to a file.';
const sequence: Said = { message: 'the next value moves a sequence on', hint: 'LASTVAL() reads it.' };
const files: ReadonlySet<string> = new Set(['OUTFILE', 'DUMPFILE']);

/** Words that no name can be without quotes, or not in front of the word that follows. */
const clauses: ReadonlyMap<string, Clause> = new Map<string, Clause>(
  Object.entries<Clause>({
    INTO: ({ next }) => ({ message: `INTO${files.has(next) ? ` ${next}` : ''} writes the result somewhere`, hint: intoHint }),
    OUTFILE: () => ({ message: 'OUTFILE writes a file of the server', hint: intoHint }),
    FOR: ({ next }) =>
      next === 'UPDATE' || next === 'SHARE' ? { message: `FOR ${next} locks the rows`, hint: lockHint } : undefined,
    LOCK: () => ({ message: 'LOCK IN SHARE MODE locks the rows', hint: lockHint }),
    PROCEDURE: ({ query }) => (query ? { message: 'PROCEDURE runs code over the result' } : undefined),
    VALUE: ({ before, next }) => (before === 'NEXT' && next === 'FOR' ? sequence : undefined),
    ';': () => ({ message: 'a second statement follows', hint: 'Pass one statement.' }),
  }),
);

/** Throws for words that make something else of a query, wherever they stand in it. */
export function* refuseClauses(tokens: readonly Token[], { oracle, query }: { oracle: boolean; query: boolean }): Steps<void> {
  for (let index = 0; index < tokens.length; index += 1) {
    if (index % stepTokens === stepTokens - 1) yield;
    const token = tokens[index] ?? noToken;
    const clause = clauses.get(token.word);
    if (clause === undefined && !oracle) continue;
    const before = tokens[index - 1]?.word ?? '';
    const said =
      clause?.({ before, next: tokens[index + 1]?.word ?? '', query }) ??
      (oracle && before === '.' && token.name.toUpperCase() === 'NEXTVAL' ? sequence : undefined);
    if (said !== undefined) throw notARead({ ...said, at: token.start });
  }
}
