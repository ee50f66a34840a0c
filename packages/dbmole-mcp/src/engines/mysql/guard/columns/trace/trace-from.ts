import { deriveTaint, mergeTaints } from '../../../../../policy/taint.ts';
import { isName } from '../../../../../statement/tokens.ts';
import { foldName } from '../../judge-call.ts';
import { reservedWords } from '../../known-functions.ts';
import type { Scope, Source, SourceColumn } from './name-scope.ts';
import { beginsQuery, Cursor, splitList, untraceable } from './source-text.ts';
import { type ExpressionContext, traceExpression } from './trace-expression.ts';

/** What FROM gives: the columns of `*`, and the conditions of the joins, which need all tables. */
interface FromClause {
  /** Undefined where the columns, or their order, are not known. */
  readonly star: readonly SourceColumn[] | undefined;
  readonly conditions: readonly { from: number; to: number }[];
  /** Columns that USING or NATURAL compares. */
  readonly joined: readonly SourceColumn[];
  /** The index of the first token after it. */
  readonly end: number;
}

/** Reads the tables of FROM into the scope. `outer` is what a subquery in it sees that is not LATERAL. */
export function traceFrom(context: ExpressionContext, range: { from: number; to: number }, scopes: Scopes): FromClause {
  return new FromTrace(context, new Cursor(context.text, range.from, range.to), scopes).run();
}

interface Scopes {
  scope: Scope;
  outer: Scope;
}

type Columns = readonly SourceColumn[] | undefined;

/** Words that may follow a table and are not its alias, although some server takes them for names. */
const noAlias: ReadonlySet<string> = new Set(
  `ON USING USE FORCE IGNORE PARTITION FOR WINDOW QUALIFY INNER CROSS JOIN LEFT RIGHT NATURAL STRAIGHT_JOIN WHERE GROUP HAVING ORDER
  LIMIT OFFSET FETCH UNION EXCEPT INTERSECT MINUS SET INTO LOCK PROCEDURE TABLESAMPLE FULL RETURNING`.split(/\s+/),
);
const joinWords: ReadonlySet<string> = new Set('JOIN INNER CROSS LEFT RIGHT NATURAL STRAIGHT_JOIN FULL'.split(' '));
/** Words that end the condition of a join. */
const conditionEnds: ReadonlySet<string> = new Set(
  'WHERE GROUP HAVING ORDER LIMIT UNION EXCEPT INTERSECT INTO LOCK PROCEDURE ON USING JOIN INNER CROSS NATURAL STRAIGHT_JOIN SET FOR'.split(
    ' ',
  ),
);

class FromTrace {
  readonly #context: ExpressionContext;
  readonly #cursor: Cursor;
  readonly #scopes: Scopes;
  readonly #conditions: { from: number; to: number }[] = [];
  readonly #joined: SourceColumn[] = [];

  constructor(context: ExpressionContext, cursor: Cursor, scopes: Scopes) {
    this.#context = context;
    this.#cursor = cursor;
    this.#scopes = scopes;
  }

  run(): FromClause {
    const star = this.#list();
    return { star, conditions: this.#conditions, joined: this.#joined, end: this.#cursor.at };
  }

  /** Tables with commas between them. */
  #list(): Columns {
    let star = this.#joins();
    while (this.#cursor.skip(',')) star = concat(star, this.#joins());
    return star;
  }

  #joins(): Columns {
    let left = this.#table();
    for (;;) {
      const isNatural = this.#cursor.skip('NATURAL');
      const isRight = this.#joinWord();
      if (isRight === undefined) return isNatural ? untraceable('NATURAL without JOIN') : left;
      const right = this.#table();
      left = isNatural ? this.#merge(left, right, undefined, isRight) : this.#conditionsOf(left, right, isRight);
    }
  }

