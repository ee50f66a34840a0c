import type { BaseConnection } from '../connection.ts';
import type { ConnectionEdits, Entry, Registry } from '../registry/registry.ts';

/** The same connections, none of which may be written to, whatever their own configuration says. */
export function readonlyRegistry<C extends BaseConnection>(registry: Registry<C>): Registry<C> {
  return {
    list: async () => {
      const snapshot = await registry.list();
      return { ...snapshot, entries: snapshot.entries.map(closed) };
    },
    get: async (name) => {
      const entry = await registry.get(name);
      return { ...entry, config: { ...entry.config, readonly: true } };
    },
    resolve: async (name, signal) => {
      const resolved = await registry.resolve(name, signal);
      return { ...resolved, config: { ...resolved.config, readonly: true } };
    },
    ...closedEdits(registry),
    person: closedEdits(registry.person),
  };
}

function closedEdits<C extends BaseConnection>(edits: ConnectionEdits<C>): ConnectionEdits<C> {
  return {
    add: async (input, signal) => closed(await edits.add(input, signal)),
    update: async (name, patch, signal) => closed(await edits.update(name, patch, signal)),
    remove: (name, signal) => edits.remove(name, signal),
  };
}

function closed<C extends BaseConnection>(entry: Entry<C>): Entry<C> {
  return entry.config === undefined ? entry : { ...entry, config: { ...entry.config, readonly: true } };
}
