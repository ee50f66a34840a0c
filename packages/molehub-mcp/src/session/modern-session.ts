import {
  type JSONRPCMessage,
  ProtocolError,
  parseJSONRPCMessage,
  Server,
  type ServerContext,
  type Transport,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { program } from '../options.ts';
import type { HubCaller } from '../server/caller.ts';
import { capabilities, type ListName, listMethods, type OpenHub, passedMethods, type ShownLists } from './hub-door.ts';
import { type Fields, isFields, isId, readTrace, rpcCodes } from './json.ts';
import { formatError, type SessionOptions } from './legacy-session.ts';
import { SuspendedCalls } from './suspended-calls.ts';

/** A list may change at any time, but hardly within a minute. */
const listCache = { ttlMs: 60_000, cacheScope: 'private' } as const;

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
    const cacheHints = Object.fromEntries(Object.keys(listMethods).map((method) => [method, listCache]));
    const { instructions } = this.#hub.offer();
    const server = new Server({ name: program.name, version: program.version }, { capabilities, instructions, cacheHints });
    // The definitions are those of the servers; the SDK checks them where they are used.
    const list = (key: keyof ShownLists) => async () => ({ [key]: this.#hub.offer().shown[key] }) as never;
    for (const [method, key] of Object.entries(listMethods))
      server.setRequestHandler(method as keyof typeof listMethods, list(key));
    server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
      const result = await this.#run(mcpReq, (caller) => this.#hub.call(params.name, params.arguments ?? {}, caller));
      // The result is as its server wrote it; the SDK adds what the era wants. So are the results below.
      return result as { content: [] };
    });
    for (const method of passedMethods)
      server.setRequestHandler(method, async ({ params }: { params: Fields }, { mcpReq }) => {
        return (await this.#run(mcpReq, (caller) => this.#hub.request(method, params, caller))) as never;
      });
    const tell = {
      tools: () => server.sendToolListChanged(),
      prompts: () => server.sendPromptListChanged(),
      resources: () => server.sendResourceListChanged(),
    };
    const onChanged = (lists: readonly ListName[]) => {
      for (const list of lists) void tell[list]().catch(() => undefined);
    };
    this.#stops.push(this.#hub.onListChanged(onChanged));
    return server;
  }

  async #run(request: ServerContext['mcpReq'], run: (caller: HubCaller) => Promise<Fields>): Promise<Fields> {
    this.#options.onCall();
    const { envelope, signal, inputResponses } = request;
    const { progressToken } = request._meta ?? {};
    const { 'io.modelcontextprotocol/clientCapabilities': theirs }: Fields = { ...envelope };
    const elicitation: unknown = isFields(theirs) ? theirs.elicitation : undefined;
    const state: unknown = request.requestState();
    const answers = { ...(inputResponses && { inputResponses }), ...(state !== undefined && { requestState: state }) };
    const caller: HubCaller = {
      session: this.#options.session,
      signal,
      trace: readTrace(request._meta),
      onProgress:
        progressToken === undefined
          ? undefined
          : (progress) => void request.notify({ method: 'notifications/progress', params: { ...progress, progressToken } }),
      elicitation: isFields(elicitation) ? elicitation : undefined,
      elicit: () => Promise.reject(new Error('the call is not suspended')),
      ...(envelope !== undefined && { answers }),
    };
    try {
      return await this.#suspended.run({ caller, state, inputResponses }, run);
    } catch (error) {
      const { code, message, data } = formatError(error);
      throw new ProtocolError(Number(code), String(message), data);
    }
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
