import { Failure } from '@dbmole/core';
import { withoutLiterals } from './literals.ts';
import { mayReadAll } from './mentions.ts';
import type { IndexRules } from './names.ts';

export type QueryLanguage = 'sql' | 'esql';

/** A dot that begins a name; after a name, a bracket or a digit it only separates. */
const leadingDot = /(?<![\p{L}\p{N}_)\]*%-])\.(?![\s"'`])/u;
/** `FROM *`, also of another cluster: finds the hidden as well. */
const leadingStar = /\b(?:from|ts|join|metrics)\b(?:\s+frozen\b)?(?:[^|()]*?,)?\s*["`]*(?:[^\s"`,:|()]*["`]*:["`]*)?\*/iu;
/** The same for the command that names its indices in an option. */
const optionStar = /\bpromql\b[^|]*?\bindex\s*=\s*["'`]*(?:[^|\s]*,)?\*/iu;
/** Far more than anybody writes; the patterns are slow on what is endless. */
const longest = 20_000;

/** Between FROM and a name it would hide the one from the other. */
const comment = /\/\*|--|(?<!:)\/\//;

/** What may stand between two commands, or before the first. */
const gap = String.raw`(?:\s|/\*[\s\S]*?\*/|//[^\n\r]*)*`;
const acting = new RegExp(String.raw`(?:^|[|(;])${gap}(completion|external)\b`, 'i');

/**
 * SQL and ES|QL name indices in the middle of a text that only the cluster can parse. Without a list of allowed indices we look for
 * what a hidden one needs: a name that begins with a dot, or a pattern that finds all; that refuses a few harmless texts.
 */
export function checkQueryText(text: string, language: QueryLanguage, rules: IndexRules): void {
  if (text.length > longest) throw textFailure(`the query has more than ${longest} characters`, ['Pass values as `params`.']);
  if (language === 'esql') checkCommands(text);
  if (rules.indices !== undefined) {
    throw textFailure('which indices a query text reads cannot be checked, and this connection may read some only', [
      'Use _search, with the index in the path.',
    ]);
  }
  if (!mayReadAll(rules)) checkHidden(withoutLiterals(text, language));
}

function checkHidden(text: string): void {
  const dot = leadingDot.exec(text);
  if (dot !== null) {
    const found = text.slice(dot.index, dot.index + 20);
    throw textFailure(`${JSON.stringify(found)} in the query may begin the name of a hidden index`, [
      'Write 0.5 for .5, and a text that begins with a dot with CONCAT or right after LIKE, RLIKE or ==.',
      'A person can allow hidden indices with "systemIndices": true.',
    ]);
  }
  if (comment.test(text))
    throw textFailure('the query has what may be a comment', ['Leave it out. In a text, put it right after LIKE, RLIKE or ==.']);
  if (leadingStar.test(text) || optionStar.test(text)) {
    throw textFailure('the pattern that begins with * also finds hidden indices', ['Begin it with a letter.']);
  }
}

/** One asks a model about each row, the other reads from another system. */
function checkCommands(text: string): void {
  const command = acting.exec(text)?.[1]?.toUpperCase();
  if (command === undefined) return;
  throw new Failure('refused', `${command} reaches out of the cluster`, {
    code: 'E_NOT_A_READ',
    hint: `Leave ${command} out.`,
  });
}

function textFailure(message: string, hints: readonly string[]): Failure {
  return new Failure('refused', message, { code: 'E_INDEX_REFUSED', hint: hints.join(' ') });
}
