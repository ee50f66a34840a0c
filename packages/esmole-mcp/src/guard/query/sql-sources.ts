import type { QuerySources } from './query-sources.ts';
import { openSearchSqlDialect, sqlDialect } from './quotes.ts';
import { Scanner, type Token, UnreadableQuery } from './scanner.ts';

/** What an open parenthesis holds. In the list behind FROM, each comma is followed by another table. */
interface Group {
  isFrom: boolean;
  /** `EXTRACT(YEAR FROM date)` names no table. */
  readonly isExtract: boolean;
}

/** These end the list behind FROM; without them, commas would be taken for those of the list. */
const clauses: ReadonlySet<string> = new Set('SELECT WHERE GROUP HAVING ORDER LIMIT UNION MINUS'.split(' '));
/** Statements that describe tables, and the words of them that name none. */
const descriptions: ReadonlySet<string> = new Set(['SHOW', 'SYS', 'DESCRIBE', 'DESC']);
const descriptionWords: ReadonlySet<string> = new Set(
  'SHOW SYS DESCRIBE DESC TABLES TABLE COLUMNS CATALOGS CATALOG SCHEMAS FUNCTIONS TYPES TYPE FROM IN LIKE ESCAPE INCLUDE FROZEN'.split(
    ' ',
  ),
);
/** Not `$` and the like, which the plugin of OpenSearch passes over where it does not know them. */
const nameCharacter = /[\w@*.-]/;

/** Every table that a text in SQL names. Throws `UnreadableQuery`. */
export function readSqlSources(text: string): QuerySources {
  return new SqlReader(new Scanner(text, sqlDialect)).read();
}

/** The same for the plugin of OpenSearch. */
export function readOpenSearchSqlSources(text: string): QuerySources {
  return new SqlReader(new Scanner(text, openSearchSqlDialect)).read();
}

class SqlReader {
  readonly #scanner: Scanner;
  readonly #names: string[] = [];
  readonly #groups: Group[] = [{ isFrom: false, isExtract: false }];

  constructor(scanner: Scanner) {
    this.#scanner = scanner;
  }

  read(): QuerySources {
    this.#skipExplain();
    const first = this.#scanner.peek();
    if (first.kind === 'word' && descriptions.has(first.value.toUpperCase())) this.#readDescription();
    else this.#readQuery();
    // Behind SELECT, what begins with a minus excludes nothing: each name counts alone.
    return { lists: this.#names.map((name) => name.split(',')) };
  }

  /** With its options; other parentheses hold a query. */
  #skipExplain(): void {
    const scanner = this.#scanner;
    while (scanner.takeWord('EXPLAIN', 'DEBUG')) {
      const { at } = scanner;
      const hasOptions = scanner.take('(') && ['PLAN', 'FORMAT', 'VERIFY', ')'].includes(scanner.peek().value.toUpperCase());
      if (!hasOptions) scanner.at = at;
      else while (!scanner.take(')')) this.#skipOption();
    }
  }

  #skipOption(): void {
    const { kind, at } = this.#scanner.next();
    if (kind !== 'word') throw new UnreadableQuery('something else than an option of EXPLAIN', at);
  }

  #readDescription(): void {
    for (let token = this.#scanner.peek(); token.kind !== 'end'; token = this.#scanner.peek()) {
      const isKeyword = descriptionWords.has(token.value.toUpperCase());
      if (token.kind === 'name' || (token.kind === 'word' && !isKeyword) || ['*', '.'].includes(token.value)) this.#readName();
      else this.#scanner.next();
    }
  }

  #readQuery(): void {
    let before = '';
    for (let token = this.#scanner.next(); token.kind !== 'end'; token = this.#scanner.next()) {
      const word = token.kind === 'word' ? token.value.toUpperCase() : '';
      if (token.kind === 'mark') this.#readMark(token, before);
      else if (word !== '') this.#readWord(word);
      before = word;
    }
  }

  get #group(): Group {
    return this.#groups.at(-1) ?? { isFrom: false, isExtract: false };
  }

  #readMark({ value, at }: Token, before: string): void {
    if (value === '(') this.#groups.push({ isFrom: false, isExtract: before === 'EXTRACT' });
    else if (value === ')') {
      this.#groups.pop();
      if (this.#groups.length === 0) throw new UnreadableQuery('a parenthesis that was not opened', at);
    } else if (value === ',' && this.#group.isFrom) this.#readTable();
  }

  #readWord(word: string): void {
    if (word === 'JOIN' || (word === 'FROM' && !this.#group.isExtract)) this.#readTable();
    else if (clauses.has(word)) this.#group.isFrom = false;
  }

  /** A name, or a query or more tables in parentheses. */
  #readTable(): void {
    this.#group.isFrom = true;
    while (this.#scanner.take('(')) this.#groups.push({ isFrom: true, isExtract: false });
    const { kind, value } = this.#scanner.peek();
    const isQuery = kind === 'word' && ['SELECT', 'WITH'].includes(value.toUpperCase());
    if (!isQuery) this.#readFrozen();
  }

  /** FROZEN is a word before a name, or a name itself. */
  #readFrozen(): void {
    const { at } = this.#scanner;
    if (this.#scanner.takeWord('FROZEN')) {
      const { kind, value } = this.#scanner.peek();
      if (kind !== 'word' && kind !== 'name' && value !== '*' && value !== '.') this.#scanner.at = at;
    }
    this.#readName();
  }

  /** With the cluster or catalog before it, if there is one. */
  #readName(): void {
    let name = this.#readPart();
    while (this.#scanner.take(':')) name += `:${this.#readPart()}`;
    this.#names.push(name);
  }

  #readPart(): string {
    const scanner = this.#scanner;
    scanner.skipBlanks();
    const { at: from } = scanner;
    if (scanner.isBehindComment) throw new UnreadableQuery('a comment before the name of an index', from);
    if (scanner.peek().kind === 'name') return scanner.next().value;
    while (scanner.char !== '' && nameCharacter.test(scanner.char) && !scanner.text.startsWith('--', scanner.at)) scanner.at++;
    if (scanner.at === from) throw new UnreadableQuery('something else than the name of an index', from);
    return scanner.text.slice(from, scanner.at);
  }
}
