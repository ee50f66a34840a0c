import { isSameName, type NameRules, unquote } from './sql-names.ts';

/** A table that the schema has. */
export interface KnownTable {
  /** Undefined where the table is found without it. */
  schema: string | undefined;
  name: string;
  /** Undefined until they were read. */
  columns: readonly string[] | undefined;
}

/** A name that can be written at a place of a statement. */
interface NameOption {
  name: string;
  kind: 'table' | 'column' | 'schema' | 'alias';
  /** Where it is from. */
  detail: string;
}

interface Reference {
  /** The parts of the name, written as in the statement. */
  path: readonly string[];
  alias: string | undefined;
}

interface Token {
  text: string;
  start: number;
}

const tokenPattern =
  /--[^\n]*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/)?|'(?:[^']|'')*'?|"(?:[^"]|"")*"?|`(?:[^`]|``)*`?|[\p{L}_][\p{L}\p{N}_$]*|\d+|\S/gu;

/** The names that fit at a position: the columns of what is before the dot, or all tables and the columns of those in the statement. */
export function completeNames(text: string, at: number, { tables, rules }: { tables: readonly KnownTable[]; rules: NameRules }) {
  const tokens = findStatement(text, at);
  const references = findReferences(tokens);
  const before = tokens.filter(({ start, text: word }) => start + word.length < at || (start < at && word === '.'));
  const dotted = before.at(-1)?.text === '.' ? before.at(-2)?.text : undefined;
  if (dotted !== undefined) return completeDotted(dotted, references, { tables, rules });
  const columns = references.flatMap(({ path }) => listColumns(findTable(path, { tables, rules })));
  const aliases = references.flatMap(({ alias }): NameOption[] =>
    alias === undefined ? [] : [{ name: unquote(alias), kind: 'alias', detail: '' }],
  );
  const schemas = [...new Set(tables.flatMap(({ schema }) => schema ?? []))];
  return [
    ...columns,
    ...aliases,
    ...tables.filter(({ schema }) => schema === undefined).map(toTableOption),
    ...schemas.map((name): NameOption => ({ name, kind: 'schema', detail: 'schema' })),
  ];
}

/** The tables of a statement that the schema has. */
export function findUsedTables(
  text: string,
  at: number,
  known: { tables: readonly KnownTable[]; rules: NameRules },
): KnownTable[] {
  const found = findReferences(findStatement(text, at)).map(({ path }) => findTable(path, known));
  return [...new Set(found.filter((table) => table !== undefined))];
}

interface Known {
  tables: readonly KnownTable[];
  rules: NameRules;
}

function completeDotted(written: string, references: readonly Reference[], known: Known): NameOption[] {
  const { tables, rules } = known;
  const isMeant = ({ path, alias }: Reference) => isSameName(written, unquote(alias ?? path.at(-1) ?? ''), rules);
  const reference = references.find(isMeant);
  const columns = listColumns(findTable(reference?.path ?? [written], known));
  const inSchema = tables.filter(({ schema }) => schema !== undefined && isSameName(written, schema, rules));
  return columns.length > 0 ? columns : inSchema.map(toTableOption);
}

function findTable(path: readonly string[], { tables, rules }: Known): KnownTable | undefined {
  const [name = '', schema] = [...path].reverse();
  const named = tables.filter((table) => isSameName(name, table.name, rules));
  if (schema === undefined) return named.find((table) => table.schema === undefined);
  const own = named.find((table) => table.schema !== undefined && isSameName(schema, table.schema, rules));
  // Lists leave out a schema in which tables are found without it.
  return own ?? named.find((table) => table.schema === undefined);
}

function listColumns(table: KnownTable | undefined): NameOption[] {
  return (table?.columns ?? []).map((name) => ({ name, kind: 'column', detail: table?.name ?? '' }));
}

function toTableOption({ name }: KnownTable): NameOption {
  return { name, kind: 'table', detail: 'table' };
}

/** The tokens of the statement around a position, without comments. */
function findStatement(text: string, at: number): Token[] {
  const tokens: Token[] = [];
  for (const { 0: word, index } of text.matchAll(tokenPattern)) {
    if (word === ';') {
      if (index >= at) return tokens;
      tokens.length = 0;
    } else if (!word.startsWith('--') && !word.startsWith('/*')) tokens.push({ text: word, start: index });
  }
  return tokens;
}

const introducing = new Set(['from', 'join', 'update', 'into']);
/** Words that follow a table and are not its alias. */
const following = new Set(
  'where group having order limit offset fetch for union intersect except on using inner left right full cross natural join set values select window returning lateral straight_join'.split(
    ' ',
  ),
);

/** The tables after FROM, JOIN, UPDATE and INTO. */
function findReferences(tokens: readonly Token[]): Reference[] {
  const found: Reference[] = [];
  for (const [index, { text }] of tokens.entries()) {
    if (introducing.has(text.toLowerCase())) found.push(...readList(tokens, index + 1));
  }
  return found;
}

/** Tables and their aliases, with commas between them. */
function readList(tokens: readonly Token[], start: number): Reference[] {
  const found: Reference[] = [];
  let at = start;
  for (;;) {
    const { path, next } = readPath(tokens, at);
    if (path.length === 0) return found;
    const { alias, next: end } = readAlias(tokens, next);
    found.push({ path, alias });
    if (tokens[end]?.text !== ',') return found;
    at = end + 1;
  }
}

function readPath(tokens: readonly Token[], start: number): { path: string[]; next: number } {
  const path: string[] = [];
  let next = start;
  while (isName(tokens[next]?.text) && !following.has(tokens[next]?.text.toLowerCase() ?? '')) {
    path.push(tokens[next]?.text ?? '');
    next += 1;
    if (tokens[next]?.text !== '.') break;
    next += 1;
  }
  return { path, next };
}

function readAlias(tokens: readonly Token[], start: number): { alias: string | undefined; next: number } {
  const at = tokens[start]?.text.toLowerCase() === 'as' ? start + 1 : start;
  const word = tokens[at]?.text;
  return isName(word) && !following.has(word.toLowerCase()) ? { alias: word, next: at + 1 } : { alias: undefined, next: start };
}

function isName(text: string | undefined): text is string {
  return text !== undefined && /^[\p{L}_"`]/u.test(text);
}
