import type { Token } from '../../../statement/tokens.ts';

export interface TableName {
  schema: string | undefined;
  name: string;
}

/** A column as the statement defines it. */
export interface ColumnText {
  name: string;
  /** In lower case, with its arguments and without its attributes: `varchar(20)`, `int unsigned`. */
  type: string;
  isNullable: boolean;
  charset: string | undefined;
  collation: string | undefined;
  /** FIRST or AFTER. */
  isPlaced: boolean;
  isAutoIncrement: boolean;
  generated: 'stored' | 'virtual' | undefined;
  /** A default in parentheses: of constants alone, or with names or calls. */
  expression: 'constant' | 'computed' | undefined;
  isUnique: boolean;
  hasCheck: boolean;
  references: boolean;
}

/** One thing that a statement does to one table. */
export interface DdlAction {
  /** The key of the rule, as far as the text tells; undefined where the table of knowledge has none. */
  rule: string | undefined;
  /** What is shown. */
  name: string | undefined;
  table: TableName | undefined;
  /** The column of a MODIFY or CHANGE as it is to be, and its name so far. */
  column?: ColumnText | undefined;
  oldName?: string | undefined;
  engine?: string | undefined;
  /** Those of CONVERT TO. */
  charset?: string | undefined;
  collation?: string | undefined;
}

export interface DdlStatement {
  /** `ALTER TABLE` */
  command: string;
  actions: readonly DdlAction[];
  /** ALGORITHM and LOCK as the statement has them. */
  clauses: Readonly<Record<'ALGORITHM' | 'LOCK', string | undefined>>;
}

/** Reads tokens from the left. */
export class TokenReader {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  get rest(): readonly Token[] {
    return this.#tokens.slice(this.#at);
  }

  /** Takes these words, if they are next. */
  take(...words: readonly string[]): boolean {
    const isNext = words.every((word, index) => this.#tokens[this.#at + index]?.word === word);
    if (isNext) this.#at += words.length;
    return isNext;
  }

  /** Takes any of these words as long as one is next. */
  skip(...words: readonly string[]): void {
    while (words.some((word) => this.take(word)));
  }

  /** Takes a name. */
  name(): string | undefined {
    const token = this.#tokens[this.#at];
    if (token?.kind !== 'word' && token?.kind !== 'quoted') return undefined;
    this.#at += 1;
    return token.name;
  }

  table(): TableName | undefined {
    const first = this.name();
    if (first === undefined) return undefined;
    if (!this.take('.')) return { schema: undefined, name: first };
    const second = this.name();
    return second === undefined ? undefined : { schema: first, name: second };
  }

  /** Takes the next token as it is, with what follows up to the parenthesis that closes it. */
  next(): Token | undefined {
    const token = this.#tokens[this.#at];
    this.#at += 1;
    return token;
  }
}

/** The parts between commas that are in no parentheses. */
export function splitAtCommas(tokens: readonly Token[]): Token[][] {
  const parts: Token[][] = [[]];
  let depth = 0;
  for (const token of tokens) {
    if (token.word === '(') depth += 1;
    if (token.word === ')') depth -= 1;
    if (token.word === ',' && depth === 0) parts.push([]);
    else parts.at(-1)?.push(token);
  }
  return parts.filter((part) => part.length > 0);
}
