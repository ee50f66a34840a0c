import type { Backend, BackendTarget } from '@dbmole/core';
import type { Answer, AnswerLimits } from './answer.ts';
import type { IndexRules } from './guard/names.ts';
import type { ClusterIdentity, ReadRequest, WriteRequest } from './request.ts';
import type { Connection } from './schema.ts';

export interface SendOptions {
  /** Ends the request in the cluster too. */
  signal: AbortSignal;
  limits?: AnswerLimits;
}

export type Send = (request: ReadRequest | WriteRequest, options: SendOptions) => Promise<Answer>;

/** A cluster, reached. */
export interface ClusterBackend extends Backend {
  /** Which indices may be read; `readonly` is false where a tool may write. For the guard. */
  readonly rules: IndexRules & { readonly readonly: boolean };
  /**
   * Never throws on a status, but for a login that was good before and is refused now (`isOutdatedLogin`). When a connection is lost,
   * a read goes to another node, or once more to the same; a write never does: when it may have arrived and no answer came, the
   * failure is `E_OUTCOME_UNKNOWN`.
   */
  send: Send;
  /** What is known of the cluster, asked for once. What cannot be found out is unknown; only a cancelled call throws. */
  identify(signal: AbortSignal): Promise<ClusterIdentity>;
  /** Asks the cluster now, and throws why it cannot be used: nothing answers, no cluster does, or not to this user. */
  probe(signal: AbortSignal): Promise<ClusterIdentity>;
  /** The cluster has refused its login. */
  isSpent(): boolean;
}

/** The HTTP client is loaded when the first connection is opened, never at start. */
export async function createBackend(target: BackendTarget<Connection>): Promise<ClusterBackend> {
  const [{ openClient }, { createIdentifier }, { withRefusal }, { withOwnCursors }, { mayReadAll }] = await Promise.all([
    import('./client.ts'),
    import('./identify.ts'),
    import('./refusal.ts'),
    import('./own-cursors.ts'),
    import('./guard/mentions.ts'),
  ]);
  const client = openClient(target);
  const { indices, systemIndices, readonly } = target.config;
  // Anything but a plain false counts as read-only.
  const rules = { indices, systemIndices: systemIndices === true, readonly: readonly !== false };
  const refusable = withRefusal(client.send);
  const send = mayReadAll(rules) ? refusable.send : withOwnCursors(refusable.send);
  return { ...client, ...refusable, ...createIdentifier(refusable.send), send, rules };
}
