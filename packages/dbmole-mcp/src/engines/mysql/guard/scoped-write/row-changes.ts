import { isAscii, isName, matchBrackets, noToken, type Token } from '../../../../statement/tokens.ts';
import { reservedWords } from '../known-functions.ts';
import { notARead } from '../refuse.ts';
import { findTables, type TableUse } from '../text/find-uses.ts';

/** What happens to the rows of a table. */
export interface Change {
  readonly verbs: readonly Verb[];
  /** The columns that get a value, in lower case; undefined where any may. */
  readonly columns: readonly string[] | undefined;
}

export type Verb = 'INSERT' | 'UPDATE' | 'DELETE';

export interface ChangedTable extends TableUse {
  /** Undefined: it is only read. */
  readonly change: Change | undefined;
}

/** Behind these words a verb begins no statement: in triggers, foreign keys, locks and ON DUPLICATE KEY. */
const notBefore: ReadonlySet<string> = new Set(['.', 'ON', 'KEY', 'FOR', 'BEFORE', 'AFTER', 'OR', '@', 'AS']);
const modifiers: ReadonlySet<string> = new Set([
  'LOW_PRIORITY',
  'DELAYED',
  'HIGH_PRIORITY',
  'QUICK',
  'IGNORE',
  'INTO',
  'HISTORY',
]);

/** Verbs that are functions, too. Behind UPDATE, a parenthesis holds tables. */
const functions: ReadonlySet<string> = new Set(['INSERT', 'REPLACE']);

/**
 * Every change of rows in the statements of a text. More tables may be listed than are changed. Throws where a verb has no table that
 * can be read.
 */
export function listChanges(tokens: readonly Token[]): readonly ChangedTable[] {
  const closing = matchBrackets(tokens);
  return tokens.flatMap(({ kind, word }, at) => {
    const read = kind === 'word' ? readers[word] : undefined;
    const isCall = functions.has(word) && tokens[at + 1]?.word === '(';
    if (read === undefined || notBefore.has(tokens[at - 1]?.word ?? '') || isCall) return [];
    const changed = read(new Statement(tokens, skipModifiers(tokens, at + 1), closing));
    if (changed.length === 0) throw notARead({ message: `the table of ${word} cannot be read`, at: tokens[at]?.start ?? 0 });
    return changed;
  });
}

const readers: Readonly<Record<string, (statement: Statement) => readonly ChangedTable[]>> = Object.assign(Object.create(null), {
  INSERT: (statement: Statement) => readInsert(statement, ['INSERT']),
  REPLACE: (statement: Statement) => readInsert(statement, ['INSERT', 'DELETE']),
  UPDATE: readUpdate,
  DELETE: readDelete,
});

function skipModifiers(tokens: readonly Token[], from: number): number {
  let at = from;
  while (modifiers.has(tokens[at]?.word ?? '')) at += 1;
  return at;
}

/** One statement of a text, behind its verb. */
class Statement {
  readonly tokens: readonly Token[];
  readonly from: number;
  /** Its end, or that of the parentheses or the text. */
  readonly to: number;
  readonly #closing: (open: number) => number;

  constructor(tokens: readonly Token[], from: number, closing: (open: number) => number) {
    this.tokens = tokens;
    this.from = from;
    this.#closing = closing;
    this.to = this.find([';', ')'], from) ?? tokens.length;
  }

  /** The first of these words outside of parentheses. */
  find(words: readonly string[], from: number, to = this.tokens.length): number | undefined {
    for (let at = from; at < to; at += 1) {
      const { word } = this.tokens[at] ?? noToken;
      if (words.includes(word)) return at;
      if (word === '(') at = this.#closing(at);
    }
    return undefined;
  }

  /** `a.b`, or `.b` on MariaDB, with where it ends. */
  readName(start: number): { table: TableUse; to: number } | undefined {
    const from = this.tokens[start]?.word === '.' ? start + 1 : start;
    const first = this.tokens[from] ?? noToken;
    const second = this.tokens[from + 2] ?? noToken;
    if (!isName(first)) return undefined;
    const isQualified = this.tokens[from + 1]?.word === '.' && isName(second);
    if (!isQualified) return { table: { schema: undefined, name: first.name, at: first.start }, to: from + 1 };
    return { table: { schema: first.name, name: second.name, at: first.start }, to: from + 3 };
  }

  /** The tables of a list such as that of FROM. */
  listTables(from: number, to: number): readonly TableUse[] {
    const word = (text: string): Token => ({ ...noToken, kind: 'word', word: text });
    const steps = findTables([word('SELECT'), word('FROM'), ...this.tokens.slice(from, to)]);
    for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
  }

