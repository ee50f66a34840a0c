/** The nodes of one cluster in the order they shall be tried. Knows of each only whether it was seen to be dead. */
export interface Nodes<N> {
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
