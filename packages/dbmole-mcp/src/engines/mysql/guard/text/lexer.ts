import type { Token } from '../../../../statement/tokens.ts';
import type { Steps } from '../in-turns.ts';
import { notARead, notPlaceable, tooComplex } from '../refuse.ts';
import { blankEnd } from './blanks.ts';
import { scanNumber } from './numbers.ts';
import type { LexMode } from './sql-mode.ts';

/** Splits a text as the server does, without blanks and comments, and refuses what servers may split differently. */
export function tokenize(sql: string, mode: LexMode): Steps<Token[]> {
  return new Lexer(sql, mode).run();
}

/** A long list has two tokens for each value. */
const maxTokens = 250_000;
/** No server accepts a name of more than 256 characters. */
const maxName = 1_000;
/** The number of characters that are read before other calls may run. */
const stepLength = 4_096;

/** MariaDB reads the rest of such a name as that of a file, also of one that a query of information_schema compares names with. */
export const encodedPrefix = '#mysql50#';

function refuseEncoded(at: number): never {
  const message = `the prefix ${encodedPrefix} makes the server open a table twice, so that it cannot be dropped or altered until FLUSH TABLES`;
  throw notARead({ message, hint: 'Write the name without the prefix.', at });
}

const hostPattern = /[0-9A-Za-z._$]*/y;
const hexPattern = /[0-9a-fA-F]*'/y;
const wideCharacter = /[\u{10000}-\u{10ffff}]/gu;
const marks = new Set('!%&()*+,-./:;<=>?^{|}~');
const dollar = 0x24;

/** Whether the character can be part of a name. All characters beyond ASCII can, even Unicode blanks. */
function isNameCode(code: number): boolean {
  return nameCodes[code] ?? code >= 0x80;
}

const nameCodes = Array.from({ length: 0x80 }, (_, code) => /[0-9A-Za-z_$]/.test(String.fromCharCode(code)));

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

class Lexer {
  readonly #sql: string;
  readonly #mode: LexMode;
  /** The text has characters beyond the basic plane. */
  readonly #wide: boolean;
  readonly #tokens: Token[] = [];
  #at = 0;

  constructor(sql: string, mode: LexMode) {
    this.#sql = sql;
    this.#mode = mode;
    this.#wide = /[\ud800-\udbff]/.test(sql);
  }

  *run(): Steps<Token[]> {
    const nul = this.#sql.indexOf('\u0000');
    if (nul >= 0) throw notPlaceable('a NUL character', nul);
    for (let next = stepLength; ; next = this.#at + stepLength) {
      while (this.#at < next && this.#at < this.#sql.length) this.#step();
      if (this.#at >= this.#sql.length) return this.#tokens;
      yield;
    }
  }

  /** Reads one token, or the blanks before the next one. */
  #step(): void {
    const behind = blankEnd(this.#sql, this.#at);
    if (behind > this.#at) {
      this.#at = behind;
      return;
    }
    if (this.#tokens.length >= maxTokens) throw tooComplex(`more than ${maxTokens} tokens`, this.#at);
    this.#next();
  }

  #code(ahead = 0): number {
    return this.#sql.charCodeAt(this.#at + ahead);
  }

  #next(): void {
    const code = this.#code();
    if (isDigit(code)) this.#number(this.#at);
    else if (isNameCode(code)) this.#word();
    else this.#other(this.#sql.charAt(this.#at));
  }

  #word(): void {
    if (this.#code(1) === 0x27 && this.#prefixed(this.#sql.charAt(this.#at))) return;
    const start = this.#at;
    const isPlain = this.#takeName();
    const name = this.#name(start, this.#at);
    // From MySQL 9 on, two of these tags may enclose a string.
    if (name.charCodeAt(0) === dollar && name.indexOf('$', 1) > 0) throw notPlaceable(`a name like ${name}`, start);
    if (this.#pointFollows()) this.#points(start, name);
    else this.#tokens.push({ kind: 'word', start, end: this.#at, word: isPlain ? name.toUpperCase() : name, name });
  }

  /**
   * Returns whether the name is ASCII. A name with other letters is not a keyword, although some of them are ASCII letters in capitals,
   * as the ı of `lıke` is. This uses no pattern, because most of a statement is names.
   */
  #takeName(): boolean {
    const sql = this.#sql;
    let isPlain = true;
    let at = this.#at;
    for (; at < sql.length; at += 1) {
      const code = sql.charCodeAt(at);
      if (!isNameCode(code)) break;
      isPlain &&= code < 0x80;
    }
    this.#at = at;
    return isPlain;
  }

  /** Reads `N'…'`, `X'…'` or `B'…'`. */
  #prefixed(letter: string): boolean {
    const start = this.#at;
    if (letter === 'N' || letter === 'n') {
      this.#at += 1;
      this.#text("'", start);
      return true;
    }
    if (!/[xXbB]/.test(letter)) return false;
    this.#at += 2;
    this.#take(hexPattern);
    if (this.#at === start + 2) throw notPlaceable(`a literal that begins with ${letter}'`, start);
    this.#push('number', start);
    return true;
  }

  /** Whether a dot and another name follow directly: then neither name can be a keyword. */
  #pointFollows(): boolean {
    return this.#sql.charAt(this.#at) === '.' && isNameCode(this.#code(1));
  }

