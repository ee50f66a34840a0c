import { isName, matchBrackets, noToken, type Token } from '../statement/tokens.ts';
import type { Condition, Join, Level, OrderKey, Source, StatementShape } from './statement-shape.ts';
import { ConditionReader, isQuery, type Range, type TokenText } from './token-conditions.ts';

/**
 * Reads the tokens of a statement that the guard has accepted. There is no tree: what is not of the usual form (`column = value`, BETWEEN,
 * IN, LIKE, joins of columns) is passed over, so advice can be missing, but is about columns that are really compared.
 */
export function readShape(text: TokenText): StatementShape {
  const { tokens } = text;
  const reader = new ShapeReader(text);
  reader.readQuery({ from: 0, to: tokens.length }, { parent: undefined, names: new Set() });
  // A placeholder has no type, so no usual value can be given for it.
  const params = tokens
    .filter(({ word, kind, name }) => word === '?' || (kind === 'variable' && name.startsWith('?')))
    .map(() => undefined);
  return { levels: reader.levels, params };
}

interface Place {
  parent: number | undefined;
  /** Names of WITH. */
  names: ReadonlySet<string>;
}

interface Building extends Level {
  sources: Source[];
  conditions: Condition[];
  choices: (readonly Condition[])[];
  joins: Join[];
  order: OrderKey[];
  hasLimit: boolean;
}

interface Here extends Place {
  index: number;
  level: Building;
}

const unions = new Set(['UNION', 'EXCEPT', 'INTERSECT', 'MINUS']);
const clauses = ['SELECT', 'FROM', 'WHERE', 'GROUP', 'HAVING', 'WINDOW', 'ORDER', 'LIMIT', 'FOR', 'LOCK', 'INTO', 'PROCEDURE'];
const joinWords = new Set(['JOIN', 'STRAIGHT_JOIN', 'INNER', 'CROSS', 'LEFT', 'RIGHT', 'OUTER', 'NATURAL', ',']);
const behindTable = new Set([...joinWords, 'ON', 'USING', 'USE', 'FORCE', 'IGNORE', 'PARTITION', 'INDEXED', 'AS', ')']);
const hints = new Set(['USE', 'FORCE', 'IGNORE']);

class ShapeReader {
  readonly levels: Building[] = [];
  readonly #tokens: readonly Token[];
  readonly #reserved: ReadonlySet<string>;
  readonly #closing: (open: number) => number;
  readonly #conditions: ConditionReader;

  constructor(text: TokenText) {
    this.#tokens = text.tokens;
    this.#reserved = text.reserved;
    this.#closing = matchBrackets(text.tokens);
    this.#conditions = new ConditionReader(text, this.#closing);
  }

  readQuery(range: Range, place: Place): void {
    const inside = this.#at(range.from).word === '(' ? { from: range.from + 1, to: this.#closing(range.from) } : undefined;
    if (inside !== undefined) {
      this.readQuery(inside, place);
      if (inside.to + 1 < range.to) this.readQuery({ from: inside.to + 2, to: range.to }, place);
      return;
    }
    if (this.#at(range.from).word === 'WITH') {
      this.#readWith(range, place);
      return;
    }
    const parts = this.#split(range, (word) => unions.has(word));
    for (const part of parts) this.#readSelect(this.#skip(part, ['ALL', 'DISTINCT']), place);
  }

