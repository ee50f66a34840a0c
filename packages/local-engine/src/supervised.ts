import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { addAbortListener, EventEmitter, once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Failure, toFailure } from '@dbmole/core/failure';
import { engineUser } from './engine-user.ts';
import { writeOwner } from './work-folder.ts';

/** What the supervisor runs. It removes `directory` when it is told to stop, or when we are gone. */
export interface LaunchPlan {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Everything that the program prints is appended to this file. */
  readonly log: string;
  /** A file that the program reads as its stdin. */
  readonly input?: string;
  readonly directory: string;
  readonly stopSignal: NodeJS.Signals;
  /** Milliseconds from the stop signal to SIGKILL. */
  readonly stopWithin: number;
  /** Keeps our own user. An ssh server needs it, and npm, which writes to its own cache. */
  readonly asOurselves?: boolean;
}

export interface Supervised {
  /** Undefined while the server is down. */
  readonly pid: number | undefined;
  signal(name: NodeJS.Signals): void;
  /** Ends what the server has started and not the server itself. Answers how many processes that were. */
  killChildren(): Promise<number>;
  /** Resolves when the server's process is gone; at once if it is. */
  waitForExit(): Promise<void>;
  /** Resolves at the next end of a server process, with its exit code or null; does not keep our own process alive. */
  nextExit(): Promise<number | null>;
  /** Resolves when the process was made, not when it answers. */
  start(): Promise<void>;
  /** Stops the server, removes its directory, ends the supervisor. */
  stop(): Promise<void>;
}

type SupervisorProcess = ChildProcessByStdio<Writable, Readable, null>;

const script = fileURLToPath(new URL('./supervisor.js', import.meta.url));

/** Starts the plan under a supervisor that ends it when this process ends, also by SIGKILL. */
export async function supervise(plan: LaunchPlan): Promise<Supervised> {
  const supervisor = new Supervisor();
  try {
    if (supervisor.ownPid !== undefined) await writeOwner(plan.directory, supervisor.ownPid);
    await supervisor.launch(plan);
  } catch (error) {
    await supervisor.stop();
    throw error;
  }
  return supervisor;
}

interface RunOptions {
  signal?: AbortSignal;
  /** Whether this process stays for it. A server does not: it ends with its stdin, and the program with it. */
  keepsAlive?: boolean;
}

/**
 * Runs a program to its end. Returns undefined when it succeeded, else the end of what it printed. The directory stays ours, and
 * is removed only when the run is aborted.
 */
export async function runSupervised(plan: LaunchPlan, { signal, keepsAlive }: RunOptions): Promise<string | undefined> {
  signal?.throwIfAborted();
  const supervisor = new Supervisor();
  const listener = signal && addAbortListener(signal, () => void supervisor.stop());
  try {
    const failed = await supervisor.run(plan, keepsAlive === true);
    signal?.throwIfAborted();
    return failed;
  } finally {
    listener?.[Symbol.dispose]();
  }
}

export async function readLogEnd(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return text.trim().slice(-1_500) || 'it printed nothing';
}

/** Code of a server that did not come up. */
export const startFailed = 'E_ENGINE_START';

export interface Startable {
  readonly plan: Pick<LaunchPlan, 'command' | 'log'>;
  /** Is asked repeatedly after the start. `pid` is the process of this start, because files of an earlier one may be left. */
  isReady(pid: number): Promise<boolean>;
  /** Milliseconds. Generous: a loaded machine is not a broken engine. */
  readonly readyWithin: number;
}

export async function waitUntilReady(server: Supervised, launch: Startable): Promise<void> {
  const deadline = Date.now() + launch.readyWithin;
  for (;;) {
    const { pid } = server;
    if (pid === undefined) throw await brokenStart(launch, 'ended before it was ready');
    if (await launch.isReady(pid)) return;
    if (Date.now() > deadline) throw await brokenStart(launch, `was not ready within ${launch.readyWithin / 1000} s`);
    await sleep(10);
  }
}

async function brokenStart({ plan }: Startable, what: string): Promise<Failure> {
  return new Failure('engine', `${plan.command} ${what}; the end of its log: ${await readLogEnd(plan.log)}`, {
    code: startFailed,
  });
}

