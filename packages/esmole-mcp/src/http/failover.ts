import { Failure, formatAbort, maxAttempts } from '@dbmole/core';
import { outcomeUnknown } from '../failure.ts';

/** An attempt that brought no answer. */
export interface Loss {
  failure: Failure;
  /** Whether the request may have arrived. */
  wasSent: boolean;
}

interface FailoverOptions<N, A> {
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

/** The nodes of one cluster in the order they should be tried. Knows of each only whether it was seen to be dead. */
interface Nodes<N> {
  /** The living ones as they were configured, so that one of them serves as long as it can; then the dead, soonest due first. */
  candidates(): readonly N[];
  markDead(node: N): void;
  markAlive(node: N): void;
}

const firstPauseMs = 1_000;
const maxPauseMs = 60_000;

interface Death {
  count: number;
  due: number;
}

/** A dead node is tried again in its old place when its pause is over; each further failure makes the pause longer. */
export function createNodes<N>(nodes: readonly N[], now: () => number = () => performance.now()): Nodes<N> {
  const deaths = new Map<N, Death>();
  const computeDue = (node: N) => deaths.get(node)?.due ?? 0;
  return {
    candidates() {
      const time = now();
      const alive = nodes.filter((node) => computeDue(node) <= time);
      const dead = nodes.filter((node) => computeDue(node) > time).sort((a, b) => computeDue(a) - computeDue(b));
      return [...alive, ...dead];
    },
    markDead(node) {
      const count = (deaths.get(node)?.count ?? 0) + 1;
      deaths.set(node, { count, due: now() + Math.min(firstPauseMs * 2 ** (count - 1), maxPauseMs) });
    },
    markAlive: (node) => void deaths.delete(node),
  };
}
