import { type JSONRPCMessage, ProtocolError, parseJSONRPCMessage, Server, type Transport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { program } from '../options.ts';
import type { OpenHub, SessionCaller } from './hub-door.ts';
import { type Fields, isFields, isId, rpcCodes } from './json.ts';
import { formatError, type SessionOptions } from './legacy-session.ts';
import { SuspendedCalls } from './suspended-calls.ts';

/** The list may change at any time, but hardly within a minute. */
const listTtlMs = 60_000;

/** A client of the newer era: the SDK speaks it, and also serves a client of the older one that does not begin with its handshake. */
export class ModernSession {
  readonly #options: SessionOptions;
  readonly #hub: OpenHub;
  readonly #transport: SessionTransport;
  readonly #suspended = new SuspendedCalls();
  readonly #stops: (() => void)[] = [];

  constructor(options: SessionOptions, hub: OpenHub) {
    this.#options = options;
    this.#hub = hub;
    this.#transport = new SessionTransport(options.send);
    serveStdio(() => this.#createServer(), { transport: this.#transport, onerror: () => undefined });
  }

  take(message: Fields): void {
    let parsed: JSONRPCMessage;
    try {
      parsed = parseJSONRPCMessage(message);
    } catch {
      const { id } = message;
      if (isId(id))
        this.#options.send({ jsonrpc: '2.0', id, error: { code: rpcCodes.invalidRequest, message: 'not a JSON-RPC message' } });
      return;
    }
    this.#transport.onmessage?.(parsed);
  }

  close(): void {
    for (const stop of this.#stops) stop();
    this.#suspended.close();
    void this.#transport.close();
    this.#hub.leave(this.#options.session);
  }

  #createServer(): Server {
    const server = new Server(
      { name: program.name, version: program.version },
      {
        capabilities: { tools: { listChanged: true } },
        instructions: this.#hub.offer().instructions,
        cacheHints: { 'tools/list': { ttlMs: listTtlMs, cacheScope: 'private' } },
      },
    );
    // The definitions are those of the servers; the SDK checks them where they are used.
    type Listed = { tools: { name: string; inputSchema: { type: 'object' } }[] };
    server.setRequestHandler('tools/list', async () => ({ tools: this.#hub.offer().shown }) as unknown as Listed);
    server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
      this.#options.onCall();
      const { envelope, signal, inputResponses } = mcpReq;
      const { progressToken } = mcpReq._meta ?? {};
      const { 'io.modelcontextprotocol/clientCapabilities': capabilities }: Fields = { ...envelope };
      const elicitation: unknown = isFields(capabilities) ? capabilities.elicitation : undefined;
      const state: unknown = mcpReq.requestState();
      const answers = { ...(inputResponses && { inputResponses }), ...(state !== undefined && { requestState: state }) };
      const caller: SessionCaller = {
        session: this.#options.session,
        signal,
        onProgress:
          progressToken === undefined
            ? undefined
            : (progress) => void mcpReq.notify({ method: 'notifications/progress', params: { ...progress, progressToken } }),
        elicitation: isFields(elicitation) ? elicitation : undefined,
        elicit: () => Promise.reject(new Error('the call is not suspended')),
        ...(envelope !== undefined && { answers }),
      };
      const run = (one: SessionCaller) => this.#hub.call(params.name, params.arguments ?? {}, one);
      try {
        const result = await this.#suspended.run({ caller, state, inputResponses }, run);
        // As its server wrote it; the SDK adds what the era wants.
        return result as { content: [] };
      } catch (error) {
        const { code, message, data } = formatError(error);
        throw new ProtocolError(Number(code), String(message), data);
      }
    });
    this.#stops.push(this.#hub.onListChanged(() => void server.sendToolListChanged().catch(() => undefined)));
    return server;
  }
}

/** Messages that were parsed already, to and from the SDK. */
class SessionTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  readonly #send: SessionOptions['send'];

  constructor(send: SessionOptions['send']) {
    this.#send = send;
  }

  async start(): Promise<void> {}

  async send(message: JSONRPCMessage): Promise<void> {
    this.#send({ ...message });
  }

  async close(): Promise<void> {
    this.onclose?.();
  }
}
