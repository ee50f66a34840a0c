import { findStrictest } from '@dbmole/core';
import { refuseColumn } from '../../../../../policy/column-policy.ts';
import { deriveTaint, isUnknown, type Taint, unknownTaint } from '../../../../../policy/taint.ts';
import { isName, noToken } from '../../../../../statement/tokens.ts';
import { Scope, type Source, type SourceColumn } from './name-scope.ts';
import { Cursor, splitList, untraceable } from './source-text.ts';
import { traceCondition, traceExpression } from './trace-expression.ts';
import { traceFrom } from './trace-from.ts';
import { QueryTrace, type TraceOptions } from './trace-query.ts';

type Columns = readonly SourceColumn[];

/** The columns that a change of rows returns, if any. Refuses one that writes a protected value where it would be shown. */
export function traceWrite(options: TraceOptions, to: number): Columns | undefined {
  const cursor = new Cursor(options.text, 0, to);
  const trace = new WriteTrace(options, cursor);
  return trace.run();
}

const modifiers = ['LOW_PRIORITY', 'DELAYED', 'HIGH_PRIORITY', 'QUICK', 'IGNORE'];
/** Words between that of a change and its tables. */
export const modifierWords: ReadonlySet<string> = new Set(modifiers);
const rowEnds: ReadonlySet<string> = new Set(['WHERE', 'ORDER', 'LIMIT', 'RETURNING']);

class WriteTrace {
  readonly #queries: QueryTrace;
  readonly #cursor: Cursor;
  readonly #scope = new Scope();
  /** The inserted rows are those of a query. */
  #hasQuery = false;

  constructor(options: TraceOptions, cursor: Cursor) {
    this.#queries = new QueryTrace(options);
    this.#cursor = cursor;
  }

  run(): Columns | undefined {
    const cursor = this.#cursor;
    if (cursor.is('WITH')) this.#queries.readWith(cursor, this.#scope);
    if (cursor.skip('INSERT', 'REPLACE')) return this.#insert();
    if (cursor.skip('UPDATE')) return this.#update();
    if (cursor.skip('DELETE')) return this.#delete();
    return this.#query();
  }

