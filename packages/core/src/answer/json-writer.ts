import { redactData, redactKnown, sliceKnown } from '../redact/redact.ts';
import { alignCut, formatVisibleJson, markClose, markOpen } from '../text.ts';

/** A number of which every digit counts, as it was written in its JSON. */
export class RawNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The beginning of a string of which the rest was not kept. */
export class CutString {
  readonly text: string;
  /** The length of the whole string. */
  readonly length: number;

  constructor(text: string, length: number) {
    this.text = text;
    this.length = length;
  }
}

/** The last item of a list of which the rest was not kept. */
export class LeftOut {
  readonly items: number;

  constructor(items: number) {
    this.items = items;
  }
}

/** How much of each part is shown. Infinity shows all of it. */
export interface JsonLimits {
  /** Characters of a string. */
  string: number;
  /** Items of a list. */
  items: number;
  /** Keys of an object. */
  keys: number;
  /** Levels of lists and objects; those further in are only counted. */
  depth: number;
}

/** How many of each were cut. */
export interface JsonCuts {
  strings: number;
  lists: number;
  objects: number;
  levels: number;
}

export interface WrittenJson {
  text: string;
  cuts: JsonCuts;
  /** Strings from which a secret was removed. */
  redacted: number;
}

interface JsonWriterOptions {
  limits: JsonLimits;
  /** Characters the text may have. */
  room: number;
  removeSecrets: boolean;
}

/** A list or object that is open, and how far we are in it. `keys` is missing in a list. */
interface Frame {
  holder: readonly unknown[] | Record<string, unknown>;
  keys: readonly string[] | undefined;
  next: number;
  end: number;
  left: number;
  empty: boolean;
}

