import { Failure, type FailureCode, type FailureKind } from '@dbmole/core';

import type { Trust } from '../../../guard/trust.ts';

type Rows = readonly (readonly (string | null)[])[];

/** In the place of a database: the statement is a write that is tried out. */
export const dryRuns = 0;

/** What the main thread sends to the thread that checks statements. */
export type ToThread =
  | {
      readonly type: 'check';
      readonly id: number;
      readonly database: number;
      readonly sql: string;
      readonly trust?: PlainTrust | undefined;
    }
  | { readonly type: 'forget'; readonly database: number }
  | { readonly type: 'ping' }
  /** Rows of an answer, in parts: a large message would hold up the thread that sends it. */
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
  | { readonly type: 'accepted'; readonly id: number; readonly premise: string }
  | { readonly type: 'failed'; readonly id: number; readonly failure: PlainFailure }
  | { readonly type: 'remember'; readonly database: number; readonly found: Readonly<Record<string, string>> }
  | { readonly type: 'pong' };

/** A person's word as a message can have it. */
export interface PlainTrust extends Pick<Trust, 'functions' | 'extensions'> {
  readonly known: Readonly<Record<string, string>>;
}

/** A Failure as a message can have it. */
export interface PlainFailure {
  readonly kind: FailureKind;
  readonly message: string;
  readonly code: FailureCode;
  readonly hint: string | undefined;
  readonly engineCode: string | undefined;
  readonly position: number | undefined;
  readonly stack: string | undefined;
}

export function toPlain(error: unknown): PlainFailure {
  if (!(error instanceof Failure)) {
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    const hint = 'This is a bug in the server; the log on stderr has its trace.';
    return { kind: 'internal', message, code: 'E_INTERNAL', hint, engineCode: undefined, position: undefined, stack };
  }
  const { kind, message, code, hint, engineCode, position, stack } = error;
  return { kind, message, code, hint, engineCode, position, stack };
}

export function fromPlain({ kind, message, stack, ...details }: PlainFailure): Failure {
  const failure = new Failure(kind, message, details);
  if (kind === 'internal' && stack !== undefined) failure.stack = stack;
  return failure;
}
