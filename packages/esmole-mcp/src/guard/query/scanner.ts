/** A part of a query that the guard cannot read for sure; it then says nothing about the indices that the query names. */
export class UnreadableQuery extends Error {
  readonly at: number;
  /** Known words that resemble the one that is not known. */
  readonly nearest: readonly string[];

  constructor(what: string, at: number, nearest: readonly string[] = []) {
    super(what);
    this.at = at;
    this.nearest = nearest;
  }
}

export interface Token {
  /** A `text` is a value and a `name` is a quoted identifier; their value is the text between the quotes. */
  readonly kind: 'word' | 'text' | 'name' | 'mark' | 'end';
  readonly value: string;
  readonly at: number;
}

/** How a language separates and quotes. */
export interface Dialect {
  /** The starts of comments that end with the line. */
  readonly lineComments: readonly string[];
  /** Comments of a dialect that differ between its versions are refused. */
  readonly refusesComments: boolean;
  /** Reads from an opening quote on; the scanner is then past the closing one. */
  readonly quotes: Readonly<Record<string, (scanner: Scanner) => Omit<Token, 'at'>>>;
}

const blanks = ' \t\r\n';
const wordCharacter = /[A-Za-z0-9_@$]/;

/** Reads a query from its start to its end. The place never moves back by more than one token, so the time grows with the length alone. */
export class Scanner {
  readonly text: string;
  at = 0;
  /** A language may have a part in another one. */
  dialect: Dialect;
  #commentEnd = 0;

  constructor(text: string, dialect: Dialect) {
    this.text = text;
    this.dialect = dialect;
  }

  /** The character here, or an empty text at the end. */
  get char(): string {
    return this.text.charAt(this.at);
  }

  /** Moves past blanks and comments. */
  skipBlanks(): void {
    let hasComment = false;
    while (this.at < this.text.length) {
      if (blanks.includes(this.char)) this.at++;
      else if (this.#skipComment()) hasComment = true;
      else break;
    }
    if (hasComment) this.#commentEnd = this.at;
  }

  /** Whether a comment ends right before this position, after which blanks are skipped. */
  get isBehindComment(): boolean {
    return this.at > 0 && this.at === this.#commentEnd;
  }

  next(): Token {
    this.skipBlanks();
    const { at, char } = this;
    if (char === '') return { kind: 'end', value: '', at };
    const quote = Object.hasOwn(this.dialect.quotes, char) ? this.dialect.quotes[char] : undefined;
    if (quote !== undefined) return { ...quote(this), at };
    if (wordCharacter.test(char)) return { kind: 'word', value: this.#readWord(), at };
    // Some letters become ASCII when a cluster changes their case, and some clusters pass over what they do not know.
    if (char < ' ' || char > '~') throw new UnreadableQuery('a character that is allowed only in quotes', at);
    this.at++;
    return { kind: 'mark', value: char, at };
  }

  /** Returns the next token without moving. */
  peek(): Token {
    const { at } = this;
    const token = this.next();
    this.at = at;
    return token;
  }

  /** Moves past the mark if it comes next. */
  take(mark: string): boolean {
    this.skipBlanks();
    if (this.char !== mark) return false;
    this.at++;
    return true;
  }

  /** Moves past the word, in upper or lower case, if it comes next. */
  takeWord(...words: readonly string[]): boolean {
    const { kind, value, at } = this.peek();
    if (kind !== 'word' || !words.includes(value.toUpperCase())) return false;
    this.at = at + value.length;
    return true;
  }

  #readWord(): string {
    const from = this.at;
    while (this.at < this.text.length && wordCharacter.test(this.char)) this.at++;
    return this.text.slice(from, this.at);
  }

  #skipComment(): boolean {
    const { text, at } = this;
    const isLine = this.dialect.lineComments.some((start) => text.startsWith(start, at));
    if (!isLine && !text.startsWith('/*', at)) return false;
    if (this.dialect.refusesComments) throw new UnreadableQuery('a comment', at);
    if (isLine) while (this.at < text.length && this.char !== '\n' && this.char !== '\r') this.at++;
    else this.#skipBlock();
    return true;
  }

  /** Comments nest. One that does not end is refused: clusters then end it at some end of an inner one. */
  #skipBlock(): void {
    const { text, at } = this;
    let depth = 0;
    do {
      if (this.at >= text.length) throw new UnreadableQuery('an unterminated comment', at);
      const isOpening = text.startsWith('/*', this.at);
      const isClosing = text.startsWith('*/', this.at);
      depth += isOpening ? 1 : isClosing ? -1 : 0;
      this.at += isOpening || isClosing ? 2 : 1;
    } while (depth > 0);
  }
}

/** The texts of a query of OpenSearch, if any of its words could be a command or function that takes a pattern. */
export function listPatterns(query: string, dialect: Dialect): readonly string[] {
  if (!/\b(?:reg\w*|rex|grok|parse|patterns|replace)\b/i.test(query)) return [];
  const scanner = new Scanner(query, dialect);
  const patterns: string[] = [];
  for (let token = scanner.next(); token.kind !== 'end'; token = scanner.next())
    if (token.kind === 'text') patterns.push(token.value);
  return patterns;
}

/** The indices that a query reads. */
export interface QuerySources {
  /** One list for each place that names indices; in a list, a name may exclude what a pattern before it includes. */
  readonly lists: readonly (readonly string[])[];
  /** A policy that adds fields of an index which the query does not name, if there is one. */
  readonly policy?: string | undefined;
  /** A command that does more than read, if there is one. */
  readonly acting?: string | undefined;
  /** The word of a command or statement that is not on the list of reads, if there is one. */
  readonly unlisted?: string | undefined;
  /** A command or function that asks a model, if there is one. */
  readonly model?: string | undefined;
  /** Patterns that a node searches without a limit. */
  readonly patterns?: readonly string[];
  /** A function whose pattern is computed, if there is one. */
  readonly computing?: string | undefined;
  /** Whether a parameter is the name of a function, or such a pattern. */
  readonly takesParams?: boolean;
}

/**
 * Removes the data source and the schema that the plugin of OpenSearch drops from a name of several parts: `default..secret` is the
 * index `.secret`. It compares the schema as a part of the text `information_schema`.
 */
export function removeSchema(name: string): string {
  const parts = name.split('.');
  if (parts.length > 1 && parts[0]?.toLowerCase() === '@opensearch') parts.shift();
  const schema = parts[0]?.toLowerCase() ?? '';
  if (parts.length > 1 && schema !== '' && (schema === 'default' || 'information_schema'.includes(schema))) parts.shift();
  return parts.join('.');
}
