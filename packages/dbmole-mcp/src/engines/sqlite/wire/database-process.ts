import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { Failure } from '@dbmole/core';
import { LineReader } from '@dbmole/core/line-reader';
import { type DoneMessage, type FailedMessage, type FromProcess, goOn, stop, type ToProcess } from '../process/messages.ts';
import { describeNode } from './find-node.ts';

/** An error of SQLite, or of the process that calls it. */
export class SqliteError extends Error {
  readonly code: number | undefined;
  readonly isChanged: boolean;
  readonly isLeft: boolean;
  readonly isLink: boolean;

  constructor({ message, code, isChanged = false, isLeft = false, isLink = false }: Omit<FailedMessage, 'type'>) {
    super(message);
    this.code = code;
    this.isChanged = isChanged;
    this.isLeft = isLeft;
    this.isLink = isLink;
  }
}

/** Where the result of a statement goes. */
export interface RowHandler {
  columns(columns: Extract<FromProcess, { type: 'columns' }>['columns'], total: number): void;
  /** False: no more of them. */
  rows(rows: Extract<FromProcess, { type: 'rows' }>['rows']): boolean;
}

interface Exchange {
  handler: RowHandler | undefined;
  resolve(done: DoneMessage): void;
  reject(error: unknown): void;
}

/** Room for large cells; the process ends when it needs more. */
const maxHeapMb = 512;

/**
 * The process in which SQLite runs. A thread would not do: nothing stops a statement inside of SQLite, and a thread that is in one keeps
 * the whole server from ending. Killing a process always works, and SQLite survives it.
 */
export class DatabaseProcess {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #exchanges: Exchange[] = [];
  /** Resolves when the process is gone, and never rejects. */
  readonly ended: Promise<void>;
  /** The other end is our own program. */
  readonly #lines = new LineReader({ bytes: Number.POSITIVE_INFINITY }, (event) => {
    if (event.kind === 'line') this.#take(JSON.parse(event.text) as FromProcess);
  });
  #complaint = '';
  #isAlive = true;

  constructor() {
    const { node, args, env } = describeNode(new URL('../process/database-program.ts', import.meta.url));
    const words = [`--max-old-space-size=${maxHeapMb}`, ...args];
    this.#child = spawn(node, words, { env, stdio: ['pipe', 'pipe', 'pipe'], windowsHide: true });
    this.ended = new Promise((resolve) => {
      this.#child.once('error', (error) => this.#end(resolve, describeStart(error)));
      this.#child.once('close', (code, signal) => this.#end(resolve, describeEnd(code, signal, this.#complaint)));
    });
    this.#child.stdout.on('data', (bytes: Buffer) => this.#lines.push(bytes));
    this.#child.stderr.on('data', (bytes: Buffer) => this.#keepComplaint(bytes));
    // The error of a lost process is that of its end.
    this.#child.stdin.on('error', () => undefined);
    this.#keepRunning(false);
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** Requests are answered one by one, in their order. */
  send(request: ToProcess, handler?: RowHandler): Promise<DoneMessage> {
    return new Promise((resolve, reject) => {
      if (!this.#isAlive) {
        reject(describeEnd(null, null, this.#complaint));
        return;
      }
      this.#exchanges.push({ handler, resolve, reject });
      this.#keepRunning(true);
      this.#child.stdin.write(`${JSON.stringify(request)}\n`);
    });
  }

  /** Stops whatever runs. What a write has not committed is rolled back when the file is opened next. */
  kill(): void {
    this.#isAlive = false;
    this.#child.kill('SIGKILL');
  }

  /** An idle process must not keep the server from ending. */
  #keepRunning(isBusy: boolean): void {
    const change = isBusy ? 'ref' : 'unref';
    this.#child[change]();
    for (const stream of [this.#child.stdin, this.#child.stdout, this.#child.stderr])
      if (change in stream) Reflect.apply(Reflect.get(stream, change), stream, []);
  }

  #take(message: FromProcess): void {
    const [exchange] = this.#exchanges;
    if (exchange === undefined) return;
    if (message.type === 'columns') exchange.handler?.columns(message.columns, message.total);
    else if (message.type === 'rows') {
      const wantsMore = exchange.handler?.rows(message.rows) ?? true;
      this.#child.stdin.write(`${wantsMore ? goOn : stop}\n`);
    } else {
      this.#exchanges.shift();
      if (this.#exchanges.length === 0) this.#keepRunning(false);
      if (message.type === 'done') exchange.resolve(message);
      else exchange.reject(new SqliteError(message));
    }
  }

  #keepComplaint(bytes: Buffer): void {
    if (this.#complaint.length < 10_000) this.#complaint += bytes.toString();
  }

  #end(resolve: () => void, failure: Failure): void {
    this.#isAlive = false;
    for (const { reject } of this.#exchanges.splice(0)) reject(failure);
    resolve();
  }
}

function describeStart(error: Error): Failure {
  return new Failure('config', `the process that opens SQLite files does not start: ${error.message}`, {
    code: 'E_NODE_VERSION',
    hint: 'Check DBMOLE_NODE.',
    cause: error,
  });
}

function describeEnd(code: number | null, signal: string | null, complaint: string): Failure {
  const isFull = /heap out of memory/i.test(complaint);
  const why = isFull ? `needed more than ${maxHeapMb} MB` : `ended (${signal ?? `exit code ${code ?? 'unknown'}`})`;
  return new Failure('engine', `the process that reads the SQLite file ${why}`, {
    code: isFull ? 'E_LIMIT' : 'E_PROCESS_ENDED',
    hint: isFull
      ? 'Select fewer or smaller values, as with substr().'
      : 'Retry; if it persists, check the file with PRAGMA integrity_check.',
  });
}
