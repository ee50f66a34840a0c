import { fstatSync } from 'node:fs';
import type { Readable } from 'node:stream';
import type { MessagePort, Worker } from 'node:worker_threads';
import type { Log } from '../log.ts';
import { keepYoungGenerationSmall } from '../young-generation.ts';

/** A thread that ends the process within two seconds after it was asked to stop, while the main thread is blocked and cannot. */
export interface Watchdog {
  /** Starts the thread before something that may block. The thread ends after a minute without another call. */
  wake(): void;
  /** The process stops: it has two seconds. */
  stopping(): void;
}

interface WatchdogOptions {
  /** Undefined for a process that has no client there, and may outlive its parent. */
  stdin?: Readable;
  signals: readonly string[];
  /** Whether a call runs, which keeps the thread. */
  isBusy(): boolean;
  log: Log;
}

/** What both threads share, as indices. */
const slots = { lock: 0, pongs: 1, calls: 2, stopping: 3 } as const;

/** How long the other thread may take to pass on what it has just read. */
const lockMs = 100;

export function createWatchdog(options: WatchdogOptions): Watchdog {
  return new WatchdogThread(options);
}

class WatchdogThread implements Watchdog {
  readonly #options: WatchdogOptions;
  readonly #shared = new Int32Array(new SharedArrayBuffer(4 * Object.keys(slots).length));
  #threads: typeof import('node:worker_threads') | undefined;
  #port: MessagePort | undefined;
  #push: Readable['push'] | undefined;
  #hasFailed = false;

  constructor(options: WatchdogOptions) {
    this.#options = options;
  }

  wake(): void {
    Atomics.add(this.#shared, slots.calls, 1);
    if (this.#port !== undefined || this.#hasFailed) return;
    try {
      this.#start();
    } catch (error) {
      this.#fail(error);
    }
  }

  stopping(): void {
    Atomics.store(this.#shared, slots.stopping, 1);
  }

  #start(): void {
    // Loading it at the start of the program would take a millisecond.
    this.#threads ??= process.getBuiltinModule('node:worker_threads');
    const { port1, port2 } = new this.#threads.MessageChannel();
    for (const slot of [slots.lock, slots.pongs]) Atomics.store(this.#shared, slot, 0);
    const worker = this.#open(this.#threads, port2);
    this.#port = port1.on('message', (message: unknown) => this.#receive(message));
    port1.unref();
    worker.unref();
    keepYoungGenerationSmall(worker);
    worker.once('error', (error) => this.#fail(error));
    worker.once('exit', () => {
      this.#port = undefined;
    });
  }

  #open(threads: typeof import('node:worker_threads'), port: MessagePort): Worker {
    const { signals, stdin } = this.#options;
    const readsInput = stdin !== undefined && canReadInput();
    if (readsInput) this.#takeInput(stdin);
    const follows = stdin === undefined ? 'signals' : readsInput ? 'input' : 'parent';
    const open = (...execArgv: string[]): Worker =>
      new threads.Worker(new URL('./watchdog-worker.js', import.meta.url), {
        workerData: { shared: this.#shared, slots, port, follows, signals },
        transferList: [port],
        env: {},
        execArgv,
        // The process's own belong to the protocol and the log.
        stdout: true,
        stderr: true,
        trackUnmanagedFds: false,
        resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 1, stackSizeMb: 1 },
      });
    try {
      // Without the option, only the main thread can hear of signals.
      return open('--expose-internals');
    } catch {
      return open();
    }
  }

  /** What the other thread has read comes before what is read here. */
  #takeInput(stdin: Readable): void {
    if (this.#push !== undefined) return;
    const push = stdin.push.bind(stdin);
    this.#push = push;
    stdin.push = (...args) => {
      Atomics.wait(this.#shared, slots.lock, 1, lockMs);
      this.#receiveAll();
      return push(...args);
    };
  }

  #receiveAll(): void {
    if (this.#port === undefined) return;
    for (let next = this.#threads?.receiveMessageOnPort(this.#port); next; ) {
      this.#receive(next.message);
      next = this.#threads?.receiveMessageOnPort(this.#port);
    }
  }

  #receive(message: unknown): void {
    if (message instanceof Uint8Array) this.#push?.(Buffer.from(message));
    else if (message === 'ping') {
      Atomics.add(this.#shared, slots.pongs, 1);
      if (this.#options.isBusy()) Atomics.add(this.#shared, slots.calls, 1);
    } else this.#options.log('debug', 'signals are not seen while the main thread is blocked', { error: String(message) });
  }

  /** The process still ends when it is asked to, unless it is blocked. */
  #fail(error: unknown): void {
    this.#hasFailed = true;
    this.#port = undefined;
    this.#options.log('warn', 'the watchdog thread failed', { error: String(error) });
  }
}

/** Only of these a read never waits: the runtime has made them so for the main thread. */
function canReadInput(): boolean {
  const stat = fstatSync(0);
  return process.platform !== 'win32' && (stat.isFIFO() || stat.isSocket());
}
