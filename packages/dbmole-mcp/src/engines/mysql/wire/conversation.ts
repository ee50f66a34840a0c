import type { Duplex } from 'node:stream';
import { ReadBuffers } from '@dbmole/core/read-buffers';
import { ResultTarget, type RowHandler } from '../values/row-reader.ts';
import type { Field } from '../values/values.ts';
import { createDeferred } from './deferred.ts';
import { encodeQuery, encodeReset, type QueryStatus, WireFilter } from './wire-filter.ts';

type Done = (error: Error | null, result?: unknown) => void;

/** The used part of the driver's connection. */
export interface Driver {
  threadId: number;
  stream: Duplex;
  write(packet: Buffer): void;
  packetParser: { execute(chunk: Buffer): void };
  startTLS(done: (error?: Error) => void): void;
  query(options: { sql: string; rowsAsArray: true }, done: Done): { on(event: 'fields', listener: OnFields): unknown };
  prepare(options: { sql: string }, done: Done): unknown;
  unprepare(sql: string): unknown;
  reset(done: Done): unknown;
  end(done: Done): unknown;
  on(event: 'error' | 'end' | 'connect', listener: (detail?: unknown) => void): unknown;
}

type OnFields = (fields: readonly Field[] | undefined) => void;

export interface QueryEnd extends QueryStatus {
  /** Undefined for a statement that returned rows. */
  affectedRows: number | undefined;
  /** The database that the statement changed to, if it did. */
  database: string | undefined;
}

/** One connection. The server runs one command at a time. */
export interface Conversation {
  readonly opened: Promise<void>;
  /** Resolves when the connection is closed. */
  readonly closed: Promise<void>;
  readonly threadId: number;
  /** The reason why nothing can be sent. */
  readonly lost: Error | undefined;
  /** The server has closed the connection; the reason is known a moment later. */
  readonly leaving: boolean;
  /** Set by `abandon`: resolves when the command has ended, or when the connection is lost. */
  readonly pendingEnd: Promise<void> | undefined;
  /** Others may be started before it has ended: they run in this order, and as far as the server allows it are sent at once. */
  query(sql: string, rows?: RowHandler): Promise<QueryEnd>;
  /** How many columns the statement would give, by the engine's own word. It does not run. */
  countColumns(sql: string): Promise<number>;
  /** Takes back all that belongs to the session, ends its transaction and releases its locks. */
  reset(): Promise<void>;
  /**
   * The same, and then statements without rows, all in one write. The driver does not see it, so nothing in the session may have
   * told it to write in another character set. Queries may follow at once: when this fails, the connection is lost before any row
   * of theirs is read.
   */
  renew(statements: readonly string[]): Promise<void>;
  /** The statements alone, in the same way. */
  runAhead(statements: readonly string[]): Promise<void>;
  /** The server has not answered all of these statements yet. */
  readonly isAhead: boolean;
  /** Pauses reading from the network. */
  pause(): void;
  resume(): void;
  /** Fails all commands that run with this error. */
  lose(error: Error): void;
  /** Closes both directions at once. */
  destroy(): void;
  /**
   * Gives up the command that runs. The connection stays open until the server answers, which reports that the command has ended.
   * Without a command it is closed at once.
   */
  abandon(): void;
  /** Says goodbye; never rejects. */
  end(): Promise<void>;
}

const goodbyeMs = 1_000;
/** The limit of what an abandoned command may still send. */
const maxUnwanted = 64 * 1024 * 1024;
/** Characters of a query that is sent before the one in front of it was answered: it has to fit into one packet. */
const maxEarlyLength = 1024 * 1024;

export function createConversation(driver: Driver, socket: Duplex): Conversation {
  return new DriverConversation(driver, socket);
}

