import { isName, noToken, type Token } from '../statement/tokens.ts';
import type { TargetName } from './change.ts';

/** A statement by its tokens, for what an engine reads of a change. */
export class StatementText {
  readonly sql: string;
  readonly tokens: readonly Token[];
  /** How many parentheses are open at each token. */
  readonly depths: readonly number[];

  constructor(sql: string, tokens: readonly Token[]) {
    this.sql = sql;
    this.tokens = tokens;
    let depth = 0;
    this.depths = tokens.map(({ word }) => {
      if (word === ')') depth -= 1;
      const here = depth;
      if (word === '(') depth += 1;
      return here;
    });
  }

  word(at: number): string {
    return this.tokens[at]?.word ?? '';
  }

  write(from: number, to: number): string {
    const [first, last] = [this.tokens[from], this.tokens[to - 1]];
    return first === undefined || last === undefined || to <= from ? '' : this.sql.slice(first.start, last.end);
  }

  /** A name with its schema. */
  readTarget(from: number): { target: TargetName | undefined; end: number } {
    const [first = noToken, dot = noToken, second = noToken] = this.tokens.slice(from, from + 3);
    if (!isName(first)) return { target: undefined, end: from };
    if (dot.word !== '.' || !isName(second)) return { target: { schema: undefined, name: first.name }, end: from + 1 };
    return { target: { schema: first.name, name: second.name }, end: from + 3 };
  }

  /** The places of the placeholders among all of the statement. */
  findParams(isParam: (token: Token) => boolean, from: number, to: number): number[] {
    const all = this.tokens.flatMap((token, i) => (isParam(token) ? [i] : []));
    return all.flatMap((at, number) => (at >= from && at < to ? [number] : []));
  }
}
