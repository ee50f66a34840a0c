import { parseExact } from './exact-json.ts';
import { JsonStreamError } from './json-scalars.ts';
import { JsonStream, type JsonStreamLimits } from './json-stream.ts';

export interface AnswerLimits {
  /** Of the body, after decompression, as far as it is kept as a text. */
  bytes: number;
  /** Of JSON that is longer. Without them only the text is wanted, and the value only of a short one. */
  json?: JsonStreamLimits;
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
  /** Why there is no value, as a sentence. */
  flaw?: string | undefined;
  /** Not everything that is in the lists and objects of the JSON was kept. */
  isPartial?: boolean | undefined;
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

/** To parse a text of this length takes a few milliseconds; what is longer is better read while it arrives. */
export const textBytes = 1024 * 1024;

/** Nothing that is shown comes near them. */
export const answerLimits: AnswerLimits = {
  bytes: textBytes,
  json: { string: 128 * 1024, list: 768 * 1024, total: 4 * 1024 * 1024 },
};

/**
 * Reads a body within the limits, as it comes. Of a text that is longer no more is wanted. JSON is read to its end, because what counts
 * may come last, unless the limits say when it is enough. This is the one place where bodies are read.
 */
export class AnswerReader {
  readonly #limits: AnswerLimits;
  readonly #chunks: Buffer[] = [];
  /** How many of them were joined from others. */
  #joined = 0;
  #length = 0;
  #long: LongJson | undefined;

  constructor(limits: AnswerLimits) {
    this.#limits = limits;
  }

  /** Whether more is wanted; when not, let go of who sends it. */
  push(chunk: Buffer): boolean {
    this.#length += chunk.length;
    if (this.#long !== undefined) return this.#long.push(chunk);
    this.#keep(chunk);
    const { bytes, json } = this.#limits;
    if (this.#length <= bytes) return true;
    const head = decodeText(this.#chunks, shownBytes);
    if (json === undefined || !/^\s*[[{]/.test(head)) return false;
    const long = new LongJson(head, { ...this.#limits, json });
    this.#long = long;
    return this.#chunks.splice(0).every((one) => long.push(one));
  }

  /** A chunk may be one byte of a buffer of 64 KB, which stays in memory as long as the chunk does. */
  #keep(chunk: Buffer): void {
    this.#chunks.push(chunk);
    if (this.#chunks.length - this.#joined < maxChunks) return;
    this.#chunks.push(Buffer.concat(this.#chunks.splice(this.#joined)));
    this.#joined += 1;
  }

  end(): AnswerBody {
    const { bytes, json } = this.#limits;
    if (this.#long !== undefined) return { ...this.#long.end(), cut: { bytes } };
    const text = decodeText(this.#chunks, bytes);
    if (this.#length > bytes) return { text, json: undefined, cut: { bytes } };
    const isWanted = json !== undefined || this.#length <= textBytes;
    return { text, ...(isWanted ? attempt(() => parseExact(text)) : { json: undefined }), cut: undefined };
  }
}

/** Of a long answer, its beginning is enough as a text. */
const shownBytes = 4_096;
/** Kept at a time as they came. */
const maxChunks = 256;
/** Another connection costs more than the rest of an answer that is no longer than this. */
const patience = 512 * 1024;

/** JSON that is too long to be kept, as it comes. */
class LongJson {
  readonly #text: string;
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  readonly #stream: JsonStream;
  readonly #isEnough: AnswerLimits['isEnough'];
  /** It is not JSON after all, or not the JSON that a cluster would write. */
  #flaw: string | undefined;
  #enough = false;
  /** Bytes since the last one that was kept. */
  #passed = 0;

  constructor(text: string, { json, isEnough }: AnswerLimits & { json: JsonStreamLimits }) {
    this.#text = text;
    this.#stream = new JsonStream(json);
    this.#isEnough = isEnough;
  }

  push(chunk: Buffer): boolean {
    this.#flaw = attempt(() => this.#read(chunk)).flaw;
    return this.#flaw === undefined && !this.#enough;
  }

  end(): Omit<AnswerBody, 'cut'> {
    const text = this.#text;
    if (this.#flaw !== undefined) return { text, json: undefined, flaw: this.#flaw };
    const value = attempt(() => (this.#enough ? this.#stream.stop() : this.#stream.end()));
    return { text, ...value, isPartial: this.#stream.isPartial };
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
}

function attempt(read: () => unknown): Pick<AnswerBody, 'json' | 'flaw'> {
  try {
    return { json: read() };
  } catch (error) {
    if (!(error instanceof JsonStreamError)) throw error;
    return { json: undefined, flaw: error.message };
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