/** A string may be this much longer than the limit: a mark of the cut would cost as much. */
const markSlack = 24;
const maxNumberLength = 1_000;
/** Most strings are shown as they are. */
const plain = /^[ !#-[\]-~]*$/;
const numberPattern = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * JSON of a value within the limits, or undefined as soon as it is clear that it does not fit into the room. The value is made
 * of what JSON knows, bigints and `RawNumber`: what has a form only by `toJSON`, such as a Date, is turned into text before.
 */
export function writeJson(value: unknown, options: JsonWriterOptions): WrittenJson | undefined {
  return new JsonWriter(options).write(value);
}

/** Has its own stack: data nested a hundred thousand levels deep must not end the process. */
class JsonWriter {
  readonly #limits: JsonLimits;
  readonly #room: number;
  readonly #removeSecrets: boolean;
  readonly #out: string[] = [];
  readonly #stack: Frame[] = [];
  readonly #cuts: JsonCuts = { strings: 0, lists: 0, objects: 0, levels: 0 };
  #redacted = 0;
  #size = 0;

  constructor({ limits, room, removeSecrets }: JsonWriterOptions) {
    this.#limits = limits;
    this.#room = room;
    this.#removeSecrets = removeSecrets;
  }

  write(value: unknown): WrittenJson | undefined {
    this.#value(value);
    for (let frame = this.#stack.at(-1); frame; frame = this.#stack.at(-1)) {
      if (this.#size > this.#room) return undefined;
      if (frame.next < frame.end) this.#step(frame);
      else this.#close(frame);
    }
    if (this.#size > this.#room) return undefined;
    return { text: this.#out.join(''), cuts: this.#cuts, redacted: this.#redacted };
  }

  #step(frame: Frame): void {
    const key = frame.keys?.[frame.next];
    const value = getElement(frame, key);
    frame.next += 1;
    if (key !== undefined && isAbsent(value)) return;
    this.#separate(frame);
    if (key !== undefined) {
      this.#string(key, key.length, redactKnown);
      this.#put(':');
    }
    this.#value(value);
  }

  #close(frame: Frame): void {
    this.#stack.pop();
    if (frame.left > 0) {
      this.#separate(frame);
      this.#put(
        frame.keys ? `"${mark(formatCount(frame.left, 'more key'))}":null` : `"${mark(formatCount(frame.left, 'more item'))}"`,
      );
    }
    this.#put(frame.keys ? '}' : ']');
  }

  #separate(frame: Frame): void {
    if (!frame.empty) this.#put(',');
    frame.empty = false;
  }

  #value(value: unknown): void {
    if (typeof value === 'string') this.#string(value);
    else if (typeof value !== 'object' || value === null) this.#scalar(formatScalar(value));
    else if (value instanceof RawNumber) this.#number(value);
    else if (value instanceof CutString) this.#string(value.text, value.length);
    else if (Array.isArray(value)) this.#open(value, undefined);
    // Only objects are left; what is in them is still unknown.
    else this.#open(value as Record<string, unknown>, Object.keys(value));
  }

  #open(holder: Frame['holder'], keys: readonly string[] | undefined): void {
    // What was left out before is one more kind of what is left out now.
    const last = Array.isArray(holder) ? holder.at(-1) : undefined;
    const before = last instanceof LeftOut ? last.items : 0;
    const length = keys ? keys.length : Number(holder.length) - Number(before > 0);
    if (length > 0 && this.#stack.length >= this.#limits.depth) {
      this.#cuts.levels += 1;
      this.#put(`"${mark(keys ? `object, ${formatCount(length, 'key')}` : `list, ${formatCount(length, 'item')}`)}"`);
      return;
    }
    const end = Math.min(length, keys ? this.#limits.keys : this.#limits.items);
    if (end < length + before) this.#cuts[keys ? 'objects' : 'lists'] += 1;
    this.#put(keys ? '{' : '[');
    this.#stack.push({ holder, keys, next: 0, end, left: length - end + before, empty: true });
  }

  #number({ text }: RawNumber): void {
    if (numberPattern.test(text)) this.#scalar(text);
    else this.#string(text);
  }

  #scalar(text: string): void {
    if (text.length <= Math.max(maxNumberLength, this.#limits.string)) this.#put(text);
    else this.#string(text);
  }

  #string(text: string, length = text.length, removeSecrets = redactData): void {
    const isShort = length === text.length && length <= Math.min(this.#limits.string, this.#room - this.#size);
    if (isShort && !this.#removeSecrets && plain.test(text)) this.#put(`"${text}"`);
    else this.#cutString(text, length, removeSecrets);
  }

  #cutString(text: string, length: number, removeSecrets: (text: string) => string): void {
    const limit = this.#limits.string;
    const whole = length === text.length && length <= limit + markSlack;
    const end = whole ? length : alignCut(text, Math.min(limit, text.length));
    this.#cuts.strings += Number(!whole);
    const shown = sliceKnown(text, 0, end);
    this.#redacted += Number(shown.length !== end);
    const cutMark = whole ? '' : mark(end === 0 ? `0 of ${length}` : `1-${end} of ${length}`);
    this.#quote(shown, cutMark, removeSecrets);
  }

  #quote(text: string, cutMark: string, removeSecrets: (text: string) => string): void {
    // Escaping a string of many megabytes only to find that it is too long is what we are here to avoid.
    if (this.#size + text.length > this.#room) {
      this.#size += text.length;
      return;
    }
    const shown = this.#removeSecrets ? removeSecrets(text) : text;
    this.#redacted += Number(shown !== text);
    this.#put(`${formatVisibleJson(JSON.stringify(shown)).slice(0, -1)}${cutMark}"`);
  }

  #put(text: string): void {
    this.#size += text.length;
    this.#out.push(text);
  }
}

function getElement(frame: Frame, key: string | undefined): unknown {
  // The frame decided which of the two it is when it was opened: a list has no keys.
  return key === undefined ? (frame.holder as readonly unknown[])[frame.next] : (frame.holder as Record<string, unknown>)[key];
}

/** What JSON has no form for is left out of objects, as everywhere. */
function isAbsent(value: unknown): boolean {
  return value === undefined || typeof value === 'function' || typeof value === 'symbol';
}

function formatScalar(value: unknown): string {
  if (typeof value === 'bigint') return value.toString();
  if (Object.is(value, -0)) return '-0';
  return JSON.stringify(value) ?? 'null';
}

function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function mark(text: string): string {
  return `${markOpen}${text}${markClose}`;
}
