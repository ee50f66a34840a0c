import { Failure } from '@dbmole/core';

declare const guarded: unique symbol;

/** A statement that went through the guard. What runs a read takes nothing else, so code that forgets the guard does not compile. */
export interface ReadStatement {
  readonly sql: string;
  readonly [guarded]: true;
}

/** Long enough for any statement that a person or a model writes; parsers and engines are slow far beyond it. */
const longest = 1_000_000;

/** The checks that hold for every engine; the engine's read-only transaction is behind them. */
export function guardRead(sql: string): ReadStatement {
  if (sql.length > longest) {
    throw new Failure('input', `the statement has ${sql.length} characters; ${longest} are accepted`, {
      hint: 'Pass values as params.',
    });
  }
  const nul = sql.indexOf('\u0000');
  if (nul >= 0) throw new Failure('input', 'the statement contains a NUL character', { position: nul + 1 });
  if (sql.trim() === '') throw new Failure('input', 'the statement is empty');
  // The one place where a text becomes a read.
  return { sql } as ReadStatement;
}
