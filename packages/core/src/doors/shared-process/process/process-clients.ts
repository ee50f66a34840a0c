import { chmodSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { settlesWithin } from '../../../abort.ts';
import { Failure, toFailure } from '../../../failure.ts';
import type { Log } from '../../../log.ts';
import type { RunningCalls } from '../../../tools/running-calls.ts';
import { type Hello, type Identity, parseHello, readFirstLine, socketProtocol, writeLine } from '../hello.ts';

export interface ClientsOptions {
  socket: string;
  identity: Identity;
  /** The calls of all clients. */
  calls: Pick<RunningCalls, 'count' | 'abortAll'>;
  /** What a client gets for its first line, which may narrow what it sees; throws to refuse it. */
  open(hello: Hello): Promise<(socket: Socket) => void>;
  dispose(): Promise<void>;
  /** Milliseconds for that. */
  disposeMs?: number;
  log: Log;
  /** Ends the process. */
  exit(code: number): void;
}

/** Milliseconds that the process stays after its last client. */
const defaultIdleMs = 300_000;
const helloMs = 5_000;
const abortedAnswersMs = 250;
const defaultDisposeMs = 1_200;
/** What is written to a socket last gets this long. */
const flushMs = 50;

/** The clients of a process. It ends when the last one is gone and the time is over. */
export class Clients {
  readonly #options: ClientsOptions;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #idleMs = defaultIdleMs;
  #timer: NodeJS.Timeout | undefined;
  #isDraining = false;
  #stopping: Promise<void> | undefined;

  constructor(options: ClientsOptions) {
    this.#options = options;
    this.#server = createServer({ allowHalfOpen: true }, (socket) => void this.#accept(socket));
  }

  async listen(): Promise<void> {
    const { socket } = this.#options;
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject).listen(socket, resolve);
    });
    if (process.platform !== 'win32') chmodSync(socket, 0o600);
    this.#onChange();
  }

  stop(reason: string): Promise<void> {
    this.#stopping ??= this.#shutDown(reason);
    return this.#stopping;
  }

  async #accept(socket: Socket): Promise<void> {
    this.#sockets.add(socket);
    this.#onChange();
    socket.on('error', () => undefined);
    socket.once('close', () => {
      this.#sockets.delete(socket);
      this.#onChange();
    });
    try {
      const hello = parseHello((await readFirstLine(socket, helloMs)) ?? '');
      if (hello === undefined || this.#stopping !== undefined) socket.destroy();
      else if (hello.want === 'drain') this.#drain(socket);
      else await this.#welcome(socket, hello);
    } catch (error) {
      this.#options.log('warn', 'a client was refused', { error: String(error) });
      socket.destroy();
    }
  }

  async #welcome(socket: Socket, hello: Hello): Promise<void> {
    const answer = { ...this.#options.identity, pid: process.pid };
    if (hello.protocol !== socketProtocol) {
      // The front knows from our identity what to do.
      writeLine(socket, answer);
      socket.destroySoon();
      return;
    }
    try {
      const serveClient = await this.#options.open(hello);
      if (hello.idleMs !== undefined) this.#idleMs = hello.idleMs;
      writeLine(socket, answer);
      serveClient(socket);
    } catch (error) {
      writeLine(socket, { ...answer, refused: toFailure(error).message });
      socket.destroySoon();
    }
  }

  /** The socket's path is free for another process at once. */
  #drain(socket: Socket): void {
    this.#options.log('info', 'a newer version takes the next clients');
    this.#isDraining = true;
    this.#server.close();
    writeLine(socket, { ...this.#options.identity, pid: process.pid });
    socket.destroySoon();
  }

  #onChange(): void {
    clearTimeout(this.#timer);
    if (this.#sockets.size > 0 || this.#stopping !== undefined) return;
    const ms = this.#isDraining ? 0 : this.#idleMs;
    this.#timer = setTimeout(() => void this.stop('no client is left'), ms);
  }

  async #shutDown(reason: string): Promise<void> {
    const { calls, dispose, disposeMs = defaultDisposeMs, log, exit } = this.#options;
    log('debug', `stopping: ${reason}`);
    clearTimeout(this.#timer);
    this.#server.close();
    calls.abortAll(new Failure('cancelled', `the server is stopping (${reason})`, { code: 'E_SHUTTING_DOWN' }));
    const disposed = dispose().catch((error: unknown) => log('warn', 'closing failed', { error: String(error) }));
    const end = Date.now() + abortedAnswersMs;
    while (calls.count > 0 && Date.now() < end) await delay(5);
    await settlesWithin(disposed, { ms: disposeMs, keepsAlive: true });
    for (const socket of this.#sockets) socket.end();
    if (this.#sockets.size > 0) await delay(flushMs);
    exit(0);
  }
}
