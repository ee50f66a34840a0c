import { randomUUID } from 'node:crypto';
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  ProtocolError,
} from '@modelcontextprotocol/server';
import { type OpenQuestion, respond, type ToolReply } from '../../answer/respond.ts';
import { questionKey } from '../../approval/elicitation.ts';
import type { PersonAction, Round } from '../../approval/person.ts';
import { systemCode } from '../../files/system-code.ts';
import { isFields, parseJson } from '../../registry/tree.ts';
import type { Caller } from '../../tools/caller.ts';
import { sendRequest } from './http-request.ts';

interface ProjectCall {
  /** The MCP endpoint of the server. */
  url: string;
  token: string | undefined;
  name: string;
  args: Readonly<Record<string, unknown>>;
  caller: Pick<Caller, 'signal' | 'progressToken' | 'notify' | 'person' | 'round'>;
  /** Nothing may be written, whatever that server allows. */
  readonly: boolean;
  /** The longest silence of the server, in milliseconds. */
  idleMs: number;
}

/** Why a server gave no answer to a call. */
type NoAnswer = 'not reached' | 'lost' | 'token refused';

export class ProjectCallError extends Error {
  readonly reason: NoAnswer;

  constructor(reason: NoAnswer, cause?: unknown) {
    super(reason, { cause });
    this.reason = reason;
  }
}

/** This is far more than any tool answers, including its reports of progress. */
const maxAnswerLength = 16 * 1024 * 1024;
/** The revision whose calls need no handshake and whose results have no fields of the transport. */
const plainVersion = '2025-11-25';

/**
 * Calls a tool of another server, once. Throws a ProjectCallError when no answer came, and a ProtocolError when the answer is one. It
 * always asks for progress: reports come at least every five seconds, so a server that is silent for longer is not at work.
 */
export async function callProject(call: ProjectCall): Promise<ToolReply> {
  const { name, args, caller } = call;
  const reader = new AnswerReader(caller);
  // Another client must not be able to cancel the call by its id.
  const id = randomUUID();
  const asking = caller.person === undefined ? undefined : askThrough(name, caller.round);
  const params = { name, arguments: args, ...asking?.params, _meta: { progressToken: id, ...asking?.meta } };
  const message = { jsonrpc: '2.0', id, method: 'tools/call', params };
  const status = await send(call, { body: JSON.stringify(message), headers: asking?.headers }, reader);
  if (status === 401) throw new ProjectCallError('token refused');
  const answer = reader.finish();
  if (answer === undefined) throw new ProjectCallError('lost', `HTTP ${status}`);
  const question = readQuestion(answer.result);
  if (question !== undefined) return respond.question(question);
  if (isReply(answer.result)) return asking === undefined ? answer.result : pickReply(answer.result);
  const { code = -32603, message: text = 'the server sent no result' } = isFields(answer.error) ? answer.error : {};
  throw new ProtocolError(Number(code), String(text));
}

interface Sent {
  body: string;
  headers: Readonly<Record<string, string>> | undefined;
}

async function send({ url, token, caller, readonly, idleMs }: ProjectCall, { body, headers: more }: Sent, reader: AnswerReader) {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': plainVersion,
    ...more,
    'content-length': String(Buffer.byteLength(body)),
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(readonly && { 'x-mole-readonly': '1' }),
  };
  try {
    const { signal } = caller;
    const limits = { signal, idleMs, maxLength: maxAnswerLength };
    return await sendRequest({ url: new URL(url), method: 'POST', headers, body, ...limits, onHead: reader.begin });
  } catch (error) {
    throw new ProjectCallError(systemCode(error) === 'ECONNREFUSED' ? 'not reached' : 'lost', error);
  }
}

type Answer = Readonly<Record<string, unknown>>;

/** The answer as one JSON text or as a stream of events, in which reports of progress come before it. */
class AnswerReader {
  readonly #caller: Pick<Caller, 'progressToken' | 'notify'>;
  readonly #events = new EventStream((data) => this.#take(data));
  #text = '';
  #answer: Answer | undefined;

  constructor(caller: Pick<Caller, 'progressToken' | 'notify'>) {
    this.#caller = caller;
  }

  readonly begin = (contentType: string) => {
    if (contentType.startsWith('text/event-stream')) return (text: string) => this.#events.push(text);
    return (text: string) => {
      this.#text += text;
    };
  };

  finish(): Answer | undefined {
    this.#take(this.#text);
    return this.#answer;
  }

  #take(text: string): void {
    // An answer that was cut off is not JSON.
    const message = parseJson(text);
    if (!isFields(message)) return;
    if (message.method === 'notifications/progress') this.#report(message.params);
    else if ('result' in message || 'error' in message) this.#answer = message;
  }

  #report(params: unknown): void {
    const { progressToken, notify } = this.#caller;
    if (progressToken === undefined || !isFields(params)) return;
    notify('notifications/progress', { ...params, progressToken }).catch(() => undefined);
  }
}

/** The revision in which a server can ask a person: the question is a result, and the answer another call. */
const askingVersion = '2026-07-28';

function askThrough(name: string, round: Round | undefined) {
  const answer = round && { requestState: round.state, inputResponses: { [questionKey]: { action: toAnswer(round.action) } } };
  return {
    params: answer ?? {},
    meta: {
      [PROTOCOL_VERSION_META_KEY]: askingVersion,
      [CLIENT_INFO_META_KEY]: { name: 'mole', version: '1' },
      [CLIENT_CAPABILITIES_META_KEY]: { elicitation: {} },
    },
    headers: { 'mcp-protocol-version': askingVersion, 'mcp-method': 'tools/call', 'mcp-name': name },
  };
}

/** A question that could not be shown is one that was closed unread. */
function toAnswer(action: PersonAction): PersonAction {
  return action === 'accept' || action === 'decline' ? action : 'cancel';
}

function readQuestion(result: unknown): OpenQuestion | undefined {
  if (!isFields(result) || result.resultType !== 'input_required' || typeof result.requestState !== 'string') return undefined;
  const asked = isFields(result.inputRequests) ? result.inputRequests[questionKey] : undefined;
  const params = isFields(asked) && isFields(asked.params) ? asked.params : {};
  return { message: String(params.message), state: result.requestState };
}

/** The reply alone: that revision adds fields of the transport. */
function pickReply({ content, structuredContent, isError }: ToolReply): ToolReply {
  return { content, ...(structuredContent && { structuredContent }), ...(isError !== undefined && { isError }) };
}

function isReply(value: unknown): value is ToolReply {
  return isFields(value) && Array.isArray(value.content);
}

/** Collects the `data` of server-sent events. Text may be pushed in any pieces. */
class EventStream {
  readonly #onData: (data: string) => void;
  #rest = '';
  #data: string[] = [];

  constructor(onData: (data: string) => void) {
    this.#onData = onData;
  }

  push(text: string): void {
    // Scanning a long line again with each of its pieces would take long.
    if (!text.includes('\n')) {
      this.#rest += text;
      return;
    }
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#take(line.endsWith('\r') ? line.slice(0, -1) : line);
  }

  #take(line: string): void {
    if (line.startsWith('data:')) this.#data.push(line.slice(line[5] === ' ' ? 6 : 5));
    if (line !== '' || this.#data.length === 0) return;
    const data = this.#data.join('\n');
    this.#data = [];
    this.#onData(data);
  }
}
