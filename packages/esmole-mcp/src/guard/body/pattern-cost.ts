import { Failure } from '@dbmole/core';
import { isObject, listTexts, textsWithin, walk } from './walk-json.ts';

/** Steps as a power of ten: about a minute of one thread, which a node does not stop when its client has gone. */
const maxCost = 10;
/** Longer patterns are not read. */
const maxLength = 2_000;

/** Settings of tokenizers and filters that are patterns. */
const analysisKeys: ReadonlySet<string> = new Set(['pattern', 'patterns', 'keywords_pattern']);
/** The same of processors. Those of `grok` are missing because a node stops them. */
const processorKeys: Readonly<Record<string, readonly string[]>> = {
  gsub: ['pattern'],
  split: ['separator'],
  kv: ['field_split', 'value_split'],
};
/** These become a part of a pattern. */
const trimKeys = ['trim_key', 'trim_value'];

/** Throws for the pattern of an analyzer that may take too long on a text of the request. */
export function checkAnalysisPatterns(body: Readonly<Record<string, unknown>>): void {
  const length = longest(listTexts(body.text));
  walk(body, 0, (key, value) => {
    const last = key.slice(key.lastIndexOf('.') + 1);
    if (analysisKeys.has(last)) for (const pattern of listTexts(value)) checkPattern(pattern, length);
    if (last === 'flags' && listTexts(value).some((flags) => /COMMENTS/.test(flags))) throw costFailure('flags');
  });
}

/** The same for the processors of a pipeline. What a script or a template makes of the documents may be longer than they are. */
export function checkProcessorPatterns(pipelines: unknown, docs: unknown): void {
  const length = longest(textsWithin(docs));
  walk(pipelines, 0, (key, value) => {
    if (!isObject(value)) return;
    const keys = Object.hasOwn(processorKeys, key) ? (processorKeys[key] ?? []) : [];
    for (const pattern of keys.flatMap((name) => listTexts(value[name]))) checkPattern(pattern, length);
    const trimmed = key === 'kv' ? trimKeys.flatMap((name) => listTexts(value[name])) : [];
    for (const text of trimmed) checkPattern(`^([${text}]+)|([${text}]+)$`, length);
  });
}

/** The length of a text where it is not known, and of shorter ones. */
const someLength = 100;

/** Throws for a pattern that may take too long even on a short text. In one of Grok, names stand for patterns of the cluster. */
export function checkPatternAlone(pattern: string): void {
  checkPattern(pattern.replace(/%\{[^{}]*\}/g, 'x'), someLength);
}

function checkPattern(pattern: string, length: number): void {
  if (estimateCost(pattern, length) > maxCost) throw costFailure(pattern);
}

function costFailure(pattern: string): Failure {
  const shown = JSON.stringify(pattern.slice(0, 60));
  return new Failure('refused', `the pattern ${shown} could keep a node busy for days, and no time limit stops it`, {
    code: 'E_NOT_A_READ',
    hint: 'Repeat no group that has repetitions or alternatives, use no \\1, and try it on a shorter text.',
  });
}

/** What a quantifier may follow. */
interface Repeatable {
  /** Whether it can match one text in several ways, so that repeating it multiplies them. */
  isAmbiguous: boolean;
}

