import { RawNumber } from '@dbmole/core';
import { valueAt } from '../call/answer-failure.ts';

/** Characters of what one part is called, and of all. */
const maxName = 120;
const maxLength = 2_000;
const maxLevels = 12;
/** What they are computed from is the same in every explanation. */
const factor = /^(?:idf|tf)\b/;

/**
 * How a score came about, in one line: `sum 4.1 (title:json 1.7 (boost 2.2, idf 1.6, tf 0.5), title:library 2.4 (…))`. The request
 * `_explain` has every figure.
 */
export function formatExplanation(explanation: unknown): string {
  const text = formatPart(explanation, 0);
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 1)}…`;
}

function formatPart(part: unknown, level: number): string {
  const name = readName(valueAt(part, ['description']));
  const value = valueAt(part, ['value']);
  const inner = factor.test(name) || level >= maxLevels ? [] : listDetails(part);
  const details = inner.length === 0 ? '' : ` (${inner.map((one) => formatPart(one, level + 1)).join(', ')})`;
  return `${name} ${value instanceof RawNumber ? value.text : String(value)}${details}`;
}

/** A part with a single one inside adds nothing to it. */
function listDetails(part: unknown): readonly unknown[] {
  let details = valueAt(part, ['details']);
  for (let level = 0; level < maxLevels && Array.isArray(details) && details.length === 1; level++) {
    const inner: unknown = valueAt(details[0], ['details']);
    if (!Array.isArray(inner) || inner.length === 0) break;
    details = inner;
  }
  return Array.isArray(details) ? details : [];
}

/**
 * Reads the term of `weight(title:json in 21) [PerFieldSimilarity], result of:`, and of others what comes before how they are
 * computed.
 */
function readName(description: unknown): string {
  const text = typeof description === 'string' ? description.slice(0, 500) : 'part';
  const isTerm = text.startsWith('weight(') && text.includes(' in ');
  const ends = isTerm ? [text.lastIndexOf(' in ')] : [', computed ', ', product ', ' of:'].map((end) => text.indexOf(end));
  const name = text.slice(isTerm ? 'weight('.length : 0, Math.min(text.length, ...ends.filter((end) => end > 0)));
  return name.length <= maxName ? name : `${name.slice(0, maxName - 1)}…`;
}
