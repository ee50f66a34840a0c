import type { BaseConnection } from '../../connection.ts';
import { Failure } from '../../failure.ts';
import type { Connections } from '../../manager/manager.ts';
import type { UsableEntry } from '../../manager/open-backend.ts';

/** Connections in memory, changed at will, with the promises of a real registry about versions. */
export interface FakeRegistry<C extends BaseConnection> extends Connections<C> {
  set(config: C): void;
  drop(name: string): void;
}

export function createFakeRegistry<C extends BaseConnection>(...configs: C[]): FakeRegistry<C> {
  const held = new Map(configs.map((config) => [config.name, config]));

  const get = async (name?: string): Promise<UsableEntry<C>> => {
    const config = name === undefined && held.size === 1 ? [...held.values()][0] : held.get(name ?? '');
    if (config === undefined)
      throw new Failure('unknown', `there is no connection "${name ?? ''}"`, { nearest: [...held.keys()] });
    return createEntry(config);
  };
  return {
    get,
    list: async () => ({ entries: [...held.values()].map(createEntry), problems: [] }),
    resolve: async (name) => await get(name),
    set: (config) => void held.set(config.name, config),
    drop: (name) => void held.delete(name),
  };
}

/** Equal configurations have equal versions, as the interface promises. */
function createEntry<C extends BaseConnection>(config: C): UsableEntry<C> {
  const origin = { kind: 'store', where: 'memory' } as const;
  return { name: config.name, origin, config, shadows: [], editable: true, unset: [], version: JSON.stringify(config) };
}
