import { isFields, parseJson } from '../../../registry/tree.ts';

type Id = string | number;

export interface PendingRequest {
  id: Id;
  method: string;
  /** The name of the tool, in a call of one. */
  tool: string | undefined;
}

/** What a new process has to be told before it takes the client's next message. */
interface Handshake {
  id: Id;
  /** The line `initialize`. */
  asked: Buffer;
  /** The line `notifications/initialized`, once it was sent. */
  confirmed?: Buffer;
}

/** The requests of a client that have no answer yet, read from what passes. */
export class PendingRequests {
  readonly #pending = new Map<Id, PendingRequest>();
  #handshake: Handshake | undefined;

  get handshake(): Handshake | undefined {
    return this.#handshake;
  }

  has(id: Id): boolean {
    return this.#pending.has(id);
  }

  /** A line of the client. */
  sent(line: Buffer): void {
    const message = parseJson(line.toString('utf8'));
    if (!isFields(message)) return;
    const { id, method } = message;
    const params = isFields(message.params) ? message.params : {};
    if (typeof method !== 'string') return;
    if (isId(id)) {
      this.#pending.set(id, {
        id,
        method,
        tool: method === 'tools/call' && typeof params.name === 'string' ? params.name : undefined,
      });
      if (method === 'initialize') this.#handshake = { id, asked: Buffer.from(line) };
    } else if (method === 'notifications/initialized' && this.#handshake !== undefined) {
      this.#handshake.confirmed = Buffer.from(line);
    } else if (method === 'notifications/cancelled') {
      // There is no answer to a request that was cancelled.
      if (isId(params.requestId)) this.#pending.delete(params.requestId);
    }
  }

  /** A line of the process. */
  answered(line: Buffer): void {
    const id = readAnswerId(line);
    if (id !== undefined) this.#pending.delete(id);
  }

  /** Those that can get no answer any more. The handshake is not among them: it is repeated. */
  takeLost(): PendingRequest[] {
    const lost = [...this.#pending.values()].filter(({ method }) => method !== 'initialize');
    for (const { id } of lost) this.#pending.delete(id);
    return lost;
  }
}

const headBytes = 300;
const anyId = String.raw`(-?\d{1,16}|"(?:[^"\\]|\\.){0,200}")`;
/** Both forms in which our own transport writes an answer. The last brace of a line is the one that closes the message. */
const idFirst = new RegExp(String.raw`^\{"jsonrpc":"2\.0","id":${anyId},"(?:result|error)":`);
const idLast = new RegExp(String.raw`,"jsonrpc":"2\.0","id":${anyId}\}$`);

/** The id that an answer is for, from its two ends: an answer may be long, and parsing it would take as long as the call. */
export function readAnswerId(line: Buffer): Id | undefined {
  const head = line.toString('latin1', 0, headBytes);
  const first = idFirst.exec(head);
  const isAnswer = head.startsWith('{"result":') || head.startsWith('{"error":');
  const found = first ?? (isAnswer ? idLast.exec(line.toString('latin1', Math.max(0, line.length - headBytes))) : undefined);
  if (found?.[1] === undefined) return undefined;
  const id: unknown = JSON.parse(Buffer.from(found[1], 'latin1').toString('utf8'));
  return isId(id) ? id : undefined;
}

function isId(value: unknown): value is Id {
  return typeof value === 'string' || typeof value === 'number';
}
