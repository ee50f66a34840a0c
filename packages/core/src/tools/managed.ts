import { Failure, toFailure } from '../failure.ts';
import type { Backend, Lease } from '../manager/backend.ts';
import type { Manager } from '../manager/manager.ts';
import { formatAbort } from '../waiting.ts';
import type { ToolContext } from './tool.ts';

export interface ManagedOptions {
  signal: AbortSignal;
  /** Of the call, for the connection's own limit. */
  timeLimit?: ToolContext['timeLimit'];
  /**
   * Whether the error proves that the backend was dead before anything was sent on it, or nothing was done because its login has become
   * old. Only then is the call made again; an error that leaves the outcome open is not stale, or a write might happen twice.
   */
  isStaleError(error: unknown): boolean;
  /** The leaf's words for an error of its driver; undefined when it is not one of those. */
  formatError?(error: unknown): Failure | undefined;
}

/**
 * Brackets one call: gets the live backend of a name, uses it, gives it back. A stale backend is replaced and the call
 * made once more, never twice. Everything that goes wrong is thrown as a Failure; the tool layer makes it an answer.
 */
export async function withManaged<B extends Backend, Result>(
  manager: Pick<Manager<B>, 'acquire'>,
  name: string | undefined,
  use: (backend: B, lease: Lease<B>) => Promise<Result>,
  options: ManagedOptions,
): Promise<Result> {
  const run = async (mayRetry: boolean): Promise<Result> => {
    const lease = await manager.acquire(name, options.signal);
    options.timeLimit?.ofConnection(lease.config.timeoutMs);
    try {
      return await use(lease.backend, lease);
    } catch (error) {
      const stale = options.isStaleError(error);
      if (stale) lease.invalidate();
      if (!stale || !mayRetry || options.signal.aborted) throw error;
    } finally {
      if (lease.backend.isSpent?.() === true) lease.invalidate();
      lease.release();
    }
    return await run(false);
  };
  try {
    return await run(true);
  } catch (error) {
    throw translate(error, options);
  }
}

function translate(error: unknown, { signal, formatError }: ManagedOptions): Failure {
  if (error instanceof Failure) return error;
  if (signal.aborted) return formatAbort(signal, error);
  return formatError?.(error) ?? toFailure(error);
}
