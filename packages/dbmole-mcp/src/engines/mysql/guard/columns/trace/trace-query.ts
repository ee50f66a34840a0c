import { refuseColumn, refuseStrict } from '../../../../../policy/column-policy.ts';
import { deriveTaint, isSameTaint, mergeTaints, refuseRead, type Taint } from '../../../../../policy/taint.ts';
import { isName, noToken, type Token } from '../../../../../statement/tokens.ts';
import { reservedWords } from '../../known-functions.ts';
import { Scope, type SourceColumn } from './name-scope.ts';
import type { TraceCatalog } from './relation.ts';
import { readItem } from './select-item.ts';
import { Cursor, type SourceText, splitList, untraceable } from './source-text.ts';
import { type ExpressionContext, traceCondition, traceExpression } from './trace-expression.ts';
import { renameColumns, traceFrom } from './trace-from.ts';

export interface TraceOptions {
  text: SourceText;
  catalog: TraceCatalog;
  isStrict: boolean;
  /** Also reads what does not flow into the result. */
  readsAll?: boolean;
}

/** The columns of the query in the range, with what flows into each. Throws `Untraceable` for a form that it does not know. */
export function traceQuery(options: TraceOptions, from: number, to: number): readonly SourceColumn[] {
  return new QueryTrace(options).query(from, to, new Scope());
}

const maxDepth = 200;
/** A query of WITH RECURSIVE is read until its columns stay the same. */
const maxRounds = 20;
const maxWork = 1_000_000;
const setWords: ReadonlySet<string> = new Set(['UNION', 'EXCEPT', 'INTERSECT']);
/** Words that end a select list, or what follows FROM. */
const clauseWords: ReadonlySet<string> = new Set(
  'FROM WHERE GROUP HAVING ORDER LIMIT INTO FOR LOCK PROCEDURE UNION EXCEPT INTERSECT'.split(' '),
);
const selectOptions: ReadonlySet<string> = new Set(
  `ALL DISTINCT DISTINCTROW HIGH_PRIORITY STRAIGHT_JOIN SQL_SMALL_RESULT SQL_BIG_RESULT SQL_BUFFER_RESULT SQL_NO_CACHE SQL_CACHE
  SQL_CALC_FOUND_ROWS`.split(/\s+/),
);

type Columns = readonly SourceColumn[];

/** Traces the queries of one text. */
export class QueryTrace implements ExpressionContext {
  readonly text: SourceText;
  readonly catalog: TraceCatalog;
  readonly readsConditions: boolean;
  hasNewValues = false;
  /** A protected column, or an unknown one, occurs in a place that was read. */
  isTouched = false;
  readonly #isStrict: boolean;
  #depth = 0;
  #work = 0;

  constructor({ text, catalog, isStrict, readsAll = false }: TraceOptions) {
    this.text = text;
    this.catalog = catalog;
    this.#isStrict = isStrict && text.isOwn;
    this.readsConditions =
      this.#isStrict || readsAll || text.tokens.some(({ word }, i) => word === ':' && text.tokens[i + 1]?.word === '=');
  }