  #points(start: number, name: string): void {
    this.#tokens.push({ kind: 'word', start, end: this.#at, word: '', name });
    while (this.#pointFollows()) {
      this.#mark('.');
      this.#nameBehindPoint();
    }
  }

  #nameBehindPoint(): void {
    const start = this.#at;
    this.#takeName();
    this.#tokens.push({ kind: 'word', start, end: this.#at, word: '', name: this.#name(start, this.#at) });
  }

  #number(start: number): void {
    const { end, isName } = scanNumber(this.#sql, start);
    this.#at = end;
    if (isName) {
      this.#takeName();
      this.#points(start, this.#name(start, this.#at));
    } else this.#push('number', start);
  }

  #other(mark: string): void {
    const start = this.#at;
    if (mark === "'" || (mark === '"' && !this.#mode.ansiQuotes)) this.#text(mark, start);
    else if (mark === '`' || mark === '"') this.#quoted(mark);
    else if (mark === '.') this.#point();
    else if (mark === '@') this.#variable();
    else if (marks.has(mark)) this.#mark(mark);
    else if (mark === '\\' && this.#sql.charAt(start + 1) === 'N') {
      // This is NULL on MariaDB and an error elsewhere.
      this.#at += 2;
      this.#push('number', start);
    } else this.#refuse(mark);
  }

  #refuse(mark: string): never {
    if (mark === '[' || mark === ']') {
      throw notPlaceable('a square bracket', this.#at, 'Quote names with backticks.');
    }
    const code = mark.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
    throw notPlaceable(mark === '\\' ? 'a backslash outside of a literal' : `the character U+${code}`, this.#at);
  }

  #point(): void {
    const next = this.#code(1);
    if (next === 0x2e) throw notPlaceable('..', this.#at);
    if (isDigit(next)) {
      this.#number(this.#at);
      return;
    }
    this.#mark('.');
    if (!isNameCode(next)) return;
    const start = this.#at;
    this.#takeName();
    this.#points(start, this.#name(start, this.#at));
  }

  /** Reads `@x`, `@'x'` or `@@x`; the quoted name is a token of its own. */
  #variable(): void {
    const start = this.#at;
    const next = this.#sql.charAt(start + 1);
    if (next === '@') this.#system(start);
    else if (next === "'" || next === '"' || next === '`') this.#mark('@');
    else this.#userVariable(start);
  }

  #userVariable(start: number): void {
    this.#at += 1;
    this.#take(hostPattern);
    if (this.#at === start + 1 || this.#code() >= 0x80) throw notPlaceable('a variable without a plain name', start);
    this.#push('variable', start);
  }

  #system(start: number): void {
    this.#at += 2;
    this.#takeName();
    if (this.#at === start + 2 && this.#sql.charAt(this.#at) !== '`') throw notPlaceable('@@ without a name', start);
    while (this.#pointFollows()) {
      this.#at += 1;
      this.#takeName();
    }
    this.#push('variable', start);
  }

  #text(mark: string, start: number): void {
    const end = this.#closing(mark, !this.#mode.plainBackslash);
    if (end < 0) throw notARead({ message: 'a string literal is not terminated', hint: 'Close its quotes.', at: start });
    if (this.#sql.slice(start, end).replaceAll('\\', '').includes(encodedPrefix)) refuseEncoded(start);
    this.#at = end;
    this.#push('text', start);
  }

  #quoted(mark: string): void {
    const start = this.#at;
    const end = this.#closing(mark, false);
    if (end < 0) throw notARead({ message: 'a quoted name is not terminated', hint: 'Close its quotes.', at: start });
    this.#at = end;
    const name = this.#name(start + 1, end - 1).replaceAll(mark + mark, mark);
    if (name.startsWith(encodedPrefix)) refuseEncoded(start);
    this.#tokens.push({ kind: 'quoted', start, end, word: '', name });
  }

  /** The position after the mark that closes the current one; a doubled mark closes nothing. */
  #closing(mark: string, escapes: boolean): number {
    const sql = this.#sql;
    const closing = mark.charCodeAt(0);
    for (let at = this.#at + 1; at < sql.length; at += 1) {
      const code = sql.charCodeAt(at);
      if (code === 0x5c && escapes) at += 1;
      else if (code === closing) {
        if (sql.charCodeAt(at + 1) !== closing) return at + 1;
        at += 1;
      }
    }
    return -1;
  }

  /** MySQL replaces characters beyond the basic plane in names by a question mark; MariaDB refuses such names. */
  #name(start: number, end: number): string {
    if (end - start > maxName) throw tooComplex(`a name of more than ${maxName} characters`, start);
    const name = this.#sql.slice(start, end);
    return this.#wide ? name.replaceAll(wideCharacter, '?') : name;
  }

  #mark(mark: string): void {
    this.#tokens.push({ kind: 'mark', start: this.#at, end: this.#at + 1, word: mark, name: '' });
    this.#at += 1;
  }

  #push(kind: Token['kind'], start: number): void {
    const name = kind === 'variable' ? this.#sql.slice(start, this.#at) : '';
    this.#tokens.push({ kind, start, end: this.#at, word: '', name });
  }

  #take(pattern: RegExp): void {
    pattern.lastIndex = this.#at;
    if (pattern.test(this.#sql)) this.#at = pattern.lastIndex;
  }
}
