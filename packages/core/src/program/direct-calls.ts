import { type JSONRPCMessage, ProtocolError } from '@modelcontextprotocol/server';
import { prepareControllers, takeController } from '../abort.ts';
import { askInTime, canElicit, toElicitation } from '../approval/elicitation.ts';
import type { Person } from '../approval/person.ts';
import { toFailure } from '../failure.ts';
import { type Fields, isFields } from '../registry/tree.ts';
import type { RequestFacts } from '../tools/call-record.ts';
import type { Caller } from '../tools/caller.ts';
import { readClient, readText } from '../tools/request-facts.ts';
import type { ToolServer } from '../tools/tool-server.ts';
import { ClientRequests } from './client-requests.ts';

type Id = string | number;

/** A call of a tool without anything that only the SDK knows. */
interface PlainCall {
  id: Id;
  name: string;
  args: Readonly<Record<string, unknown>>;
  progressToken: Id | undefined;
  traceparent: string | undefined;
}

/**
 * Calls of tools in their plainest form, without the SDK between: its two checks of every message and what it makes for every request
 * take longer than a small read in the database. Everything else is left to it: the handshake, the newer era, whatever has a field
 * that we do not expect. What is written is the same, and a test holds the two side by side.
 */
export class DirectCalls {
  readonly #call: ToolServer['call'];
  readonly #send: (message: JSONRPCMessage) => unknown;
  readonly #running = new Map<Id, AbortController>();
  readonly #requests: ClientRequests;
  /** The client can show questions. */
  #canAsk = false;
  #handshake: 'none' | { asked: Id } | 'answered' | 'done' = 'none';
  /** Who the client said it was in the handshake. */
  #session: Pick<RequestFacts, 'client' | 'protocol'> = {};

  constructor(call: ToolServer['call'], send: (message: JSONRPCMessage) => unknown) {
    this.#call = call;
    this.#send = send;
    this.#requests = new ClientRequests(send);
  }

  /** Whether the message was handled here; if not, the SDK gets it. */
  take(message: unknown): boolean {
    if (!isFields(message) || message.jsonrpc !== '2.0') return false;
    const { method, params } = message;
    if (method === undefined) return this.#requests.take(message);
    if (method === 'tools/call') return this.#takeCall(message);
    if (method === 'notifications/cancelled') return this.#cancel(params);
    if (method === 'initialize') this.#begin(message.id, params);
    if (method === 'notifications/initialized' && this.#handshake === 'answered') this.#handshake = 'done';
    return false;
  }

  /** What the SDK answers: only after it has accepted a session of the older era are there calls in their plain form. */
  note(message: JSONRPCMessage): void {
    if (typeof this.#handshake !== 'object' || !('id' in message) || message.id !== this.#handshake.asked) return;
    this.#handshake = 'result' in message ? 'answered' : 'none';
    if ('result' in message) this.#session = { ...this.#session, protocol: readText(message.result.protocolVersion) };
  }

  abortAll(): void {
    for (const controller of this.#running.values()) controller.abort();
  }

  get #person(): Person | undefined {
    if (!this.#canAsk) return undefined;
    const send = (message: string, signal: AbortSignal) =>
      this.#requests.send('elicitation/create', toElicitation(message), signal);
    return { place: 'client', ask: (message, signal) => askInTime(signal, (limited) => send(message, limited)) };
  }

  #begin(id: unknown, params: unknown): void {
    this.#handshake = isId(id) ? { asked: id } : 'none';
    this.#canAsk = isFields(params) && canElicit(params.capabilities);
    this.#session = { client: isFields(params) ? readClient(params.clientInfo) : undefined };
  }

  #takeCall(message: Fields): boolean {
    if (this.#handshake !== 'done') return false;
    const call = readPlainCall(message);
    // Twice the same id is for the SDK to judge.
    if (call === undefined || this.#running.has(call.id)) return false;
    void this.#run(call);
    return true;
  }

  async #run(call: PlainCall): Promise<void> {
    const controller = takeController();
    const { signal } = controller;
    this.#running.set(call.id, controller);
    const notify: Caller['notify'] = async (method, params) => void this.#send({ jsonrpc: '2.0', method, params });
    const caller = { signal, notify, person: this.#person, about: this.#session };
    const answer = await answerPlainCall(call, this.#call, caller);
    this.#running.delete(call.id);
    // A cancelled call needs no answer.
    if (!signal.aborted) this.#send(answer);
    prepareControllers();
  }

  #cancel(params: unknown): boolean {
    const controller = isFields(params) && isId(params.requestId) ? this.#running.get(params.requestId) : undefined;
    controller?.abort();
    return controller !== undefined;
  }
}

/** The answer as the SDK would write it. */
export async function answerPlainCall(
  { id, name, args, progressToken, traceparent }: PlainCall,
  call: ToolServer['call'],
  { about, ...caller }: Pick<Caller, 'signal' | 'notify' | 'person' | 'about'>,
): Promise<JSONRPCMessage> {
  try {
    const full = { ...caller, progressToken, about: { ...about, id, traceparent } };
    return { jsonrpc: '2.0', id, result: { ...(await call(name, args, full)) } };
  } catch (error) {
    const { code, message } = error instanceof ProtocolError ? error : { code: -32603, message: toFailure(error).message };
    return { jsonrpc: '2.0', id, error: { code, message } };
  }
}

/** Undefined for everything that has a field that we do not expect. */
export function readPlainCall({ id, params, ...envelope }: Fields): PlainCall | undefined {
  if (!isId(id) || !isFields(params) || Object.keys(envelope).length > 2) return undefined;
  const { name, arguments: args = {}, _meta: meta = {}, ...others } = params;
  if (typeof name !== 'string' || !isFields(args) || !isFields(meta) || Object.keys(others).length > 0) return undefined;
  const { progressToken, traceparent, tracestate: _state, baggage: _baggage, ...rest } = meta;
  if (Object.keys(rest).length > 0 || (progressToken !== undefined && !isId(progressToken))) return undefined;
  return { id, name, args, progressToken, traceparent: readText(traceparent) };
}

function isId(value: unknown): value is Id {
  return typeof value === 'string' || (typeof value === 'number' && Number.isSafeInteger(value));
}
