import { RawNumber } from '@dbmole/core';
import { valueAt } from '../../call/answer-failure.ts';

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
  const value = valueAt(part, ['value']);
  const { name, details } = simplify(part);
  const inner = factor.test(name) || level >= maxLevels ? [] : details;
  const text = inner.length === 0 ? '' : ` (${inner.map((one) => formatPart(one, level + 1)).join(', ')})`;
  return `${name} ${value instanceof RawNumber ? value.text : String(value)}${text}`;
}

/** A part with a single one inside adds nothing to it but a name, if that is the one of a term. */
function simplify(part: unknown): { name: string; details: readonly unknown[] } {
  let [name, isNamed] = [readName(valueAt(part, ['description'])), isTerm(part)];
  let details = listDetails(part);
  for (let level = 0; level < maxLevels && details.length === 1; level++) {
    const [only] = details;
    const inner = listDetails(only);
    if (inner.length === 0) break;
    if (!isNamed) [name, isNamed] = [readName(valueAt(only, ['description'])), isTerm(only)];
    details = inner;
  }
  return { name, details };
}

/** A condition adds nothing to a score, and a limit that is the largest number limits nothing. */
function isIdle(part: unknown): boolean {
  const [value, description] = [valueAt(part, ['value']), String(valueAt(part, ['description']))];
  if (description === 'maxBoost') return Number(value instanceof RawNumber ? value.text : value) > 3e38;
  return value === 0 && description.startsWith('match on required clause');
}

function isTerm(part: unknown): boolean {
  return String(valueAt(part, ['description'])).startsWith('weight(');
}

function listDetails(part: unknown): readonly unknown[] {
  const details = valueAt(part, ['details']);
  return Array.isArray(details) ? details.filter((one) => !isIdle(one)) : [];
}

/**
 * Reads the term of `weight(title:json in 21) [PerFieldSimilarity], result of:`, and of others what comes before how they are
 * computed.
 */
function readName(description: unknown): string {
  const text = typeof description === 'string' ? description.slice(0, 500) : 'part';
  const hasTerm = text.startsWith('weight(') && text.includes(' in ');
  const ends = hasTerm ? [text.lastIndexOf(' in ')] : [', computed ', ', product ', ' of:'].map((end) => text.indexOf(end));
  const name = text.slice(hasTerm ? 'weight('.length : 0, Math.min(text.length, ...ends.filter((end) => end > 0)));
  return name.length <= maxName ? name : `${name.slice(0, maxName - 1)}…`;
}
