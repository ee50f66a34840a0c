import { isFields } from '../../../registry/tree.ts';

/**
 * The calls that run, by what a client of the older era names one with. Its notification that a call is cancelled comes in a request of
 * its own, so there is no connection that would tell whose it is.
 */
export class RunningRequests {
  readonly #running = new Map<string, Set<AbortController>>();

  /** Returns how to forget the call. `client` is all that is known of who sends a request. */
  add(client: string, id: unknown, controller: AbortController): () => void {
    const key = JSON.stringify([client, id]);
    const same = this.#running.get(key) ?? new Set();
    this.#running.set(key, same.add(controller));
    return () => {
      same.delete(controller);
      if (same.size === 0) this.#running.delete(key);
    };
  }

  /** Cancels nothing where two clients that look the same run calls with this id: one of them wants its answer. */
  cancel(client: string, id: unknown): boolean {
    const [first, ...others] = this.#running.get(JSON.stringify([client, id])) ?? [];
    if (first === undefined || others.length > 0) return false;
    first.abort();
    return true;
  }
}

/** The id in a `notifications/cancelled`; undefined for any other message. */
export function readCancelledId(message: unknown): string | number | undefined {
  if (!isFields(message) || message.method !== 'notifications/cancelled') return undefined;
  const id = isFields(message.params) ? message.params.requestId : undefined;
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}
