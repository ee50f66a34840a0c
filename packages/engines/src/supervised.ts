import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { Failure } from '@dbmole/core/failure';
import { engineUser } from './engine-user.ts';
import { writeOwner } from './run-directory.ts';

/** What the supervisor runs. It removes `directory` at the end. */
export interface LaunchPlan {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly log: string;
  readonly directory: string;
  readonly stopSignal: NodeJS.Signals;
  /** Milliseconds from the stop signal to SIGKILL. */
  readonly stopWithin: number;
  /** Only an ssh server has to stay who we are. */
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
  /** Resolves when the process was made, not when it answers. */
  start(): Promise<void>;
  /** Stops the server, removes its directory, ends the supervisor. */
  stop(): Promise<void>;
}

type SupervisorProcess = ChildProcessByStdio<Writable, Readable, null>;

const script = fileURLToPath(new URL('./supervisor.mjs', import.meta.url));

/** Starts the plan under a supervisor whose life hangs on ours. */
export async function supervise(plan: LaunchPlan): Promise<Supervised> {
  const supervisor = new Supervisor();
  const user = plan.asOurselves ? {} : engineUser();
  try {
    await supervisor.launch({ ...plan, ...user });
  } catch (error) {
    await supervisor.stop();
    throw error;
  }
  return supervisor;
}

class Supervisor extends EventEmitter<{ launched: [error?: string]; stopped: []; killed: [number] }> implements Supervised {
  pid: number | undefined;
  readonly #process: SupervisorProcess;
  readonly #ended: Promise<unknown>;
  #waiting = 0;

  constructor() {
    super();
    this.#process = spawn(process.execPath, [script], {
      detached: true,
      env: { PATH: process.env.PATH },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    this.#process.stdin.on('error', () => undefined);
    createInterface({ input: this.#process.stdout }).on('line', (line) => this.#take(line));
    this.#ended = once(this.#process, 'exit').then(() => this.#stopped('its supervisor ended'));
  }

  async launch(plan: LaunchPlan): Promise<void> {
    if (this.#process.pid !== undefined) await writeOwner(plan.directory, this.#process.pid);
    await this.#request(plan);
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
    if (this.pid !== undefined) await this.#held(once(this, 'stopped'));
  }

  async stop(): Promise<void> {
    this.#process.stdin.end();
    await this.#held(this.#ended);
  }

  /** Sends what makes the server start, and waits for its process. */
  async #request(message: object): Promise<void> {
    const started = new Promise<void>((resolve, reject) => {
      this.once('launched', (error?: string) =>
        error === undefined ? resolve() : reject(new Failure('internal', `The engine could not be started: ${error}`)),
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
    this.#process[name]();
    // The types promise plain streams; for pipes they are sockets.
    for (const stream of [this.#process.stdin, this.#process.stdout] as Partial<Record<'ref' | 'unref', () => void>>[]) {
      stream[name]?.();
    }
  }

  #send(message: object): void {
    if (this.#process.stdin.writable) this.#process.stdin.write(`${JSON.stringify(message)}\n`);
  }

  #take(line: string): void {
    // The other end is our own supervisor.mjs, so we know its events.
    const event = JSON.parse(line) as { pid?: number; error?: string; killed?: number };
    if (event.killed !== undefined) this.emit('killed', event.killed);
    else if (event.pid === undefined) this.#stopped(event.error);
    else {
      this.pid = event.pid;
      this.emit('launched');
    }
  }

  #stopped(error?: string): void {
    this.pid = undefined;
    if (error !== undefined) this.emit('launched', error);
    this.emit('stopped');
  }
}
