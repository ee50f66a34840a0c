import { program } from '../options.ts';
import type { HubCaller } from '../server/caller.ts';
import { capabilities, type HubDoor, listMethods, type OpenHub, passedMethods } from './hub-door.ts';
import { type Fields, isFields, isId, type MessageId, readTrace, rpcCodes } from './json.ts';

export interface SessionOptions {
  /** Names the session among those of the hub. */
  session: string;
  door: HubDoor;
  send(message: Fields): void;
  /** A call begins. */
  onCall(): void;
}

const versions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'];

/**
 * A client of the older era, without the SDK: its handshake and the list are answered before a library is loaded, and a call takes no
 * detour. The newer era is the SDK's; see modern-session.ts.
 */
export class LegacySession {
  readonly #options: SessionOptions;
  readonly #calls = new Map<MessageId, AbortController>();
  readonly #questions = new Map<string, { resolve(result: Fields): void; reject(error: Error): void }>();
  #elicitation: Fields | undefined;
  #isReady = false;
  #opening: Promise<OpenHub> | undefined;
  #stopListening: (() => void) | undefined;
  #nextQuestion = 1;
  #isClosed = false;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  take(message: Fields): void {
    const { id, method } = message;
    if (typeof method !== 'string') this.#takeAnswer(message);
    else if (id === undefined) this.#takeNotification(method, message.params);
    else if (isId(id)) void this.#takeRequest(id, method, isFields(message.params) ? message.params : {});
  }

  /** Calls that are running are given up, and nothing is sent any more. */
  close(): void {
    this.#isClosed = true;
    for (const controller of this.#calls.values()) controller.abort();
    for (const { reject } of this.#questions.values()) reject(new Error('the client is gone'));
    this.#stopListening?.();
    void this.#opening?.then((hub) => hub.leave(this.#options.session)).catch(() => undefined);
  }

  async #takeRequest(id: MessageId, method: string, params: Fields): Promise<void> {
    try {
      const passed = passedMethods.find((one) => one === method);
      if (method === 'tools/call') await this.#call(id, params);
      else if (passed !== undefined) await this.#run(id, params, (hub, caller) => hub.request(passed, params, caller));
      else this.#send({ id, result: await this.#answer(method, params) });
    } catch (error) {
      this.#send({ id, error: formatError(error) });
    }
  }

  async #answer(method: string, params: Fields): Promise<Fields> {
    if (method === 'initialize') return await this.#initialize(params);
    if (method === 'ping') return {};
    const list = Object.hasOwn(listMethods, method) ? listMethods[method as keyof typeof listMethods] : undefined;
    if (list !== undefined) return { [list]: (await this.#offer()).shown[list] };
    throw new SessionError(rpcCodes.unknownMethod, `Method not found: ${method.slice(0, 100)}`);
  }

  async #initialize({ protocolVersion, capabilities: theirs }: Fields): Promise<Fields> {
    const { elicitation }: Fields = isFields(theirs) ? theirs : {};
    this.#elicitation = isFields(elicitation) ? elicitation : undefined;
    const [latest] = versions;
    return {
      protocolVersion: typeof protocolVersion === 'string' && versions.includes(protocolVersion) ? protocolVersion : latest,
      capabilities,
      serverInfo: { name: program.name, version: program.version },
      instructions: (await this.#offer()).instructions,
    };
  }

  async #offer() {
    const remembered = this.#opening === undefined ? this.#options.door.remembered() : undefined;
    return remembered ?? (await this.#open()).offer();
  }

  #open(): Promise<OpenHub> {
    this.#opening ??= this.#options.door.open().then((hub) => {
      if (!this.#isClosed) {
        this.#stopListening = hub.onListChanged((lists) => {
          if (this.#isReady) for (const list of lists) this.#send({ method: `notifications/${list}/list_changed` });
        });
      }
      return hub;
    });
    return this.#opening;
  }

  async #call(id: MessageId, params: Fields): Promise<void> {
    const { name, arguments: args = {} } = params;
    if (typeof name !== 'string' || !isFields(args))
      throw new SessionError(rpcCodes.invalidParams, 'tools/call takes "name", a text, and "arguments", an object');
    await this.#run(id, params, (hub, caller) => hub.call(name, args, caller));
  }

  /** A request that a server answers, and that the client may cancel. */
  async #run(id: MessageId, { _meta: meta }: Fields, run: (hub: OpenHub, caller: HubCaller) => Promise<Fields>): Promise<void> {
    if (this.#calls.has(id)) throw new SessionError(rpcCodes.invalidRequest, 'a call with this id is running');
    this.#options.onCall();
    const controller = new AbortController();
    this.#calls.set(id, controller);
    try {
      const hub = await this.#open();
      const token = isFields(meta) ? meta.progressToken : undefined;
      const result = await run(hub, { ...this.#caller(controller.signal, token), trace: readTrace(meta) });
      // A cancelled call needs no answer.
      if (!controller.signal.aborted) this.#send({ id, result: withoutEra(result) });
    } catch (error) {
      if (!controller.signal.aborted) throw error;
    } finally {
      this.#calls.delete(id);
    }
  }

  #caller(signal: AbortSignal, token: unknown): HubCaller {
    const onProgress = isId(token)
      ? (params: Fields) => this.#send({ method: 'notifications/progress', params: { ...params, progressToken: token } })
      : undefined;
    return {
      ...{ session: this.#options.session, signal, onProgress, elicitation: this.#elicitation },
      elicit: (params, limit) => this.#ask(params, limit),
    };
  }

  #ask(params: Fields, signal: AbortSignal): Promise<Fields> {
    const id = `molehub-${this.#nextQuestion++}`;
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        if (!this.#questions.delete(id)) return;
        this.#send({ method: 'notifications/cancelled', params: { requestId: id, reason: 'the call is over' } });
        reject(signal.reason);
      };
      signal.addEventListener('abort', giveUp, { once: true });
      const done =
        <T>(finish: (value: T) => void) =>
        (value: T) => {
          signal.removeEventListener('abort', giveUp);
          finish(value);
        };
      this.#questions.set(id, { resolve: done(resolve), reject: done(reject) });
      this.#send({ id, method: 'elicitation/create', params });
    });
  }

  #takeAnswer({ id, result, error }: Fields): void {
    const question = typeof id === 'string' ? this.#questions.get(id) : undefined;
    if (question === undefined) return;
    this.#questions.delete(String(id));
    if (isFields(result)) question.resolve(result);
    else question.reject(new Error(isFields(error) ? String(error.message) : 'the client did not answer the question'));
  }

  #takeNotification(method: string, params: unknown): void {
    if (method === 'notifications/initialized') this.#isReady = true;
    if (method !== 'notifications/cancelled' || !isFields(params) || !isId(params.requestId)) return;
    this.#calls.get(params.requestId)?.abort();
  }

  #send(message: Fields): void {
    if (!this.#isClosed) this.#options.send({ jsonrpc: '2.0', ...message });
  }
}

class SessionError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** What a server answered with an error keeps its code and data. */
export function formatError(error: unknown): Fields {
  if (!(error instanceof Error)) return { code: rpcCodes.internal, message: String(error) };
  const { code, data }: Fields = { ...error };
  return {
    code: typeof code === 'number' ? code : rpcCodes.internal,
    message: error.message,
    ...(data !== undefined && { data }),
  };
}

/** A word of the newer era. */
function withoutEra(result: Fields): Fields {
  if (result.resultType !== 'complete') return result;
  const { resultType: _era, ...rest } = result;
  return rest;
}
