/** What a stream of lines yields: a whole line, or word of one that was too long to keep. */
export type LineEvent = { kind: 'line'; text: string } | { kind: 'oversized'; bytes: number; head: string };

const headBytes = 4_096;
const newline = 0x0a;

/**
 * Splits bytes into lines without ever holding more than `maxBytes` of one. A longer line is dropped while it arrives;
 * only its head is kept, from which the sender can be told which message was refused.
 */
export class LineReader {
  readonly #maxBytes: number;
  readonly #emit: (event: LineEvent) => void;
  #chunks: Buffer[] = [];
  #length = 0;
  #head: string | undefined;

  constructor(maxBytes: number, emit: (event: LineEvent) => void) {
    this.#maxBytes = maxBytes;
    this.#emit = emit;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(newline, start);
      if (end < 0) break;
      this.#append(chunk.subarray(start, end));
      this.#finishLine();
      start = end + 1;
    }
    if (start < chunk.length) this.#append(chunk.subarray(start));
  }

  #append(part: Buffer): void {
    this.#length += part.length;
    if (this.#head !== undefined) return;
    this.#chunks.push(part);
    if (this.#length <= this.#maxBytes) return;
    this.#head = Buffer.concat(this.#chunks, Math.min(this.#length, headBytes)).toString('utf8');
    this.#chunks = [];
  }

  #finishLine(): void {
    const event: LineEvent =
      this.#head === undefined
        ? { kind: 'line', text: Buffer.concat(this.#chunks, this.#length).toString('utf8') }
        : { kind: 'oversized', bytes: this.#length, head: this.#head };
    this.#chunks = [];
    this.#length = 0;
    this.#head = undefined;
    this.#emit(event);
  }
}
