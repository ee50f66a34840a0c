import type { Failure } from '../../failure.ts';

/** The end of one connection: it happens once, has one cause, and everybody who waits on the connection hears of it. */
export interface Loss {
  readonly cause: Failure | undefined;
  /** Only the first cause counts: what follows an error is noise of the same event. */
  declare(cause: Failure): void;
  /** Calls at once when it already happened. Returns the way to stop listening. */
  onLoss(listener: (cause: Failure) => void): () => void;
}

export function createLoss(): Loss {
  const listeners = new Set<(cause: Failure) => void>();
  let cause: Failure | undefined;
  return {
    get cause() {
      return cause;
    },
    declare(first) {
      if (cause !== undefined) return;
      cause = first;
      for (const listener of [...listeners]) listener(first);
      listeners.clear();
    },
    onLoss(listener) {
      if (cause !== undefined) {
        listener(cause);
        return () => {};
      }
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
