import { isUnknown, mergeTaints, type Taint, unknownTaint } from '../../../../../policy/taint.ts';
import { isAscii, isName, noToken, type Token } from '../../../../../statement/tokens.ts';
import { reservedWords } from '../../known-functions.ts';
import type { Scope, SourceColumn } from './name-scope.ts';
import type { TraceCatalog } from './relation.ts';
import { beginsQuery, isGluedCall, type SourceText, untraceable } from './source-text.ts';

export interface ExpressionContext {
  readonly text: SourceText;
  readonly catalog: TraceCatalog;
  /** `VALUES(column)` is the new value of a column. */
  readonly hasNewValues: boolean;
  /** Text outside of value flows is read as well, because the policy is strict or a variable is set there. */
  readonly readsConditions: boolean;
  /** Bounds the work, which nested queries repeat. */
  count(tokens: number): void;
  traceQuery(from: number, to: number, scope: Scope): readonly SourceColumn[];
  /** Refuses to keep a protected value in a variable. */
  refuseVariable(taint: Taint, at: number): never;
  /** A protected column, or an unknown one, occurs in the statement. */
  touch(): void;
  /** Refuses to name a column whose rule is to refuse it. */
  judgeUse(taint: Taint | undefined, at: number): void;
  /** Refuses a comparison with a protected column if the policy is strict and the caller wrote it. */
  judgeCondition(taint: Taint | undefined, at: number): void;
}

/** The taint of all that flows into the value of an expression. Its columns are looked up in the scope. */
export function traceExpression(
  context: ExpressionContext,
  range: { from: number; to: number },
  scope: Scope,
): Taint | undefined {
  return new ExpressionTrace(context, scope, range.to).run(range.from);
}

/** Reads what is compared or ordered and not shown. */
export function traceCondition(context: ExpressionContext, range: { from: number; to: number }, scope: Scope): void {
  if (!context.readsConditions) return;
  const taint = traceExpression(context, range, scope);
  context.judgeCondition(taint, context.text.tokens[range.from]?.start ?? 0);
}

/** The end of a function, or of its treatment of NULL. Elsewhere OVER may be a name. */
const beforeOver: ReadonlySet<string> = new Set([')', 'NULLS', 'FIRST', 'LAST']);

class ExpressionTrace {
  readonly #context: ExpressionContext;
  readonly #tokens: readonly Token[];
  readonly #scope: Scope;
  readonly #to: number;
  readonly #found: (Taint | undefined)[] = [];

  constructor(context: ExpressionContext, scope: Scope, to: number) {
    this.#context = context;
    this.#tokens = context.text.tokens;
    this.#scope = scope;
    this.#to = to;
  }

