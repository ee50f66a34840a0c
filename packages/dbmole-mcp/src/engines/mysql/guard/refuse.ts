import { Failure, type Hint } from '@dbmole/core';
import { passAsList, useExecute } from '../../../next-steps.ts';

interface Refused {
  /** The construct as written, and why it is not a read. */
  message: string;
  /** What to do instead. */
  hint?: Hint;
  /** Names that resemble an unknown one. */
  nearest?: readonly string[];
  /** The position in the caller's statement, counted from 0. */
  at: number;
}

export function notARead({ message, hint = useExecute, nearest, at }: Refused): Failure {
  return new Failure('refused', message, { code: 'E_NOT_A_READ', position: at + 1, hint, nearest });
}

/** The same as on PostgreSQL. */
export function severalStatements(at: number): Failure {
  return new Failure('refused', 'the text has several statements', {
    code: 'E_MULTIPLE_STATEMENTS',
    position: at + 1,
    hint: passAsList,
  });
}

/** The refusal of what would block other calls while it is checked. */
export function tooComplex(message: string, at = 0, hint = 'Split the statement, or simplify it.'): Failure {
  return new Failure('refused', message, { code: 'E_TOO_COMPLEX', position: at + 1, hint });
}

/** The refusal of what the server may split in another way than the guard. */
export function notPlaceable(what: string, at: number, hint = 'Rewrite this part.'): Failure {
  return notARead({ message: `${what} is refused: where it ends depends on the server`, hint, at });
}

const maxQuoteLength = 60;

/** Shortens a piece of the statement for a message. */
export function quote(text: string): string {
  const line = text.slice(0, maxQuoteLength + 1).replaceAll(/\s+/g, ' ');
  return text.length > maxQuoteLength ? `${line.slice(0, maxQuoteLength)}…` : line;
}
