import type { Readable, Writable } from 'node:stream';
import { type JSONRPCMessage, parseJSONRPCMessage, type Transport } from '@modelcontextprotocol/server';
import { isFields } from '../registry/tree.ts';
import type { ToolServer } from '../tools/tool-server.ts';
import { DirectCalls } from './direct-calls.ts';
import { type LineEvent, LineReader } from './line-reader.ts';

interface StdioTransportOptions {
  stdin: Readable;
  stdout: Writable;
  /** Answers calls of tools itself. */
  call?: ToolServer['call'];
  /** Told of each call of a tool before it begins. */
  onCall?: () => void;
  /** The longest message that is read; a longer one is answered with an error and forgotten. */
  maxLineBytes?: number;
}

/** Reading a message of this length takes about 10 ms, in which no other call is answered. */
const defaultMaxLineBytes = 4 * 1024 * 1024;
/** The same for this many values, in the slowest form: the keys of one object. More than any tool takes. */
const maxValues = 25_000;
/** The beginning of a longer number does not match: that is the id of another call. */
const idPattern = /"id"\s*:\s*(-?\d{1,16}(?![\d.eE])|"(?:[^"\\]|\\.){0,200}")/;

/**
 * The line protocol over two streams. Ours, because the SDK's own transport ends the connection at the first message over
 * its limit and answers nothing to a line that is not JSON: here both are errors of that one message.
 * The end of stdin is not handled here but in `serve`, which lets running calls end first.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];

  readonly #stdin: Readable;
  readonly #stdout: Writable;
  readonly #maxLineBytes: number;
  readonly #lines: LineReader;
  readonly #direct: DirectCalls | undefined;
  readonly #onCall: (() => void) | undefined;
  #closed = false;

  constructor(options: StdioTransportOptions) {
    this.#stdin = options.stdin;
    this.#stdout = options.stdout;
    this.#maxLineBytes = options.maxLineBytes ?? defaultMaxLineBytes;
    this.#onCall = options.onCall;
    this.#direct = options.call && new DirectCalls(options.call, (message) => !this.#closed && this.#write(message));
    this.#lines = new LineReader({ bytes: this.#maxLineBytes, values: maxValues }, (event) => this.#take(event));
  }

  async start(): Promise<void> {
    this.#stdin.on('data', this.#onData);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#closed) throw new Error('the connection is closed');
    this.#direct?.note(message);
    this.#write(message);
  }

  #write(message: JSONRPCMessage): void {
    // We do not await this: the stream buffers, and a client that stops reading must not hold up the calls of others.
    this.#stdout.write(`${JSON.stringify(message)}\n`);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#stdin.off('data', this.#onData);
    this.#direct?.abortAll();
    this.onclose?.();
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#lines.push(chunk);
  };

  #take(event: LineEvent): void {
    if (event.kind === 'line') this.#receive(event.text);
    else if (event.kind === 'crowded')
      this.#refuse(event.head, `a message with more than ${maxValues} values`, 'send it in parts, or a list as one text');
    else this.#refuse(event.head, `a message of ${event.bytes} bytes`, `the limit is ${this.#maxLineBytes}`);
  }

  #receive(line: string): void {
    if (line.trim() === '') return;
    let message: JSONRPCMessage;
    try {
      const parsed: unknown = JSON.parse(line);
      if (isFields(parsed) && parsed.method === 'tools/call') this.#onCall?.();
      if (this.#direct?.take(parsed)) return;
      message = parseJSONRPCMessage(parsed);
    } catch (error) {
      this.#answerUnreadable(line, error instanceof SyntaxError ? -32700 : -32600, 'this line is not a JSON-RPC message');
      return;
    }
    this.onmessage?.(message);
  }

  #refuse(head: string, what: string, why: string): void {
    this.#answerUnreadable(head, -32600, `${what} was refused: ${why}`);
  }

  /** The sender waits for an answer to its id; without a readable id there is no request to answer, so we only log. */
  #answerUnreadable(text: string, code: number, message: string): void {
    const id = readId(text);
    if (id !== undefined) void this.send({ jsonrpc: '2.0', id, error: { code, message } }).catch(() => undefined);
    this.onerror?.(new Error(message));
  }
}

/** What looks like an id need not be one: `007`, or a text with an escape that JSON does not know. */
function readId(text: string): string | number | undefined {
  try {
    const id: unknown = JSON.parse(idPattern.exec(text)?.[1] ?? '');
    return typeof id === 'string' || (typeof id === 'number' && Number.isSafeInteger(id)) ? id : undefined;
  } catch {
    return undefined;
  }
}
