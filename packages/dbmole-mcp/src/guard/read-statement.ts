import type { ColumnAction } from '@dbmole/core';
import { Failure } from '@dbmole/core/failure';

declare const guarded: unique symbol;

/** A statement that went through the guard. What runs a read takes nothing else, so code that forgets the guard does not compile. */
export interface ReadStatement {
  readonly sql: string;
  /**
   * What the guard knew about the server when it accepted the statement, in the engine's own form. The session makes sure that it still holds
   * before the statement runs, and says `E_PREMISE` when it does not. Undefined for statements of our own.
   */
  readonly premise: string | undefined;
  /** Resetting the session does not take back all that it does there, so the session is closed afterwards. */
  readonly leavesState: boolean;
  /** What the policy hides of the result. Undefined if the statement reaches no protected column. */
  readonly columns: ColumnPlan | undefined;
  readonly [guarded]: true;
}

/** A column of a result whose values are not shown as they are, and the protected column, for messages: `email`. */
export interface ColumnVerdict {
  readonly action: Exclude<ColumnAction, 'refuse'>;
  readonly label: string;
}

/** What the policy hides of the result of one statement that reaches protected columns. Plain data, which a thread can send. */
export interface ColumnPlan {
  /**
   * For each column of the result from the left: null where it is shown, undefined where its source could not be told. Undefined if not
   * even their number is known.
   */
  readonly verdicts: readonly (ColumnVerdict | null | undefined)[] | undefined;
  /** For columns that the server reports as an unchanged column of a table, by `Column.origin`; null for one that is shown. */
  readonly origins: Readonly<Record<string, ColumnVerdict | null>>;
  /** The result is a plan, in which only the constants come from tables. */
  readonly hidesConstants?: true;
  /** The plan of this statement would have constants from tables. */
  readonly plansShowValues?: true;
}

/** Decides for one database whether a statement is a read. Knows what the server says of itself, and asks again when that changed. */
export interface ReadGuard {
  /**
   * Throws a `refused` Failure with the construct, its position, why it is not a read, and what to use instead. A check that waits for
   * others ends with the signal.
   */
  check(sql: string, run: CatalogQuestion, signal?: AbortSignal): Promise<ReadStatement>;
  /**
   * Serves a server whose catalog changes all the time. What `run` answers is all from one moment, and the premise does not depend
   * on changes that cannot matter to this statement. Absent if there is no such premise.
   */
  checkAlone?(sql: string, run: CatalogQuestion, signal?: AbortSignal): Promise<ReadStatement>;
  /**
   * What the policy hides of the rows that a write returns. Refuses a write that copies protected values to where they are shown, that
   * may leave the scope, or whose effect cannot be traced. Absent if the engine cannot tell; then a connection with a scope or protected
   * columns refuses all writes.
   */
  checkWrite?(sql: string, run: CatalogQuestion): Promise<ColumnPlan | undefined>;
  /** The premise no longer held: the next check asks the server again. */
  forget(): void;
}

/** How the guard asks the server: as a statement of our own over its catalog. */
export type CatalogQuestion = (sql: string, params?: readonly string[]) => Promise<readonly (readonly (string | null)[])[]>;

/** Nothing of the caller's has run; the guard should look again. */
export const premiseCode = 'E_PREMISE';

/** Long enough for any statement that a person or a model writes; parsers and engines are slow far beyond it. */
const maxLength = 1_000_000;

/** What every statement of a caller has to be, a read or a write, whatever the engine. */
export function checkText(sql: string): void {
  if (sql.length > maxLength) {
    throw new Failure('input', `the statement has ${sql.length} characters; at most ${maxLength} are accepted`, {
      hint: { tool: 'Pass values as params.', cli: 'Split the statement.' },
    });
  }
  const nul = sql.indexOf('\u0000');
  if (nul >= 0) throw new Failure('input', 'the statement contains a NUL character', { position: nul + 1 });
  if (sql.trim() === '') throw new Failure('input', 'the statement is empty');
}

/** For the engines' guards alone, when they are done. */
export function accept(sql: string, premise: string, { leavesState = false, columns }: Accepted = {}): ReadStatement {
  return makeRead({ sql, premise, leavesState, columns });
}

interface Accepted {
  leavesState?: boolean;
  columns?: ColumnPlan | undefined;
}

/** A statement that we wrote, over the catalog. Nothing of a caller's may be in its text. */
export function ownStatement(sql: string, leavesState = false): ReadStatement {
  return makeRead({ sql, premise: undefined, leavesState, columns: undefined });
}

const planPrefix = /^EXPLAIN (?:\((?:FORMAT JSON|, |VERBOSE)+\)|FORMAT=(?:JSON|TREE)|QUERY PLAN) $/;

/** Asks for the plan of an accepted statement, or of the part of it that it measures, and runs nothing of it. */
export function explainRead({ premise, leavesState, columns }: ReadStatement, prefix: string, sql: string): ReadStatement {
  if (!planPrefix.test(prefix)) throw new Error(`${prefix} may run what it explains`);
  return makeRead({ sql: `${prefix}${sql}`, premise, leavesState, columns });
}

function makeRead(read: Pick<ReadStatement, 'sql' | 'premise' | 'leavesState' | 'columns'>): ReadStatement {
  // The one place where a text becomes a read.
  return read as ReadStatement;
}
