import { addressVariable } from '../address.ts';
import { catalog, type EngineId } from '../catalog.ts';
import { hasContainerEngine } from '../fetch/container.ts';
import { openChromium } from '../servers/chromium.ts';
import { recipes } from '../servers/recipes.ts';
import { openSshd } from '../servers/sshd.ts';
import { unavailable } from '../unavailable.ts';
import { fetchEngine } from './start-binary.ts';

/** Downloads wait for the network and unpacking for the processor, so a few at a time fill both. */
const atOnce = 4;

/** Fetches what the engines need before the tests begin, several at a time. Answers which cannot be had, and why. */
export async function prepareEngines(ids: readonly EngineId[]): Promise<Map<EngineId, unknown>> {
  const problems = new Map<EngineId, unknown>();
  // The largest first: nothing long is left for the end.
  const waiting = [...ids].sort((a, b) => megabytes(b) - megabytes(a));
  const work = async () => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      const current = id;
      await prepare(current).catch((error: unknown) => problems.set(current, error));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return problems;
}

async function prepare(id: EngineId): Promise<void> {
  if (id === 'ssh') return void (await openSshd());
  if (id === 'chromium') return void (await openChromium());
  if (process.env[addressVariable(id)] || (await hasContainerEngine())) return;
  const entry = catalog[id];
  const recipe = recipes[entry.kind];
  if (recipe.isFetched(entry)) return;
  const obstacle = recipe.findObstacle(entry);
  if (obstacle) throw unavailable(`${entry.title}: ${obstacle.reason}`, obstacle.advice);
  await fetchEngine(recipe, entry);
}

const megabytes = (id: EngineId) => (id === 'ssh' || id === 'chromium' ? 0 : catalog[id].megabytes);
