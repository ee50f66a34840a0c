import { openSearchSqlDialect, sqlDialect } from './quotes.ts';
import { listPatterns, type QuerySources, removeSchema, Scanner, type Token, UnreadableQuery } from './scanner.ts';

/** The content of an open parenthesis. In the list after FROM, each comma is followed by another table. */
interface Group {
  isFrom: boolean;
  /** `EXTRACT(YEAR FROM date)` names no table. */
  readonly isExtract: boolean;
}

/** These end the list after FROM; otherwise, later commas would count as part of the list. */
const clauses: ReadonlySet<string> = new Set('SELECT WHERE GROUP HAVING ORDER LIMIT UNION MINUS'.split(' '));
/** Statements that describe tables, and the words of them that name none. */
const descriptions: ReadonlySet<string> = new Set(['SHOW', 'SYS', 'DESCRIBE', 'DESC']);
const descriptionWords: ReadonlySet<string> = new Set(
  'SHOW SYS DESCRIBE DESC TABLES TABLE COLUMNS CATALOGS CATALOG SCHEMAS FUNCTIONS TYPES TYPE FROM IN LIKE ESCAPE INCLUDE FROZEN'.split(
    ' ',
  ),
);
/** `$` and the like are missing because the plugin of OpenSearch skips characters that it does not know. */
const nameCharacter = /[\w@*.-]/;

/** Every table that a text in SQL names. Throws `UnreadableQuery`. */
export function readSqlSources(text: string): QuerySources {
  return new SqlReader(new Scanner(text, sqlDialect)).read();
}

/** The same for the plugin of OpenSearch. */
export function readOpenSearchSqlSources(text: string): QuerySources {
  const { lists } = new SqlReader(new Scanner(text, openSearchSqlDialect)).read();
  return {
    lists: lists.map((names) => names.map(removeSchema)),
    unlisted: findUnlisted(new Scanner(text, openSearchSqlDialect)),
    patterns: listPatterns(text, openSearchSqlDialect),
  };
}

const readStatements: ReadonlySet<string> = new Set(['SELECT', 'SHOW', 'DESCRIBE', 'DESC']);

/** The plugin can be set to allow DELETE. A text is one statement, whose first word tells what it does. */
function findUnlisted(scanner: Scanner): string | undefined {
  while (scanner.take('('));
  const first = scanner.peek();
  if (!readStatements.has(first.value.toUpperCase())) return first.value;
  for (let token = scanner.next(); token.kind !== 'end'; token = scanner.next())
    if (token.kind === 'mark' && token.value === ';' && scanner.peek().kind !== 'end') return token.value;
  return undefined;
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
    // After SELECT, a leading minus excludes nothing: each name counts alone.
    return { lists: this.#names.map((name) => name.split(',')) };
  }

  /** Skips EXPLAIN and its options; other parentheses hold a query. */
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
    if (kind !== 'word') throw new UnreadableQuery('something other than an option of EXPLAIN', at);
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
      else if (word !== '') this.#readWord(word, before);
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
      if (this.#groups.length === 0) throw new UnreadableQuery('an unmatched parenthesis', at);
    } else if (value === ',' && this.#group.isFrom) this.#readTable();
  }

  /** The plugin of OpenSearch takes the word of a clause for an alias behind AS, and perhaps where no clause can begin. */
  #isAlias(before: string): boolean {
    return before === 'AS' || [',', ')'].includes(this.#scanner.peek().value);
  }

  #readWord(word: string, before: string): void {
    if (word === 'JOIN' || (word === 'FROM' && !this.#group.isExtract)) this.#readTable();
    else if (clauses.has(word) && !this.#isAlias(before)) this.#group.isFrom = false;
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

  /** Reads a name with the cluster or catalog before it, if there is one. */
  #readName(): void {
    let name = this.#readPart();
    while (this.#scanner.take(':')) name += `:${this.#readPart()}`;
    this.#names.push(name);
  }

  /** Reads a name of several parts with dots between them, of which each may be quoted. */
  #readPart(): string {
    const scanner = this.#scanner;
    let name = '';
    do {
      scanner.skipBlanks();
      if (scanner.isBehindComment) throw new UnreadableQuery('a comment before the name of an index', scanner.at);
      name += scanner.peek().kind === 'name' ? scanner.next().value : this.#readPlain();
      if (!name.endsWith('.') && scanner.take('.')) name += '.';
    } while (name.endsWith('.') && this.#isAtPart);
    return name;
  }

  get #isAtPart(): boolean {
    const { kind, value } = this.#scanner.peek();
    return kind === 'name' || kind === 'word' || value === '.' || value === '*';
  }

  #readPlain(): string {
    const scanner = this.#scanner;
    const { at: from } = scanner;
    while (scanner.char !== '' && nameCharacter.test(scanner.char) && !scanner.text.startsWith('--', scanner.at)) scanner.at++;
    if (scanner.at === from) throw new UnreadableQuery('something other than the name of an index', from);
    return scanner.text.slice(from, scanner.at);
  }
}
