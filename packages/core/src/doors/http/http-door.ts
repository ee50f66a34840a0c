import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { Failure, toFailure } from '../../failure.ts';
import { systemCode } from '../../files/system-code.ts';
import { type Authenticate, isDenial, type Principal } from './authenticate.ts';
import { admitPage, answerPreflight } from './exchange/pages.ts';
import { findRepeatedHeader, hasUnclearLength } from './exchange/web-request.ts';
import { checkHost, type HostRules } from './host-check.ts';
import { CallLimits } from './limits/call-limits.ts';
import { limitConnections } from './limits/connection-limits.ts';
import { createMcpEndpoint, type McpEndpoint, type McpEndpointOptions } from './mcp-endpoint.ts';
import type { PageHandler } from './page-handler.ts';
import { HttpRefusal } from './refusal.ts';

export interface HttpDoorOptions extends Omit<McpEndpointOptions, 'callLimits'> {
  authenticate: Authenticate;
  hostRules: HostRules;
  /** The folder of the project, as `/status` shows it. */
  root: string;
  /** Both in PEM. Undefined: plain HTTP. */
  tls?: { cert: Buffer; key: Buffer } | undefined;
  /** Serves everything under `/ui`. */
  page?: PageHandler | undefined;
  /** Answers GET at these paths, without a token. */
  documents?: ReadonlyMap<string, () => object>;
}

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
}

/** How often the timeouts of connections are checked, in milliseconds. */
const checkMs = 1_000;
/** All headers of one request, in bytes. */
const maxHeaderBytes = 16 * 1024;
/**
 * The limit of one connection. Clients that send the next request before the answer is there are rare, and answers wait in memory.
 */
const maxPipelined = 4;
/** A client whose machine is gone is noticed after a few of these, in milliseconds. */
const probeMs = 30_000;

/** Serves MCP at `/mcp`. */
export class HttpDoor {
  readonly #options: HttpDoorOptions;
  readonly #server: Server;
  readonly #endpoint: McpEndpoint;
  readonly #calls: CallLimits;
  readonly #connections: { readonly open: number };
  /** Requests of a connection that are not answered. */
  readonly #unanswered = new WeakMap<Socket, number>();
  #isDraining = false;

  constructor(options: HttpDoorOptions) {
    const { limits, log } = options;
    this.#options = options;
    this.#calls = new CallLimits(limits);
    this.#endpoint = createMcpEndpoint({ ...options, callLimits: this.#calls });
    this.#server = openServer(options);
    this.#connections = limitConnections(this.#server, { max: limits.connections, log });
    this.#server.on('request', (request: IncomingMessage, response: ServerResponse) => this.#serve({ request, response }));
  }

  /** Calls whose answer has not been delivered. */
  get calls(): number {
    return this.#calls.running;
  }

