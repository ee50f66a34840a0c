import { existsSync } from 'node:fs';
import { Failure, type Fields, isFields, onAbort, parseJson } from '@dbmole/core';
import type { Client, JSONRPCMessage } from '@modelcontextprotocol/client';
import type { Launch } from '../config/launch.ts';
import { maxAnswerBytes, ServerProcess } from './child-process.ts';
import type { OpenOptions, ServerConnection } from './connection.ts';
import { DirectRequests, type RequestHooks } from './direct-requests.ts';
import type { OrphanGuard } from './orphan-guard.ts';
import { createClient, envelope, readCapabilities, readIdentity, startFailure, type Transport } from './sdk-client.ts';
import { StderrLog } from './stderr-log.ts';

export interface StdioOptions extends OpenOptions {
  launch: Extract<Launch, { kind: 'stdio' }>;
  guard: OrphanGuard;
  logFile: string;
}

/** What a message counts in the flow of a server, and one that the SDK checks. */
const messageBytes = 16 * 1024;
const checkedBytes = 128 * 1024;
/** Notifications that are not passed on; the last one is of a request that is over. */
const unusedNotifications: ReadonlySet<unknown> = new Set(
  ['message', 'resources/updated', 'progress'].map((name) => `notifications/${name}`),
);

/** Starts a program and speaks to it in the era that it knows. A server that ends at the newer era's question is started again. */
export async function openStdio(options: StdioOptions): Promise<ServerConnection> {
  const end = Date.now() + options.startMs;
  try {
    return await open(options.era, options);
  } catch (error) {
    const left = end - Date.now();
    if (options.signal.aborted || left <= 0 || !(error instanceof EndedDuringProbe)) throw error;
    return await open('legacy', { ...options, startMs: left });
  }
}

/** Some servers end when the first message is not `initialize`. */
class EndedDuringProbe extends Failure {}

async function open(era: OpenOptions['era'], options: StdioOptions): Promise<ServerConnection> {
  const connection = new StdioConnection(era, options);
  await connection.connect();
  return connection;
}

/** A program of which we read and write the streams: the SDK for the handshake, and direct requests for all that follows. */
class StdioConnection implements ServerConnection {
  readonly #era: OpenOptions['era'];
  readonly #options: StdioOptions;
  readonly #stderr: StderrLog;
  readonly #direct = new DirectRequests((message) => this.#transport.post(message));
  readonly #transport = new ChildTransport(() => this.#start());
  readonly #client: Client;
  #identity: ServerConnection['identity'] | undefined;
  #isEnding = false;
  #ended: string | undefined;

  constructor(era: OpenOptions['era'], options: StdioOptions) {
    this.#era = era;
    this.#options = options;
    this.#stderr = new StderrLog(options.logFile);
    this.#client = createClient(era, options);
    this.#client.onerror = () => undefined;
  }

  get pid(): number | undefined {
    return this.#transport.process?.pid;
  }

