import type { StatementText } from '@dbmole/core';
import { describePieces, literal, type Piece, unreadable } from './masked-text.ts';

/** How an engine quotes, as far as it decides where a literal ends. */
export interface LiteralStyle {
  /** A double quote encloses a name. Where that depends on a setting, what is between them counts as a literal. */
  namesInDoubleQuotes: boolean;
  backticks: boolean;
  /** `$tag$ … $tag$` is a literal. */
  dollarQuotes: boolean;
  hashComments: boolean;
  /** Two dashes begin a comment only before a blank. */
  dashesNeedBlank: boolean;
  nestedComments: boolean;
  /** Letters directly before a single quote that belong to the literal. */
  prefixes: RegExp;
  /** A prefix after which a backslash escapes, whatever the settings are; such a literal goes on behind a line break. */
  escapePrefix: RegExp | undefined;
  /** Whether a backslash escapes depends on settings, which are not known here. */
  modes: readonly EscapeMode[];
}

/** The quotes in which a backslash escapes. */
interface EscapeMode {
  single: boolean;
  double: boolean;
}

/** Far longer than any real name. */
const maxName = 128;

/**
 * The statement on one line with `?` for each literal, without comments, and without quoted names that may carry data: an alias, and what
 * is compared with. Where settings of the server decide what a literal is, only what all of them agree on is shown. Never throws.
 */
export function maskLiterals(sql: string, style: LiteralStyle): StatementText {
  const [first = [], ...others] = listModes(sql, style).map((mode) => new Masker(sql, style, mode).run());
  return describePieces(others.reduce(keepCommon, first));
}

/** Most texts have no backslash, and mean the same in each mode. */
function listModes(sql: string, { modes }: LiteralStyle): readonly EscapeMode[] {
  return sql.includes('\\') ? modes : modes.slice(0, 1);
}

function keepCommon(one: readonly Piece[], other: readonly Piece[]): Piece[] {
  const differs = one.findIndex(({ text }, i) => text !== other[i]?.text);
  const end = differs < 0 ? one.length : differs;
  if (end === one.length && other.length === one.length) return [...one];
  return [...one.slice(0, end), { text: unreadable, isSpaced: true, kind: 'literal' }];
}