/** A group that is matched or called again, comments, quoted text and control characters, and a brace that counts in another way. */
const unreadable = /\\[1-9kgQEc]|\(\?(?:#|-?[A-Za-z]*x)|\{,/;
/** A part as Java reads it: an escape, the start of a group with what it is, a quantifier, or any other character. */
const parts = /\\(?:[pPxN]\{[^{}]*\}|[\s\S])|\(\?<?[A-Za-z0-9=!:>-]*|[*+?]|\{\d+(?:,\d*)?\}|[\s\S]/y;

/**
 * The most steps that a search of the pattern can take in a text of this length, as a power of ten: each repetition tries every length,
 * and each choice both ways. Infinite where the steps double with each character, or where the pattern cannot be read for sure.
 */
export function estimateCost(pattern: string, length: number): number {
  if (pattern.length > maxLength || unreadable.test(pattern)) return Infinity;
  return new PatternReader(pattern, length).read();
}

class PatternReader {
  readonly #pattern: string;
  readonly #length: number;
  /** The groups that are open. */
  readonly #groups: Repeatable[] = [{ isAmbiguous: false }];
  #at = 0;
  #before: Repeatable | undefined;
  #cost: number;
  /** Counts the search itself and each quantifier without a limit. */
  #repeats = 1;

  constructor(pattern: string, length: number) {
    this.#pattern = pattern;
    this.#length = length;
    this.#cost = Math.log10(length + 1);
  }

  read(): number {
    while (this.#at < this.#pattern.length) {
      parts.lastIndex = this.#at;
      const [part = ''] = parts.exec(this.#pattern) ?? [];
      this.#at += part.length;
      if (!this.#take(part)) return Infinity;
    }
    return this.#groups.length === 1 ? this.#cost : Infinity;
  }

  /** False where it cannot be read, or takes too long. */
  #take(part: string): boolean {
    const choices = countChoices(part, this.#length);
    const before = this.#before;
    this.#before = undefined;
    if (choices !== undefined) return this.#repeat(before, choices, part === '?');
    if (part === '|') this.#choose(2);
    else if (part === ')') return this.#close();
    else if (part.startsWith('(')) this.#groups.push({ isAmbiguous: false });
    else {
      this.#before = { isAmbiguous: false };
      return part !== '[' || this.#skipClass();
    }
    return true;
  }

  #repeat(before: Repeatable | undefined, choices: number, isOnce: boolean): boolean {
    if (before === undefined || (before.isAmbiguous && !isOnce)) return false;
    if (choices > this.#length) this.#cost -= Math.log10(++this.#repeats);
    this.#choose(choices);
    // After another quantifier, ? and + only say what is tried first.
    if ('?+'.includes(this.#pattern.charAt(this.#at) || ' ')) this.#at++;
    return true;
  }

  #choose(choices: number): void {
    this.#cost += Math.log10(Math.min(choices, this.#length + 1));
    for (const group of this.#groups.slice(-1)) group.isAmbiguous ||= choices > 1;
  }

  #close(): boolean {
    const closed = this.#groups.pop();
    for (const outer of this.#groups.slice(-1)) outer.isAmbiguous ||= closed?.isAmbiguous === true;
    this.#before = closed;
    return this.#groups.length > 0;
  }

  /** Moves past the bracket that closes a class, which may have others inside. */
  #skipClass(): boolean {
    for (let depth = 1, isFirst = this.#skipNot(); depth > 0; ) {
      const char = this.#pattern.charAt(this.#at++);
      if (char === '') return false;
      if (char === '\\') this.#at++;
      if (char === '[') depth++;
      // The first character of a class does not close it.
      if (char === ']' && !isFirst) depth--;
      isFirst = char === '[' && this.#skipNot();
    }
    return this.#at <= this.#pattern.length;
  }

  #skipNot(): boolean {
    if (this.#pattern[this.#at] === '^') this.#at++;
    return true;
  }
}

/** How often a quantifier may repeat; undefined for other parts. */
function countChoices(part: string, length: number): number | undefined {
  if (part === '?') return 2;
  if (part === '*' || part === '+') return length + 1;
  const [, from, comma, to] = /^\{(\d+)(?:(,)(\d*))?\}$/.exec(part) ?? [];
  if (from === undefined) return undefined;
  if (comma === undefined) return 1;
  return to === '' ? length + 1 : Math.max(1, Number(to) - Number(from) + 1);
}

function longest(texts: readonly string[]): number {
  return texts.reduce((length, text) => Math.max(length, text.length), someLength);
}