class DriverConversation implements Conversation {
  readonly opened: Promise<void>;
  readonly #driver: Driver;
  readonly #socket: Duplex;
  readonly #filter: WireFilter;
  readonly #buffers: ReadBuffers;
  /** Reading is paused until `resume`. */
  #isHeld = false;
  readonly #closed = createDeferred<void>();
  #lost: Error | undefined;
  #leaving = false;
  #pendingEnd: Promise<void> | undefined;
  #unwanted = 0;
  /** Each gets the reason when the connection is lost. */
  readonly #failing = new Set<(error: Error) => void>();
  /** Commands of the driver that were not answered yet. */
  #running = 0;
  /** The server, and what is between it and us, has taken several commands in one write. */
  #takesSeveral = false;
  /** Packets that were sent before the driver came to send them. */
  readonly #early: Buffer[] = [];

  constructor(driver: Driver, socket: Duplex) {
    this.#driver = driver;
    this.#socket = socket;
    this.#buffers = new ReadBuffers({
      pause: () => driver.stream.pause(),
      resume: () => this.#isHeld || driver.stream.resume(),
    });
    const parser = driver.packetParser;
    this.#filter = new WireFilter((packet) => parser.execute(packet));
    driver.packetParser = { execute: (chunk) => this.#receive(chunk) };
    const write = driver.write.bind(driver);
    driver.write = (packet) => {
      if (this.#early[0]?.equals(packet)) this.#early.shift();
      else write(packet);
    };
    const { promise, resolve, reject } = createDeferred<void>();
    this.#failing.add(reject);
    this.opened = promise;
    // The caller may have given up before it fails.
    promise.catch(() => undefined);
    driver.on('connect', () => {
      this.#failing.delete(reject);
      resolve();
    });
    // Without a listener the loss of an idle connection would be an uncaught exception.
    driver.on('error', (error) => this.#loseSoon(error instanceof Error ? error : new Error(String(error))));
    socket.on('error', (error) => this.lose(error));
    socket.on('end', () => this.#loseSoon(lostError()));
    socket.on('close', () => {
      this.#loseSoon(lostError());
      this.#closed.resolve();
    });
  }

  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  get threadId(): number {
    return this.#driver.threadId;
  }

  get lost(): Error | undefined {
    return this.#lost;
  }

  get leaving(): boolean {
    return this.#leaving;
  }

  get pendingEnd(): Promise<void> | undefined {
    return this.#pendingEnd;
  }

  get isAhead(): boolean {
    return this.#filter.awaitsOwn;
  }

  async query(sql: string, rows?: RowHandler): Promise<QueryEnd> {
    const target = new ResultTarget(rows);
    let status: QueryStatus | undefined;
    const result = await this.#run((done) => {
      status = this.#filter.expectQuery(() => target.nextReader());
      if (this.#running > 1 && this.#takesSeveral && sql.length <= maxEarlyLength) {
        this.#early.push(encodeQuery(sql));
        this.#driver.stream.write(this.#early.at(-1));
      }
      this.#driver.query({ sql, rowsAsArray: true }, done).on('fields', (fields) => target.setFields(fields));
    });
    return { warnings: 0, inTransaction: false, ...status, ...readHeader(result) };
  }

  async countColumns(sql: string): Promise<number> {
    try {
      return readColumns(await this.#run((done) => this.#driver.prepare({ sql }, done)));
    } finally {
      if (this.#lost === undefined) this.#driver.unprepare(sql);
    }
  }

  async reset(): Promise<void> {
    await this.#run((done) => this.#driver.reset(done));
  }

  renew(statements: readonly string[]): Promise<void> {
    return this.#sendAhead([encodeReset(), ...statements.map(encodeQuery)]);
  }

  runAhead(statements: readonly string[]): Promise<void> {
    return this.#sendAhead(statements.map(encodeQuery));
  }

  async #sendAhead(packets: readonly Buffer[]): Promise<void> {
    if (this.#lost !== undefined) throw this.#lost;
    const { promise, resolve, reject } = createDeferred<void>();
    this.#filter.expectOwn(packets.length, (error) => {
      this.#takesSeveral = error === undefined;
      if (error === undefined) this.#failing.delete(reject);
      else this.lose(error);
      resolve();
    });
    this.#failing.add(reject);
    this.#driver.stream.write(Buffer.concat(packets));
    await promise;
  }

  pause(): void {
    this.#isHeld = true;
    this.#driver.stream.pause();
  }

  resume(): void {
    this.#isHeld = false;
    this.#driver.stream.resume();
  }

  lose(error: Error): void {
    this.#lost ??= error;
    const failing = [...this.#failing];
    this.#failing.clear();
    for (const fail of failing) fail(this.#lost);
  }

  destroy(): void {
    this.lose(lostError());
    // The driver's own `destroy` closes one direction only.
    this.#driver.stream.destroy();
    this.#socket.destroy();
  }

  abandon(): void {
    if (this.#lost !== undefined) return;
    if (this.#running === 0) {
      this.destroy();
      return;
    }
    this.#pendingEnd = this.#closed.promise;
    this.lose(lostError());
    this.resume();
  }

  async end(): Promise<void> {
    if (this.#lost === undefined) {
      this.#lost = lostError();
      this.#driver.end(() => undefined);
      const timer = setTimeout(() => this.#closed.resolve(), goodbyeMs);
      await this.#closed.promise;
      clearTimeout(timer);
    }
    this.destroy();
  }

  /** TLS reports what was wrong only after it has closed the stream below it, and that is the better reason. */
  #loseSoon(error: Error): void {
    this.#leaving = true;
    setImmediate(() => setImmediate(() => this.lose(error)));
  }

  #run(start: (done: Done) => void): Promise<unknown> {
    if (this.#lost !== undefined) return Promise.reject(this.#lost);
    const { promise, resolve, reject } = createDeferred<unknown>();
    this.#failing.add(reject);
    this.#running += 1;
    start((error, result) => {
      this.#failing.delete(reject);
      this.#running -= 1;
      if (this.#pendingEnd !== undefined && this.#running === 0) this.destroy();
      if (error === null) resolve(result);
      else this.#failed(error, reject);
    });
    return promise;
  }

  #failed(error: Error, reject: (error: Error) => void): void {
    // The driver sends nothing after an error that it marks as fatal.
    if (Reflect.get(error, 'fatal') === true) this.lose(error);
    reject(this.#lost ?? error);
  }

  /** An error must not escape: the socket would throw it and end the process. */
  #receive(chunk: Buffer): void {
    if (this.#lost !== undefined && this.#failing.size === 0 && this.#socket.destroyed) return;
    this.#buffers.add(chunk.length);
    if (this.#pendingEnd !== undefined) this.#unwanted += chunk.length;
    if (this.#unwanted > maxUnwanted) this.destroy();
    try {
      this.#filter.push(chunk);
    } catch (error) {
      this.lose(new Error('the server violates the protocol', { cause: error }));
      this.destroy();
    }
  }
}

function lostError(): Error {
  return Object.assign(new Error('the connection was lost'), { code: 'PROTOCOL_CONNECTION_LOST' });
}

function readColumns(statement: unknown): number {
  const columns: unknown = typeof statement === 'object' && statement !== null ? Reflect.get(statement, 'columns') : undefined;
  return Array.isArray(columns) ? columns.length : 0;
}

/** The driver gives rows, which we have taken out, or what the engine says of a statement without rows, or a list of those. */
function readHeader(result: unknown): Pick<QueryEnd, 'affectedRows' | 'database'> {
  const last: unknown = Array.isArray(result) ? result.at(-1) : result;
  if (typeof last !== 'object' || last === null || Array.isArray(last)) return { affectedRows: undefined, database: undefined };
  const affectedRows: unknown = Reflect.get(last, 'affectedRows');
  const changes: unknown = Reflect.get(last, 'stateChanges');
  const database: unknown = typeof changes === 'object' && changes !== null ? Reflect.get(changes, 'schema') : undefined;
  return {
    affectedRows: typeof affectedRows === 'number' ? affectedRows : undefined,
    database: typeof database === 'string' ? database : undefined,
  };
}