  count(tokens: number): void {
    this.#work += tokens + 1;
    if (this.#work > maxWork) untraceable('too much to trace');
  }

  touch(): void {
    this.isTouched = true;
  }

  traceQuery(from: number, to: number, scope: Scope): Columns {
    return this.query(from, to, scope);
  }

  refuseVariable(taint: Taint, at: number): never {
    throw refuseColumn(`a variable would keep the value of ${taint.labels.join(', ')}, which is protected`, at + 1);
  }

  judgeUse(taint: Taint | undefined, at: number): void {
    if (taint?.action === 'refuse' && this.text.isOwn) throw refuseRead(taint, at);
  }

  judgeCondition(taint: Taint | undefined, at: number): void {
    if (taint === undefined || !this.#isStrict) return;
    throw refuseStrict(`the statement compares, sorts or groups by the protected column ${taint.labels.join(', ')}`, at + 1);
  }

  /** A query with its WITH, set operations, order and limit. */
  query(from: number, to: number, outer: Scope, onFirst?: (columns: Columns) => void): Columns {
    if (this.#depth >= maxDepth) untraceable('too deep');
    this.#depth += 1;
    try {
      const cursor = new Cursor(this.text, from, to);
      const scope = new Scope(outer);
      if (cursor.is('WITH')) this.readWith(cursor, scope);
      return this.#readSet(cursor, scope, onFirst);
    } finally {
      this.#depth -= 1;
    }
  }

  #readSet(cursor: Cursor, scope: Scope, onFirst?: (columns: Columns) => void): Columns {
    let columns = this.#primary(cursor, scope);
    onFirst?.(columns);
    while (setWords.has(cursor.peek().word)) {
      const { word } = cursor.peek();
      cursor.at += 1;
      cursor.skip('ALL', 'DISTINCT');
      const others = this.#primary(cursor, scope);
      // EXCEPT shows rows of its left side alone.
      if (word === 'EXCEPT') continue;
      if (others.length !== columns.length) untraceable('a set operation of different lengths');
      columns = columns.map(({ name, taint }, i) => ({ name, taint: mergeTaints(taint, others[i]?.taint) }));
    }
    this.#end(cursor, scope, columns);
    return columns;
  }

  /** What follows a whole query: order, limit, locks. */
  #end(cursor: Cursor, scope: Scope, columns: Columns): void {
    if (cursor.isEnd) return;
    if (!cursor.is('ORDER', 'LIMIT', 'OFFSET', 'FETCH', 'FOR', 'LOCK', 'INTO'))
      untraceable(`${cursor.peek().word} after a query`);
    const inner = new Scope(scope);
    inner.sources.push({ alias: '', columns });
    this.#conditions(cursor.at, cursor.to, inner, columns);
  }

  /** Reads `WITH [RECURSIVE] name [(columns)] AS (query), …`. */
  readWith(cursor: Cursor, scope: Scope): void {
    cursor.expect('WITH');
    const isRecursive = cursor.skip('RECURSIVE');
    // MariaDB lets these queries refer to later ones.
    if (isRecursive) for (const name of this.#listNames(cursor)) scope.addQuery(name, 'unread');
    do {
      const name = cursor.name();
      const names = cursor.is('(') ? this.#names(cursor) : undefined;
      cursor.expect('AS');
      const { from, to } = cursor.skipBrackets();
      scope.addQuery(
        name,
        isRecursive ? this.#recursive(name, names, { from, to }, scope) : rename(this.query(from, to, scope), names),
      );
      this.#skipCycle(cursor);
    } while (cursor.skip(','));
  }

  #listNames({ text, at, to }: Cursor): string[] {
    const cursor = new Cursor(text, at, to);
    const names: string[] = [];
    do {
      names.push(cursor.name());
      if (cursor.is('(')) cursor.skipBrackets();
      cursor.expect('AS');
      cursor.skipBrackets();
      this.#skipCycle(cursor);
    } while (cursor.skip(','));
    return names;
  }

  /** MariaDB's `CYCLE columns RESTRICT`. */
  #skipCycle(cursor: Cursor): void {
    if (!cursor.skip('CYCLE')) return;
    while (!cursor.isEnd && !cursor.skip('RESTRICT')) cursor.at += 1;
  }

