const newline = 0x0a;
/** The longest line that a server reads; of a longer one, the parts pass as they come. */
const defaultMaxHeldBytes = 4 * 1024 * 1024 + 64 * 1024;

export interface LineGateOptions {
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
