import { Failure, type Fields, isFields, networkFailure, toFailure } from '@dbmole/core';
import { type Client, ProtocolError, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import * as z from 'zod';
import type { Launch } from '../config/launch.ts';
import { maxAnswerBytes } from './child-process.ts';
import { type OpenOptions, type ServerConnection, SessionOver } from './connection.ts';
import { type RequestHooks, RpcError } from './direct-requests.ts';
import { createLimitedFetch } from './flow-limit.ts';
import { createClient, envelope, readCapabilities, readIdentity, startFailure } from './sdk-client.ts';

export interface HttpOptions extends OpenOptions {
  launch: Extract<Launch, { kind: 'http' }>;
}

type Hooks = RequestHooks & { capabilities?: Fields };

/** This is longer than any call: the hub has its own limit. */
const maxRequestMs = 2 ** 31 - 1;
const endMs = 1_000;
const anyResult = z.looseObject({});

/** Speaks to a server in the network. The SDK adds what each era wants in the headers. */
export async function openHttp(options: HttpOptions): Promise<ServerConnection> {
  const connection = new HttpConnection(options);
  await connection.connect();
  return connection;
}

class HttpConnection implements ServerConnection {
  readonly pid = undefined;
  readonly #options: HttpOptions;
  readonly #client: Client;
  #isOpen = false;
  #isOver = false;
  #runningCount = 0;

  constructor(options: HttpOptions) {
    this.#options = options;
    this.#client = createClient(options.era, options);
    this.#client.onerror = () => undefined;
    this.#client.onclose = () => this.#lose('its connection');
  }

  async connect(): Promise<void> {
    const { launch, startMs, signal } = this.#options;
    const transport = new StreamableHTTPClientTransport(launch.url, {
      requestInit: { headers: { ...launch.headers } },
      fetch: createLimitedFetch(maxAnswerBytes),
    });
    try {
      await this.#client.connect(transport, { timeout: startMs, signal });
      this.#isOpen = true;
    } catch (error) {
      await this.#close();
      throw describeStart(error, this.#options);
    }
  }

  get identity(): ServerConnection['identity'] {
    return readIdentity(this.#client);
  }

  get capabilities(): Fields {
    return readCapabilities(this.#client);
  }

  async request(method: string, params: Fields, { signal, onProgress, capabilities }: Hooks): Promise<Fields> {
    // The SDK would name our own capabilities, and not those of the client that calls.
    const meta = this.identity.era === 'modern' && {
      _meta: { ...(isFields(params._meta) && params._meta), ...envelope(this.#client, capabilities) },
    };
    this.#runningCount += 1;
    try {
      const result: unknown = await this.#client.request({ method, params: { ...params, ...meta } }, anyResult, {
        ...{ signal, timeout: maxRequestMs, allowInputRequired: true },
        ...(onProgress !== undefined && { onprogress: (progress: Fields) => onProgress(progress) }),
      });
      return isFields(result) ? result : {};
    } catch (error) {
      throw signal.aborted ? signal.reason : this.#describe(error);
    } finally {
      this.#runningCount -= 1;
      this.#closeIfOver();
    }
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.race([this.#close(), new Promise((resolve) => setTimeout(resolve, endMs).unref())]);
  }

  kill(): void {}

  #describe(error: unknown): Error {
    if (error instanceof ProtocolError) return new RpcError(error.code, error.message, error.data);
    const cause = findCause(error);
    if (cause instanceof Failure && cause.code === 'E_LIMIT') return cause;
    const failure = describeCall(error, this.#options);
    if (failure instanceof SessionOver) this.#lose('its session');
    else if (readStatus(error) === undefined) this.#lose('its connection');
    return failure;
  }

  /** The next call opens another connection, for which the secrets in the headers are read again. */
  #lose(how: string): void {
    if (!this.#isOpen || this.#isOver) return;
    this.#isOver = true;
    this.#options.events.onLost(how);
    this.#closeIfOver();
  }

  /** Other calls of a lost connection get their own answers. */
  #closeIfOver(): void {
    if (this.#isOver && this.#runningCount === 0) void this.#close();
  }

  async #close(): Promise<void> {
    await this.#client.close().catch(() => undefined);
  }
}

/** The status of HTTP; undefined when nothing was answered. */
function readStatus(error: unknown): unknown {
  return error instanceof Error && 'data' in error && isFields(error.data) ? error.data.status : undefined;
}

/** Servers answer 404 to a session that they have forgotten, some 400, and 401 where a token has expired. */
function isSessionOver(error: unknown): boolean {
  const status = readStatus(error);
  return status === 404 || status === 401 || (status === 400 && /session/i.test(toFailure(error).message));
}

type Remote = Pick<HttpOptions, 'name' | 'launch'>;

function describeCall(error: unknown, { name, launch: { url } }: Remote): Failure {
  const why = findNetworkFailure(error, url)?.message ?? readCause(error);
  const details = { code: 'E_SERVER_ENDED', cause: error } as const;
  const message = `server "${name}" did not answer: ${why}`;
  if (isSessionOver(error)) return new SessionOver('connection', message, details);
  const hint = 'The call may have taken effect. Check before you repeat it.';
  return new Failure('connection', message, { ...details, hint });
}

function describeStart(error: unknown, { name, launch: { url } }: Remote): Failure {
  const what = findNetworkFailure(error, url)?.message ?? `cannot be reached at ${url.origin}: ${readCause(error)}`;
  return startFailure(name, what, { cause: error, advice: 'Check its "url", and that it runs.' });
}

function findNetworkFailure(error: unknown, url: URL): Failure | undefined {
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
  return networkFailure(findCause(error), { host: url.hostname, port });
}

function readCause(error: unknown): string {
  return toFailure(findCause(error)).message.trim();
}

/** The SDK keeps what the network said inside of its own errors. */
function findCause(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const inside = 'data' in error && isFields(error.data) ? error.data.cause : undefined;
  const cause = error.cause ?? inside;
  return cause instanceof Error ? findCause(cause) : error;
}
