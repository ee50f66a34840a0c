import { ByteCollector } from './byte-collector.ts';

/** What a stream of lines yields: a whole line, or word of one that was too long to keep or has too many values. */
export type LineEvent =
  | { kind: 'line'; text: string }
  | { kind: 'oversized'; bytes: number; head: string }
  | { kind: 'crowded'; head: string };

interface LineLimits {
  bytes: number;
  /** The limit of JSON values. Undefined: any number. */
  values?: number;
}

const headBytes = 4_096;
/** The values of a shorter line are not counted. */
const minCountedBytes = 32 * 1024;
const newline = 0x0a;

/**
 * Splits bytes into lines without ever holding more than the limits of one. A line beyond them is dropped while it arrives;
 * only its head is kept, so that the error can name the message that was refused.
 */
export class LineReader {
  readonly #limits: LineLimits;
  readonly #emit: (event: LineEvent) => void;
  readonly #kept = new ByteCollector();
  #length = 0;
  #head: string | undefined;
  #counter: ValueCounter | undefined;
  #isCrowded = false;

  constructor(limits: LineLimits, emit: (event: LineEvent) => void) {
    this.#limits = limits;
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
    this.#kept.append(part);
    this.#isCrowded = this.#hasTooMany(part);
    if (this.#length <= this.#limits.bytes && !this.#isCrowded) return;
    this.#head = this.#kept.join(headBytes).toString('utf8');
    this.#kept.clear();
  }

  #hasTooMany(part: Buffer): boolean {
    const { values } = this.#limits;
    if (values === undefined || this.#length < minCountedBytes) return false;
    const bytes = this.#counter === undefined ? this.#kept.join() : part;
    this.#counter ??= new ValueCounter();
    this.#counter.read(bytes);
    return this.#counter.count > values;
  }

  #finishLine(): void {
    const event = this.#describeLine();
    this.#kept.clear();
    this.#length = 0;
    this.#head = undefined;
    this.#counter = undefined;
    this.#isCrowded = false;
    this.#emit(event);
  }

  #describeLine(): LineEvent {
    const head = this.#head;
    if (head === undefined) return { kind: 'line', text: this.#kept.join().toString('utf8') };
    return this.#isCrowded ? { kind: 'crowded', head } : { kind: 'oversized', bytes: this.#length, head };
  }
}

const quote = 0x22;
const comma = 0x2c;
const backslash = 0x5c;
const openList = 0x5b;
const openObject = 0x7b;

/** Counts the values of a JSON text while it arrives. To build many small ones takes far longer than their length suggests. */
export class ValueCounter {
  #count = 0;
  #inText = false;
  #isEscaped = false;

  get count(): number {
    return this.#count;
  }

  read(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at++) this.#read(bytes[at] ?? 0);
  }

  #read(code: number): void {
    if (this.#inText) this.#readInText(code);
    else if (code === quote) this.#inText = true;
    else if (code === comma || code === openList || code === openObject) this.#count += 1;
  }

  #readInText(code: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (code === backslash) this.#isEscaped = true;
    else if (code === quote) this.#inText = false;
  }
}
