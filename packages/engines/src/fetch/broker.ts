import { rm } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { type Hint, toFailure } from '@dbmole/core/failure';
import { catalog, type ServerId } from '../catalog.ts';
import type { EngineOptions, RunningEngine } from '../engine.ts';
import { createRunDirectory } from '../run/run-directory.ts';
import { startEngine } from '../run/start-engine.ts';
import { isUnavailable } from '../unavailable.ts';

/** Where the test processes find the broker of their run. */
export const brokerVariable = 'DBMOLE_BROKER';

export interface EngineRequest {
  readonly id: ServerId;
  readonly options: EngineOptions;
}

/** What of a running engine can be told to another process. */
type SharedAddress = Omit<RunningEngine, 'control' | 'stop'>;

export type BrokerReply =
  | { readonly engine: SharedAddress }
  | { readonly problem: { readonly unavailable: boolean; readonly message: string; readonly hint: Hint | undefined } };

export interface Broker {
  /** A folder for other files of the run; gone after `stop`. */
  readonly directory: string;
  /** A unix socket; speaks HTTP. */
  readonly path: string;
  /** Stops every engine it has started. */
  stop(): Promise<void>;
}

/** Lives in the process that runs the tests: starts each engine when it is first asked for and hands out its address. */
export async function startBroker(): Promise<Broker> {
  const directory = await createRunDirectory();
  const engines = new Map<string, Promise<RunningEngine>>();
  const server = createServer(async (request, response) => {
    response.end(JSON.stringify(await answer(engines, request)));
  });
  const path = join(directory, 'broker');
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return {
    directory,
    path,
    stop: async () => {
      server.close();
      server.closeAllConnections();
      const started = await Promise.allSettled(engines.values());
      await Promise.all(started.map((engine) => (engine.status === 'fulfilled' ? engine.value.stop() : undefined)));
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function answer(engines: Map<string, Promise<RunningEngine>>, request: IncomingMessage): Promise<BrokerReply> {
  try {
    // The other end is our own sharedEngine, in a process of the same run.
    const wanted = (await json(request)) as EngineRequest;
    const { control, stop, ...address } = await startOnce(engines, wanted);
    return { engine: address };
  } catch (error) {
    const { message, hint } = toFailure(error);
    return { problem: { unavailable: isUnavailable(error), message, hint } };
  }
}

/** One engine for each id and set of options. What failed is not tried again: it costs minutes, and the reason stays. */
function startOnce(engines: Map<string, Promise<RunningEngine>>, { id, options }: EngineRequest): Promise<RunningEngine> {
  const key = JSON.stringify([catalog[id].id, Object.entries(options).sort()]);
  const known = engines.get(key) ?? startEngine(id, options);
  engines.set(key, known);
  return known;
}
