import { CutString, LeftOut } from '@dbmole/core';
import { define, JsonStreamError, maxDepth, nestingError, readScalar, unescapeText } from './json-scalars.ts';
import { Skipped } from './json-skip.ts';

/** How much of an answer is kept in memory; the rest is read, counted and forgotten. */
export interface JsonStreamLimits {
  /** Characters of one text. */
  string: number;
  /** Bytes that what is in one list takes in memory, roughly, its inner lists included; items that begin beyond them are left out. */
  list: number;
  /** The same for lists inside lists. Default: `list`. */
  innerList?: number;
  /** The same for everything. */
  total: number;
  /** The maximum number of values: items beyond it are left out, and members of objects a little later. */
  values?: number;
  /** A list that may be full earlier: `isFull` is called with each item of it. */
  watch?: { path: string; isFull(item: unknown): boolean };
}

interface Level {
  holder: unknown[] | Record<string, unknown>;
  isList: boolean;
  /** It is a list, or is somewhere in one. */
  inList: boolean;
  key: string;
  /** The total size at which the list is full. */
  fullAt: number;
  /** Items, or keys, that were left out. */
  leftOut: number;
  isWatched: boolean;
}

type Expect = 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'comma or end' | 'nothing';

/** Bytes of a value, beside its own characters: its place in a list, or in an object that may be a hash table. */
const itemBytes = 8;
const memberBytes = 24;
/** Bytes of an empty list or object. */
const containerBytes = 48;

