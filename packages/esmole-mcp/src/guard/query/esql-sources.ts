import { nearestNames } from '@dbmole/core';
import { isAtName, readEsqlNames } from './esql-names.ts';
import { esqlDialect, promqlDialect } from './quotes.ts';
import { type QuerySources, Scanner, type Token, UnreadableQuery } from './scanner.ts';

/** Commands that name no index and do nothing but read. What is not known is refused: newer versions have some that write. */
const plainCommands: ReadonlySet<string> = new Set(
  (
    'ROW SHOW META EVAL WHERE KEEP DROP RENAME LIMIT SORT STATS INLINE INLINESTATS DISSECT GROK MV_EXPAND SAMPLE CHANGE_POINT FUSE ' +
    'INSIST MMR DEDUP HIGHLIGHT URI_PARTS REGISTERED_DOMAIN METRICS_INFO TS_INFO TS_COLLAPSE SET'
  ).split(' '),
);
const sourceCommands = ['FROM', 'TS', 'METRICS'];
const joins: ReadonlySet<string> = new Set(['LOOKUP', 'LEFT', 'RIGHT', 'FULL', 'INNER', 'JOIN']);
/** Commands that read from another system. */
const actingCommands: ReadonlySet<string> = new Set(['EXTERNAL']);
/** Commands that ask a model for each row. */
const modelCommands: ReadonlySet<string> = new Set(['COMPLETION', 'EMBED', 'RERANK']);

/** Functions that ask a model. */
export function isModelFunction(name: string): boolean {
  return /^(?:text_)?embed(?:ding)?$/i.test(name);
}

/** Functions that search a pattern, their second argument, and cannot be stopped. */
export function isPatternFunction(name: string): boolean {
  return /^replace$/i.test(name);
}

/** The purpose of an open bracket. A `pattern` follows the first comma of `pattern function`. */
type Bracket = 'source list' | 'branch' | 'pattern function' | 'expression';

/** The next thing to read. Steps run in a loop, because a query may be nested deeper than the call stack. */
type Step = 'command' | 'source' | 'behind source' | 'expression' | 'end';

/** Every index that a text in ES|QL names. Throws `UnreadableQuery`. */
export function readEsqlSources(text: string): QuerySources {
  return new EsqlReader(text).read();
}

/** A typing mistake is more likely than a command that is too new. */
function unlistedCommand(command: string, at: number): UnreadableQuery {
  const nearest = nearestNames(command, [...sourceCommands, ...plainCommands, 'LOOKUP', 'ENRICH', 'FORK']);
  return new UnreadableQuery('a command that is not on the list of known reads', at, nearest);
}

class EsqlReader {
  readonly #scanner: Scanner;
  readonly #lists: string[][] = [];
  readonly #brackets: Bracket[] = [];
  /** The list of each FROM that is being read; a subquery may come between its names. */
  readonly #open: string[][] = [];
  #policy: string | undefined;
  #acting: string | undefined;
  #model: string | undefined;
  readonly #patterns: string[] = [];
  #computing: string | undefined;
  #takesParams = false;
  #isGrok = false;

  constructor(text: string) {
    this.#scanner = new Scanner(text, esqlDialect);
  }

  read(): QuerySources {
    for (let step: Step = 'command'; step !== 'end'; ) step = this.#take(step);
    return {
      lists: this.#lists,
      policy: this.#policy,
      acting: this.#acting,
      model: this.#model,
      patterns: this.#patterns,
      computing: this.#computing,
      takesParams: this.#takesParams,
    };
  }

