import type { Readable, Writable } from 'node:stream';
import { readFirstLine } from '../hello.ts';
import { PendingRequests, readAnswerId } from './pending-requests.ts';

/** A way to a server: a socket of the shared process, or the two streams of a private one. */
export interface Link {
  /** Takes the client's lines. */
  input: Writable;
  /** Gives the server's lines. Paused until it is used. */
  output: Readable;
  close(): void;
}

interface SessionOptions {
  stdin: Readable;
  stdout: Writable;
  link: Link;
  /** Opens another way after the first one was lost. */
  reopen(): Promise<Link>;
  notice(text: string): void;
  /** The client is gone, or everything was answered after its last message. */
  exit(code: number): void;
}

/** How long a new process may take to answer the repeated handshake. */
const handshakeMs = 10_000;
/** The process ends the calls of a client that closed its input; it gets this long. */
const lastAnswersMs = 2_000;
const flushMs = 200;

/**
 * Passes lines between a client and its process. When the process is gone, the requests without an answer get an error, and the client's
 * next message goes to a new process, which first gets the client's handshake again.
 */
export class Session {
  readonly #options: SessionOptions;
  readonly #requests = new PendingRequests();
  readonly #up: LineGate;
  #link: Link | undefined;
  #isOpening = false;
  #isOver = false;

  constructor(options: SessionOptions) {
    this.#options = options;
    const { stdin, stdout } = options;
    this.#up = new LineGate({ forward: (bytes) => this.#send(bytes), observe: (line) => this.#requests.sent(line) });
    stdin.on('data', this.#onInput);
    stdin
      .on('end', () => this.end())
      .on('close', () => this.end())
      .on('error', () => this.end());
    stdout.on('error', () => this.#exit());
    this.#attach(options.link);
  }

  /** The client has sent its last message. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#isOpening) return;
    if (this.#link === undefined) this.#exit();
    else this.#endLink(this.#link);
  }

  #endLink(link: Link): void {
    link.input.end();
    setTimeout(() => this.#exit(), lastAnswersMs).unref();
  }

  readonly #onInput = (chunk: Buffer): void => {
    if (this.#link !== undefined) {
      this.#up.push(chunk);
      return;
    }
    this.#options.stdin.pause();
    this.#options.stdin.unshift(chunk);
    void this.#reopen();
  };

  #send(bytes: Buffer): void {
    if (this.#link?.input.write(bytes) === false) this.#options.stdin.pause();
  }

  #attach(link: Link): void {
    const { stdin, stdout } = this.#options;
    const forward = (bytes: Buffer): void => {
      if (stdout.write(bytes)) return;
      link.output.pause();
      stdout.once('drain', () => link.output.resume());
    };
    const down = new LineGate({ forward, observe: (line) => this.#requests.answered(line) });
    const onLost = (): void => this.#onLost(link);
    this.#link = link;
    link.input.on('drain', () => stdin.resume());
    link.input.on('error', onLost);
    link.output.on('data', (chunk: Buffer) => down.push(chunk));
    link.output.on('end', onLost).on('close', onLost).on('error', onLost);
    link.output.resume();
    stdin.resume();
  }

  #onLost(link: Link): void {
    if (this.#link !== link) return;
    this.#link = undefined;
    link.close();
    if (this.#isOver) {
      this.#exit();
      return;
    }
    const { handshake } = this.#requests;
    const lost = this.#requests.takeLost();
    this.#options.notice(`the shared process is gone${lost.length > 0 ? `; calls without an answer: ${lost.length}` : ''}`);
    this.#answerLost(lost).catch((error: unknown) => this.#fail(error));
    // A client that waits for its first answer has nothing else to send.
    if (handshake !== undefined && this.#requests.has(handshake.id)) void this.#reopen();
    else this.#options.stdin.resume();
  }

  async #answerLost(lost: ReturnType<PendingRequests['takeLost']>): Promise<void> {
    if (lost.length === 0) return;
    const { formatLostAnswer } = await import('./lost-answer.ts');
    const isOldEra = this.#requests.handshake !== undefined;
    for (const request of lost) this.#options.stdout.write(formatLostAnswer(request, isOldEra));
  }

  async #reopen(): Promise<void> {
    if (this.#isOpening) return;
    this.#isOpening = true;
    this.#options.stdin.pause();
    try {
      const link = await this.#options.reopen();
      await this.#repeatHandshake(link);
      this.#isOpening = false;
      this.#attach(link);
      if (this.#isOver) this.#endLink(link);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Also when the package is gone from the disk, and with it the parts that are loaded late. */
  #fail(error: unknown): void {
    this.#options.notice(`no server can be started: ${error instanceof Error ? error.message : String(error)}`);
    this.#options.exit(1);
  }

  async #repeatHandshake(link: Link): Promise<void> {
    const { handshake } = this.#requests;
    if (handshake === undefined) return;
    link.input.write(handshake.asked);
    link.input.write('\n');
    const line = await readFirstLine(link.output, handshakeMs);
    if (line === undefined) throw new Error('it ended during the handshake');
    const answer = Buffer.from(line);
    // A client that has its answer must not get another one.
    if (readAnswerId(answer) === handshake.id && this.#requests.has(handshake.id)) {
      this.#requests.answered(answer);
      this.#options.stdout.write(`${line}\n`);
    }
    if (handshake.confirmed === undefined) return;
    link.input.write(handshake.confirmed);
    link.input.write('\n');
  }