/** Spare room for objects that begin before the limit. */
const spareMembers = 5_000;
/** The depth up to which the watched list is recognized. */
const maxWatchedLevels = 4;
const quote = 0x22;
/** No cluster writes longer numbers. */
const maxWord = 1_000;
const endOfText = /["\\]/g;
const blank = /[ \t\n\r]*/y;
const plainWord = /[-+.\w]*/y;

/**
 * Reads JSON piece by piece and keeps a bounded part of it: long texts are cut, with their true length (`CutString`), and what does
 * not fit any more is counted (`LeftOut`, the last item of its list). Small members that come late, such as totals, are still kept.
 */
export class JsonStream {
  readonly #limits: JsonStreamLimits;
  readonly #levels: Level[] = [];
  #expect: Expect = 'value';
  #rest = '';
  #kept = 0;
  #values = 0;
  #isPartial = false;
  #value: unknown;
  /** A text that has begun: what is kept of it, and how long it is so far. */
  #text: { parts: string[]; kept: number; length: number; isKey: boolean } | undefined;
  /** The part of a number, true, false or null that has arrived, in an unfinished one. */
  #wordStart = '';
  /** The part that is being left out, like most of a large answer. A full list is left out to its end. */
  #skipped: Skipped | undefined;

  constructor(limits: JsonStreamLimits) {
    this.#limits = limits;
  }

  /** Whether what comes next is left out; it may be given to `skip` then. */
  get isSkipping(): boolean {
    return this.#skipped !== undefined;
  }

  /** Something is missing in a list or an object. */
  get isPartial(): boolean {
    return this.#isPartial;
  }

  /** The value as far as it was read. */
  get value(): unknown {
    return this.#value;
  }

  /** Works like `push`, for bytes in UTF-8, but stops after what is left out. Returns how far it came. */
  skip(bytes: Uint8Array): number {
    return this.#skipped === undefined ? 0 : this.#afterSkip(this.#skipped, this.#skipped.readBytes(bytes, 0));
  }

  /** Throws `JsonStreamError` as soon as it is clear that this is not JSON. */
  push(chunk: string): void {
    const text = this.#rest + chunk;
    const end = this.#read(text, false);
    this.#rest = text.slice(end);
  }

  /** The value, with what could be kept. */
  end(): unknown {
    this.#read(`${this.#rest} `, true);
    if (this.#expect !== 'nothing') throw new JsonStreamError('the text ends in the middle of a value');
    return this.#value;
  }

  /** Ends in the middle: the value so far. */
  stop(): unknown {
    for (const level of this.#levels) markLeftOut(level);
    return this.#value;
  }

  /** Answers how far it came; the rest has to be given again together with what follows. */
  #read(text: string, isLast: boolean): number {
    let at = 0;
    while (at < text.length) {
      const next =
        this.#skipped !== undefined
          ? this.#afterSkip(this.#skipped, this.#skipped.readText(text, at))
          : this.#text === undefined
            ? this.#token(text, at, isLast)
            : this.#readText(text, at);
      if (next === at) break;
      at = next;
    }
    return at;
  }

  #token(text: string, from: number, isLast: boolean): number {
    if (this.#wordStart !== '') return this.#word(text, from, isLast);
    blank.lastIndex = from;
    blank.test(text);
    const at = blank.lastIndex;
    if (at >= text.length) return at;
    switch (text[at]) {
      case '"':
        return this.#beginText(at);
      case '{':
        return this.#open(false, at);
      case '[':
        return this.#open(true, at);
      case '}':
        return this.#close(false, at);
      case ']':
        return this.#close(true, at);
      case ',':
        return this.#comma(at);
      case ':':
        return this.#colon(at);
      default:
        return this.#word(text, at, isLast);
    }
  }

  #afterSkip(skipped: Skipped, at: number): number {
    const level = this.#levels.at(-1);
    if (level?.isList) {
      level.leftOut += skipped.commas;
      skipped.commas = 0;
    }
    if (!skipped.over) return at;
    this.#skipped = undefined;
    this.#afterValue();
    // The last bracket was the list's own.
    return level?.isList ? this.#close(true, at - 1) : at;
  }

  #beginText(at: number): number {
    const isKey = this.#expect === 'key' || this.#expect === 'key or end';
    if (!isKey) this.#requireValue();
    this.#text = { parts: [], kept: 0, length: 0, isKey };
    return at + 1;
  }

  /** Reads up to the closing quote, or as far as escapes are complete. */
  #readText(text: string, from: number): number {
    let at = from;
    while (at < text.length) {
      const end = readNext(endOfText, text, at);
      this.#addText(text.slice(at, end));
      if (end >= text.length) return text.length;
      if (text.charCodeAt(end) === quote) {
        this.#endText();
        return end + 1;
      }
      const code = /^\\(?:u[0-9a-fA-F]{4}|[^u])/.exec(text.slice(end, end + 6))?.[0];
      if (code === undefined) {
        if (text.length - end >= 6) throw new JsonStreamError('a string has an invalid escape');
        return end;
      }
      this.#addText(unescapeText(code));
      at = end + code.length;
    }
    return at;
  }

  #addText(part: string): void {
    const open = this.#text;
    if (open === undefined || part === '') return;
    open.length += part.length;
    const room = this.#limits.string - open.kept;
    if (room <= 0) return;
    const kept = part.length > room ? part.slice(0, room) : part;
    open.parts.push(copyText(kept));
    open.kept += kept.length;
  }

  #endText(): void {
    const { parts = [], length = 0, isKey = false } = this.#text ?? {};
    this.#text = undefined;
    const kept = parts.join('');
    if (isKey) {
      const level = this.#levels.at(-1);
      if (level !== undefined) level.key = kept;
      this.#expect = 'colon';
      return;
    }
    this.#put(length === kept.length ? kept : new CutString(kept, length), kept.length);
  }

  #open(isList: boolean, at: number): number {
    this.#requireValue();
    if (this.#levels.length >= maxDepth) throw nestingError();
    const outer = this.#levels.at(-1);
    const isKept = outer === undefined || this.#hasRoom(outer, 0);
    if (!isKept) {
      // Without room for an empty value, there is no room for what follows.
      this.#leaveOut(outer);
      this.#skipped = new Skipped({ inList: outer.isList });
      return at + 1;
    }
    const holder = isList ? [] : {};
    this.#attach(holder, containerBytes);
    const { list, innerList = list } = this.#limits;
    const fullAt = this.#kept + (outer?.inList ? innerList : list);
    const inList = isList || outer?.inList === true;
    this.#levels.push({ holder, isList, inList, key: '', fullAt, leftOut: 0, isWatched: isList && this.#isWatched() });
    this.#expect = isList ? 'value or end' : 'key or end';
    return at + 1;
  }

  #close(isList: boolean, at: number): number {
    const level = this.#levels.pop();
    const mayEnd = this.#expect === 'comma or end' || this.#expect === (isList ? 'value or end' : 'key or end');
    if (level === undefined || level.isList !== isList || !mayEnd) throw new JsonStreamError('unexpected closing bracket');
    markLeftOut(level);
    this.#afterValue();
    return at + 1;
  }

  #comma(at: number): number {
    const level = this.#levels.at(-1);
    if (level === undefined || this.#expect !== 'comma or end') throw new JsonStreamError('unexpected comma');
    this.#expect = level.isList ? 'value' : 'key';
    return at + 1;
  }

  #colon(at: number): number {
    if (this.#expect !== 'colon') throw new JsonStreamError('unexpected colon');
    this.#expect = 'value';
    return at + 1;
  }

  /** A number, true, false or null. It may continue in the next chunk. */
  #word(text: string, from: number, isLast: boolean): number {
    plainWord.lastIndex = from;
    plainWord.test(text);
    const end = plainWord.lastIndex;
    const length = this.#wordStart.length + end - from;
    if (length === 0) throw new JsonStreamError('unexpected character');
    if (length > maxWord) throw new JsonStreamError(`a number or word has more than ${maxWord} characters`);
    const word = this.#wordStart + text.slice(from, end);
    this.#wordStart = '';
    if (end === text.length && !isLast) this.#wordStart = word;
    else {
      this.#requireValue();
      this.#put(readScalar(copyText(word)), word.length);
    }
    // The word may have ended with the chunk before.
    return end === from ? this.#token(text, end, isLast) : end;
  }

  #requireValue(): void {
    if (this.#expect !== 'value' && this.#expect !== 'value or end') throw new JsonStreamError('unexpected value');
  }

  #put(value: unknown, size: number): void {
    const level = this.#levels.at(-1);
    if (level === undefined || this.#hasRoom(level, size)) this.#attach(value, size);
    else this.#leaveOut(level);
    this.#afterValue();
  }

  #leaveOut(level: Level): void {
    level.leftOut++;
    this.#isPartial = true;
  }

  #attach(value: unknown, size: number): void {
    const level = this.#levels.at(-1);
    this.#values += 1;
    this.#kept += size + (level?.isList ? itemBytes : memberBytes + (level?.key.length ?? 0));
    if (level === undefined) this.#value = value;
    else if (Array.isArray(level.holder)) level.holder.push(value);
    else define(level.holder, level.key, value);
  }

  #afterValue(): void {
    const level = this.#levels.at(-1);
    this.#expect = level === undefined ? 'nothing' : 'comma or end';
    if (!level?.isWatched || level.leftOut > 0 || !Array.isArray(level.holder)) return;
    if (this.#limits.watch?.isFull(level.holder.at(-1))) level.fullAt = -1;
  }

  /** Each list around the value has a limit of its own; members of an object are accepted while there is any room. */
  #hasRoom(level: Level, size: number): boolean {
    const { total, values = Infinity } = this.#limits;
    if (this.#kept + size > total || this.#values >= values + (level.isList ? 0 : spareMembers)) return false;
    return !level.isList || this.#kept + size <= level.fullAt;
  }

  #isWatched(): boolean {
    const { watch } = this.#limits;
    if (watch === undefined || this.#levels.length > maxWatchedLevels) return false;
    return this.#levels.map(({ key }) => key).join('.') === watch.path;
  }
}

function markLeftOut({ holder, leftOut }: Level): void {
  if (leftOut > 0 && Array.isArray(holder)) holder.push(new LeftOut(leftOut));
}

/** A slice would keep the whole chunk in memory, except a short one, which is a copy already. Any other copy has two bytes per character. */
function copyText(text: string): string {
  return text.length < 13 ? text : ` ${text}`.slice(1);
}

/** Finds the next match, or the end. */
function readNext(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex - 1 : text.length;
}
