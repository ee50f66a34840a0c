import { parseExact } from '../json/exact-json.ts';
import { JsonStreamError } from '../json/json-scalars.ts';
import { JsonStream, type JsonStreamLimits } from '../json/json-stream.ts';

export interface AnswerLimits {
  /** The limit of the decompressed body, as far as it is kept as text. */
  bytes: number;
  /** The limits of longer JSON. Without them only the text is wanted, and the value only of a short one. */
  json?: JsonStreamLimits;
  /**
   * Decides about longer JSON once nothing more fits: whether what was kept is all that is wanted. The rest is then not read, and
   * the connection is closed.
   */
  isEnough?: (json: unknown) => boolean;
}

export interface AnswerBody {
  /** The text as far as it was read. */
  text: string;
  /**
   * The parsed value; undefined when the text is not JSON, or not all of it. Numbers that JavaScript cannot hold are a `RawNumber`.
   */
  json: unknown;
  /** Why there is no value, as a sentence. */
  flaw?: string | undefined;
  /** Some of the lists and objects of the JSON were not kept. */
  isPartial?: boolean | undefined;
  /** The text was longer. Of JSON the rest was read, unless it was enough, and what of it was kept says where something is missing. */
  cut: { bytes: number } | undefined;
}

export interface Answer extends AnswerBody {
  status: number;
  /** The media type in lower case and without parameters; empty without one. */
  contentType: string;
  /** Warnings of the cluster, without duplicates. */
  warnings: readonly string[];
  /** The sender of the warnings, for example `Elasticsearch-7.17.29-…`. */
  warnedBy: string | undefined;
  /** What a person's policy hides of the documents, as a sentence. */
  policyNote?: string;
  /** What of the policy's limits the search exceeds, as a sentence. */
  costNote?: string;
  /** Kibana has answered; with the status that the cluster gave it, where it says so. */
  proxy?: { readonly status: number | undefined };
  /** The value of `X-elastic-product`. */
  product: string | undefined;
}

/** Longer text is shown in part. */
export const textBytes = 1024 * 1024;
/** Parsing JSON of this length takes a few milliseconds; longer JSON is better parsed while it arrives. */
const parsedBytes = 128 * 1024;

/** Limits that are far above anything that is shown. */
export const answerLimits: AnswerLimits = {
  bytes: textBytes,
  json: { string: 128 * 1024, list: 768 * 1024, total: 4 * 1024 * 1024, values: 60_000 },
};

/**
 * Reads a body within the limits as it arrives. A longer text is not read further. JSON is read to its end, because what counts may
 * come last, unless the limits say when it is enough. This is the one place where bodies are read.
 */
export class AnswerReader {
  readonly #limits: AnswerLimits;
  readonly #chunks: Buffer[] = [];
  /** The number of chunks that were joined from others. */
  #joined = 0;
  #length = 0;
  #mayBeJson: boolean | undefined;
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
    if (this.#length <= Math.min(bytes, parsedBytes)) return true;
    if (json === undefined || !this.#isJson) return this.#length <= bytes;
    const head = decodeText(this.#chunks, shownBytes);
    const long = new LongJson(head, { ...this.#limits, json });
    this.#long = long;
    return this.#chunks.splice(0).every((one) => long.push(one));
  }

  /** Whether the beginning looks like JSON. */
  get #isJson(): boolean {
    this.#mayBeJson ??= /^\s*[[{]/.test(decodeText(this.#chunks, shownBytes));
    return this.#mayBeJson;
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
    if (this.#long !== undefined) {
      const read = this.#long.end();
      return { ...read, cut: { bytes: read.json === undefined ? shownBytes : bytes } };
    }
    const text = decodeText(this.#chunks, bytes);
    if (this.#length > bytes) return { text, json: undefined, cut: { bytes } };
    const isWanted = json !== undefined || this.#length <= textBytes;
    return { text, ...(isWanted ? attempt(() => parseExact(text)) : { json: undefined }), cut: undefined };
  }
}

/** The beginning of a long answer is enough as text. */
const shownBytes = 4_096;
/** The number of chunks that are kept as they came. */
const maxChunks = 256;
/** A new connection costs more than reading the rest of an answer of at most this length. */
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
  return [...new Set(texts)].slice(0, maxWarnings);
}

const maxWarnings = 20;

/** A character that the limit cuts in two is left out. */
function decodeText(chunks: readonly Buffer[], bytes: number): string {
  const [only] = chunks;
  const all = only !== undefined && chunks.length === 1 ? only : Buffer.concat(chunks);
  // Most answers are not cut, and creating a decoder takes longer than decoding.
  if (all.length <= bytes) return all.toString('utf8');
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(all.subarray(0, bytes), { stream: true });
}