/** Other blanks are letters to a server. */
const blank = /[^!-\uffff]+/y;
const word = /[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*/y;
const dollarWord = /\$[\w$\u0080-\uffff]*/y;
const param = /\$\d+/y;
/** Digits, and whatever is attached to them: no name that matters begins with one. */
const number = /(?:\.?\d)[\w.\u0080-\uffff]*/y;
const exponent = /[+-]\d[\w.]*/y;
const tag = /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y;
const continued = /[ \t\f\v]*(?:--[^\n\r]*)?[\n\r](?:\s|--[^\n\r]*(?:[\n\r]|$))*'/y;
const quotes = /['"`\\]/;

class Masker {
  readonly #sql: string;
  readonly #style: LiteralStyle;
  readonly #mode: EscapeMode;
  readonly #pieces: Piece[] = [];
  #at = 0;
  #isSpaced = false;

  constructor(sql: string, style: LiteralStyle, mode: EscapeMode) {
    this.#sql = sql;
    this.#style = style;
    this.#mode = mode;
  }

  run(): Piece[] {
    while (this.#at < this.#sql.length) {
      if (this.#skipBlank()) this.#isSpaced = true;
      else this.#take();
    }
    return this.#pieces;
  }

  #take(): void {
    const char = this.#sql.charAt(this.#at);
    const { namesInDoubleQuotes, backticks, dollarQuotes } = this.#style;
    if (char === "'") this.#takeText("'", this.#mode.single);
    else if (char === '"') this.#takeDoubleQuoted(namesInDoubleQuotes);
    else if (char === '`' && backticks) this.#takeName('`');
    else if (char === '$') this.#takeDollar(dollarQuotes);
    else if (/\d/.test(char) || (char === '.' && this.#endOf(number) > 0)) this.#takeNumber();
    else if (this.#endOf(word) > 0) this.#takeWord();
    else if (this.#isOpenComment()) this.#at = this.#sql.length;
    else this.#push(char, 'mark', this.#at + 1);
  }

  /** Behind the pattern, or -1. */
  #endOf(pattern: RegExp, at = this.#at): number {
    pattern.lastIndex = at;
    return pattern.test(this.#sql) ? pattern.lastIndex : -1;
  }

  #push(text: string, kind: Piece['kind'], end: number): void {
    this.#pieces.push({ text, kind, isSpaced: this.#isSpaced });
    this.#isSpaced = false;
    this.#at = end;
  }

  /** Drops all that follows, because it cannot be divided for certain. */
  #giveUp(): void {
    this.#isSpaced = true;
    this.#push(unreadable, 'literal', this.#sql.length);
  }

  #takeText(quote: string, escapes: boolean): void {
    const end = this.#closing(quote, escapes, this.#at + 1);
    this.#push(literal, 'literal', end);
  }

  /** Behind the quote that closes; the end of the text where none does. A doubled quote closes nothing. */
  #closing(quote: string, escapes: boolean, from: number): number {
    const sql = this.#sql;
    for (let at = from; at < sql.length; at += 1) {
      const char = sql.charAt(at);
      if (char === '\\' && escapes) at += 1;
      else if (char === quote && sql.charAt(at + 1) === quote) at += 1;
      else if (char === quote) return at + 1;
    }
    return sql.length;
  }

  #takeDoubleQuoted(isName: boolean): void {
    if (isName) this.#takeName('"');
    else this.#takeText('"', this.#mode.double);
  }

  #takeName(quote: string): void {
    const start = this.#at;
    const end = this.#closing(quote, false, start + 1);
    const isClosed = end - start > 1 && this.#sql.charAt(end - 1) === quote;
    const name = this.#sql.slice(start + 1, end - 1);
    const isShown = isClosed && this.#mayShow(name, end);
    this.#push(isShown ? `${quote}${name}${quote}` : `${quote}${literal}${quote}`, isShown ? 'name' : 'literal', end);
  }

  /** A name that needs its quotes for capitals or a reserved word, at a place that no value has; more where only a table can be. */
  #mayShow(name: string, end: number): boolean {
    const before = this.#pieces.at(-1);
    const previous = before?.text.toUpperCase() ?? '';
    const isPart = (previous === '.' && !this.#isSpaced) || this.#sql.charAt(end) === '.';
    if (isPart || beforeTables.has(previous)) return /^[\p{L}_][\p{L}\p{N}_$ .-]{0,62}$/u.test(name);
    const isAlias = previous === 'AS' || previous === ')' || before?.kind === 'literal' || before?.kind === 'name';
    if (isAlias || comparing.has(previous)) return false;
    if (before?.kind === 'word' && !beforeColumns.has(previous)) return false;
    return /^[\p{L}_][\p{L}\p{N}_$]{0,62}$/u.test(name);
  }

  #takeDollar(dollarQuotes: boolean): void {
    const start = this.#at;
    const numbered = this.#endOf(param);
    if (dollarQuotes && numbered > 0) {
      this.#push(this.#sql.slice(start, numbered), 'mark', numbered);
      return;
    }
    const opened = dollarQuotes ? this.#endOf(tag) : -1;
    if (opened > 0) {
      const closing = this.#sql.slice(start, opened);
      const found = this.#sql.indexOf(closing, opened);
      this.#push(literal, 'literal', found < 0 ? this.#sql.length : found + closing.length);
      return;
    }
    const end = dollarQuotes ? start + 1 : this.#endOf(dollarWord);
    // Newer servers read two of these marks as quotes.
    if (this.#sql.indexOf('$', start + 1) >= 0 && this.#sql.indexOf('$', start + 1) < end) this.#giveUp();
    else this.#push(this.#sql.slice(start, end), 'mark', end);
  }

  #takeNumber(): void {
    let end = this.#endOf(number);
    if (/e/i.test(this.#sql.charAt(end - 1))) end = Math.max(end, this.#endOf(exponent, end));
    this.#push(literal, 'literal', end);
  }

  #takeWord(): void {
    const start = this.#at;
    const end = this.#endOf(word);
    const text = this.#sql.slice(start, end);
    const { prefixes, escapePrefix, namesInDoubleQuotes } = this.#style;
    const next = this.#sql.charAt(end);
    if (next === "'" && escapePrefix?.test(text)) this.#takeContinued(end);
    else if (next === "'" && prefixes.test(text))
      this.#push(literal, 'literal', this.#closing("'", this.#mayEscape(text), end + 1));
    else if (namesInDoubleQuotes && /^u$/i.test(text) && this.#sql.startsWith('&', end) && quotes.test(this.#sql.charAt(end + 1)))
      this.#takeUnicode(end + 1);
    else if (text.includes('$') && !this.#style.dollarQuotes && text.indexOf('$') !== text.lastIndexOf('$')) this.#giveUp();
    else this.#push(text.length > maxName ? literal : text, text.length > maxName ? 'literal' : 'word', end);
  }

  /** Digits in another base have no escapes, and no backslash that would matter. */
  #mayEscape(prefix: string): boolean {
    return /^n$/i.test(prefix) && this.#mode.single;
  }

  /** `E'a' ⏎ 'b'` is one literal, with escapes up to its end. */
  #takeContinued(open: number): void {
    let end = this.#closing("'", true, open + 1);
    for (let next = this.#endOf(continued, end); next > 0; next = this.#endOf(continued, end))
      end = this.#closing("'", true, next);
    this.#push(literal, 'literal', end);
  }

  /** `U&'…'` and `U&"…"`, where a backslash is not an escape of the quote. */
  #takeUnicode(open: number): void {
    const quote = this.#sql.charAt(open);
    this.#push(quote === '"' ? '"?"' : literal, 'literal', this.#closing(quote, false, open + 1));
  }

  #skipBlank(): boolean {
    const end = this.#endOf(blank);
    const behind = end > 0 ? end : this.#endOfComment();
    if (behind < 0) return false;
    this.#at = behind;
    return true;
  }

  /** Behind the comment that begins here, or -1. One that does not end hides all that follows. */
  #endOfComment(): number {
    const { hashComments, dashesNeedBlank, nestedComments } = this.#style;
    const sql = this.#sql;
    const at = this.#at;
    if (hashComments && sql.charAt(at) === '#') return this.#endOfLine();
    if (sql.startsWith('--', at) && (!dashesNeedBlank || /^[^!-~\u0080-\uffff]?$/.test(sql.charAt(at + 2))))
      return this.#endOfLine();
    if (!sql.startsWith('/*', at)) return -1;
    if (nestedComments) return this.#endOfNested();
    const end = sql.indexOf('*/', at + 2);
    const isRun = /^(?:M?!)/i.test(sql.slice(at + 2, at + 4));
    return isRun ? this.#enterExecuted(end) : end < 0 ? sql.length : end + 2;
  }

  /** Some comments are run by some servers: their words are shown, if they leave no doubt about quotes. */
  #enterExecuted(end: number): number {
    const opened = /^\/\*M?!\d*/i.exec(this.#sql.slice(this.#at, this.#at + 12))?.[0].length ?? 0;
    if (end >= 0 && !quotes.test(this.#sql.slice(this.#at, end))) return this.#at + opened;
    this.#giveUp();
    return this.#sql.length;
  }

  #endOfLine(): number {
    const end = this.#sql.indexOf('\n', this.#at);
    const other = this.#style.nestedComments ? this.#sql.indexOf('\r', this.#at) : -1;
    const ends = [end, other].filter((one) => one >= 0);
    return ends.length === 0 ? this.#sql.length : Math.min(...ends);
  }

  #endOfNested(): number {
    const mark = /\/\*|\*\//g;
    mark.lastIndex = this.#at;
    let depth = 0;
    for (let found = mark.exec(this.#sql); found !== null; found = mark.exec(this.#sql)) {
      depth += found[0] === '/*' ? 1 : -1;
      if (depth === 0) return mark.lastIndex;
    }
    return this.#sql.length;
  }

  #isOpenComment(): boolean {
    return this.#sql.startsWith('/*', this.#at);
  }
}

/** The words of a text. */
const set = (text: string): ReadonlySet<string> => new Set(text.split(' '));
const beforeTables = set('FROM JOIN INTO UPDATE TABLE ONLY VIEW INDEX SCHEMA DATABASE TRUNCATE');
/** What a value follows, too: a model that means a text may have written a name. */
const comparing = set('= < > <= >= <> != ~ LIKE ILIKE IN SIMILAR BETWEEN ANY ESCAPE VALUES VALUE DEFAULT TO PASSWORD BY_VALUE');
const beforeColumns = set(
  'SELECT DISTINCT WHERE AND OR NOT ON BY SET USING HAVING COLUMN ADD DROP ALTER RENAME WHEN THEN ELSE CASE ALL ONLY EXISTS IF KEY REFERENCES RETURNING',
);
