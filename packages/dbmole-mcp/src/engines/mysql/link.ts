import type { Duplex } from 'node:stream';
import { ReadBuffers } from '@dbmole/core/read-buffers';
import { createDeferred } from './deferred.ts';
import { type CellReader, type OnRow, RowReader } from './row-reader.ts';
import type { Field } from './values.ts';
import { WireFilter } from './wire-filter.ts';

type Done = (error: Error | null, result?: unknown) => void;

/** What we call, replace or listen to of the driver's connection. */
export interface Driver {
  threadId: number;
  stream: Duplex;
  packetParser: { execute(chunk: Buffer): void };
  startTLS(done: (error?: Error) => void): void;
  query(options: { sql: string; rowsAsArray: true }, done: Done): { on(event: 'fields', listener: OnFields): unknown };
  prepare(options: { sql: string }, done: Done): unknown;
  execute(options: { sql: string; values: readonly BoundValue[] }, done: Done): unknown;
  unprepare(sql: string): unknown;
  reset(done: Done): unknown;
  end(done: Done): unknown;
  on(event: 'error' | 'end' | 'connect', listener: (detail?: unknown) => void): unknown;
}

type OnFields = (fields: readonly Field[] | undefined) => void;

export type BoundValue = string | number | boolean | null;

/** Where the first set of rows of a query goes; later ones go nowhere. It must not throw. */
export interface RowHandler {
  fields(fields: readonly Field[]): readonly CellReader[];
  row: OnRow;
  /** For each later set. */
  another?(): void;
}

export interface QueryEnd {
  /** Undefined for a statement that returned rows. */
  affectedRows: number | undefined;
  warnings: number;
  inTransaction: boolean;
  /** The database that the statement changed to, if it did. */
  database: string | undefined;
}

/** One connection. It runs one command at a time. */
export interface Link {
  readonly opened: Promise<void>;
  /** Resolves when nothing is left of it. */
  readonly closed: Promise<void>;
  readonly threadId: number;
  /** Why nothing can be sent any more. */
  readonly lost: Error | undefined;
  /** The other side has closed it; why, is known a moment later. */
  readonly leaving: boolean;
  /** Once it was abandoned: resolves when the command has ended, or nothing more can be learned of it. */
  readonly pendingEnd: Promise<void> | undefined;
  query(sql: string, rows?: RowHandler): Promise<QueryEnd>;
  /** A statement without rows, with its values bound by the engine. */
  bind(sql: string, values: readonly BoundValue[]): Promise<void>;
  /** How many columns the statement would give, by the engine's own word. It does not run. */
  countColumns(sql: string): Promise<number>;
  /** Takes back all that belongs to the session, ends its transaction and releases its locks. */
  reset(): Promise<void>;
  /**
   * The same, and then statements without rows, all in one write. The driver does not see it, so nothing in the session may have
   * told it to write in another character set.
   */
  renew(statements: readonly string[]): Promise<void>;
  /** Stops and goes on reading from the network. */
  pause(): void;
  resume(): void;
  /** Whatever runs fails with this error. */
  lose(error: Error): void;
  /** Both directions, at once. */
  destroy(): void;
  /** Gives up the command that runs. The connection stays open until the server answers it, which tells that it has ended. */
  abandon(): void;
  /** Says goodbye; never rejects. */
  end(): Promise<void>;
}

const goodbyeMs = 1_000;
/** What is on its way when a command is abandoned is less. */
const maxUnwanted = 64 * 1024 * 1024;
/** Of the protocol. */
const [queryCommand, resetCommand] = [0x03, 0x1f];
const headSize = 4;

export function createLink(driver: Driver, socket: Duplex): Link {
  return new DriverLink(driver, socket);
}

class DriverLink implements Link {
  readonly opened: Promise<void>;
  readonly #driver: Driver;
  readonly #socket: Duplex;
  readonly #filter: WireFilter;
  readonly #buffers = new ReadBuffers();
  readonly #closed = createDeferred<void>();
  #lost: Error | undefined;
  #leaving = false;
  #pendingEnd: Promise<void> | undefined;
  #unwanted = 0;
  #fail: ((error: Error) => void) | undefined;

