import { Failure } from '@dbmole/core';

export interface Refused {
  /** The construct as it was written, and why it is no read. */
  message: string;
  /** What to do instead. */
  hint?: string;
  /** The place in the caller's statement, counted from 0. */
  at: number;
}

export const useExecute = 'Use `execute`, on a connection that is not readonly.';

export function notARead({ message, hint = useExecute, at }: Refused): Failure {
  return new Failure('refused', message, { code: 'E_NOT_A_READ', position: at + 1, hint });
}

/** For what would keep other calls waiting while it is checked. */
export function tooComplex(message: string, at = 0, hint = 'Split the statement, or leave out what it does not need.'): Failure {
  return new Failure('refused', message, { code: 'E_TOO_COMPLEX', position: at + 1, hint });
}

/** For what only looks as if the server and we would read it alike. */
export function notPlaceable(what: string, at: number, hint = 'Write it in another way.'): Failure {
  return notARead({ message: `${what} is refused: where it ends depends on the server`, hint, at });
}

const longestQuote = 60;

/** A piece of the statement, for a message. */
export function quote(text: string): string {
  const line = text.slice(0, longestQuote + 1).replaceAll(/\s+/g, ' ');
  return text.length > longestQuote ? `${line.slice(0, longestQuote)}…` : line;
}
