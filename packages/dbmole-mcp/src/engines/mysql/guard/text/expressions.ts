import type { Steps } from '../in-turns.ts';
import type { CallUse } from '../judge-call.ts';
import { findCalls } from './find-uses.ts';
import { tokenize } from './lexer.ts';
import { type LexMode, plainMode } from './sql-mode.ts';

/** The quotes of names depend on the session; strings are always in single quotes, with escapes. */
const shownMode: LexMode = { ...plainMode, ansiQuotes: true };

/** Finds the calls in the expression of a column, as MariaDB shows it. */
export function* callsOfColumn(expression: string): Steps<CallUse[]> {
  const text = hasIntroducer(expression) ? withoutTexts(expression) : expression;
  return yield* findCalls(yield* tokenize(text, shownMode), shownMode, text);
}

/** Whether a string follows a character set: the server shows such a string without escapes, so its end is unknown. */
export function hasIntroducer(text: string): boolean {
  return /_[a-z0-9]+'/i.test(text);
}

/** Drops all but names and parentheses, so that everything that looks like a call counts as one. */
function withoutTexts(text: string): string {
  return text.replaceAll(/[^0-9A-Za-z_$.()\u0080-\uffff]/g, ',');
}
