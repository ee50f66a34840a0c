import { parseExact } from './exact-json.ts';
import { JsonStreamError } from './json-scalars.ts';
import { JsonStream, type JsonStreamLimits } from './json-stream.ts';

export interface AnswerLimits {
  /** Of the body, after decompression, as far as it is kept as a text. JSON may be longer, and is then kept in part. */
  bytes: number;
  json: JsonStreamLimits;
  /**
   * Asked of longer JSON once nothing of what comes fits any more: whether what there is so far is all that is wanted. The rest is not
   * read then, and the connection ends with it.
   */
  isEnough?: (json: unknown) => boolean;
}

export interface AnswerBody {
  /** As far as it was read. */
  text: string;
  /** Undefined when the text is not JSON, or not all of it. Numbers that JavaScript cannot hold are a `RawNumber`. */
  json: unknown;
  /** The text was longer. Of JSON the rest was read, unless it was enough, and what of it was kept says where something is missing. */
  cut: { bytes: number } | undefined;
}

export interface Answer extends AnswerBody {
  status: number;
  /** In small letters and without parameters; empty when none is said. */
  contentType: string;
  /** What the cluster warns of, once each. */
  warnings: readonly string[];
  /** Who warns, for example `Elasticsearch-7.17.29-…`. */
  warnedBy: string | undefined;
  /** As `X-elastic-product` says it. */
  product: string | undefined;
}

/** Nothing that is shown comes near them. */
export const answerLimits: AnswerLimits = {
  bytes: 1024 * 1024,
  json: { string: 128 * 1024, list: 768 * 1024, total: 4 * 1024 * 1024 },
};

/**
 * Reads a body within the limits, as it comes. Of a text that is longer no more is wanted. JSON is read to its end, because what counts
 * may come last, unless the limits say when it is enough. This is the one place where bodies are read.
 */
export class AnswerReader {
  readonly #limits: AnswerLimits;
  #chunks: Buffer[] = [];
  #length = 0;
  #long: LongJson | undefined;

  constructor(limits: AnswerLimits) {
    this.#limits = limits;
  }

  /** Whether more is wanted; when not, let go of who sends it. */
  push(chunk: Buffer): boolean {
    this.#length += chunk.length;
    if (this.#long !== undefined) return this.#long.push(chunk);
    this.#chunks.push(chunk);
    if (this.#length <= this.#limits.bytes) return true;
    if (!/^\s*[[{]/.test(decodeText(this.#chunks, shownBytes))) return false;
    const long = new LongJson(decodeText(this.#chunks, shownBytes), this.#limits);
    this.#long = long;
    return this.#chunks.splice(0).every((one) => long.push(one));
  }

  end(): AnswerBody {
    const { bytes } = this.#limits;
    if (this.#long !== undefined) return { text: this.#long.text, json: this.#long.end(), cut: { bytes } };
    const text = decodeText(this.#chunks, bytes);
    if (this.#length > bytes) return { text, json: undefined, cut: { bytes } };
    return { text, json: parseExact(text), cut: undefined };
  }
}

/** Of a long answer, its beginning is enough as a text. */
const shownBytes = 4_096;
/** Another connection costs more than the rest of an answer that is no longer than this. */
const patience = 512 * 1024;

/** JSON that is too long to be kept, as it comes. */
class LongJson {
  readonly text: string;
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  readonly #stream: JsonStream;
  readonly #isEnough: AnswerLimits['isEnough'];
  /** It is no JSON after all. */
  #failed = false;
  #enough = false;
  /** Bytes since the last one that was kept. */
  #passed = 0;

  constructor(text: string, { json, isEnough }: AnswerLimits) {
    this.text = text;
    this.#stream = new JsonStream(json);
    this.#isEnough = isEnough;
  }

  push(chunk: Buffer): boolean {
    this.#attempt(() => this.#read(chunk));
    return !this.#failed && !this.#enough;
  }

  end(): unknown {
    if (this.#failed) return undefined;
    return this.#enough ? this.#stream.stop() : this.#attempt(() => this.#stream.end());
  }

  #read(chunk: Buffer): void {
    const skipped = this.#stream.skip(chunk);
    this.#passed = skipped === chunk.length ? this.#passed + skipped : 0;
    if (skipped < chunk.length) this.#readText(chunk.subarray(skipped));
    else if (this.#passed > patience) this.#enough = this.#isEnough?.(this.#stream.value) ?? false;
  }

  #readText(bytes: Buffer): void {
    this.#stream.push(this.#decoder.decode(bytes, { stream: true }));
    // Half a character waits there for its other half, which is going to be left out.
    if (this.#stream.isSkipping) this.#decoder.decode();
  }

  #attempt<T>(step: () => T): T | undefined {
    try {
      return step();
    } catch (error) {
      if (!(error instanceof JsonStreamError)) throw error;
      this.#failed = true;
      return undefined;
    }
  }
}

/** `299 Elasticsearch-7.17.29-… "text" "date"`, several in one header, separated by commas. */
export function parseWarnings(header: string): readonly string[] {
  if (header === '') return [];
  const texts = [...header.matchAll(/\b299 [^\s"]+ "((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) => text.replace(/\\(.)/g, '$1'));
  return [...new Set(texts)].slice(0, mostWarnings);
}

const mostWarnings = 20;

/** A character that the limit cuts in two is left out. */
function decodeText(chunks: readonly Buffer[], bytes: number): string {
  const [only] = chunks;
  const all = only !== undefined && chunks.length === 1 ? only : Buffer.concat(chunks);
  // Nothing is cut in most answers, and a decoder of its own takes longer than it decodes.
  if (all.length <= bytes) return all.toString('utf8');
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(all.subarray(0, bytes), { stream: true });
}
