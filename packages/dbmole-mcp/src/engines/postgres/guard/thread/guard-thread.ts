import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { Failure, keepYoungGenerationSmall, onAbort, toFailure } from '@dbmole/core';
import type { ColumnRules } from '@dbmole/core/match-columns';
import type { CatalogQuestion } from '../../../../guard/read-statement.ts';
import type { Trust } from '../../../../guard/trust.ts';
import { passParams } from '../../../../next-steps.ts';
import type { ScopeRules } from '../../../../policy/scope.ts';
import type { Acceptance, Checker } from '../checker.ts';
import {
  dryRuns,
  type FromThread,
  fromPlain,
  type Inspection,
  type PlainTrust,
  type ToThread,
  toPlain,
} from './guard-messages.ts';
import { JobQueue, type Queued } from './job-queue.ts';

/** How long one check may keep the thread busy. Ordinary statements take a millisecond. */
const maxBusyMs = 3_000;
/** Includes loading the parser on a busy machine. */
const maxStartMs = 15_000;
const heartbeatMs = 250;
/** The parser never frees memory, so an idle thread is ended. */
const idleMs = 60_000;
const maxHeapMb = 512;
/** What is new is collected this often, rather than at 32 MB of it. */
const maxYoungMb = 3;
const rowsPerMessage = 1_000;

interface Check {
  readonly database: number;
  readonly sql: string;
  readonly trust: Trust | undefined;
  readonly scope?: readonly ScopeRules[] | undefined;
  readonly columns?: readonly ColumnRules[] | undefined;
  readonly isAlone?: boolean | undefined;
  readonly isWrite?: boolean | undefined;
  readonly run: CatalogQuestion;
  /** A job that has not begun is dropped when its call has ended. */
  readonly signal?: AbortSignal | undefined;
}

interface Job extends Partial<Omit<Check, 'database'>>, Queued {
  readonly id: number;
  readonly request: ToThread;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** Ends the listening to the signal. */
  forget: () => void;
}

type NewJob = Omit<Job, 'resolve' | 'reject' | 'isSuspect' | 'forget'>;

/** A message to the thread that gives it something to do. */
interface Work {
  readonly job: Job;
  readonly message: ToThread;
}

/** One thread serves the whole process. It is started when it is first needed. */
let thread: GuardThread | undefined;
let lastId = 0;

interface ThreadCheckerOptions {
  trust?: Trust | undefined;
  scope?: readonly ScopeRules[] | undefined;
  columns?: readonly ColumnRules[] | undefined;
}

export function createThreadChecker({ trust, scope, columns }: ThreadCheckerOptions = {}): Checker {
  const database = ++lastId;
  return {
    check: (sql, run, isAlone, signal) => start({ database, sql, trust, scope, columns, isAlone, run, signal }),
    checkWrite: async (sql, run) => (await start({ database, sql, trust, scope, columns, isWrite: true, run })).columns,
    forget: () => thread?.forget(database),
  };
}

/** Throws for a write that a rollback does not undo. */
export async function refuseDryRun(sql: string): Promise<void> {
  await start({ database: dryRuns, sql, trust: undefined, run: async () => [] });
}

async function start(check: Check): Promise<Acceptance> {
  const id = ++lastId;
  const { database, sql, trust, scope, columns, isAlone, isWrite } = check;
  const plainTrust = trust && toPlainTrust(trust);
  const request: ToThread = { type: 'check', id, database, sql, trust: plainTrust, scope, columns, isAlone, isWrite };
  // The thread answers a check with nothing else.
  return (await startJob({ ...check, id, request, size: sql.length })) as Acceptance;
}

/** Reads texts in the thread; the result is what the reader there returns. */
export async function inspect(what: Inspection, texts: readonly string[]): Promise<unknown> {
  const id = ++lastId;
  const size = texts.reduce((sum, text) => sum + text.length, 0);
  return await startJob({ id, request: { type: 'inspect', id, what, texts }, size });
}

function startJob(job: NewJob): Promise<unknown> {
  const begun = { isSuspect: false, forget: () => undefined };
  return new Promise((resolve, reject) => getThread().add({ ...job, resolve, reject, ...begun }));
}

function getThread(): GuardThread {
  thread ??= new GuardThread((left) => {
    thread = undefined;
    for (const job of left) getThread().add(job);
  });
  return thread;
}

/** A worker with its jobs: those that it has begun, and those that wait. */
class GuardThread {
  readonly #worker: Worker;
  readonly #jobs = new Map<number, Job>();
  readonly #queue = new JobQueue<Job>();
  /** Messages for jobs that have begun. */
  readonly #outbox: Work[] = [];
  /** The turn at which each database last had one of them. */
  readonly #turns = new Map<number | undefined, number>();
  #turn = 0;
  /** What the thread is working on. */
  #current: Job | undefined;
  readonly #onEnd: (left: readonly Job[]) => void;
  #heartbeat: NodeJS.Timeout | undefined;
  #idle: NodeJS.Timeout | undefined;
  #answeredAt = 0;
  #isEnded = false;

