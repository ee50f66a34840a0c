import { addressVariable, parseAddress } from './address.ts';
import { catalog, type EngineEntry, type EngineId, serverIds } from './catalog.ts';
import { hasContainerEngine } from './fetch/container.ts';
import { findChromiumObstacle } from './servers/chromium.ts';
import type { Obstacle } from './servers/recipe.ts';
import { recipes } from './servers/recipes.ts';
import { findSshdObstacle } from './servers/sshd.ts';

export interface EngineReport {
  readonly id: EngineId;
  readonly title: string;
  readonly available: boolean;
  /** Where it would come from, or why it cannot come. */
  readonly reason: string;
  /** What the owner of the machine can do; only when it is not available. */
  readonly advice: string | undefined;
}

/** What this machine can have, and why not. Looks, downloads nothing, starts nothing. */
export async function describeEngines(env: NodeJS.ProcessEnv = process.env): Promise<EngineReport[]> {
  const containers = await hasContainerEngine();
  const servers = serverIds.map((id) => describeServer(catalog[id], containers, env[addressVariable(id)]));
  const ssh = report('ssh', 'OpenSSH server', findSshdObstacle(), 'the machine’s own, or fetched on first use');
  const chromium = report('chromium', 'Chromium', findChromiumObstacle(), 'the machine’s own, or installed on first use');
  return [...servers, ssh, chromium];
}

function describeServer(entry: EngineEntry, containers: boolean, given: string | undefined): EngineReport {
  const { id, title } = entry;
  if (given) {
    const { host, port } = parseAddress(entry, given);
    return report(id, title, undefined, `${addressVariable(id)} says ${host}:${port}`);
  }
  if (containers) return report(id, title, undefined, `container ${entry.image}`);
  const recipe = recipes[entry.kind];
  if (recipe.isFetched(entry)) return report(id, title, undefined, 'own binary, in the cache');
  const origin = `own binary from ${entry.origin.registry}, ${entry.megabytes} MB on first use`;
  return report(id, title, recipe.findObstacle(entry), origin);
}

function report(id: EngineId, title: string, obstacle: Obstacle | undefined, reason: string): EngineReport {
  return { id, title, available: obstacle === undefined, reason: obstacle?.reason ?? reason, advice: obstacle?.advice };
}
