import { Failure } from '@dbmole/core';
import { isName, matchBrackets, noToken, type Token } from '../../../../../statement/tokens.ts';

/** A statement or the definition of a view, in tokens. */
export interface SourceText {
  readonly tokens: readonly Token[];
  readonly closing: (open: number) => number;
  /** Blanks between the name of a function and its parenthesis do not count. */
  readonly ignoreSpace: boolean;
  /** The database of names without one. */
  readonly schema: string | undefined;
  /** The caller wrote it, and not the owner of a view. */
  readonly isOwn: boolean;
}

export function openText(tokens: readonly Token[], rest: Omit<SourceText, 'tokens' | 'closing'>): SourceText {
  return { tokens, closing: matchBrackets(tokens), ...rest };
}

/** The query has a form that the trace does not know, so that the sources of its columns are unknown. */
class Untraceable extends Error {}

export function untraceable(what: string): never {
  throw new Untraceable(what);
}

/** Reads the tokens of a text from a position on, up to an end. */
export class Cursor {
  readonly text: SourceText;
  readonly to: number;
  at: number;

  constructor(text: SourceText, from: number, to: number) {
    this.text = text;
    this.at = from;
    this.to = to;
  }

  get isEnd(): boolean {
    return this.at >= this.to;
  }

  peek(ahead = 0): Token {
    const index = this.at + ahead;
    return (index < this.to ? this.text.tokens[index] : undefined) ?? noToken;
  }

  is(...words: readonly string[]): boolean {
    return words.includes(this.peek().word);
  }

  /** Consumes the word if it is next. */
  skip(...words: readonly string[]): boolean {
    if (!this.is(...words)) return false;
    this.at += 1;
    return true;
  }

  expect(word: string): void {
    if (!this.skip(word)) untraceable(`${word} is missing`);
  }

  /** Consumes a parenthesis with all that is in it, and returns the bounds of its content. */
  skipBrackets(): { from: number; to: number } {
    const open = this.at;
    this.expect('(');
    const close = this.text.closing(open);
    if (close >= this.to) untraceable('a parenthesis is not closed');
    this.at = close + 1;
    return { from: open + 1, to: close };
  }

  /** Consumes a name. */
  name(): string {
    const token = this.peek();
    if (!isName(token)) untraceable('a name is missing');
    this.at += 1;
    return token.name;
  }

  /** Consumes names between points: `database.table.column`. */
  path(): string[] {
    const path = [this.name()];
    while (this.is('.') && isName(this.peek(1))) {
      this.at += 1;
      path.push(this.name());
    }
    return path;
  }
}

/** The parts of a range between commas that are in no parentheses. */
export function splitList({ tokens, closing }: SourceText, from: number, to: number): { from: number; to: number }[] {
  const parts: { from: number; to: number }[] = [];
  let start = from;
  for (let at = from; at < to; at += 1) {
    const { word } = tokens[at] ?? noToken;
    if (word === '(') at = Math.min(closing(at), to);
    else if (word === ',') {
      parts.push({ from: start, to: at });
      start = at + 1;
    }
  }
  return [...parts, { from: start, to }];
}

/** Whether a query begins here, perhaps in further parentheses. */
export function beginsQuery({ tokens }: SourceText, from: number): boolean {
  let at = from;
  while (tokens[at]?.word === '(') at += 1;
  const { word } = tokens[at] ?? noToken;
  // `WITH (INSERT)` is an option of JSON_DUALITY_OBJECT.
  return word === 'SELECT' || word === 'VALUES' || word === 'TABLE' || (word === 'WITH' && tokens[at + 1]?.word !== '(');
}

/** Whether the function's parenthesis follows as it must for a function of the grammar. */
export function isGluedCall({ tokens, ignoreSpace }: SourceText, at: number): boolean {
  return tokens[at + 1]?.word === '(' && (ignoreSpace || tokens[at]?.end === tokens[at + 1]?.start);
}

export function isUntraceable(error: unknown): boolean {
  return error instanceof Untraceable || error instanceof RangeError || (error instanceof Failure && error.kind === 'refused');
}
