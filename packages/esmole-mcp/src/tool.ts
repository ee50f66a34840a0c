import { type App, type Lease, type ToolContext, withManaged } from '@dbmole/core';
import * as z from 'zod';
import type { ClusterBackend } from './backend.ts';
import type { ClusterCall } from './call/cluster-call.ts';
import { isOutdatedLogin } from './call/outdated-login.ts';
import type { Connection } from './connection/schema.ts';

/** Arguments that mean the same in every tool. Descriptions are short: the definitions of all tools share one budget. */
export const connectionArgument = z.string().min(1).optional();
/** A list of names is the same as the names with commas between them. */
export const indexArgument = z
  .preprocess((names) => (Array.isArray(names) ? names.join(',') : names), z.string().min(1).max(10_000).optional())
  .optional();
export const timeoutArgument = z.int().min(1).max(600_000).optional();

/** The way from a tool's arguments to a cluster. Whatever fails is thrown as a Failure. */
export interface ClusterTools {
  /** Where exports go, if a person has named a folder. */
  readonly exportFolder: string | undefined;
  use<T>(connection: string | undefined, context: CallContext, work: (call: ClusterCall) => Promise<T>): Promise<T>;
}

type CallContext = Pick<ToolContext, 'signal' | 'timeLimit' | 'onFound' | 'record'>;

type ToolParts = Pick<App<Connection, ClusterBackend>, 'manager'> & Partial<Pick<App<Connection, ClusterBackend>, 'settings'>>;

/** Saved queries have no settings: none of them writes a file. */
export function createClusterTools({ manager, settings = {} }: ToolParts): ClusterTools {
  return {
    exportFolder: settings['export-dir'],
    use(connection, { signal, timeLimit, onFound, record }, work) {
      const run = async (backend: ClusterBackend, lease: Lease<ClusterBackend>) => {
        // Loads the guard as well, which the start need not wait for.
        const [{ createCall }, identity, recording] = await Promise.all([
          import('./call/cluster-call.ts'),
          backend.identify(signal),
          record && import('./recording/recorded-requests.ts'),
        ]);
        const recorder = recording && record && recording.recordRequests(record, identity);
        return await work(createCall(lease, identity, { signal, recorder }));
      };
      return withManaged(manager, connection, run, { signal, timeLimit, onFound, isStaleError: isOutdatedLogin });
    },
  };
}