  #names(cursor: Cursor): string[] {
    const { from, to } = cursor.skipBrackets();
    return splitList(this.text, from, to).map(({ from: at }) => this.text.tokens[at]?.name ?? '');
  }

  /** The first SELECT gives names and number of the columns; what the others add is found by repetition. */
  #recursive(
    name: string,
    names: readonly string[] | undefined,
    { from, to }: { from: number; to: number },
    outer: Scope,
  ): Columns {
    const scope = new Scope(outer);
    let known: Columns | undefined;
    const learn = (columns: Columns) => {
      if (known !== undefined) return;
      known = rename(columns, names);
      scope.addQuery(name, known);
    };
    for (let round = 0; round < maxRounds; round += 1) {
      const columns = rename(this.query(from, to, scope, learn), names);
      if (known !== undefined && columns.every(({ taint }, i) => isSameTaint(taint, known?.[i]?.taint))) return columns;
      known = columns;
      scope.addQuery(name, columns);
    }
    return untraceable('a recursive query');
  }

  #primary(cursor: Cursor, scope: Scope): Columns {
    if (cursor.is('(')) {
      const { from, to } = cursor.skipBrackets();
      return this.query(from, to, scope);
    }
    if (cursor.skip('SELECT')) return this.#select(cursor, scope);
    if (cursor.skip('VALUES')) return this.#values(cursor, scope);
    if (cursor.skip('TABLE')) return this.#table(cursor, scope);
    return untraceable('a query is missing');
  }

  #table(cursor: Cursor, outer: Scope): Columns {
    const scope = new Scope(outer);
    const { star, end } = traceFrom(this, { from: cursor.at, to: cursor.at + this.#tableLength(cursor) }, { scope, outer });
    cursor.at = end;
    return star ?? untraceable('the columns of a table are not known');
  }

  #tableLength(cursor: Cursor): number {
    return cursor.peek(1).word === '.' ? 3 : 1;
  }

  /** `VALUES ROW(1, 2), ROW(3, 4)`, on MariaDB without ROW. */
  #values(cursor: Cursor, scope: Scope): Columns {
    let columns: Columns | undefined;
    do {
      const hasWord = cursor.skip('ROW');
      const { from, to } = cursor.skipBrackets();
      const row = splitList(this.text, from, to).map((part, i) => ({
        name: hasWord ? `column_${i}` : undefined,
        taint: deriveTaint(traceExpression(this, part, scope)),
      }));
      columns = columns?.map(({ name, taint }, i) => ({ name, taint: mergeTaints(taint, row[i]?.taint) })) ?? row;
    } while (cursor.skip(','));
    return columns;
  }

  #select(cursor: Cursor, outer: Scope): Columns {
    while (isOption(cursor)) cursor.at += 1;
    const list = { from: cursor.at, to: this.#findClause(cursor) };
    const scope = new Scope(outer);
    cursor.at = list.to;
    const from = cursor.skip('FROM') ? traceFrom(this, { from: cursor.at, to: cursor.to }, { scope, outer }) : undefined;
    if (from !== undefined) cursor.at = from.end;
    const rest = { from: cursor.at, to: this.#findSetWord(cursor) };
    cursor.at = rest.to;
    if (rest.from < rest.to && !isClause(this.text.tokens, rest.from)) untraceable('what follows FROM');
    const columns = this.items(list.from, list.to, scope, from?.star);
    if ([...columns, ...(from?.joined ?? [])].some(({ taint }) => taint !== undefined)) this.touch();
    for (const { taint } of from?.joined ?? []) this.judgeCondition(taint, this.text.tokens[list.from]?.start ?? 0);
    for (const condition of from?.conditions ?? []) traceCondition(this, condition, scope);
    this.#conditions(rest.from, rest.to, withAliases(scope, columns), columns);
    return columns;
  }

  #findClause(cursor: Cursor): number {
    const { tokens, closing } = this.text;
    for (let at = cursor.at; at < cursor.to; at += 1) {
      const { word } = tokens[at] ?? noToken;
      if (word === '(') at = closing(at);
      // `NTH_VALUE(x, 1) FROM FIRST OVER w` has another FROM.
      else if (clauseWords.has(word)) return at;
    }
    return cursor.to;
  }

  #findSetWord(cursor: Cursor): number {
    const { tokens, closing } = this.text;
    for (let at = cursor.at; at < cursor.to; at += 1) {
      const { word } = tokens[at] ?? noToken;
      if (word === '(') at = closing(at);
      else if (word === 'FROM') untraceable('a second FROM');
      else if (setWords.has(word)) return at;
    }
    return cursor.to;
  }

  /** The columns of a list such as that of RETURNING. */
  items(from: number, to: number, scope: Scope, star: Columns | undefined): Columns {
    return splitList(this.text, from, to).flatMap((item) => this.#item(item, scope, star));
  }

  /** One item of a select list, which may be several columns. */
  #item(range: { from: number; to: number }, scope: Scope, star: Columns | undefined): Columns {
    const item = readItem(this.text, range);
    if (item.kind === 'star') return this.#star(item.path, scope, star);
    const taint = item.kind === 'column' ? this.#column(item, scope) : deriveTaint(traceExpression(this, item, scope));
    const column = { name: item.name, taint };
    if (item.name !== undefined) scope.aliases.push(column);
    return [column];
  }

  #column(item: { from: number; to: number; path: readonly string[] }, scope: Scope): Taint | undefined {
    const plain = scope.find(item.path);
    // A word that is no column after all, or one in a script whose letters the server may compare otherwise.
    return mergeTaints(plain, traceExpression(this, item, scope));
  }

  #star(path: readonly string[], scope: Scope, star: Columns | undefined): Columns {
    if (path.length === 0) return star ?? untraceable('the columns of a table are not known');
    const [table = '', schema] = path.toReversed();
    const found = scope.called(table, schema);
    if (found?.columns === undefined) return untraceable('the columns of a table are not known');
    return found.columns.filter(({ isInvisible }) => isInvisible !== true);
  }

  /** Conditions, groups and orders: nothing of them is shown. */
  #conditions(from: number, to: number, scope: Scope, columns: Columns): void {
    if (!this.readsConditions) return;
    traceCondition(this, { from, to }, scope);
    if (!this.#isStrict) return;
    for (let at = from; at < to; at += 1) {
      const { kind, start, end, word } = this.text.tokens[at] ?? noToken;
      if (word === '(') at = this.text.closing(at);
      // `GROUP BY 2` and `ORDER BY 2` name a column of the select list.
      if (kind === 'number' && end - start < 5) this.judgeCondition(this.#positioned(at, columns), start);
    }
  }

  #positioned(at: number, columns: Columns): Taint | undefined {
    const before = this.text.tokens[at - 1]?.word ?? '';
    if (before !== 'BY' && before !== ',') return undefined;
    return mergeTaints(...columns.map(({ taint }) => taint));
  }
}

function rename(columns: Columns, names: readonly string[] | undefined): Columns {
  return names === undefined ? columns.map(({ name, taint }) => ({ name, taint })) : renameColumns(columns, names);
}

/** GROUP BY and the like see the names of the select list. */
function withAliases(scope: Scope, columns: Columns): Scope {
  const inner = new Scope(scope);
  inner.sources.push(...scope.sources, { alias: '', columns: columns.filter(({ name }) => name !== undefined) });
  return inner;
}

function isOption(cursor: Cursor): boolean {
  const { word } = cursor.peek();
  // Some of these words are names on MariaDB.
  return (
    selectOptions.has(word) &&
    (reservedWords.has(word) || !['.', ',', 'FROM', 'AS', ''].includes(cursor.peek(1).word) || isName(cursor.peek(1)))
  );
}

/** Whether a clause of a SELECT begins here. */
function isClause(tokens: readonly Token[], at: number): boolean {
  const { word } = tokens[at] ?? noToken;
  if (clauseWords.has(word) && word !== 'FROM') return true;
  if (word === 'WINDOW') return isName(tokens[at + 1] ?? noToken) && tokens[at + 2]?.word === 'AS';
  return word === 'QUALIFY' || word === 'OFFSET' || word === 'FETCH';
}