  constructor(driver: Driver, socket: Duplex) {
    this.#driver = driver;
    this.#socket = socket;
    const parser = driver.packetParser;
    this.#filter = new WireFilter((packet) => parser.execute(packet));
    driver.packetParser = { execute: (chunk) => this.#receive(chunk) };
    const { promise, resolve, reject } = createDeferred<void>();
    this.#fail = reject;
    this.opened = promise;
    // Whoever opens may have given up before it fails.
    promise.catch(() => undefined);
    driver.on('connect', () => {
      this.#fail = undefined;
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

  async query(sql: string, rows?: RowHandler): Promise<QueryEnd> {
    const target = new ResultTarget(rows);
    const result = await this.#run((done) => {
      this.#filter.expectQuery(() => target.nextReader());
      this.#driver.query({ sql, rowsAsArray: true }, done).on('fields', (fields) => target.setFields(fields));
    });
    return { warnings: this.#filter.warnings, inTransaction: this.#filter.inTransaction, ...readHeader(result) };
  }

  async bind(sql: string, values: readonly BoundValue[]): Promise<void> {
    try {
      await this.#run((done) => this.#driver.execute({ sql, values }, done));
    } finally {
      if (this.#lost === undefined) this.#driver.unprepare(sql);
    }
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

  async renew(statements: readonly string[]): Promise<void> {
    const packets = [encodeCommand(resetCommand), ...statements.map((sql) => encodeCommand(queryCommand, sql))];
    await this.#run((done) => {
      this.#filter.expectOwn(packets.length, (error) => done(error ?? null));
      this.#driver.stream.write(Buffer.concat(packets));
    });
  }

  pause(): void {
    this.#driver.stream.pause();
  }

  resume(): void {
    this.#driver.stream.resume();
  }

  lose(error: Error): void {
    this.#lost ??= error;
    const fail = this.#fail;
    this.#fail = undefined;
    fail?.(this.#lost);
  }

  destroy(): void {
    this.lose(lostError());
    // The driver's own `destroy` only closes one direction.
    this.#driver.stream.destroy();
    this.#socket.destroy();
  }

  abandon(): void {
    if (this.#lost !== undefined) return;
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
    this.#fail = reject;
    start((error, result) => {
      this.#fail = undefined;
      if (this.#pendingEnd !== undefined) this.destroy();
      if (error === null) resolve(result);
      else this.#failed(error, reject);
    });
    return promise;
  }

  #failed(error: Error, reject: (error: Error) => void): void {
    // The driver's mark of an error after which it sends nothing.
    if (Reflect.get(error, 'fatal') === true) this.lose(error);
    reject(this.#lost ?? error);
  }

  /** What is thrown here would be thrown by the socket, and end the process. */
  #receive(chunk: Buffer): void {
    if (this.#lost !== undefined && this.#fail === undefined && this.#socket.destroyed) return;
    this.#buffers.add(chunk.length);
    if (this.#pendingEnd !== undefined) this.#unwanted += chunk.length;
    if (this.#unwanted > maxUnwanted) this.destroy();
    try {
      this.#filter.push(chunk);
    } catch (error) {
      this.lose(new Error('the server does not keep to the protocol', { cause: error }));
      this.destroy();
    }
  }
}

/** A packet: three bytes of length, its number, the command and its text. */
function encodeCommand(command: number, text = ''): Buffer {
  const packet = Buffer.alloc(headSize + 1 + Buffer.byteLength(text));
  packet.writeUIntLE(packet.length - headSize, 0, 3);
  packet[headSize] = command;
  packet.write(text, headSize + 1);
  return packet;
}

/** The rows of one query on their way to a handler. */
class ResultTarget {
  readonly #handler: RowHandler | undefined;
  #fields: readonly Field[] = [];
  #sets = 0;

  constructor(handler: RowHandler | undefined) {
    this.#handler = handler;
  }

  setFields(fields: readonly Field[] | undefined): void {
    this.#fields = fields ?? [];
  }

  nextReader(): RowReader {
    this.#sets += 1;
    const handler = this.#handler;
    if (this.#sets > 1) handler?.another?.();
    if (handler === undefined || this.#sets > 1) return new RowReader([], undefined);
    return new RowReader(handler.fields(this.#fields), (cells) => handler.row(cells));
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