  #take(step: Exclude<Step, 'end'>): Step {
    if (step === 'command') return this.#readCommand();
    if (step === 'source') return this.#readSource();
    return step === 'behind source' ? this.#readBehindSource() : this.#readToken();
  }

  #readCommand(): Step {
    const { kind, value, at } = this.#scanner.next();
    if (kind === 'end') return 'end';
    const command = kind === 'word' ? value.toUpperCase() : '';
    this.#isGrok = command === 'GROK';
    if (sourceCommands.includes(command)) return this.#beginList();
    if (command === 'FORK' || command === 'EXPLAIN') return this.#readBranches();
    if (command === 'PROMQL') this.#lists.push(readPromql(this.#scanner));
    else if (command === 'ENRICH') this.#readPolicy();
    else if (joins.has(command)) this.#readJoin();
    else if (actingCommands.has(command)) this.#acting ??= command;
    else if (modelCommands.has(command)) this.#model ??= command;
    else if (!plainCommands.has(command)) throw unlistedCommand(command, at);
    return 'expression';
  }

  #readToken(): Step {
    const token = this.#scanner.next();
    const { kind, value, at } = token;
    if (kind === 'end') return 'end';
    if (kind === 'text' && this.#isGrok) this.#patterns.push(this.#unquote(token));
    // A name in backticks may be one of a function, too.
    if ((kind === 'word' || kind === 'name') && this.#scanner.peek().value === '(') return this.#readFunction(value);
    return kind === 'mark' ? this.#readMark(value, at) : 'expression';
  }

  #readMark(value: string, at: number): Step {
    if (value === '|' || value === ';') return 'command';
    if (value === ',' && this.#brackets.at(-1) === 'pattern function') this.#readPattern();
    if (value === '?') this.#readParam();
    if (value === '(' || value === '[') return this.#readOpening();
    return value === ')' || value === ']' ? this.#readClosing(at) : 'expression';
  }

  #readFunction(name: string): Step {
    if (isModelFunction(name)) this.#model ??= `${name}()`;
    this.#scanner.take('(');
    return this.#readOpening(isPatternFunction(name) ? 'pattern function' : 'expression');
  }

  /** `?`, `?1` or `?name`, with one more ? in front of a name. */
  #readParam(): void {
    const scanner = this.#scanner;
    scanner.take('?');
    if (scanner.peek().kind === 'word') scanner.next();
    if (scanner.peek().value === '(') this.#takesParams = true;
  }

  /** It is a text or a parameter, and nothing else before the next comma. */
  #readPattern(): void {
    const scanner = this.#scanner;
    this.#brackets.splice(-1, 1, 'expression');
    const token = scanner.next();
    if (token.kind === 'text') this.#patterns.push(this.#unquote(token));
    else if (token.value === '?') {
      this.#takesParams = true;
      this.#readParam();
    }
    const next = scanner.peek().value;
    if ((token.kind === 'text' || token.value === '?') && (next === ',' || next === ')')) return;
    this.#computing ??= 'REPLACE';
    scanner.at = token.at;
  }

  #unquote({ value, at }: Token): string {
    if (this.#scanner.text.startsWith('"""', at)) return value;
    const escapes: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r' };
    return value.replace(/\\([\s\S])/g, (_all, char: string) => escapes[char] ?? char);
  }

  /** In an expression, a parenthesis may open a subquery, or a field may have the name of a command. */
  #readOpening(bracket: Bracket = 'expression'): Step {
    const scanner = this.#scanner;
    this.#brackets.push(bracket);
    const { at } = scanner;
    if (scanner.takeWord('PROMQL')) this.#lists.push(readPromql(scanner));
    if (!scanner.takeWord(...sourceCommands)) return 'expression';
    if (isSubquery(scanner)) return this.#beginList();
    scanner.at = at;
    return 'expression';
  }

  #readClosing(at: number): Step {
    const bracket = this.#brackets.pop();
    if (bracket === undefined) throw new UnreadableQuery('an unmatched bracket', at);
    if (bracket === 'source list') return 'behind source';
    return bracket === 'branch' && '(['.includes(this.#scanner.peek().value || ' ') ? this.#readBranches() : 'expression';
  }

  #readBranches(): Step {
    const { value, at } = this.#scanner.next();
    if (value !== '(' && value !== '[') throw new UnreadableQuery('a command without its brackets', at);
    this.#brackets.push('branch');
    return 'command';
  }

  #beginList(): Step {
    const list: string[] = [];
    this.#lists.push(list);
    this.#open.push(list);
    return 'source';
  }

  #readSource(): Step {
    if (this.#scanner.take('(')) {
      this.#brackets.push('source list');
      return 'command';
    }
    this.#open.at(-1)?.push(...readEsqlNames(this.#scanner));
    return 'behind source';
  }

  #readBehindSource(): Step {
    const scanner = this.#scanner;
    if (scanner.take(',')) return 'source';
    this.#open.pop();
    const { at } = scanner;
    const isOld = scanner.take('[');
    if (scanner.takeWord('METADATA')) this.#readMetadata();
    else if (isOld) throw new UnreadableQuery('a bracket after the name of an index', at);
    if (isOld) scanner.take(']');
    const next = scanner.peek();
    if (next.kind === 'end' || (next.kind === 'mark' && '|)];'.includes(next.value))) return 'expression';
    throw new UnreadableQuery('something other than a comma, METADATA or | after the name of an index', next.at);
  }

  #readMetadata(): void {
    do {
      const { kind, at } = this.#scanner.next();
      if (kind !== 'word') throw new UnreadableQuery('something other than a field after METADATA', at);
    } while (this.#scanner.take(','));
  }

  #readJoin(): void {
    const scanner = this.#scanner;
    scanner.takeWord('OUTER');
    scanner.takeWord('JOIN');
    this.#lists.push([...readEsqlNames(scanner)]);
    const { at } = scanner.peek();
    if (!scanner.takeWord('ON', 'USING')) throw new UnreadableQuery('something other than ON after the joined index', at);
  }

  /** Its name may have marks that mean something elsewhere. */
  #readPolicy(): void {
    const scanner = this.#scanner;
    scanner.skipBlanks();
    const { at } = scanner;
    const names = readEsqlNames(scanner);
    if (!names.every((name) => /^[\w.*:@-]+$/.test(name))) throw new UnreadableQuery('an invalid name of a policy', at);
    this.#policy ??= names.join(',');
    const { kind, value, at: behind } = scanner.peek();
    if (kind === 'end' || ['|', ')', 'ON', 'WITH'].includes(value.toUpperCase())) return;
    throw new UnreadableQuery('something other than ON, WITH or | after the name of a policy', behind);
  }
}