  /** Resolves to the port that was bound; rejects with the system's error, and may be called again then. */
  async listen(port: number, address: string): Promise<number> {
    const bound = await listen(this.#server, port, address);
    this.#options.page?.listening(bound);
    return bound;
  }

  /** New requests are refused from now on, and the health check fails. */
  drain(): void {
    this.#isDraining = true;
  }

  /** Ends everything at once. */
  async close(): Promise<void> {
    this.drain();
    this.#server.close();
    this.#options.page?.close();
    await this.#endpoint.close();
    this.#server.closeAllConnections();
  }

  #serve({ request, response }: Exchange): void {
    // Without listeners, a connection that breaks off would be an uncaught error.
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    if (this.#isDraining) response.setHeader('connection', 'close');
    this.#route({ request, response }).catch((error: unknown) => this.#fail({ request, response }, error));
  }

  #countUnanswered({ request: { socket }, response }: Exchange): number {
    const count = (this.#unanswered.get(socket) ?? 0) + 1;
    this.#unanswered.set(socket, count);
    response.once('close', () => this.#unanswered.set(socket, (this.#unanswered.get(socket) ?? 1) - 1));
    return count;
  }

  async #route({ request, response }: Exchange): Promise<void> {
    if (this.#countUnanswered({ request, response }) > maxPipelined) {
      throw new HttpRefusal(429, 'too many requests of this connection are not answered', { headers: { connection: 'close' } });
    }
    const repeated = findRepeatedHeader(request);
    if (repeated !== undefined) throw new HttpRefusal(400, `the header ${repeated} was sent more than once`);
    if (hasUnclearLength(request)) {
      throw new HttpRefusal(400, 'the only accepted Transfer-Encoding is chunked, in HTTP/1.1', {
        headers: { connection: 'close' },
      });
    }
    const foreign = checkHost(request.headers, this.#options.hostRules);
    if (foreign !== undefined) throw new HttpRefusal(403, foreign);
    const [path = ''] = (request.url ?? '').split('?');
    if (path === '/ui' || path.startsWith('/ui/')) return await this.#servePage({ request, response });
    const isPage = admitPage(request, response, this.#options.hostRules);
    if (isPage && request.method === 'OPTIONS' && path === '/mcp') return answerPreflight(response);
    if (path === '/mcp') return await this.#serveMcp({ request, response });
    if (path === '/status') return await this.#sendStatus({ request, response });
    const document = path === '/healthz' ? () => this.#describeHealth() : this.#options.documents?.get(path);
    if (document === undefined) throw new HttpRefusal(404, 'not found: MCP is at /mcp');
    allowMethods(request, ['GET', 'HEAD']);
    sendJson(response, path === '/healthz' && this.#isDraining ? 503 : 200, document());
  }

  async #servePage(exchange: Exchange): Promise<void> {
    const { page, onCall } = this.#options;
    if (page === undefined) throw new HttpRefusal(404, 'this server has no page');
    const beginCall = () => {
      const end = this.#calls.begin({ id: 'page' });
      onCall?.();
      return end;
    };
    await page.serve({ ...exchange, beginCall });
  }

  #describeHealth(): object {
    return { status: this.#isDraining ? 'stopping' : 'ok' };
  }

  async #serveMcp({ request, response }: Exchange): Promise<void> {
    const principal = await this.#identify(request);
    allowMethods(request, ['POST']);
    if (this.#isDraining) throw new HttpRefusal(503, 'the server is stopping', { retryAfter: 1 });
    const peer = findPeer(request, this.#options.hostRules);
    await this.#endpoint.serve({ request, response, principal, peer });
  }

  async #sendStatus({ request, response }: Exchange): Promise<void> {
    await this.#identify(request);
    allowMethods(request, ['GET']);
    // The connection of this request does not count.
    const clients = this.#connections.open - 1;
    sendJson(response, 200, { root: this.#options.root, clients, calls: this.#calls.running });
  }

  async #identify({ headers }: IncomingMessage): Promise<Principal> {
    const outcome = await this.#options.authenticate(headers.authorization);
    if (!isDenial(outcome)) return outcome;
    throw new HttpRefusal(outcome.status, outcome.message, { headers: { 'www-authenticate': outcome.challenge } });
  }

  #fail({ request, response }: Exchange, error: unknown): void {
    if (response.headersSent || response.destroyed) return void response.destroy();
    const refusal = error instanceof HttpRefusal ? error : this.#internal(error);
    const { method = '', url = '' } = request;
    this.#options.log('debug', `${method} ${url.split('?')[0]} was refused with ${refusal.status}: ${refusal.message}`);
    // The rest of the body is not waited for.
    if (!request.complete) response.setHeader('connection', 'close');
    response.writeHead(refusal.status, { ...refusal.headers, ...jsonHeaders }).end(refusal.format());
  }

  #internal(error: unknown): HttpRefusal {
    const { message, stack } = toFailure(error);
    this.#options.log('error', `a request failed: ${message}`, { stack });
    return new HttpRefusal(500, 'internal error; see the log of the server', { code: -32_603 });
  }
}

const jsonHeaders = { 'content-type': 'application/json', 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

function sendJson(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, jsonHeaders).end(JSON.stringify(value));
}

function allowMethods({ method = '' }: IncomingMessage, allowed: readonly string[]): void {
  if (allowed.includes(method)) return;
  throw new HttpRefusal(405, `${method} is not allowed here: expected ${allowed.join(' or ')}`, {
    headers: { allow: allowed.join(', ') },
  });
}

function openServer({ tls, limits }: HttpDoorOptions): Server {
  const options = {
    headersTimeout: limits.headerTimeout,
    requestTimeout: limits.headerTimeout + limits.idleTimeout,
    keepAliveTimeout: limits.idleTimeout,
    connectionsCheckingInterval: checkMs,
    maxHeaderSize: maxHeaderBytes,
    keepAlive: true,
    keepAliveInitialDelay: probeMs,
  };
  return tls === undefined
    ? createServer(options)
    : createTlsServer({ ...options, ...tls, handshakeTimeout: limits.headerTimeout, minVersion: 'TLSv1.2' });
}

function listen(server: Server, port: number, address: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const onError = (error: Error): void => {
      server.off('listening', onListening);
      reject(systemCode(error) === 'EADDRNOTAVAIL' ? foreignAddress(address, error) : error);
    };
    const onListening = (): void => {
      server.off('error', onError);
      // A server that listens on a port has this form of address.
      resolve((server.address() as AddressInfo).port);
    };
    server.once('error', onError).once('listening', onListening).listen(port, address);
  });
}

function foreignAddress(address: string, cause: Error): Failure {
  const hint = 'Pass an address of this machine, or 0.0.0.0 for all of them.';
  return new Failure('config', `the address ${address} of --host is not one of this machine`, { hint, cause });
}

function findPeer({ headers, socket }: IncomingMessage, { isBehindProxy }: HostRules): string {
  const forwarded = isBehindProxy ? String(headers['x-forwarded-for'] ?? '') : '';
  return forwarded.split(',').at(-1)?.trim() || (socket.remoteAddress ?? '');
}
