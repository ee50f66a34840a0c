/** A whole line, or the two ends of one that was too long to keep. */
export type ChildLine = { kind: 'line'; text: string } | { kind: 'oversized'; bytes: number; ends: string };

const newline = 0x0a;
/** An id is at one end of a message or at the other, whatever is between them. */
const endBytes = 2_048;

/** Splits the output of a server into lines, and holds no more than the limit of one. */
export class ChildLines {
  readonly #maxBytes: number;
  readonly #emit: (line: ChildLine) => void;
  #parts: Buffer[] = [];
  #length = 0;
  #ends: { head: Buffer; tail: Buffer } | undefined;

  constructor(maxBytes: number, emit: (line: ChildLine) => void) {
    this.#maxBytes = maxBytes;
    this.#emit = emit;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      this.#append(chunk.subarray(start, end));
      this.#finish();
      start = end + 1;
    }
    if (start < chunk.length) this.#append(chunk.subarray(start));
  }

  #append(part: Buffer): void {
    this.#length += part.length;
    if (this.#ends !== undefined) {
      this.#ends.tail = Buffer.concat([this.#ends.tail, part.subarray(-endBytes)]).subarray(-endBytes);
      return;
    }
    this.#parts.push(part);
    if (this.#length <= this.#maxBytes) return;
    const head = Buffer.concat(this.#parts, Math.min(endBytes, this.#length));
    this.#ends = { head, tail: Buffer.from(part.subarray(-endBytes)) };
    this.#parts = [];
  }

  #finish(): void {
    const ends = this.#ends;
    const line: ChildLine =
      ends === undefined
        ? { kind: 'line', text: Buffer.concat(this.#parts, this.#length).toString('utf8') }
        : { kind: 'oversized', bytes: this.#length, ends: `${ends.head.toString('utf8')}\n${ends.tail.toString('utf8')}` };
    this.#parts = [];
    this.#length = 0;
    this.#ends = undefined;
    this.#emit(line);
  }
}
