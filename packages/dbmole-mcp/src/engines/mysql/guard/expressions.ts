import type { CallUse } from './functions.ts';
import type { Steps } from './in-turns.ts';
import { tokenize } from './lexer.ts';
import { findCalls } from './names.ts';
import { type LexMode, plainMode } from './sql-mode.ts';

/** Names may be shown in the quotes of the session, texts are always in the others, with escapes. */
const shownMode: LexMode = { ...plainMode, ansiQuotes: true };

/** What the expression of a column calls, as MariaDB shows it. */
export function* callsOfColumn(expression: string): Steps<CallUse[]> {
  // A default may move a sequence on, which the read-only transaction refuses when it is run.
  const shown = expression.replaceAll(/\b(?:next|set)val\(/gi, 'lastval(');
  const text = hasIntroducer(shown) ? withoutTexts(shown) : shown;
  return yield* findCalls(yield* tokenize(text, shownMode), shownMode, text);
}

/** Behind a character set the server writes a text without escapes, so that nobody can tell where it ends. */
export function hasIntroducer(text: string): boolean {
  return /_[a-z0-9]+'/i.test(text);
}

/** So whatever looks like a call is taken for one. */
function withoutTexts(text: string): string {
  return text.replaceAll(/[^0-9A-Za-z_$.()\u0080-\uffff]/g, ',');
}
