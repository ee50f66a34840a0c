import { Failure, formatAbort, maxAttempts } from '@dbmole/core';
import { outcomeUnknown } from '../failure.ts';
import type { Nodes } from './nodes.ts';

/** An attempt that brought no answer. */
export interface Loss {
  failure: Failure;
  /** Whether the request may have arrived. */
  wasSent: boolean;
}

export interface FailoverOptions<N, A> {
  nodes: Nodes<N>;
  /** Whether it does no harm to send it twice. */
  isRead: boolean;
  signal: AbortSignal;
  attempt(node: N): Promise<{ answer: A } | Loss>;
}

/** Tries the nodes until one answers. What may have arrived is sent again only if it is a read, and once at most. */
export async function withFailover<N, A>(options: FailoverOptions<N, A>): Promise<A> {
  const { nodes, signal } = options;
  const queue = [...nodes.candidates()];
  const losses: Loss[] = [];
  for (let node = queue.shift(); node !== undefined; node = queue.shift()) {
    if (signal.aborted) throw formatAbort(signal);
    const outcome = await options.attempt(node);
    if ('answer' in outcome) {
      nodes.markAlive(node);
      return outcome.answer;
    }
    losses.push(outcome);
    refuseNext(losses, outcome, options);
    // A kept connection that the other side had closed says nothing of the node.
    if (outcome.wasSent) queue.unshift(node);
    else nodes.markDead(node);
  }
  throw summarise(losses);
}

function refuseNext<N, A>(losses: readonly Loss[], { failure, wasSent }: Loss, { isRead, signal }: FailoverOptions<N, A>): void {
  if (wasSent && !isRead) throw outcomeUnknown(failure);
  // An error in the configuration is the same on every node.
  if (signal.aborted || failure.kind === 'config') throw failure;
  // It may be the request that breaks the connection.
  if (wasSent && losses.filter((loss) => loss.wasSent).length >= maxAttempts.lostRequest) throw failure;
}

function summarise(losses: readonly Loss[]): Failure {
  const [first, ...others] = losses.map(({ failure }) => failure);
  if (first === undefined) return new Failure('internal', 'there is no node');
  if (others.length === 0) return first;
  const { kind, message, code, next: hint } = first;
  const rest = others.length === 1 ? 'the other node' : `the other ${others.length} nodes`;
  return new Failure(kind, `${message}; ${rest} cannot be used either`, {
    code,
    cause: first,
    ...(hint === undefined ? {} : { hint }),
  });
}