  #exit(): void {
    this.#link?.close();
    const { stdout, exit } = this.#options;
    if (stdout.destroyed || stdout.writableLength === 0) {
      exit(0);
      return;
    }
    stdout.once('drain', () => exit(0)).once('close', () => exit(0));
    setTimeout(() => exit(0), flushMs);
  }
}

const newline = 0x0a;
/** The longest line that a server reads; of a longer one, the parts pass as they come. */
const defaultMaxHeldBytes = 4 * 1024 * 1024 + 64 * 1024;

interface LineGateOptions {
  /** Gets whole lines, several at once where they came so. */
  forward(bytes: Buffer): void;
  /** Gets each of them afterwards, without its end. */
  observe(line: Buffer): void;
  maxHeldBytes?: number;
}

/** Lets whole lines through: when one side is lost in the middle of a line, the other has seen nothing of it. */
export class LineGate {
  readonly #options: LineGateOptions;
  readonly #maxHeldBytes: number;
  #held: Buffer[] = [];
  #heldBytes = 0;
  /** The line is too long to be held: its beginning has passed. */
  #isStreaming = false;

  constructor(options: LineGateOptions) {
    this.#options = options;
    this.#maxHeldBytes = options.maxHeldBytes ?? defaultMaxHeldBytes;
  }

  push(chunk: Buffer): void {
    const end = chunk.lastIndexOf(newline) + 1;
    if (end > 0) this.#pass(chunk.subarray(0, end));
    if (end < chunk.length) this.#hold(chunk.subarray(end));
  }

  /** Forgets an incomplete line. */
  reset(): void {
    this.#held = [];
    this.#heldBytes = 0;
  }

  #hold(part: Buffer): void {
    if (this.#isStreaming) {
      this.#options.forward(part);
      return;
    }
    this.#held.push(part);
    this.#heldBytes += part.length;
    if (this.#heldBytes <= this.#maxHeldBytes) return;
    this.#isStreaming = true;
    const begun = Buffer.concat(this.#held);
    this.reset();
    this.#options.forward(begun);
  }

  #pass(part: Buffer): void {
    const whole = this.#held.length === 0 ? part : Buffer.concat([...this.#held, part]);
    this.reset();
    this.#options.forward(whole);
    let start = 0;
    for (let end = whole.indexOf(newline); end >= 0; end = whole.indexOf(newline, start)) {
      if (!this.#isStreaming) this.#options.observe(whole.subarray(start, end));
      this.#isStreaming = false;
      start = end + 1;
    }
  }
}
