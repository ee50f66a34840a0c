import { createHmac } from 'node:crypto';
import type { ColumnAction } from './match-columns.ts';

/** What is shown instead of a value. `drop` and `refuse` are a matter of the whole column. */
type ValueAction = Exclude<ColumnAction, 'drop' | 'refuse'>;

interface ProtectedValue {
  text: string;
  /** The text is only the beginning of a value with so many characters. */
  fullLength?: number | undefined;
}

/** Shows a value as the policy says. The same value becomes the same pseudonym throughout a connection. */
export type ProtectValue = (action: ValueAction, value: ProtectedValue) => string;

/** Characters of a value that count for its pseudonym, so that calls that keep less of a long cell give the same one. */
export const pseudonymLength = 4_096;
const minPartialLength = 8;
const shownEnd = 4;

/** `key` is secret: without it a pseudonym can be neither made nor undone. */
export function createProtectValue(key: Buffer): ProtectValue {
  return (action, { text, fullLength = text.length }) => {
    switch (action) {
      case 'mask':
        return '***';
      case 'partial':
        return formatPartial(text, fullLength);
      case 'pseudonym':
        return createPseudonym(key, `${text.slice(0, pseudonymLength)}\0${fullLength > pseudonymLength ? fullLength : ''}`);
    }
  };
}

/** The last four characters of a value that has at least twice as many. The end of a value that was cut is not known. */
function formatPartial(text: string, fullLength: number): string {
  const characters = [...text];
  if (characters.length < minPartialLength || fullLength > text.length) return '***';
  return `***${characters.slice(-shownEnd).join('')}`;
}

function createPseudonym(key: Buffer, text: string): string {
  return `p_${createHmac('sha256', key).update(text).digest('hex').slice(0, 16)}`;
}