  #at(index: number): Token {
    return this.#tokens[index] ?? noToken;
  }

  #skip({ from, to }: Range, words: readonly string[]): Range {
    let first = from;
    while (first < to && words.includes(this.#at(first).word)) first += 1;
    return { from: first, to };
  }

  /** The parts between the separators that no parentheses enclose. */
  #split({ from, to }: Range, isSeparator: (word: string, index: number) => boolean): Range[] {
    const parts: Range[] = [];
    let first = from;
    for (let at = from; at < to; at += 1) {
      const { word } = this.#at(at);
      if (word === '(') at = this.#closing(at);
      else if (isSeparator(word, at)) {
        parts.push({ from: first, to: at });
        first = at + 1;
      }
    }
    return [...parts, { from: first, to }];
  }

  #readWith({ from, to }: Range, place: Place): void {
    const names = new Set(place.names);
    let at = from + (this.#at(from + 1).word === 'RECURSIVE' ? 2 : 1);
    while (at < to) {
      names.add(this.#at(at).name);
      while (at < to && this.#at(at).word !== 'AS') at += 1;
      const body = at + 1;
      this.readQuery({ from: body + 1, to: this.#closing(body) }, { parent: undefined, names });
      at = this.#closing(body) + 1;
      if (this.#at(at).word !== ',') break;
      at += 1;
    }
    if (at > from && at < to) this.readQuery({ from: at, to }, { ...place, names });
  }

  #readSelect(range: Range, place: Place): void {
    if (this.#at(range.from).word === '(') {
      this.readQuery(range, place);
      return;
    }
    const parts = this.#findClauses(range);
    const level: Building = {
      parent: place.parent,
      sources: [],
      conditions: [],
      choices: [],
      joins: [],
      order: [],
      hasLimit: parts.has('LIMIT'),
      used: undefined,
    };
    const here: Here = { ...place, level, index: this.levels.push(level) - 1 };
    const [list, tables, where, order] = ['SELECT', 'FROM', 'WHERE', 'ORDER'].map((clause) => parts.get(clause));
    if (tables !== undefined) this.#readTables(tables, here);
    if (where !== undefined) this.#readCondition(where, here);
    if (order !== undefined) this.#readOrder({ from: order.from + 1, to: order.to }, level);
    if (list !== undefined && !parts.has('GROUP')) this.#readExtreme(list, level);
    for (const part of [list, parts.get('HAVING'), parts.get('GROUP'), order])
      if (part !== undefined) this.#readSubqueries(part, here);
  }

  #findClauses(range: Range): ReadonlyMap<string, Range> {
    const starts: number[] = [];
    this.#split(range, (word, at) => {
      const before = this.#at(at - 1).word;
      // `USE INDEX FOR ORDER BY (a)`.
      const isHint = before === 'FOR' || (word === 'FOR' && (before === 'INDEX' || before === 'KEY'));
      if (clauses.includes(word) && !isHint) starts.push(at);
      return false;
    });
    return new Map(starts.map((at, i) => [this.#at(at).word, { from: at + 1, to: starts[i + 1] ?? range.to }]));
  }

  /** Subqueries anywhere in an expression. */
  #readSubqueries({ from, to }: Range, here: Here): void {
    for (let at = from; at < to; at += 1) {
      if (this.#at(at).word !== '(' || !this.#isQuery(at + 1)) continue;
      this.readQuery({ from: at + 1, to: this.#closing(at) }, { parent: here.index, names: here.names });
      at = this.#closing(at);
    }
  }

  #isQuery(at: number): boolean {
    return isQuery(this.#at(at));
  }

  #readTables({ from, to }: Range, here: Here): void {
    for (let at = from; at < to; at += 1) at = this.#readTablePart(at, to, here);
  }

  /** Returns the last token that was read. */
  #readTablePart(at: number, to: number, here: Here): number {
    const token = this.#at(at);
    if (token.word === 'ON') return this.#readOn(at + 1, to, here) - 1;
    if (token.word === 'USING') return this.#readUsing(at + 1, here);
    if (hints.has(token.word)) return this.#skipHint(at, to);
    if (token.word === '(') return this.#readBracket(at, here);
    return isName(token) && !this.#reserved.has(token.word) ? this.#addTable(at, to, here) : at;
  }

  /** `USE INDEX FOR JOIN (a)`. */
  #skipHint(at: number, to: number): number {
    let open = at;
    while (open < to && this.#at(open).word !== '(') open += 1;
    return this.#closing(open);
  }

  #readOn(from: number, to: number, here: Here): number {
    let end = from;
    while (end < to && !joinWords.has(this.#at(end).word)) end = this.#at(end).word === '(' ? this.#closing(end) + 1 : end + 1;
    this.#readCondition({ from, to: end }, here);
    return end;
  }

  #readUsing(open: number, { level }: Here): number {
    const end = this.#closing(open);
    const [left, right] = level.sources.slice(-2);
    for (const { from } of this.#split({ from: open + 1, to: end }, (word) => word === ',')) {
      const name = this.#at(from).name.toLowerCase();
      if (left !== undefined && right !== undefined)
        level.joins.push({ left: { qualifier: left.alias, name }, right: { qualifier: right.alias, name } });
    }
    return end;
  }

  /** A derived table, or joins in parentheses. */
  #readBracket(open: number, here: Here): number {
    const end = this.#closing(open);
    if (!this.#isQuery(open + 1) && this.#at(open + 1).word !== '(') {
      this.#readTables({ from: open + 1, to: end }, here);
      return end;
    }
    this.readQuery({ from: open + 1, to: end }, { parent: here.parent, names: here.names });
    const alias = this.#at(end + 1).word === 'AS' ? end + 2 : end + 1;
    here.level.sources.push({ alias: this.#at(alias).name, table: undefined });
    return alias;
  }

  #addTable(at: number, to: number, { level, names }: Here): number {
    let last = at;
    while (this.#at(last + 1).word === '.') last += 2;
    const name = this.#at(last).name;
    const schema = last > at ? this.#at(last - 2).name : undefined;
    // JSON_TABLE(…) and the like.
    const isCall = this.#at(last + 1).word === '(';
    if (isCall) last = this.#closing(last + 1);
    let next = last + 1;
    if (this.#at(next).word === 'AS') next += 1;
    const hasAlias = next < to && isName(this.#at(next)) && !behindTable.has(this.#at(next).word);
    const isTable = !isCall && (schema !== undefined || !names.has(name));
    level.sources.push({ alias: hasAlias ? this.#at(next).name : name, table: isTable ? { schema, name } : undefined });
    return hasAlias ? next : last;
  }

  /** Conditions that all rows of the result have met. */
  #readCondition(range: Range, here: Here): void {
    const bare = this.#unwrap(range);
    let isBetween = false;
    const parts = this.#split(bare, (word, at) => {
      if (word === 'BETWEEN') isBetween = true;
      const isAnd = word === 'AND' || (word === '&' && this.#at(at - 1).word === '&');
      if (!isAnd) return false;
      const separates = !isBetween;
      isBetween = false;
      return separates;
    });
    const arms = this.#split(bare, (word) => word === 'OR' || word === 'XOR' || word === '|');
    if (arms.length > 1) this.#readChoice(arms, here);
    else if (parts.length > 1) for (const part of parts) this.#readCondition(part, here);
    else this.#readLeaf(bare, here.level);
    if (arms.length > 1 || parts.length === 1) this.#readSubqueries(bare, here);
  }

  #unwrap({ from, to }: Range): Range {
    const isWrapped = this.#at(from).word === '(' && this.#closing(from) === to - 1 && !this.#isQuery(from + 1);
    return isWrapped ? this.#unwrap({ from: from + 1, to: to - 1 }) : { from, to };
  }

  #readChoice(arms: readonly Range[], { level }: Here): void {
    const found = arms.flatMap((arm) => this.#conditions.readComparison(this.#unwrap(arm)) ?? []);
    if (found.length === arms.length) level.choices.push(found);
  }

  #readLeaf(range: Range, level: Building): void {
    const join = this.#conditions.readJoin(range);
    const condition = join === undefined ? this.#conditions.readComparison(range) : undefined;
    if (join !== undefined) level.joins.push(join);
    if (condition !== undefined) level.conditions.push(condition);
  }

  #readOrder(range: Range, level: Building): void {
    for (const { from, to } of this.#split(range, (word) => word === ',')) {
      const column = this.#conditions.readColumn(from);
      const direction = column === undefined ? '' : this.#at(column.next).word;
      const isWhole = column !== undefined && column.next + (['ASC', 'DESC'].includes(direction) ? 1 : 0) === to;
      if (!isWhole) return;
      level.order.push({ column: column.column, descending: direction === 'DESC' });
    }
  }

  /** `MAX(column)` alone is the first of an order. */
  #readExtreme({ from, to }: Range, level: Building): void {
    const { word } = this.#at(from);
    const column = this.#conditions.readColumn(from + 2);
    const isAlone = this.#at(from + 1).word === '(' && column !== undefined && column.next === this.#closing(from + 1);
    if ((word !== 'MAX' && word !== 'MIN') || !isAlone || this.#split({ from, to }, (mark) => mark === ',').length > 1) return;
    if (level.order.length > 0) return;
    level.order.push({ column: column.column, descending: word === 'MAX' });
    level.hasLimit = true;
  }
}