  get identity(): ServerConnection['identity'] {
    if (this.#identity === undefined) throw new Error('the server has not answered yet');
    return this.#identity;
  }

  get capabilities(): Fields {
    return readCapabilities(this.#client);
  }

  async connect(): Promise<void> {
    const { signal, startMs } = this.#options;
    const limit = AbortSignal.any([signal, AbortSignal.timeout(startMs)]);
    try {
      // Ours comes first, so that the error names it; both at once would race.
      await until(this.#client.connect(this.#transport, { timeout: 2 * startMs }), limit);
      this.#identity = readIdentity(this.#client);
    } catch (error) {
      this.#isEnding = true;
      const { process } = this.#transport;
      // Killing it would look like an end of its own.
      const ended = this.#ended;
      await process?.kill();
      if (signal.aborted) throw signal.reason;
      throw this.#describeStart(error, { ended, isLate: limit.aborted });
    }
  }

  request(method: string, params: Fields, hooks: RequestHooks & { capabilities?: Fields }): Promise<Fields> {
    if (this.#ended !== undefined) return Promise.reject(endedFailure(this.#options.name, this.#ended));
    if (this.identity.era === 'legacy') return this.#direct.request(method, params, hooks);
    const meta = { ...(isFields(params._meta) && params._meta), ...envelope(this.#client, hooks.capabilities) };
    return this.#direct.request(method, { ...params, _meta: meta }, hooks);
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    await this.#transport.process?.end();
  }

  kill(): void {
    void this.#transport.process?.kill();
  }

  async #start(): Promise<ServerProcess> {
    const { launch, guard, name } = this.#options;
    return await ServerProcess.start({
      ...{ launch, guard, onStderr: this.#stderr.write },
      onLine: (line) => this.#receive(line),
      onOversized: (bytes, ends) => this.#direct.failOversized(ends, tooLong(name, bytes)),
      onExit: (how) => this.#onExit(how),
    });
  }

  #receive(line: string): number {
    const message = parseJson(line);
    // Anything else on its output is a mistake of the server, and of no use to a client.
    if (!isFields(message)) return 0;
    if (this.#direct.take(message) || unusedNotifications.has(message.method)) return messageBytes;
    // The SDK checks the message.
    this.#transport.onmessage?.(message as unknown as JSONRPCMessage);
    return checkedBytes;
  }

  #onExit(how: string): void {
    this.#ended = how;
    this.#stderr.close();
    this.#direct.failAll(endedFailure(this.#options.name, how));
    this.#transport.onclose?.();
    if (this.#identity !== undefined && !this.#isEnding) this.#options.events.onLost(how);
  }

  #describeStart(error: unknown, { ended, isLate }: { ended: string | undefined; isLate: boolean }): Failure {
    const { name, startMs } = this.#options;
    const { lastWords } = this.#stderr;
    const last = lastWords === undefined ? '' : `; it said ${JSON.stringify(lastWords)}`;
    if (ended !== undefined && this.#era !== 'legacy' && this.#transport.process !== undefined)
      return new EndedDuringProbe('connection', `server "${name}" ended ${ended} at its start${last}`, {
        code: 'E_SERVER_START',
      });
    if (this.#transport.process === undefined) return describeSpawn(error, this.#options);
    if (isLate) return startFailure(name, `did not answer within ${startMs} ms${last}`, { cause: error });
    const why = ended === undefined ? `does not answer like an MCP server: ${readMessage(error)}` : `ended ${ended} at its start`;
    return startFailure(name, `${why}${last}`, { cause: error });
  }
}

/** The SDK's side of the stream. The two accessors tell the SDK that this is a program and no server in the network. */
class ChildTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  readonly stderr = null;
  readonly #start: () => Promise<ServerProcess>;
  process: ServerProcess | undefined;

  constructor(start: () => Promise<ServerProcess>) {
    this.#start = start;
  }

  get pid(): number | null {
    return this.process?.pid ?? null;
  }

  async start(): Promise<void> {
    this.process = await this.#start();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.post(message);
  }

  post(message: object): void {
    if (this.process?.write(JSON.stringify(message)) === false) void this.process.kill();
  }

  /** The owner of the connection ends the process. */
  async close(): Promise<void> {
    this.onclose?.();
  }
}

function until<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = onAbort(signal, () => reject(signal.reason));
    work.then(resolve, reject).finally(stop);
  });
}

export function endedFailure(name: string, how: string): Failure {
  return new Failure('connection', `server "${name}" ended ${how} during the call, which may have taken effect`, {
    code: 'E_SERVER_ENDED',
    hint: ['Check whether it did before you repeat it; the next call starts the server again.'],
  });
}

/** The system says the same when the program is missing and when its folder is. */
function describeSpawn(error: unknown, { name, launch: { command, cwd } }: StdioOptions): Failure {
  const program = JSON.stringify(command);
  if (!existsSync(cwd))
    return startFailure(name, `cannot be started: its folder ${cwd} does not exist`, { cause: error, advice: 'Correct "cwd".' });
  const { code } = Object(error);
  if (code === 'ENOENT')
    return startFailure(name, `cannot be started: the program ${program} was not found (ENOENT)`, {
      cause: error,
      advice: 'Write the full path of the program as "command": the hub may have another PATH than your terminal.',
    });
  const advice = code === 'EACCES' ? `Make ${program} executable, or write the program that runs it as "command".` : undefined;
  return startFailure(name, `cannot be started: ${readMessage(error)}`, { cause: error, advice });
}

function tooLong(name: string, bytes: number): Failure {
  return new Failure('limit', `server "${name}" answered with ${bytes} bytes; at most ${maxAnswerBytes} are passed on`, {
    hint: 'Ask for less.',
  });
}

function readMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
