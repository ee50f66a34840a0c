import { isName, noToken, type Token } from '../statement/tokens.ts';
import type { ColumnName, Condition, Join } from './statement-shape.ts';

/** Tokens from the first up to, and without, the last. */
export interface Range {
  from: number;
  to: number;
}

const operators: ReadonlyMap<string, Condition['kind']> = new Map([
  ['=', 'equal'],
  ['IN', 'equal'],
  ['BETWEEN', 'interval'],
  ['>', 'range'],
]);
const units = new Set(['DAY', 'HOUR', 'MINUTE', 'MONTH', 'QUARTER', 'SECOND', 'WEEK', 'YEAR', 'MICROSECOND']);

export function isQuery({ word }: Token): boolean {
  return word === 'SELECT' || word === 'WITH';
}

/** A statement in tokens. */
export interface TokenText {
  sql: string;
  tokens: readonly Token[];
  /** Words that are no names unless they are quoted. */
  reserved: ReadonlySet<string>;
}

/** Reads single conditions, without AND and OR. */
export class ConditionReader {
  readonly #sql: string;
  readonly #tokens: readonly Token[];
  readonly #reserved: ReadonlySet<string>;
  readonly #closing: (open: number) => number;

  constructor({ sql, tokens, reserved }: TokenText, closing: (open: number) => number) {
    this.#sql = sql;
    this.#tokens = tokens;
    this.#reserved = reserved;
    this.#closing = closing;
  }

  readJoin({ from, to }: Range): Join | undefined {
    const left = this.readColumn(from);
    if (left === undefined || this.#at(left.next).word !== '=') return undefined;
    const right = this.readColumn(left.next + 1);
    return right?.next === to ? { left: left.column, right: right.column } : undefined;
  }

  readComparison({ from, to }: Range): Condition | undefined {
    const left = this.readColumn(from);
    if (left === undefined) return this.#readReversed({ from, to });
    const { column: key, next } = left;
    const kind = next >= to ? 'equal' : this.#readOperator({ from: next, to });
    return kind === undefined ? undefined : { kind, key };
  }

  /** What follows a column. */
  #readOperator({ from, to }: Range): Condition['kind'] | undefined {
    const [first, second, third] = [this.#at(from), this.#at(from + 1), this.#at(from + 2)];
    if (first.word === 'IS') return ['NULL', 'TRUE', 'FALSE'].includes(second.word) ? 'equal' : undefined;
    if (this.#hasColumn({ from: from + 1, to })) return undefined;
    if (first.word === 'LIKE') return second.kind === 'text' && this.#beginsWithText(second) ? 'prefix' : undefined;
    if (first.word !== '<') return operators.get(first.word);
    if (second.word === '>') return undefined;
    return second.word === '=' && third.word === '>' ? 'equal' : 'range';
  }

  #beginsWithText({ start, end }: Token): boolean {
    return !/^[%_]/.test(this.#sql.slice(start + 1, end));
  }

  /** `5 < column`. */
  #readReversed({ from, to }: Range): Condition | undefined {
    for (const length of [1, 3]) {
      const right = this.readColumn(to - length);
      const operator = this.#at(to - length - 1).word;
      if (right?.next !== to || this.#hasColumn({ from, to: to - length - 1 })) continue;
      if (operator === '=')
        return { kind: ['<', '>'].includes(this.#at(to - length - 2).word) ? 'range' : 'equal', key: right.column };
      if (operator === '<' || operator === '>') return { kind: 'range', key: right.column };
    }
    return undefined;
  }

  readColumn(at: number): { column: ColumnName; next: number } | undefined {
    const first = this.#at(at);
    if (!isName(first) || (first.kind === 'word' && this.#reserved.has(first.word))) return undefined;
    let last = at;
    while (this.#at(last + 1).word === '.') last += 2;
    // A call; DATE '2026-01-01' or _utf8mb4'x'.
    if (this.#at(last + 1).word === '(' || this.#at(last + 1).kind === 'text') return undefined;
    const qualifier = last > at ? this.#at(last - 2).name : undefined;
    return { column: { qualifier, name: this.#at(last).name.toLowerCase() }, next: last + 1 };
  }

  /** A subquery is skipped, because it is a value. */
  #hasColumn({ from, to }: Range): boolean {
    for (let at = from; at < to; at += 1) {
      if (this.#at(at).word === '(' && isQuery(this.#at(at + 1))) at = this.#closing(at);
      const { word } = this.#at(at);
      if (this.readColumn(at) !== undefined && !units.has(word) && this.#at(at - 1).kind !== 'variable') return true;
    }
    return false;
  }

  #at(index: number): Token {
    return this.#tokens[index] ?? noToken;
  }
}
