import { Worker } from 'node:worker_threads';
import { Failure, toFailure } from '@dbmole/core';
import type { CatalogQuestion } from '../../../guard/read-statement.ts';
import type { Trust } from '../../../guard/trust.ts';
import type { Checker } from './checker.ts';
import { dryRuns, type FromThread, fromPlain, type PlainTrust, type ToThread, toPlain } from './guard-messages.ts';

/** The thread is busy with one check for so long at most. Ordinary statements take a millisecond. */
const maxBusyMs = 3_000;
/** Loading the parser counts as well when the machine is busy. */
const maxStartMs = 15_000;
const heartbeatMs = 250;
/** The parser keeps the memory that it once needed; a thread that ends gives it back. */
const idleMs = 60_000;
const maxHeapMb = 512;
const rowsPerMessage = 1_000;

interface Job {
  readonly id: number;
  readonly database: number;
  readonly sql: string;
  readonly trust: Trust | undefined;
  readonly run: CatalogQuestion;
  readonly resolve: (premise: string) => void;
  readonly reject: (error: unknown) => void;
}

/** One thread for the whole process, started when it is needed. */
let thread: GuardThread | undefined;
let lastId = 0;

export function createThreadChecker(trust?: Trust): Checker {
  const database = ++lastId;
  return {
    check: (sql, run) =>
      new Promise((resolve, reject) => threadOf().start({ id: ++lastId, database, sql, trust, run, resolve, reject })),
    forget: () => thread?.forget(database),
  };
}

/** Throws for a write that a rollback would not take back. */
export async function refuseDryRun(sql: string): Promise<void> {
  const run = async () => [];
  await new Promise((resolve, reject) =>
    threadOf().start({ id: ++lastId, database: dryRuns, sql, trust: undefined, run, resolve, reject }),
  );
}

function threadOf(): GuardThread {
  thread ??= new GuardThread((left) => {
    thread = undefined;
    for (const job of left) threadOf().start(job);
  });
  return thread;
}

/** A worker and what it works on. */
class GuardThread {
  readonly #worker: Worker;
  readonly #jobs = new Map<number, Job>();
  readonly #current = new Int32Array(new SharedArrayBuffer(4));
  readonly #onEnd: (left: readonly Job[]) => void;
  #heartbeat: NodeJS.Timeout | undefined;
  #idle: NodeJS.Timeout | undefined;
  #answeredAt = 0;
  #isEnded = false;

  constructor(onEnd: (left: readonly Job[]) => void) {
    this.#onEnd = onEnd;
    this.#worker = createWorker(this.#current);
    this.#worker.on('message', (message: FromThread) => this.#receive(message));
    this.#worker.on('error', (error) => this.#fail(isOutOfMemory(error) ? tooComplex() : toFailure(error)));
    this.#worker.on('exit', () => this.#fail(new Failure('internal', 'the thread that checks statements ended')));
  }

  start(job: Job): void {
    this.#jobs.set(job.id, job);
    clearTimeout(this.#idle);
    this.#worker.ref();
    if (this.#heartbeat === undefined) this.#startHeartbeat();
    const { id, database, sql, trust } = job;
    this.#send({ type: 'check', id, database, sql, trust: trust && toPlainTrust(trust) });
  }

  forget(database: number): void {
    this.#send({ type: 'forget', database });
  }

  #receive(message: FromThread): void {
    this.#answeredAt = performance.now();
    if (message.type === 'pong') return;
    if (message.type === 'remember') {
      [...this.#jobs.values()].find(({ database }) => database === message.database)?.trust?.remember(message.found);
      return;
    }
    const job = this.#jobs.get(message.id);
    if (job === undefined) return;
    if (message.type === 'ask') void this.#ask(job, message);
    else if (message.type === 'accepted') job.resolve(message.premise);
    else job.reject(fromPlain(message.failure));
    if (message.type !== 'ask') this.#finish(job);
  }

  async #ask({ run }: Job, { question, sql, params }: Extract<FromThread, { type: 'ask' }>): Promise<void> {
    try {
      const rows = await run(sql, params);
      let from = 0;
      for (; from + rowsPerMessage < rows.length; from += rowsPerMessage) {
        this.#send({ type: 'rows', question, rows: rows.slice(from, from + rowsPerMessage), isLast: false });
        await new Promise((resolve) => setImmediate(resolve));
      }
      this.#send({ type: 'rows', question, rows: rows.slice(from), isLast: true });
    } catch (error) {
      this.#send({ type: 'unanswered', question, failure: toPlain(error) });
    }
  }

  #finish(job: Job): void {
    this.#jobs.delete(job.id);
    if (this.#jobs.size > 0) return;
    clearInterval(this.#heartbeat);
    this.#heartbeat = undefined;
    this.#worker.unref();
    this.#idle = setTimeout(() => this.#fail(undefined), idleMs).unref();
  }

  /** Only while there are jobs. Starting the thread counts as well. */
  #startHeartbeat(): void {
    const isStarting = this.#answeredAt === 0;
    let checkedAt = performance.now();
    this.#answeredAt = isStarting ? checkedAt + maxStartMs - maxBusyMs : checkedAt;
    this.#heartbeat = setInterval(() => {
      const now = performance.now();
      // A main thread that was busy itself could not have heard an answer.
      if (now - checkedAt > 4 * heartbeatMs) this.#answeredAt = now;
      checkedAt = now;
      if (now - this.#answeredAt > maxBusyMs) this.#fail(tooComplex());
      else this.#send({ type: 'ping' });
    }, heartbeatMs).unref();
  }

  /** Ends the thread. The check that was running fails; all others start again in a new one. */
  #fail(failure: Failure | undefined): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    clearInterval(this.#heartbeat);
    clearTimeout(this.#idle);
    void this.#worker.terminate();
    const running = this.#jobs.get(this.#current[0] ?? 0) ?? this.#jobs.values().next().value;
    if (running !== undefined) {
      this.#jobs.delete(running.id);
      running.reject(failure);
    }
    this.#onEnd([...this.#jobs.values()]);
  }

  #send(message: ToThread): void {
    if (!this.#isEnded) this.#worker.postMessage(message);
  }
}

function createWorker(current: Int32Array): Worker {
  const options = {
    workerData: { current },
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
    // Nothing of it may get into the protocol.
    stdout: true,
    stderr: true,
  };
  // In the bundle it is a file beside this one. The source needs a loader.
  if (!import.meta.url.endsWith('.ts')) return new Worker(new URL('./guard-worker.js', import.meta.url), options);
  const source = new URL('./guard-worker.ts', import.meta.url).href;
  const loading = `import('tsx/esm/api').then(({ register }) => (register(), import(${JSON.stringify(source)})));`;
  return new Worker(loading, { ...options, eval: true });
}

function toPlainTrust({ functions, extensions, known }: Trust): PlainTrust {
  return { functions, extensions, known: known() };
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

function tooComplex(): Failure {
  return new Failure('refused', 'the statement, or a function or view that it uses, is too complex to check', {
    code: 'E_TOO_COMPLEX',
    hint: 'Make the statement simpler, pass values as params, or read the tables without that function or view.',
  });
}