class Supervisor
  extends EventEmitter<{ launched: [error?: string]; stopped: [number | null]; killed: [number] }>
  implements Supervised
{
  pid: number | undefined;
  readonly #child: SupervisorProcess;
  readonly #ended: Promise<unknown>;
  #waiting = 0;

  constructor() {
    super();
    const { PATH, SystemRoot } = process.env;
    this.#child = spawn(process.execPath, [script], {
      // A session of its own: Ctrl-C in a terminal is for us, and we stop the server in order.
      detached: process.platform !== 'win32',
      windowsHide: true,
      env: { PATH, ...(SystemRoot !== undefined && { SystemRoot }) },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    this.#child.stdin.on('error', () => undefined);
    createInterface({ input: this.#child.stdout }).on('line', (line) => this.#take(line));
    // The event `exit` may come before the last line has been read, so we wait for `close`.
    this.#ended = once(this.#child, 'close').then(() => this.#stopped('its supervisor ended'));
  }

  get ownPid(): number | undefined {
    return this.#child.pid;
  }

  launch(plan: LaunchPlan & { once?: true }): Promise<void> {
    return this.#request({ ...plan, ...(plan.asOurselves ? {} : engineUser()) });
  }

  async run(plan: LaunchPlan, keepsAlive: boolean): Promise<string | undefined> {
    const exited = this.nextExit();
    try {
      await this.launch({ ...plan, once: true });
    } catch (error) {
      return toFailure(error).message;
    }
    const code = await (keepsAlive ? this.#held(exited) : exited);
    return code === 0 ? undefined : await readLogEnd(plan.log);
  }

  start(): Promise<void> {
    return this.#request({ start: true });
  }

  signal(name: NodeJS.Signals): void {
    this.#send({ signal: name });
  }

  killChildren(): Promise<number> {
    const killed = new Promise<number>((resolve) => this.once('killed', resolve));
    this.#send({ killChildren: true });
    return this.#held(killed);
  }

  async waitForExit(): Promise<void> {
    if (this.pid !== undefined) await this.#held(this.nextExit());
  }

  nextExit(): Promise<number | null> {
    return new Promise((resolve) => this.once('stopped', resolve));
  }

  async stop(): Promise<void> {
    this.#child.stdin.end();
    await this.#held(this.#ended);
  }

  /** Sends what makes the server start, and waits for its process. */
  async #request(message: object): Promise<void> {
    const started = new Promise<void>((resolve, reject) => {
      this.once('launched', (error?: string) =>
        error === undefined ? resolve() : reject(new Failure('internal', `the program could not be started: ${error}`)),
      );
    });
    this.#send(message);
    await this.#held(started);
  }

  /**
   * Our process stays while we wait for the supervisor, but a server that merely runs must not keep it from ending:
   * that end is what stops the server.
   */
  async #held<T>(work: Promise<T>): Promise<T> {
    this.#waiting += 1;
    this.#hold();
    try {
      return await work;
    } finally {
      this.#waiting -= 1;
      this.#hold();
    }
  }

  #hold(): void {
    const name = this.#waiting > 0 ? 'ref' : 'unref';
    this.#child[name]();
    // The types promise plain streams; for pipes they are sockets.
    for (const stream of [this.#child.stdin, this.#child.stdout] as Partial<Record<'ref' | 'unref', () => void>>[]) {
      stream[name]?.();
    }
  }

  #send(message: object): void {
    if (this.#child.stdin.writable) this.#child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  #take(line: string): void {
    // The other end is our own supervisor.js, so we know its events.
    const event = JSON.parse(line) as { pid?: number; error?: string; exit?: number | null; killed?: number };
    if (event.killed !== undefined) this.emit('killed', event.killed);
    else if (event.pid === undefined) this.#stopped(event.error, event.exit);
    else {
      this.pid = event.pid;
      this.emit('launched');
    }
  }

  #stopped(error?: string, code: number | null = null): void {
    this.pid = undefined;
    if (error !== undefined) this.emit('launched', error);
    this.emit('stopped', code);
  }
}
