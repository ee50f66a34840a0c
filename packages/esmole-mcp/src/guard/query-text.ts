import { Failure } from '@dbmole/core';
import type { IndexRules } from './names.ts';

/** A dot that begins a name; after a name, a bracket or a digit it only separates. */
const leadingDot = /(?<![\p{L}\p{N}_)\]*%-])\.(?![\s"'`])/u;
/** `FROM *`: finds the hidden as well. */
const leadingStar = /\b(?:from|ts|join|metrics)\b(?:[^|()]*?,)?\s*["`]*\*/iu;
/** Far more than anybody writes; the patterns are slow on what is endless. */
const longest = 20_000;

/** Between FROM and a name it would hide the one from the other. */
const comment = /\/\*|--|(?<!:)\/\//;

/**
 * SQL and ES|QL name indices in the middle of a text that only the cluster can parse. Without a list of allowed indices we look for
 * what a hidden one needs: a name that begins with a dot, or a pattern that finds all; that refuses a few harmless texts.
 */
export function checkQueryText(text: string, { indices, systemIndices }: IndexRules): void {
  if (indices !== undefined) {
    throw textFailure('which indices a query text reads cannot be checked, and this connection may read some only', [
      'Use _search, with the index in the path.',
    ]);
  }
  if (systemIndices) return;
  if (text.length > longest) throw textFailure(`the query has more than ${longest} characters`, ['Pass values as `params`.']);
  const dot = leadingDot.exec(text);
  if (dot !== null) {
    const found = text.slice(dot.index, dot.index + 20);
    throw textFailure(`${JSON.stringify(found)} in the query may begin the name of a hidden index`, [
      'Write 0.5 for .5 and CONCAT for a text that begins with a dot.',
      'A person can allow hidden indices with "systemIndices": true.',
    ]);
  }
  if (comment.test(text)) throw textFailure('the query has what may be a comment', ['Leave it out.']);
  if (leadingStar.test(text)) {
    throw textFailure('the pattern that begins with * also finds hidden indices', ['Begin it with a letter.']);
  }
}

function textFailure(message: string, hints: readonly string[]): Failure {
  return new Failure('refused', message, { code: 'E_INDEX_REFUSED', hint: hints.join(' ') });
}
