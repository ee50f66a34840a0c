import { isName, matchBrackets, noToken, type Token } from '../../../../statement/tokens.ts';
import { toKey } from '../../catalog/schema-facts.ts';

/** A name in a place where SQLite looks for a table. */
export interface TableUse {
  readonly schema: string | undefined;
  readonly name: string;
  /** The position in the statement, counted from 0. */
  readonly at: number;
  /** Arguments follow it, as for a table function. */
  readonly isCall: boolean;
}

interface Group {
  /** The tokens are those of FROM, whose commas have tables behind them. */
  isFrom: boolean;
  /** A table is next. */
  expects: boolean;
  /** Names that WITH gives to queries, which are seen in this group alone. */
  queries: ReadonlySet<string>;
}

const clauseEnds: ReadonlySet<string> = new Set(
  'SELECT WHERE GROUP HAVING ORDER LIMIT UNION EXCEPT INTERSECT SET RETURNING VALUES'.split(' '),
);
const conflictWords: ReadonlySet<string> = new Set(['ROLLBACK', 'ABORT', 'REPLACE', 'FAIL', 'IGNORE']);

/** Finds every name that is looked up as a table, except for those of WITH queries. */
export function findTables(tokens: readonly Token[]): readonly TableUse[] {
  const closing = matchBrackets(tokens);
  const found: TableUse[] = [];
  const groups: Group[] = [{ ...noGroup }];
  for (let at = 0; at < tokens.length; at += 1) {
    const group = groups.at(-1) ?? noGroup;
    const token = tokens[at] ?? noToken;
    const isUse = group.expects && isTable(token) && !isWithClause(tokens, at, group);
    if (!isUse) moveOn({ tokens, closing, groups }, at, group);
    else {
      const { use, end } = readTable(tokens, at);
      if (!isQuery(use, groups)) found.push(use);
      group.expects = false;
      at = end;
    }
  }
  return found;
}

function isQuery({ schema, name }: TableUse, groups: readonly Group[]): boolean {
  return schema === undefined && groups.some(({ queries }) => queries.has(toKey(name)));
}

interface Reading {
  tokens: readonly Token[];
  closing(open: number): number;
  groups: Group[];
}

function moveOn({ tokens, closing, groups }: Reading, at: number, group: Group): void {
  const { word } = tokens[at] ?? noToken;
  if (word === '(') openGroup(groups, group);
  else if (word === ')') closeGroup(groups);
  else if (isWithClause(tokens, at, group)) Object.assign(group, { ...noGroup, queries: readQueries(tokens, at, closing) });
  else readWord(tokens, at, group);
}

const noGroup: Group = { isFrom: false, expects: false, queries: new Set() };

/** Tables may be in parentheses. */
function openGroup(groups: Group[], around: Group): void {
  groups.push({ isFrom: around.expects, expects: around.expects, queries: new Set() });
  around.expects = false;
}

function closeGroup(groups: Group[]): void {
  if (groups.length > 1) groups.pop();
}

function readWord(tokens: readonly Token[], at: number, group: Group): void {
  const { word } = tokens[at] ?? noToken;
  const before = tokens[at - 1]?.word ?? '';
  const next = tokens[at + 1] ?? noToken;
  if (endsFrom(tokens, at)) {
    group.isFrom = false;
    group.expects = false;
  } else if (word === 'JOIN' || (word === 'FROM' && before !== 'DISTINCT')) {
    group.isFrom = true;
    group.expects = true;
  } else if (word === ',' && group.isFrom) group.expects = true;
  else if (word === 'INTO') group.expects = true;
  else if (word === 'IN') group.expects = next.word !== '(';
  else if (word === 'UPDATE') group.expects = next.word !== 'SET' && next.word !== 'OR';
  else if (conflictWords.has(word) && before === 'OR' && tokens[at - 2]?.word === 'UPDATE') group.expects = true;
}

/** SQLite also takes a text as the name of a table. */
export function isTable(token: Token): boolean {
  return (isName(token) && token.word !== 'SELECT' && token.word !== 'VALUES') || token.kind === 'text';
}

export function readTable(tokens: readonly Token[], at: number): { use: TableUse; end: number } {
  const first = tokens[at] ?? noToken;
  const isQualified = tokens[at + 1]?.word === '.';
  const end = isQualified ? at + 2 : at;
  const { name } = tokens[end] ?? noToken;
  const schema = isQualified ? first.name : undefined;
  return { use: { schema, name, at: first.start, isCall: tokens[end + 1]?.word === '(' }, end };
}

/** Where FROM is open, a WITH clause can only begin a parenthesis; it is the alias of a table elsewhere. */
function isWithClause(tokens: readonly Token[], at: number, { isFrom }: Group): boolean {
  return (!isFrom || tokens[at - 1]?.word === '(') && beginsWith(tokens, at);
}

/** SQLite takes WINDOW for a name unless a name and AS follow it. */
function endsFrom(tokens: readonly Token[], at: number): boolean {
  const { word } = tokens[at] ?? noToken;
  if (word === 'WINDOW') return isTable(tokens[at + 1] ?? noToken) && tokens[at + 2]?.word === 'AS';
  return clauseEnds.has(word);
}

/** Whether this is the word of a WITH clause, and no table of that name. */
function beginsWith(tokens: readonly Token[], at: number): boolean {
  if (tokens[at]?.word !== 'WITH') return false;
  const next = tokens[at + 1]?.word === 'RECURSIVE' && tokens[at + 2]?.word !== 'AS' ? at + 2 : at + 1;
  const behind = tokens[next + 1]?.word ?? '';
  return isName(tokens[next] ?? noToken) && (behind === 'AS' || behind === '(');
}

function readQueries(tokens: readonly Token[], from: number, closing: (open: number) => number): ReadonlySet<string> {
  const names = new Set<string>();
  let at = tokens[from + 1]?.word === 'RECURSIVE' && tokens[from + 2]?.word !== 'AS' ? from + 2 : from + 1;
  for (;;) {
    names.add(toKey(tokens[at]?.name));
    at += 1;
    if (tokens[at]?.word === '(') at = closing(at) + 1;
    while (['AS', 'NOT', 'MATERIALIZED'].includes(tokens[at]?.word ?? '')) at += 1;
    if (tokens[at]?.word !== '(') return names;
    at = closing(at) + 1;
    if (tokens[at]?.word !== ',') return names;
    at += 1;
  }
}