/** Two names without a comma between them are no list, and whatever a cluster takes the word for, it reads no index then. */
function isSubquery(scanner: Scanner): boolean {
  const { at } = scanner;
  try {
    if (scanner.take('(')) return scanner.takeWord(...sourceCommands, 'PROMQL');
    if (!isAtName(scanner)) return false;
    readEsqlNames(scanner);
    return scanner.takeWord('METADATA') || ['|', ',', ')', ']'].some((mark) => scanner.take(mark));
  } finally {
    scanner.at = at;
  }
}

/** The indices of PROMQL where it names none. */
const everything = ['*'];

/**
 * The indices of a PROMQL command, whose name was read: `PROMQL index=metrics-* step=1m (sum(x))`. Leaves the scanner before the `|`, or
 * the parenthesis of a subquery, that ends the command.
 */
function readPromql(scanner: Scanner): string[] {
  scanner.dialect = promqlDialect;
  const names = readParams(scanner);
  skipQuery(scanner);
  scanner.dialect = esqlDialect;
  return names ?? [...everything];
}

/** The indices that parameters name; undefined when none does. */
function readParams(scanner: Scanner): string[] | undefined {
  let names: string[] | undefined;
  for (;;) {
    const { at } = scanner;
    const { kind, value } = scanner.next();
    const isParam = (kind === 'word' || kind === 'text') && scanner.take('=');
    // The last of them may give the result a name; the query follows in parentheses.
    if (!isParam || scanner.peek().value === '(') {
      if (value === '?') throw new UnreadableQuery('a parameter that is given elsewhere', at);
      scanner.at = at;
      return names;
    }
    const values = readValues(scanner);
    if (value.toLowerCase() === 'index') names = [...(names ?? []), ...values];
  }
}

function readValues(scanner: Scanner): string[] {
  const values: string[] = [];
  do values.push(...readEsqlNames(scanner));
  while (scanner.take(','));
  return values;
}

function skipQuery(scanner: Scanner): void {
  let depth = 0;
  for (let token = scanner.peek(); token.kind !== 'end'; token = scanner.peek()) {
    const mark = token.kind === 'mark' ? token.value : '';
    if (mark === '|' || (mark === ')' && depth === 0)) return;
    if (mark === '(') depth++;
    else if (mark === ')') depth--;
    scanner.next();
  }
}