  constructor(onEnd: (left: readonly Job[]) => void) {
    this.#onEnd = onEnd;
    this.#worker = createWorker();
    keepYoungGenerationSmall(this.#worker);
    this.#worker.on('message', (message: FromThread) => this.#receive(message));
    this.#worker.on('error', (error) => this.#fail(isOutOfMemory(error) ? tooComplex() : toFailure(error)));
    this.#worker.on('exit', () => this.#fail(new Failure('internal', 'the thread that checks statements ended')));
  }

  add(job: Job): void {
    this.#queue.add(job);
    job.forget();
    job.forget = onAbort(job.signal, () => {
      this.#queue.remove(job);
      job.reject(job.signal?.reason);
    });
    this.#sendNext();
  }

  /** One message is under way at a time, and databases take turns: none waits for more than one message of another. */
  #sendNext(): void {
    if (this.#isEnded || this.#current !== undefined) return;
    this.#beginJobs();
    const turn = ({ job }: Work) => this.#turns.get(job.database) ?? 0;
    const [first] = this.#outbox;
    if (first === undefined) return;
    const next = this.#outbox.reduce((best, one) => (turn(one) < turn(best) ? one : best), first);
    this.#outbox.splice(this.#outbox.indexOf(next), 1);
    this.#turns.set(next.job.database, ++this.#turn);
    this.#current = next.job;
    this.#answeredAt = Math.max(this.#answeredAt, performance.now());
    this.#send(next.message);
    // Answered when the thread is done with it.
    this.#send({ type: 'ping' });
  }

  #beginJobs(): void {
    for (let job = this.#takeJob(); job !== undefined; job = this.#takeJob()) {
      job.forget();
      this.#jobs.set(job.id, job);
      clearTimeout(this.#idle);
      this.#worker.ref();
      if (this.#heartbeat === undefined) this.#startHeartbeat();
      this.#outbox.push({ job, message: job.request });
    }
  }

  #takeJob(): Job | undefined {
    return this.#queue.take([...this.#jobs.values()]);
  }

  forget(database: number): void {
    this.#send({ type: 'forget', database });
  }

  #receive(message: FromThread): void {
    this.#answeredAt = performance.now();
    if (message.type === 'pong') {
      this.#current = undefined;
      this.#sendNext();
      return;
    }
    if (message.type === 'remember') {
      [...this.#jobs.values()].find(({ database }) => database === message.database)?.trust?.remember(message.found);
      return;
    }
    const job = this.#jobs.get(message.id);
    if (job === undefined) return;
    if (message.type === 'ask') void this.#answer(job, message);
    else if (message.type === 'accepted') job.resolve(message.acceptance);
    else if (message.type === 'inspected') job.resolve(message.result);
    else job.reject(fromPlain(message.failure));
    if (message.type !== 'ask') this.#finish(job);
  }

  async #answer(job: Job, { question, sql, params }: Extract<FromThread, { type: 'ask' }>): Promise<void> {
    try {
      const rows = (await job.run?.(sql, params)) ?? [];
      let from = 0;
      for (; from + rowsPerMessage < rows.length; from += rowsPerMessage) {
        this.#post({ job, message: { type: 'rows', question, rows: rows.slice(from, from + rowsPerMessage), isLast: false } });
        await new Promise((resolve) => setImmediate(resolve));
      }
      this.#post({ job, message: { type: 'rows', question, rows: rows.slice(from), isLast: true } });
    } catch (error) {
      this.#post({ job, message: { type: 'unanswered', question, failure: toPlain(error) } });
    }
  }

  #post(work: Work): void {
    this.#outbox.push(work);
    this.#sendNext();
  }

  #finish(job: Job): void {
    this.#jobs.delete(job.id);
    this.#sendNext();
    if (this.#jobs.size > 0) return;
    clearInterval(this.#heartbeat);
    this.#heartbeat = undefined;
    this.#worker.unref();
    this.#idle = setTimeout(() => this.#fail(undefined), idleMs).unref();
  }

  /** Runs only while there are jobs. The limit includes starting the thread. */
  #startHeartbeat(): void {
    const isStarting = this.#answeredAt === 0;
    let checkedAt = performance.now();
    this.#answeredAt = isStarting ? checkedAt + maxStartMs - maxBusyMs : checkedAt;
    this.#heartbeat = setInterval(() => {
      const now = performance.now();
      // A busy main thread could not have received an answer.
      if (now - checkedAt > 4 * heartbeatMs) this.#answeredAt = now;
      checkedAt = now;
      if (this.#current !== undefined && now - this.#answeredAt > maxBusyMs) this.#fail(tooComplex());
    }, heartbeatMs).unref();
  }

  /**
   * Ends the thread. A check that was alone in it fails. Of several, the one that the thread was working on is tried again alone, since an
   * answer for it may have let others go on; the others begin again after it.
   */
  #fail(failure: Failure | undefined): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    clearInterval(this.#heartbeat);
    clearTimeout(this.#idle);
    void this.#worker.terminate();
    const running = [...this.#jobs.values()];
    this.#jobs.clear();
    const [only] = running.length === 1 ? running : [];
    only?.reject(failure);
    const isSuspect = (job: Job) => this.#current === undefined || job === this.#current;
    const others = running.filter((job) => job !== only).map((job) => ({ ...job, isSuspect: isSuspect(job) }));
    this.#onEnd([...others, ...this.#queue.drain()]);
  }

  #send(message: ToThread): void {
    if (!this.#isEnded) this.#worker.postMessage(message);
  }
}

/** Without these flags V8 compiles the parser a second time for speed, which takes 20 MB. */
function keepParserSmall(): void {
  // Since Node 24 the first of them does not imply the two behind it: the engine would take 500 MB.
  const flags = ['--liftoff-only', '--no-wasm-tier-up', '--no-wasm-dynamic-tiering', '--wasm-lazy-compilation'];
  for (const flag of flags) setFlagsFromString(flag);
}

function createWorker(): Worker {
  keepParserSmall();
  const options = {
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb, maxYoungGenerationSizeMb: maxYoungMb },
    // Its output must not reach the protocol.
    stdout: true,
    stderr: true,
  };
  // The bundle has the worker as a file beside this one; the source needs a loader.
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
    hint: ['Simplify the statement, or read the tables without that function or view.', passParams],
  });
}
