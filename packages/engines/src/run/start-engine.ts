import { addressVariable, formatAddress, parseAddress } from '../address.ts';
import { catalog, type EngineEntry, type ServerId } from '../catalog.ts';
import type { EngineOptions, RunningEngine } from '../engine.ts';
import { hasContainerEngine, startContainer } from '../fetch/container.ts';
import { recipes } from '../servers/recipes.ts';
import { unavailable } from '../unavailable.ts';
import { startBinary } from './start-binary.ts';

/**
 * Starts an engine of one's own, fresh and empty: from the address in the environment, from a container, from the registries,
 * whichever comes first. Options can only be granted to an owned process, so with any of them the first two are passed over.
 */
export async function startEngine(id: ServerId, options: EngineOptions = {}): Promise<RunningEngine> {
  const entry = catalog[id];
  const plain = Object.values(options).every((value) => value === undefined || value === false);
  const given = process.env[addressVariable(id)];
  if (plain && given) return engineAt(entry, given);
  if (plain && (await hasContainerEngine())) return startContainer(entry);
  const recipe = recipes[entry.kind];
  const obstacle = recipe.findObstacle(entry);
  if (obstacle && !recipe.isFetched(entry)) throw unavailable(`${entry.title}: ${obstacle.reason}`, obstacle.advice);
  return startBinary(recipe, entry, options);
}

/** An external server: its users must clean up after themselves. */
function engineAt(entry: EngineEntry, text: string): RunningEngine {
  const address = parseAddress(entry, text);
  return {
    ...address,
    id: entry.id,
    kind: entry.kind,
    version: entry.version,
    source: 'env',
    url: formatAddress(address),
    directory: undefined,
    control: undefined,
    stop: async () => undefined,
  };
}