  /** A query, which may write its rows to a file or into variables. */
  #query(): Columns {
    const { text, to } = this.#cursor;
    const columns = this.#queries.query(0, to, new Scope());
    const into = text.tokens.find(({ word }) => word === 'INTO');
    if (into !== undefined) for (const { taint } of columns) this.#refuse(taint, undefined, into.start);
    return columns;
  }

  #insert(): Columns | undefined {
    const cursor = this.#cursor;
    while (cursor.skip(...modifiers));
    cursor.skip('INTO');
    const table = this.#readTarget();
    const names = this.#hasNames() ? this.#names() : undefined;
    const target = listTarget(table, names);
    if (cursor.skip('SET')) this.#assign(cursor.at, this.#findEnd(['AS', 'ON', 'RETURNING']), new Scope(this.#scope), table);
    else this.#insertRows(target);
    this.#readAlias(table, names);
    if (cursor.skip('ON')) this.#onDuplicate(table);
    return this.#returning(table);
  }

  #readTarget(): Source {
    const cursor = this.#cursor;
    const from = cursor.at;
    const to = from + (cursor.peek(1).word === '.' ? 3 : 1);
    const scope = new Scope(this.#scope);
    traceFrom(this.#queries, { from, to }, { scope, outer: this.#scope });
    cursor.at = to;
    if (cursor.is('PARTITION')) {
      cursor.at += 1;
      cursor.skipBrackets();
    }
    return scope.sources[0] ?? untraceable('a table is missing');
  }

  /** Whether a list of columns follows, and not a query in parentheses. */
  #hasNames(): boolean {
    return this.#cursor.is('(') && !['SELECT', 'WITH', 'VALUES', 'TABLE', '('].includes(this.#cursor.peek(1).word);
  }

  #names(): string[] {
    const { from, to } = this.#cursor.skipBrackets();
    if (from === to) return [];
    return splitList(this.#cursor.text, from, to).map((part) => this.#cursor.text.tokens[part.to - 1]?.name ?? '');
  }

  #insertRows(target: readonly (SourceColumn | undefined)[] | undefined): void {
    const cursor = this.#cursor;
    const isList = cursor.is('VALUE') || (cursor.is('VALUES') && cursor.peek(1).word === '(');
    if (isList) {
      cursor.at += 1;
      do {
        const { from, to } = cursor.skipBrackets();
        if (from < to) this.#insertRow(splitList(cursor.text, from, to), target);
      } while (cursor.skip(','));
      return;
    }
    this.#hasQuery = true;
    const to = this.#findQueryEnd();
    const columns = this.#queries.query(cursor.at, to, this.#scope);
    for (const [i, { taint }] of columns.entries()) this.#refuse(taint, target?.[i]?.taint, cursor.peek().start);
    cursor.at = to;
  }

  #insertRow(values: readonly { from: number; to: number }[], target: readonly (SourceColumn | undefined)[] | undefined): void {
    for (const [i, value] of values.entries()) {
      const taint = deriveTaint(traceExpression(this.#queries, value, this.#scope));
      this.#refuse(taint, target?.[i]?.taint, this.#cursor.text.tokens[value.from]?.start ?? 0);
    }
  }

  #findQueryEnd(): number {
    const { text, to, at } = this.#cursor;
    for (let index = at; index < to; index += 1) {
      const { word } = text.tokens[index] ?? noToken;
      if (word === '(') index = text.closing(index);
      else if (word === 'RETURNING') return index;
      else if (word === 'ON' && text.tokens[index + 1]?.word === 'DUPLICATE') return index;
    }
    return to;
  }

  #findEnd(words: readonly string[]): number {
    const { text, to, at } = this.#cursor;
    for (let index = at; index < to; index += 1) {
      const { word } = text.tokens[index] ?? noToken;
      if (word === '(') index = text.closing(index);
      else if (words.includes(word)) return index;
    }
    return to;
  }

  /** `AS new (a, b)`: names of the new row. */
  #readAlias(table: Source, names: readonly string[] | undefined): void {
    const cursor = this.#cursor;
    if (!cursor.skip('AS')) return;
    const alias = cursor.name();
    const target = listTarget(table, names);
    const renamed = cursor.is('(') ? this.#names() : undefined;
    const columns = renamed?.map((name, i) => ({ name, taint: target === undefined ? unknownTaint : target[i]?.taint }));
    this.#scope.sources.push({ alias, columns: columns ?? table.columns });
  }

  #onDuplicate(table: Source): void {
    const cursor = this.#cursor;
    for (const word of ['DUPLICATE', 'KEY', 'UPDATE']) cursor.expect(word);
    const scope = new Scope(this.#scope);
    // The columns of a query may be meant as well.
    scope.sources.push(table);
    if (this.#hasQuery) scope.sources.push({ alias: '', columns: undefined });
    this.#queries.hasNewValues = true;
    const to = this.#findEnd(['RETURNING']);
    this.#assign(cursor.at, to, scope, table);
    this.#queries.hasNewValues = false;
  }

  /** `a = 1, t.b = 2` */
  #assign(from: number, to: number, scope: Scope, table?: Source): void {
    const { text } = this.#cursor;
    for (const part of splitList(text, from, to)) {
      const cursor = new Cursor(text, part.from, part.to);
      const path = cursor.path();
      if (!cursor.skip('=')) {
        cursor.expect(':');
        cursor.expect('=');
      }
      const value = traceExpression(this.#queries, { from: cursor.at, to: part.to }, scope);
      const taint = isColumn(cursor) ? value : deriveTaint(value);
      const targets = new Scope();
      if (table !== undefined) targets.sources.push(table);
      this.#refuse(taint, table === undefined ? scope.find(path) : targets.find(path), text.tokens[part.from]?.start ?? 0);
    }
    this.#cursor.at = to;
  }

  #update(): Columns | undefined {
    const cursor = this.#cursor;
    while (cursor.skip(...modifiers));
    const scope = new Scope(this.#scope);
    const tables = traceFrom(this.#queries, { from: cursor.at, to: cursor.to }, { scope, outer: this.#scope });
    cursor.at = tables.end;
    for (const condition of tables.conditions) traceCondition(this.#queries, condition, scope);
    cursor.expect('SET');
    this.#assign(cursor.at, this.#findEnd([...rowEnds]), scope);
    return this.#rest(scope, tables.star);
  }

  #delete(): Columns | undefined {
    const cursor = this.#cursor;
    while (cursor.skip(...modifiers));
    const scope = new Scope(this.#scope);
    // `DELETE a, b FROM …` and `DELETE FROM a, b USING …` name tables of the list that follows.
    const start = this.#findEnd(['FROM']) + 1;
    const using = this.#findEnd(['USING', 'WHERE', 'JOIN', 'RETURNING']);
    const from = cursor.text.tokens[using]?.word === 'USING' ? using + 1 : start;
    const tables = traceFrom(this.#queries, { from, to: cursor.to }, { scope, outer: this.#scope });
    cursor.at = tables.end;
    for (const condition of tables.conditions) traceCondition(this.#queries, condition, scope);
    return this.#rest(scope, tables.star);
  }

  /** Conditions and RETURNING. */
  #rest(scope: Scope, star: Columns | undefined): Columns | undefined {
    const cursor = this.#cursor;
    if (!cursor.isEnd && !rowEnds.has(cursor.peek().word)) untraceable(`${cursor.peek().word} in a write`);
    const to = this.#findEnd(['RETURNING']);
    traceCondition(this.#queries, { from: cursor.at, to }, scope);
    cursor.at = to;
    if (!cursor.skip('RETURNING')) return undefined;
    return this.#queries.items(cursor.at, cursor.to, scope, star);
  }

  #returning(table: Source): Columns | undefined {
    const cursor = this.#cursor;
    if (cursor.isEnd) return undefined;
    cursor.expect('RETURNING');
    const scope = new Scope(this.#scope);
    scope.sources.push(table);
    const star = table.columns?.filter(({ isInvisible }) => isInvisible !== true);
    return this.#queries.items(cursor.at, cursor.to, scope, star);
  }

  /** Refuses a value that would be shown in its new place. */
  #refuse(value: Taint | undefined, target: Taint | undefined, at: number): void {
    if (value === undefined) return;
    const isKnown = target !== undefined && !isUnknown(value) && !isUnknown(target);
    const isKept = isKnown && findStrictest([value.action, target.action]) === target.action;
    if (!isKept) throw refuseColumn(`this copies ${value.labels.join(', ')} to where its values would be shown`, at + 1);
  }
}

/** The columns that the values go to, in their order. Undefined where they are not known. */
function listTarget(
  { columns }: Source,
  names: readonly string[] | undefined,
): readonly (SourceColumn | undefined)[] | undefined {
  if (names === undefined) return columns?.filter(({ isInvisible }) => isInvisible !== true);
  const scope = new Scope();
  scope.sources.push({ alias: '', columns });
  return names.map((name) => ({ name, taint: scope.find([name]) }));
}

/** Whether the rest is a column as it is, or `VALUES(column)`. */
function isColumn({ text, at, to }: Cursor): boolean {
  const isNew = text.tokens[at]?.word === 'VALUES' && text.tokens[at + 1]?.word === '(' && text.closing(at + 1) === to - 1;
  const [from, end] = isNew ? [at + 2, to - 1] : [at, to];
  const isPart = (_: unknown, i: number) =>
    i % 2 === 0 ? isName(text.tokens[from + i] ?? noToken) : text.tokens[from + i]?.word === '.';
  return end > from && Array.from({ length: end - from }).every(isPart);
}