  run(from: number): Taint | undefined {
    this.#context.count(this.#to - from);
    for (let at = from; at < this.#to; ) at = this.#step(at);
    const taint = mergeTaints(...this.#found);
    if (taint !== undefined) this.#context.touch();
    return taint;
  }

  /** Returns the index of the next token to read. */
  #step(at: number): number {
    const token = this.#token(at);
    if (token.word === '(') return this.#open(at);
    if (token.word === 'ORDER' && this.#token(at + 1).word === 'BY') return this.#skipOrder(at);
    if (token.word === ':' && this.#token(at + 1).word === '=') this.#checkVariable(at);
    return isName(token) ? this.#name(at) : at + 1;
  }

  #token(at: number): Token {
    return (at < this.#to ? this.#tokens[at] : undefined) ?? noToken;
  }

  #open(at: number): number {
    const { text } = this.#context;
    if (!this.#beginsQuery(at)) return at + 1;
    const close = this.#close(at);
    for (const { taint } of this.#context.traceQuery(at + 1, close, this.#scope)) this.#found.push(taint);
    return text.closing(at) + 1;
  }

  /** Whether the parenthesis holds a query. One that holds another parenthesis is read from inside. */
  #beginsQuery(at: number): boolean {
    const { word } = this.#token(at + 1);
    if (word === '(' || (this.#context.hasNewValues && word === 'VALUES')) return false;
    return beginsQuery(this.#context.text, at);
  }

  #close(open: number): number {
    const close = this.#context.text.closing(open);
    return close < this.#to ? close : untraceable('a parenthesis is not closed');
  }

  /** The order of GROUP_CONCAT and the like is no value; that of WITHIN GROUP is one. */
  #skipOrder(at: number): number {
    if (this.#token(at - 1).word === '(') return at + 2;
    for (let next = at; next < this.#to; next += 1) {
      const { word } = this.#token(next);
      if (word === '(') next = this.#close(next);
      else if (word === ')' || word === 'SEPARATOR' || word === 'LIMIT') return this.#condition(at + 2, next);
    }
    return this.#condition(at + 2, this.#to);
  }

  /** Reads what is compared or ordered and not shown; returns its end. */
  #condition(from: number, to: number): number {
    traceCondition(this.#context, { from, to }, this.#scope);
    return to;
  }

  #name(at: number): number {
    const last = this.#endOfPath(at);
    const token = this.#token(last);
    const path = this.#path(at, last);
    if (this.#token(last + 1).word === '(') return this.#call(at, last, path);
    // `table.*` in the place of an argument; COUNT skips it.
    if (this.#token(last + 1).word === '.') return last + 2;
    if (this.#isNullTest(last)) {
      this.#context.judgeUse(this.#scope.find(path), token.start);
      return last + 1;
    }
    const isReserved = at === last && token.kind === 'word' && reservedWords.has(token.word);
    const taint = this.#scope.find(path);
    if (isReserved && (taint === undefined || isUnknown(taint))) return last + 1;
    this.#context.judgeUse(taint, token.start);
    // The server may take other letters for the same than the trace does.
    this.#found.push(taint === undefined && !isAscii(path.join('')) ? unknownTaint : taint);
    return last + 1;
  }

  /** Whether a value is NULL is shown. */
  #isNullTest(last: number): boolean {
    if (this.#token(last + 1).word !== 'IS') return false;
    return this.#token(this.#token(last + 2).word === 'NOT' ? last + 3 : last + 2).word === 'NULL';
  }

  #endOfPath(at: number): number {
    let last = at;
    while (this.#token(last + 1).word === '.' && isName(this.#token(last + 2))) last += 2;
    return last;
  }

  #path(at: number, last: number): string[] {
    const path: string[] = [];
    for (let index = at; index <= last; index += 2) path.push(this.#token(index).name);
    return path;
  }

  #call(at: number, last: number, path: readonly string[]): number {
    const { word, kind } = this.#token(last);
    const open = last + 1;
    if (kind === 'word' && at === last) {
      // Numbers of rows, and whether there are any, are no values. The order and the parts of a window are conditions.
      const isCount = word === 'COUNT' && isGluedCall(this.#context.text, at);
      if (isCount || word === 'EXISTS' || word === 'ISNULL') return this.#skip(open);
      if (word === 'OVER' && beforeOver.has(this.#token(at - 1).word)) return this.#condition(open, this.#close(open) + 1);
      if (reservedWords.has(word)) return open;
    }
    this.#found.push(this.#context.catalog.findCall(path, this.#context.text.schema));
    return open;
  }

  /** What is counted, or compared with NULL, is no value, and may have subqueries with conditions. */
  #skip(open: number): number {
    const to = this.#close(open) + 1;
    if (this.#context.readsConditions) traceExpression(this.#context, { from: open, to }, this.#scope);
    return to;
  }

  /** What is assigned goes to the next comma or to the end of the parentheses, because no operator binds less. */
  #checkVariable(at: number): void {
    let to = at + 2;
    for (; to < this.#to; to += 1) {
      const { word } = this.#token(to);
      if (word === ')' || word === ',') break;
      if (word === '(') to = this.#close(to);
    }
    const taint = traceExpression(this.#context, { from: at + 2, to }, this.#scope);
    if (taint !== undefined) this.#context.refuseVariable(taint, this.#token(at).start);
  }
}
