import { Failure, type Hint } from '@dbmole/core/failure';
import { passAsList, useExecute } from '../../../next-steps.ts';

interface Refused {
  /** The construct as written, and why it is not a read. */
  message: string;
  /** What to do instead. */
  hint?: Hint;
  /** The position in the caller's statement, counted from 0. */
  at: number;
}

export function notARead({ message, hint = useExecute, at }: Refused): Failure {
  return new Failure('refused', message, { code: 'E_NOT_A_READ', position: at + 1, hint });
}

/** The same as on the other engines. */
export function severalStatements(at: number): Failure {
  return new Failure('refused', 'the text has several statements', {
    code: 'E_MULTIPLE_STATEMENTS',
    position: at + 1,
    hint: passAsList,
  });
}

export function tooComplex(message: string, at: number): Failure {
  return new Failure('refused', message, {
    code: 'E_TOO_COMPLEX',
    position: at + 1,
    hint: 'Split the statement, or simplify it.',
  });
}

export function unclosed(quote: string, at: number): Failure {
  return new Failure('input', `the quote ${quote} is not closed`, { code: 'E_SYNTAX', position: at + 1, hint: 'Close it.' });
}
