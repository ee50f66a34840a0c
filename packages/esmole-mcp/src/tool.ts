import { type App, type Lease, type ToolContext, withManaged } from '@dbmole/core';
import * as z from 'zod';
import type { ClusterBackend } from './backend.ts';
import type { Call } from './call.ts';
import { toFailure } from './failure.ts';
import { isOutdatedLogin } from './refusal.ts';
import type { Connection } from './schema.ts';

/** Arguments that mean the same in every tool. Descriptions are short: the definitions of all tools share one budget. */
export const connectionArgument = z.string().min(1).optional();
export const indexArgument = z.string().min(1).max(10_000).optional();
export const timeoutArgument = z.int().min(1).max(600_000).optional();

/** The way from a tool's arguments to a cluster. Whatever fails is thrown as a Failure. */
export interface ClusterTools {
  use<T>(connection: string | undefined, context: CallContext, work: (call: Call) => Promise<T>): Promise<T>;
}

type CallContext = Pick<ToolContext, 'signal' | 'timeLimit'>;

export function createClusterTools({ manager }: Pick<App<Connection, ClusterBackend>, 'manager'>): ClusterTools {
  return {
    use(connection, { signal, timeLimit }, work) {
      const run = async (backend: ClusterBackend, lease: Lease<ClusterBackend>) => {
        // With the guard behind it, which no start has to wait for.
        const [{ createCall }, identity] = await Promise.all([import('./call.ts'), backend.identify(signal)]);
        return await work(createCall(lease, identity, signal));
      };
      return withManaged(manager, connection, run, { signal, timeLimit, isStaleError: isOutdatedLogin, formatError: toFailure });
    },
  };
}
