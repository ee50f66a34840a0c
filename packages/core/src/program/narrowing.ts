import type { BaseConnection } from '../connection.ts';
import type { Backend, Lease } from '../manager/backend.ts';
import type { Manager } from '../manager/manager.ts';
import type { ConnectionLimits } from '../registry/entry.ts';
import type { Registry } from '../registry/registry.ts';
import type { CallOrigin } from '../tools/call-record.ts';
import type { ToolServer } from '../tools/tool-server.ts';

/** How one client's view is narrower than the server. */
export interface Narrowing extends ConnectionLimits {
  /** Tools that change anything are left out, also those that change this server's own connections and files. */
  onlyReadingTools?: boolean;
  /** The tools to keep of those that the server offers, written as in `--tools`. */
  tools?: string | undefined;
  /** The time limit, written as in `--timeout`. */
  timeout?: string | undefined;
  /** The way in of this client; that of the server if left out. */
  origin?: CallOrigin;
}

/** The shared manager as one client sees it: names are looked up in that client's registry, backends are shared by all clients. */
export function narrowManager<C extends BaseConnection, B extends Backend>(
  manager: Manager<B>,
  registry: Pick<Registry<C>, 'get'>,
  { readonly, connections }: ConnectionLimits,
): Manager<B> {
  if (readonly !== true && connections === undefined) return manager;
  return {
    async acquire(name, signal, onFound) {
      const entry = await registry.get(name);
      const found = onFound && ((destination: Parameters<typeof onFound>[0]) => onFound(lock(destination)));
      const lease = await manager.acquire(entry.name, signal, found);
      return readonly === true ? lockLease(lease) : lease;
    },
    status: (name) => manager.status(name),
    statuses: () => manager.statuses(),
    close: (name) => manager.close(name),
    disposeAll: () => manager.disposeAll(),
  };

  function lock<T extends { readonly: boolean }>(one: T): T {
    return readonly === true ? { ...one, readonly } : one;
  }
}

function lockLease<B extends Backend>(lease: Lease<B>): Lease<B> {
  return { ...lease, config: { ...lease.config, readonly: true } };
}

/** Those of the offered tools that change anything. */
export function listChanging({ definitions }: Pick<ToolServer, 'definitions'>): string[] {
  return definitions.filter(({ annotations }) => annotations?.readOnlyHint !== true).map(({ name }) => name);
}

/** The tools that change the list of connections. */
export const changingTools = ['add_connection', 'update_connection', 'remove_connection'];

/** The selection that leaves these out. */
export function without(offered: readonly string[], names: readonly string[]): string {
  return names.flatMap((name) => (offered.includes(name) ? `-${name}` : [])).join(',');
}
