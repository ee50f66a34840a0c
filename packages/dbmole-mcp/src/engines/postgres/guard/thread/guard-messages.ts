import { Failure, toFailure } from '@dbmole/core/failure';
import type { ColumnRules } from '@dbmole/core/match-columns';
import type { Trust } from '../../../../guard/trust.ts';
import type { ScopeRules } from '../../../../policy/scope.ts';
import type { Acceptance } from '../checker.ts';

type Rows = readonly (readonly (string | null)[])[];

/** The database number of statements that are checked for a dry run. */
export const dryRuns = 0;

/** What a statement is read for. */
export type Inspection = 'ddl' | 'shape' | 'change';

/** What the main thread sends to the thread that checks statements. */
export type ToThread =
  | {
      readonly type: 'check';
      readonly id: number;
      readonly database: number;
      readonly sql: string;
      readonly trust?: PlainTrust | undefined;
      readonly scope?: readonly ScopeRules[] | undefined;
      readonly columns?: readonly ColumnRules[] | undefined;
      /** Reads the catalog for this statement alone. */
      readonly isAlone?: boolean | undefined;
      /** Checks what a write does to protected columns. */
      readonly isWrite?: boolean | undefined;
    }
  /** Statements, or parts of them, to be read without checking or running them. */
  | { readonly type: 'inspect'; readonly id: number; readonly what: Inspection; readonly texts: readonly string[] }
  | { readonly type: 'forget'; readonly database: number }
  | { readonly type: 'ping' }
  /** A part of the rows, because a large message blocks the thread that sends it. */
  | { readonly type: 'rows'; readonly question: number; readonly rows: Rows; readonly isLast: boolean }
  | { readonly type: 'unanswered'; readonly question: number; readonly failure: PlainFailure };

export type FromThread =
  | {
      readonly type: 'ask';
      readonly id: number;
      readonly question: number;
      readonly sql: string;
      readonly params: readonly string[];
    }
  | { readonly type: 'accepted'; readonly id: number; readonly acceptance: Acceptance }
  /** The result is plain data, of the kind that was asked for. */
  | { readonly type: 'inspected'; readonly id: number; readonly result: unknown }
  | { readonly type: 'failed'; readonly id: number; readonly failure: PlainFailure }
  | { readonly type: 'remember'; readonly database: number; readonly found: Readonly<Record<string, string>> }
  | { readonly type: 'pong' };

/** `Trust` without its functions, which cannot be sent. */
export interface PlainTrust extends Pick<Trust, 'functions' | 'extensions'> {
  readonly known: Readonly<Record<string, string>>;
}

/** A Failure as a plain object, which can be sent. */
export type PlainFailure = {
  readonly [K in 'kind' | 'message' | 'code' | 'next' | 'engineCode' | 'position' | 'stack']: Failure[K] | undefined;
} & Pick<Failure, 'kind' | 'message' | 'code'>;

export function toPlain(error: unknown): PlainFailure {
  const { kind, message, code, next, engineCode, position, stack, cause } = toFailure(error);
  return { kind, message, code, next, engineCode, position, stack: cause instanceof Error ? cause.stack : stack };
}

export function fromPlain({ kind, message, next: hint, stack, ...details }: PlainFailure): Failure {
  const failure = new Failure(kind, message, { hint, ...details });
  if (kind === 'internal' && stack !== undefined) failure.stack = stack;
  return failure;
}
