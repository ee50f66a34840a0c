import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '@dbmole/core/failure';
import { findFreePort, type Startable, type Supervised, startFailed, supervise, waitUntilReady } from '@dbmole/local-engine';
import { formatAddress } from '../address.ts';
import type { EngineEntry } from '../catalog.ts';
import type { EngineControl, EngineOptions, RunningEngine } from '../engine.ts';
import type { Launch, Recipe } from '../servers/recipe.ts';
import { unavailable } from '../unavailable.ts';
import { createRunDirectory, sweepLeftovers } from './run-directory.ts';

const attempts = 3;

/** The engine's own binary in a fresh directory, on a free port. */
export async function startBinary(recipe: Recipe, entry: EngineEntry, options: EngineOptions): Promise<RunningEngine> {
  await sweepLeftovers();
  await fetchEngine(recipe, entry);
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOnce(recipe, entry, options);
    } catch (error) {
      // Someone else may have taken the port between our look and the server's.
      if (attempt === attempts || !(error instanceof Failure && error.code === startFailed)) throw error;
    }
  }
}

/** What cannot be fetched, for want of a network for example, is not there. */
export async function fetchEngine(recipe: Recipe, entry: EngineEntry): Promise<void> {
  try {
    await recipe.fetch(entry);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const advice = error.next ?? 'Look at the network, or start a Docker engine, or give an address.';
    throw unavailable(`${entry.title} could not be set up: ${error.message}`, advice, error);
  }
}

async function startOnce(recipe: Recipe, entry: EngineEntry, options: EngineOptions): Promise<RunningEngine> {
  const directory = await createRunDirectory();
  const launch = await prepareOrRemove(recipe, { entry, options, directory, port: await findFreePort() });
  const server = await supervise(launch.plan);
  try {
    await waitUntilReady(server, launch);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return describe(entry, launch, server);
}

async function prepareOrRemove(recipe: Recipe, run: Parameters<Recipe['prepare']>[0]): Promise<Launch> {
  try {
    return await recipe.prepare(run);
  } catch (error) {
    await rm(run.directory, { recursive: true, force: true });
    throw error;
  }
}

function describe(entry: EngineEntry, launch: Launch, server: Supervised): RunningEngine {
  return {
    ...launch.address,
    id: entry.id,
    kind: entry.kind,
    version: launch.version,
    source: 'binary',
    url: formatAddress(launch.address),
    directory: launch.plan.directory,
    control: createControl(server, launch),
    stop: () => server.stop(),
  };
}

export function createControl(server: Supervised, launch: Startable & Pick<Launch, 'plan'>): EngineControl {
  const end = async (signal: NodeJS.Signals) => {
    const gone = server.waitForExit();
    server.signal(signal);
    await gone;
  };
  return {
    get pid() {
      return server.pid;
    },
    signal: (name) => server.signal(name),
    kill: () => end('SIGKILL'),
    shutDown: () => end(launch.plan.stopSignal),
    start: () => startAgain(server, launch),
  };
}

/** Right after a kill the rest of the old server may still hold its files, and the new one then gives up. */
async function startAgain(server: Supervised, launch: Startable): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await server.start();
      return await waitUntilReady(server, launch);
    } catch (error) {
      if (attempt === attempts || server.pid !== undefined) throw error;
      await sleep(500);
    }
  }
}
