import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { Failure } from '@dbmole/core';
import { parseExact } from './exact-json.ts';
import { JsonStream, JsonStreamError, type JsonStreamLimits } from './json-stream.ts';

export interface AnswerLimits {
  /** Of the body, after decompression, as far as it is kept as a text. JSON may be longer, and is then kept in part. */
  bytes: number;
  json: JsonStreamLimits;
}

export interface AnswerBody {
  /** As far as it was read. */
  text: string;
  /** Undefined when the text is not JSON, or not all of it. Numbers that JavaScript cannot hold are a `RawNumber`. */
  json: unknown;
  /** The text was longer. Of JSON the rest was read all the same, and what of it was kept says where something is missing. */
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
 * Reads a body within the limits. A text that is longer ends there: the stream is destroyed, and with it the socket. JSON is read to
 * its end, because what counts may come last. This is the one place where bodies are read.
 */
export async function readAnswer(stream: Readable, limits: AnswerLimits): Promise<AnswerBody> {
  const chunks: Buffer[] = [];
  let length = 0;
  let long: LongJson | undefined;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (long === undefined) chunks.push(chunk);
    if (long === undefined && length > limits.bytes) long = openLong(chunks, limits);
    else long?.push(chunk);
    // Leaving the loop destroys the stream.
    if (length > limits.bytes && (long === undefined || long.failed)) break;
  }
  if (long !== undefined) return { text: long.text, json: long.end(), cut: { bytes: limits.bytes } };
  const text = decodeText(chunks, limits.bytes);
  if (length > limits.bytes) return { text, json: undefined, cut: { bytes: limits.bytes } };
  return { text, json: parseExact(text), cut: undefined };
}

/** Undefined when it does not begin like JSON that is worth reading on. */
function openLong(chunks: readonly Buffer[], limits: AnswerLimits): LongJson | undefined {
  const text = decodeText(chunks, limits.bytes);
  if (!/^\s*[[{]/.test(text)) return undefined;
  const long = new LongJson(text.slice(0, shownText), limits.json);
  for (const chunk of chunks) long.push(chunk);
  return long;
}

/** Of a long answer, its beginning is enough as a text. */
const shownText = 4_096;

/** JSON that is too long to be kept, as it comes. */
class LongJson {
  readonly text: string;
  /** It is no JSON after all. */
  failed = false;
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  readonly #stream: JsonStream;

  constructor(text: string, limits: JsonStreamLimits) {
    this.text = text;
    this.#stream = new JsonStream(limits);
  }

  push(chunk: Buffer): void {
    if (!this.failed) this.#attempt(() => this.#stream.push(this.#decoder.decode(chunk, { stream: true })));
  }

  end(): unknown {
    return this.failed ? undefined : this.#attempt(() => this.#stream.end());
  }

  #attempt<T>(step: () => T): T | undefined {
    try {
      return step();
    } catch (error) {
      if (!(error instanceof JsonStreamError)) throw error;
      this.failed = true;
      return undefined;
    }
  }
}

/** The stream of what was meant. Its errors are those of either; destroying it destroys the body. */
export function decompress(body: Readable, encoding: string): Readable {
  if (encoding === '' || encoding === 'identity') return body;
  if (encoding !== 'gzip' && encoding !== 'x-gzip') {
    body.on('error', () => undefined).destroy();
    throw new Failure('connection', `the answer is compressed with ${JSON.stringify(encoding)}, which was not asked for`, {
      code: 'E_NOT_HTTP',
      hint: 'A proxy in between may do that; look at its settings.',
    });
  }
  const plain = createGunzip();
  // Takes both down together; who reads gets the error from the stream itself.
  pipeline(body, plain, () => undefined);
  return plain;
}

/** `299 Elasticsearch-7.17.29-… "text" "date"`, several in one header, separated by commas. */
export function parseWarnings(header: string): readonly string[] {
  const texts = [...header.matchAll(/\b299 [^\s"]+ "((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) => text.replace(/\\(.)/g, '$1'));
  return [...new Set(texts)].slice(0, mostWarnings);
}

const mostWarnings = 20;

/** A character that the limit cuts in two is left out. */
function decodeText(chunks: readonly Buffer[], bytes: number): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(Buffer.concat(chunks).subarray(0, bytes), { stream: true });
}
