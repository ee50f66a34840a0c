import type { IncomingMessage, ServerResponse } from 'node:http';
import { createMcpHandler, isJsonContentType, type McpRequestContext, type Server } from '@modelcontextprotocol/server';
import { Failure } from '../../failure.ts';
import type { Log } from '../../log.ts';
import type { Narrowing } from '../../program/narrowing.ts';
import { type Fields, isFields } from '../../registry/tree.ts';
import type { Principal } from './authenticate.ts';
import { markConnection } from './exchange/connection-header.ts';
import { readDirectCall } from './exchange/direct-call.ts';
import { checkRepeatedHeaders } from './exchange/repeated-headers.ts';
import { RunningRequests, readCancelledId } from './exchange/running-requests.ts';
import { sendMessage, sendResponse } from './exchange/send-response.ts';
import { toWebRequest } from './exchange/web-request.ts';
import type { CallLimits } from './limits/call-limits.ts';
import type { HttpLimits } from './limits/limits.ts';
import { BodyReader } from './limits/read-body.ts';
import { HttpRefusal, invalidRequestCode } from './refusal.ts';
import { createViews, readNarrowing, type ServedTools, type View } from './views.ts';

export interface McpEndpointOptions {
  openView(narrowing: Narrowing): ServedTools;
  limits: HttpLimits;
  callLimits: CallLimits;
  log: Log;
  /** Is told of each call of a tool before it begins. */
  onCall?: () => void;
}

interface McpExchange {
  request: IncomingMessage;
  response: ServerResponse;
  principal: Principal;
  /** The address of the client. */
  peer: string;
}

interface Incoming extends McpExchange {
  message: Fields;
  view: View;
}

export interface McpEndpoint {
  /** Serves one POST to its end. Throws an HttpRefusal before anything was sent. */
  serve(exchange: McpExchange): Promise<void>;
  /** Ends what is still running. */
  close(): Promise<void>;
}

/** MCP over Streamable HTTP, in both eras of the protocol. Nothing is kept between two requests but what a view remembers. */
export function createMcpEndpoint({ openView, limits, callLimits, log, onCall }: McpEndpointOptions): McpEndpoint {
  const viewFor = createViews(openView);
  const bodies = new BodyReader({ maxBytes: limits.body, idleTimeout: limits.idleTimeout });
  const running = new RunningRequests();
  const exchanges = new Set<AbortController>();
  const sdk = createSdkExchange(limits, log);

  async function serve({ request, response, principal, peer }: McpExchange): Promise<void> {
    const view = viewFor(
      principal,
      orRefusal(() => readNarrowing(request.headers)),
    );
    refuseOtherContent(request);
    const message = await bodies.read(request);
    // The client may have left meanwhile; nothing would report it later.
    if (response.destroyed) return;
    if (!isFields(message)) throw new HttpRefusal(400, 'expected one JSON-RPC message', { code: invalidRequestCode });
    if (isFields(message.id) || Array.isArray(message.id)) throw new HttpRefusal(400, 'invalid id', { code: invalidRequestCode });
    await withId(message.id, () => answer({ message, view, request, response, principal, peer }));
  }

  async function answer(incoming: Incoming): Promise<void> {
    const { message, view, request, response, principal, peer } = incoming;
    checkRepeatedHeaders(message, request.headers, view.toolServer.definitions);
    const client = JSON.stringify([view.key, peer, request.headers['user-agent']]);
    const cancelled = readCancelledId(message);
    if (cancelled !== undefined) running.cancel(client, cancelled);
    const controller = new AbortController();
    const send = prepareDirect(incoming, controller.signal, limits) ?? sdk.prepare(incoming, controller.signal);
    const isCall = message.method === 'tools/call';
    const ends = [isCall && callLimits.begin(principal), running.add(client, message.id, controller)];
    exchanges.add(controller);
    response.once('close', () => {
      if (!response.writableFinished) controller.abort();
      exchanges.delete(controller);
      for (const end of ends) if (end) end();
    });
    if (isCall) onCall?.();
    await send();
  }

  return {
    serve,
    async close() {
      for (const controller of exchanges) controller.abort();
      await sdk.close();
    },
  };
}

function refuseOtherContent({ headers }: IncomingMessage): void {
  if (!isJsonContentType(headers['content-type'])) throw new HttpRefusal(415, 'Content-Type must be application/json');
  const encoding = headers['content-encoding'];
  if (encoding === undefined || encoding.toLowerCase() === 'identity') return;
  throw new HttpRefusal(415, 'Content-Encoding is not accepted: send the body as it is', {
    headers: { 'accept-encoding': 'identity' },
  });
}

/** Undefined when the SDK has to look at it. */
function prepareDirect({ message, view, request, response }: Incoming, signal: AbortSignal, { idleTimeout }: HttpLimits) {
  const { call } = view.toolServer;
  const direct = call && readDirectCall(message, request.headers, call);
  return direct && (async () => sendMessage(await direct(signal), response, { stallMs: idleTimeout }));
}

/** Everything but plain calls. */
function createSdkExchange({ connections, idleTimeout }: HttpLimits, log: Log) {
  const views = new WeakMap<Request, View>();
  const handler = createMcpHandler((context) => connect(context, views), {
    onerror: (error) => log('debug', error.message),
    maxSubscriptions: connections,
  });
  return {
    prepare({ message, view, request, response }: Incoming, signal: AbortSignal): () => Promise<void> {
      const webRequest = toWebRequest(request, signal);
      views.set(webRequest, view);
      return async () =>
        sendResponse(await handler.fetch(webRequest, { parsedBody: message }), response, { stallMs: idleTimeout });
    },
    close: () => handler.close(),
  };
}

function connect({ era, requestInfo }: McpRequestContext, views: WeakMap<Request, View>): Server {
  const view = requestInfo && views.get(requestInfo);
  if (view === undefined) throw new Error('a request without a view');
  const { toolServer, key } = view;
  const server = toolServer.connect(undefined, { principal: key });
  // Only clients of this era know the mark.
  if (era === 'modern') server.setRequestHandler('tools/list', async () => ({ tools: markConnection(toolServer.definitions) }));
  return server;
}

/** A refusal names the request that it answers. */
async function withId(id: unknown, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof HttpRefusal && (typeof id === 'string' || typeof id === 'number')) error.id = id;
    throw error;
  }
}

function orRefusal<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof Failure) throw new HttpRefusal(400, error.message, { code: invalidRequestCode });
    throw error;
  }
}