  /** Consumes the words of a join. Undefined if no join follows, else whether it is a RIGHT JOIN. */
  #joinWord(): boolean | undefined {
    const cursor = this.#cursor;
    if (cursor.skip('STRAIGHT_JOIN')) return false;
    const { word } = cursor.peek();
    if (!joinWords.has(word)) return undefined;
    // LEFT and RIGHT are functions as well, but not in this place.
    if (word !== 'JOIN') cursor.at += 1;
    cursor.skip('OUTER');
    cursor.expect('JOIN');
    return word === 'RIGHT' || word === 'FULL';
  }

  /** The conditions of nested joins follow one another: `a JOIN b JOIN c ON … ON …`. */
  #conditionsOf(left: Columns, right: Columns, isRight: boolean): Columns {
    const cursor = this.#cursor;
    if (cursor.skip('USING')) {
      const { from, to } = cursor.skipBrackets();
      const names = splitList(this.#context.text, from, to).map(({ from: at }) => this.#context.text.tokens[at]?.name ?? '');
      const merged = this.#merge(left, right, names, isRight);
      this.#moreConditions();
      return merged;
    }
    this.#moreConditions();
    return concat(left, right);
  }

  #moreConditions(): void {
    while (this.#cursor.skip('ON')) this.#condition();
    if (this.#cursor.is('USING')) untraceable('USING after nested joins');
  }

  #condition(): void {
    const cursor = this.#cursor;
    const from = cursor.at;
    while (!cursor.isEnd && !this.#endsCondition()) {
      if (cursor.is('(')) cursor.skipBrackets();
      else cursor.at += 1;
    }
    this.#conditions.push({ from, to: cursor.at });
  }

  #endsCondition(): boolean {
    const { word } = this.#cursor.peek();
    const next = this.#cursor.peek(1).word;
    if (word === ',' || word === '}' || conditionEnds.has(word)) return true;
    if (word === 'LEFT' || word === 'RIGHT') return next === 'JOIN' || next === 'OUTER';
    return (word === 'WINDOW' || word === 'QUALIFY') && next !== '' && !/^[=<>!,.)+*/%-]$/.test(next);
  }

  /** Columns that both sides have become one, before all others. Of a RIGHT JOIN the order is not known. */
  #merge(left: Columns, right: Columns, names: readonly string[] | undefined, isRight: boolean): Columns {
    if (left === undefined || right === undefined) return undefined;
    const has = (columns: readonly SourceColumn[], name: string) => columns.some((column) => isFolded(column, name));
    const wanted = names?.map(foldName);
    const isShared = (column: SourceColumn) => {
      const name = column.name === undefined ? undefined : foldName(column.name);
      return name !== undefined && (wanted === undefined ? has(left, name) && has(right, name) : wanted.includes(name));
    };
    const shared = left.filter((column) => isShared(column) && !(column.isInvisible === true && wanted === undefined));
    const both = shared.map((column) => {
      const other = right.filter((one) => isFolded(one, foldName(column.name ?? '')));
      return { name: column.name, taint: mergeTaints(column.taint, ...other.map(({ taint }) => taint)) };
    });
    this.#joined.push(...both);
    const rest = [...both, ...left.filter((one) => !isShared(one)), ...right.filter((one) => !isShared(one))];
    if (!isRight) return rest;
    const taint = mergeTaints(...rest.map((column) => deriveTaint(column.taint)));
    return rest.map((column) => ({ ...column, taint }));
  }

  #table(): Columns {
    const cursor = this.#cursor;
    if (cursor.skip('{')) return this.#odbc();
    if (cursor.is('(')) return this.#brackets(this.#scopes.outer);
    if (cursor.is('LATERAL') && cursor.peek(1).word === '(') {
      cursor.at += 1;
      return this.#brackets(this.#scopes.scope.snapshot());
    }
    if (cursor.is('JSON_TABLE') && cursor.peek(1).word === '(') return this.#jsonTable();
    return this.#named();
  }

  /** `{ OJ a LEFT JOIN b ON … }` */
  #odbc(): Columns {
    this.#cursor.name();
    const star = this.#joins();
    this.#cursor.expect('}');
    return star;
  }

  /** A subquery, or tables in parentheses. */
  #brackets(seen: Scope): Columns {
    const cursor = this.#cursor;
    const { from, to } = peekBrackets(cursor);
    if (beginsQuery(this.#context.text, from) && this.#isQuery(from, to)) {
      cursor.skipBrackets();
      const columns = this.#context.traceQuery(from, to, seen);
      return this.#addSubquery(columns);
    }
    const inner = new FromTrace(this.#context, new Cursor(this.#context.text, from, to), this.#scopes);
    const { star, conditions, joined, end } = inner.run();
    if (end !== to) untraceable('tables in parentheses');
    cursor.skipBrackets();
    this.#conditions.push(...conditions);
    this.#joined.push(...joined);
    return star;
  }

  /** Whether all of `((SELECT …) UNION …)` is a query, unlike `((SELECT …) AS a JOIN b)`. */
  #isQuery(from: number, to: number): boolean {
    const { tokens, closing } = this.#context.text;
    if (tokens[from]?.word !== '(') return true;
    const next = closing(from) + 1;
    const { word = '' } = tokens[next] ?? {};
    return next >= to ? this.#isQuery(from + 1, closing(from)) : /^(?:UNION|EXCEPT|INTERSECT|MINUS|ORDER|LIMIT)$/.test(word);
  }

  #addSubquery(columns: readonly SourceColumn[]): Columns {
    const cursor = this.#cursor;
    cursor.skip('AS');
    const alias = isName(cursor.peek()) && !noAlias.has(cursor.peek().word) ? cursor.name() : '';
    return this.#add({ alias, columns: this.#renamed(columns) });
  }

  /** `AS t (a, b)` */
  #renamed(columns: readonly SourceColumn[]): readonly SourceColumn[] {
    const cursor = this.#cursor;
    if (!cursor.is('(')) return columns;
    const { from, to } = cursor.skipBrackets();
    return renameColumns(
      columns,
      splitList(this.#context.text, from, to).map(({ from: at }) => this.#context.text.tokens[at]?.name ?? ''),
    );
  }

  #add(source: Source): Columns {
    this.#scopes.scope.sources.push(source);
    return source.columns?.filter(({ isInvisible }) => isInvisible !== true);
  }

  #named(): Columns {
    const cursor = this.#cursor;
    const { text, catalog } = this.#context;
    if (reservedWords.has(cursor.peek().word)) untraceable('a table is missing');
    const path = cursor.path();
    const [name = '', written] = path.toReversed();
    if (cursor.is('(')) untraceable('a table function');
    if (path.length === 1 && /^dual$/i.test(name)) return [];
    const query = written === undefined ? this.#scopes.scope.findQuery(name, catalog.isSameTable) : undefined;
    if (query === 'unread') untraceable('a query that is read before it is known');
    const schema = written ?? text.schema;
    const found = query ?? (schema === undefined ? undefined : catalog.findRelation({ schema, name }));
    this.#skipOptions();
    const alias = this.#alias();
    this.#skipOptions();
    if (found === undefined) return this.#add({ alias: alias ?? name, columns: undefined });
    if (isList(found)) return this.#add({ alias: alias ?? name, columns: found });
    const { columns, judge } = found;
    return this.#add({ alias: alias ?? name, schema: alias === undefined ? schema : undefined, columns, judge });
  }

  #alias(): string | undefined {
    const cursor = this.#cursor;
    if (cursor.skip('AS')) return cursor.name();
    const token = cursor.peek();
    return isName(token) && !noAlias.has(token.word) && !reservedWords.has(token.word) ? cursor.name() : undefined;
  }

  /** `PARTITION (p)`, index hints, `FOR SYSTEM_TIME …` and `TABLESAMPLE …`. */
  #skipOptions(): void {
    const cursor = this.#cursor;
    for (;;) {
      if (cursor.is('PARTITION') && cursor.peek(1).word === '(') cursor.at += 1;
      else if (cursor.is('USE', 'FORCE', 'IGNORE') && /^(?:INDEX|KEY)$/.test(cursor.peek(1).word)) this.#skipHint();
      else if (cursor.is('FOR') && cursor.peek(1).word === 'SYSTEM_TIME') this.#skipTime();
      else return;
      if (cursor.is('(')) cursor.skipBrackets();
    }
  }

  #skipHint(): void {
    const cursor = this.#cursor;
    cursor.at += 2;
    while (cursor.skip('FOR', 'JOIN', 'ORDER', 'GROUP', 'BY'));
    if (!cursor.is('(')) untraceable('an index hint');
  }

  /** Only the forms with plain times; an expression might end anywhere. */
  #skipTime(): void {
    const cursor = this.#cursor;
    cursor.at += 2;
    if (cursor.skip('ALL')) return;
    untraceable('FOR SYSTEM_TIME');
  }

  #jsonTable(): Columns {
    const cursor = this.#cursor;
    cursor.at += 1;
    const { from, to } = cursor.skipBrackets();
    const { tokens } = this.#context.text;
    const columnsAt = findWord(this.#context, 'COLUMNS', from, to);
    const taint = traceExpression(this.#context, { from, to: columnsAt }, this.#scopes.scope.snapshot());
    const names = readJsonColumns(this.#context, columnsAt + 1);
    if (tokens[columnsAt + 1]?.word !== '(') untraceable('JSON_TABLE');
    cursor.skip('AS');
    return this.#add({ alias: cursor.name(), columns: names.map((name) => ({ name, taint: deriveTaint(taint) })) });
  }
}

function peekBrackets(cursor: Cursor): { from: number; to: number } {
  const { at } = cursor;
  const range = cursor.skipBrackets();
  cursor.at = at;
  return range;
}

function isList(found: readonly SourceColumn[] | object): found is readonly SourceColumn[] {
  return Array.isArray(found);
}

function isFolded({ name }: SourceColumn, folded: string): boolean {
  return name !== undefined && foldName(name) === folded;
}

function concat(left: Columns, right: Columns): Columns {
  return left === undefined || right === undefined ? undefined : [...left, ...right];
}

export function renameColumns(columns: readonly SourceColumn[], names: readonly string[]): readonly SourceColumn[] {
  if (names.length !== columns.length) untraceable('a list of columns of another length');
  return columns.map(({ taint }, i) => ({ name: names[i], taint }));
}

function findWord({ text }: ExpressionContext, word: string, from: number, to: number): number {
  for (let at = from; at < to; at += 1) {
    if (text.tokens[at]?.word === '(') at = text.closing(at);
    else if (text.tokens[at]?.word === word) return at;
  }
  return untraceable(`${word} is missing`);
}

/** The names of the columns of JSON_TABLE in order; those of NESTED PATH are among them. */
function readJsonColumns(context: ExpressionContext, open: number): string[] {
  const { text } = context;
  return splitList(text, open + 1, text.closing(open)).flatMap(({ from, to }) => {
    const { word, name = '' } = text.tokens[from] ?? {};
    const isNested = word === 'NESTED' && (text.tokens[from + 1]?.kind === 'text' || text.tokens[from + 1]?.word === 'PATH');
    return isNested ? readJsonColumns(context, findWord(context, 'COLUMNS', from, to) + 1) : [name];
  });
}
