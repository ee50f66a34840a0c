import type { Failure } from '@dbmole/core';
import type { Answer } from '../answer/answer.ts';
import type { AskedRequest, WriteRequest } from '../call/cluster-request.ts';
import { quoteRemoteName } from '../call/quote-remote-text.ts';
import type { ChangeKind } from './change-kind.ts';

/** What was found out about a write without sending it. */
export interface Measured {
  /** The change in a few words, without values of documents or settings. */
  readonly summary: string;
  /** What has to be the same when it is sent; undefined where nothing could be measured. */
  readonly basis: unknown;
  /** How many documents it changes at most; undefined where that is not known, 0 for what changes none. */
  readonly documents: number | undefined;
  /** What a person sees beside that. */
  readonly details: readonly string[];
}

/** How a write is measured. */
export interface Measuring {
  readonly request: WriteRequest;
  readonly change: ChangeKind;
  /** Asks through the guard; protected fields come as the policy shows them. */
  ask(request: AskedRequest): Promise<Answer>;
  /** Asks for numbers and names of indices, also of those that the connection does not show. */
  count(request: AskedRequest): Promise<Answer>;
  /** The error in an answer. */
  failureOf(answer: Answer): Promise<Failure | undefined>;
  /** Whether the name of an index may be shown. */
  mayName(index: string): boolean;
  /** The source of a document as the policy shows it; undefined where it cannot be told what is protected. */
  protect(index: string, source: unknown): Promise<unknown>;
}

/** What cannot be measured is asked about all the same. */
export function unmeasured(change: ChangeKind, why: string): Measured {
  return { summary: `not measured: ${why}`, basis: undefined, documents: change.kind === 'ddl' ? 0 : undefined, details: [] };
}

const maxIndices = 10;

/** `logs-1 (1,000), logs-2 (284)`; of hidden indices only how many there are. */
export function formatIndices(
  counts: readonly (readonly [index: string, what: string])[],
  mayName: Measuring['mayName'],
): string {
  const visible = counts.filter(([index]) => mayName(index));
  const [shown, more] = [visible.slice(0, maxIndices), visible.length - maxIndices];
  const hidden = counts.length - visible.length;
  return [
    ...shown.map(([index, what]) => `${quoteRemoteName(index)} (${what})`),
    ...(more > 0 ? [`${more} more`] : []),
    ...(hidden > 0 ? [`${hidden} hidden`] : []),
  ].join(', ');
}

export function formatCount(count: number, noun: string, plural = `${noun}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? noun : plural}`;
}
