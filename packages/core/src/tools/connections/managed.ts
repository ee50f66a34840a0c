import { formatAbort } from '../../abort.ts';
import { Failure, isLoss, toFailure } from '../../failure.ts';
import type { Backend, Lease } from '../../manager/backend.ts';
import type { Manager } from '../../manager/manager.ts';
import { maxAttempts, retry } from '../../retry.ts';
import type { ToolContext } from '../tool.ts';

export interface ManagedOptions {
  signal: AbortSignal;
  /** The time limit of the call, for the connection's own limit. */
  timeLimit?: ToolContext['timeLimit'];
  /** Gets the name in the call and where it leads, before anything is sent; may throw. */
  onFound?: ToolContext['onFound'];
  /**
   * Whether the error proves that the backend was dead before anything was sent on it, or nothing was done because its login has become
   * old. Only then is the call made again; an error that leaves the outcome open is not stale, or a write might happen twice.
   */
  isStaleError(error: unknown): boolean;
}

/**
 * Brackets one call: gets the live backend of a name, uses it, gives it back. A stale backend is replaced and the call
 * made again, never twice. Everything that goes wrong is thrown as a Failure; the tool layer makes it an answer.
 */
export async function withManaged<B extends Backend, Result>(
  manager: Pick<Manager<B>, 'acquire'>,
  name: string | undefined,
  use: (backend: B, lease: Lease<B>) => Promise<Result>,
  options: ManagedOptions,
): Promise<Result> {
  const run = async (): Promise<Result> => {
    const { signal, onFound } = options;
    const lease = await manager.acquire(name, signal, onFound && ((destination) => onFound(name, destination)));
    options.timeLimit?.ofConnection(lease.config.timeoutMs);
    try {
      const result = await use(lease.backend, lease);
      lease.reached(true);
      return result;
    } catch (error) {
      lease.reached(!isLoss(translate(error, options)));
      if (options.isStaleError(error)) lease.invalidate();
      throw error;
    } finally {
      if (lease.backend.isSpent?.() === true) lease.invalidate();
      lease.release();
    }
  };
  const mayRetry = (error: unknown) => options.isStaleError(error) && !options.signal.aborted;
  try {
    return await retry({ max: maxAttempts.call, mayRetry }, run);
  } catch (error) {
    throw translate(error, options);
  }
}

function translate(error: unknown, { signal, isStaleError }: ManagedOptions): Failure {
  const isFinal = error instanceof Failure && !isStaleError(error);
  if (signal.aborted && !isFinal) return formatAbort(signal, error);
  return toFailure(error);
}
