/** Shorter parts are copied together where there are many: a part of one byte takes hundreds of bytes to keep. */
const minKeptBytes = 4_096;
const maxShortParts = 8;
const blockBytes = 16 * 1024;

/** Collects the bytes of one message, in whatever parts they arrive. */
export class ByteCollector {
  #parts: Buffer[] = [];
  /** The last part, as long as there is room after it. */
  #block: Buffer | undefined;
  #used = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  append(part: Buffer): void {
    this.#length += part.length;
    const isFew = this.#block === undefined && this.#parts.length < maxShortParts;
    if (isFew || part.length >= minKeptBytes) {
      this.#closeBlock();
      this.#parts.push(part);
      return;
    }
    if (this.#block === undefined || this.#used + part.length > blockBytes) {
      this.#closeBlock();
      this.#block = Buffer.allocUnsafeSlow(blockBytes);
    }
    this.#used += part.copy(this.#block, this.#used);
  }

  /** The bytes so far, or the first of them. */
  join(maxBytes = this.#length): Buffer {
    const last = this.#block === undefined ? [] : [this.#block.subarray(0, this.#used)];
    return Buffer.concat([...this.#parts, ...last], Math.min(this.#length, maxBytes));
  }

  clear(): void {
    this.#parts = [];
    this.#block = undefined;
    this.#used = 0;
    this.#length = 0;
  }

  #closeBlock(): void {
    if (this.#block !== undefined) this.#parts.push(this.#block.subarray(0, this.#used));
    this.#block = undefined;
    this.#used = 0;
  }
}