  /** The names that are set: `a = 1, t.b := 2`; undefined where one cannot be read. */
  listSet(from: number, to: number): readonly string[] | undefined {
    const names: Token[] = [];
    for (let at: number | undefined = from; at !== undefined && at < to; ) {
      const equal = this.find(['='], at, to);
      if (equal === undefined) break;
      names.push(this.tokens[this.tokens[equal - 1]?.word === ':' ? equal - 2 : equal - 1] ?? noToken);
      const comma = this.find([','], equal, to);
      at = comma === undefined ? undefined : comma + 1;
    }
    return toColumns(names);
  }

  /** Where ON DUPLICATE KEY UPDATE is; the words alone may be columns. */
  findDuplicate(from: number): number | undefined {
    const at = this.find(['DUPLICATE'], from, this.to);
    if (at === undefined || this.tokens[at + 1]?.word === 'KEY') return at;
    return this.findDuplicate(at + 1);
  }

  /** The names of a list in parentheses; undefined for a query. */
  listColumns(open: number): readonly string[] | undefined {
    const inner = this.tokens.slice(open + 1, this.#closing(open));
    if (inner.some(({ word }) => word === '(' || reservedWords.has(word))) return undefined;
    return toColumns(inner.filter((token, i) => isName(token) && inner[i + 1]?.word !== '.'));
  }

  after(open: number): number {
    return this.#closing(open) + 1;
  }
}

/** Columns in lower case. The server takes other letters for the same than JavaScript does. */
function toColumns(names: readonly Token[]): readonly string[] | undefined {
  return names.every((token) => isName(token) && isAscii(token.name)) ? names.map(({ name }) => name.toLowerCase()) : undefined;
}

/** None of these can be a column without quotes. */
const setEnds: readonly string[] = ['WHERE', 'ORDER', 'LIMIT'];

function readInsert(statement: Statement, verbs: readonly Verb[]): readonly ChangedTable[] {
  const { tokens, from, to } = statement;
  const named = statement.readName(from);
  if (named === undefined) return [];
  const start = tokens[named.to]?.word === 'PARTITION' ? statement.after(named.to + 1) : named.to;
  const duplicate = statement.findDuplicate(start);
  const isSet = tokens[start]?.word === 'SET';
  const columns = isSet
    ? statement.listSet(start + 1, duplicate ?? to)
    : tokens[start]?.word === '('
      ? statement.listColumns(start)
      : undefined;
  const inserted: ChangedTable = { ...named.table, change: { verbs, columns } };
  if (duplicate === undefined) return [inserted];
  const updated = statement.listSet(duplicate + 3, to);
  return [inserted, { ...named.table, change: { verbs: ['UPDATE'], columns: updated } }];
}

function readUpdate(statement: Statement): readonly ChangedTable[] {
  const { from, to } = statement;
  const set = statement.find(['SET'], from, to) ?? to;
  const columns = statement.listSet(set + 1, statement.find(setEnds, set, to) ?? to);
  return statement.listTables(from, set).map((table) => ({ ...table, change: { verbs: ['UPDATE'], columns } }));
}

function readDelete(statement: Statement): readonly ChangedTable[] {
  const { tokens, from, to } = statement;
  const where = statement.find(['WHERE', 'ORDER', 'LIMIT', 'RETURNING'], from, to) ?? to;
  const using = statement.find(['USING'], from, where);
  const first = statement.find(['FROM'], from, where);
  const start = using ?? first;
  if (start === undefined) return [];
  const tables = statement.listTables(start + 1, where);
  const isMultiple = using !== undefined || start > from;
  const change: Change = { verbs: ['DELETE'], columns: undefined };
  if (!isMultiple) return tables.map((table) => ({ ...table, change }));
  const names = readTargets(tokens.slice(using === undefined ? from : from + 1, start));
  const changed = tables.filter((table) => isTarget(table, names, tokens));
  // A target that is not found may be any of them; an alias is not read behind these words.
  const hidesAlias = tokens.slice(start, where).some(({ word }) => word === 'PARTITION' || word === 'FOR');
  const isUnknown = hidesAlias || changed.length < names.size;
  return tables.map((table) => ({ ...table, change: isUnknown || changed.includes(table) ? change : undefined }));
}

/** The last parts of `a, b.c, d.*`. */
function readTargets(tokens: readonly Token[]): ReadonlySet<string> {
  const isLast = (i: number) => tokens[i + 1]?.word !== '.' || tokens[i + 2]?.word === '*';
  return new Set(tokens.filter((token, i) => isName(token) && isLast(i)).map(({ name }) => name.toLowerCase()));
}

/** Whether the table, or its alias, is one of these. */
function isTarget({ name, at, schema }: TableUse, names: ReadonlySet<string>, tokens: readonly Token[]): boolean {
  const index = tokens.findIndex(({ start }) => start === at) + (schema === undefined ? 1 : 3);
  const alias = tokens[tokens[index]?.word === 'AS' ? index + 1 : index] ?? noToken;
  return (
    names.has(name.toLowerCase()) || (isName(alias) && !reservedWords.has(alias.word) && names.has(alias.name.toLowerCase()))
  );
}
