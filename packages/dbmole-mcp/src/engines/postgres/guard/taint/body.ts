import { endsOfQueries, hasUnspoken } from './from-items.ts';
import { operatorsOf, typesOf } from './spellings.ts';
import { readArguments } from './token-list.ts';
import { type BodyToken, tokenize } from './tokens.ts';
import { addUse, Uses } from './uses.ts';

/** What is to be read of a body. */
export interface Reading {
  /** It runs as it stands, so its first word is a command; otherwise it may be any text. */
  readonly code: boolean;
  /** Read comments too. */
  readonly comments: boolean;
  /** Every name may be the one of a call. */
  readonly anyCall?: boolean;
  /** Every field may be the one of a call. */
  readonly anyField?: boolean;
  /** The names of arguments, which have fields of any kind. */
  readonly values?: readonly string[];
}

export interface BodyUses {
  readonly uses: Uses;
  /** Commands that a read-only transaction does not stop. */
  readonly commands: Set<string>;
  /** Strings are in strings for so long that nobody has read the last of them. */
  tooDeep: boolean;
}

export const commands: ReadonlySet<string> = new Set([
  'copy',
  'load',
  'checkpoint',
  'reindex',
  'cluster',
  'analyze',
  'vacuum',
  'lock',
  'listen',
  'unlisten',
  'notify',
  'do',
  'prepare',
]);
/** What a statement of PL/pgSQL follows. */
const openers = new Set([';', 'begin', 'then', 'else', 'loop', '>>']);
/** After these, the word before was a variable. */
const notCommands = new Set([':=', '=', '.', '[', ',', ')']);
/** Of strings in strings. Who quotes by doubling comes no further than 20. */
const deepest = 20;
/** A string that may hold a statement or a call, rather than a word of data. */
const codeLike = /\(|\b(?:select|from|join|table|call|perform)\b/i;

const anywhere = { schema: undefined };

export function readBody(tokens: readonly BodyToken[], reading: Reading): BodyUses {
  const found: BodyUses = { uses: new Uses(), commands: new Set(), tooDeep: false };
  collect(tokens, reading, found, 0);
  return found;
}

function collect(tokens: readonly BodyToken[], reading: Reading, found: BodyUses, depth: number): void {
  const values = new Set([...(reading.values ?? []), ...namesOfValues(tokens)]);
  const anyField = reading.anyField === true || hasUnspoken(tokens);
  for (const [i, token] of tokens.entries()) {
    if (token.kind === 'operator') addUse(found.uses.operators, token.text, anywhere);
    else if (token.kind === 'string') collectString(token.text, reading, found, depth);
    else if (token.kind === 'word' || token.kind === 'quoted') collectName(tokens, i, { reading, found, values, anyField });
    if (token.kind === 'word') collectWord(token.text, found.uses);
    if (token.kind === 'word' && commands.has(token.text) && isCommand(tokens, i, reading)) found.commands.add(token.text);
  }
}

function collectWord(word: string, { operators, types }: Uses): void {
  for (const operator of operatorsOf.get(word) ?? []) addUse(operators, operator, anywhere);
  for (const type of typesOf.get(word) ?? []) addUse(types, type, anywhere);
}

function collectString(text: string, reading: Reading, found: BodyUses, depth: number): void {
  if (!codeLike.test(text)) return;
  if (depth >= deepest) {
    found.tooDeep = true;
    return;
  }
  collect(tokenize(text, reading), { ...reading, code: false }, found, depth + 1);
}

interface Place {
  readonly reading: Reading;
  readonly found: BodyUses;
  readonly values: ReadonlySet<string>;
  readonly anyField: boolean;
}

function collectName(tokens: readonly BodyToken[], i: number, { reading, found: { uses }, values, anyField }: Place): void {
  const before = tokens[i - 1]?.text === '.' ? tokens[i - 2] : undefined;
  const use = { schema: before?.kind === 'word' || before?.kind === 'quoted' ? before.text : undefined };
  const opens = tokens[i + 1]?.text === '(';
  const isField = before !== undefined && !opens;
  const isFieldCall = isField && (anyField || isValue(before, values));
  const isCall = reading.anyCall === true || (opens && !isOwnSetting(tokens, i));
  for (const name of namesOf(tokens[i])) {
    addUse(uses.relations, name, use);
    addUse(uses.types, name, use);
    if (isField) addUse(uses.fields, name, use);
    if (isCall) addUse(uses.functions, name, use);
    else if (isFieldCall) addUse(uses.functions, name, anywhere);
  }
}

/** Behind it, `.f` can be the call of a function: `(5).f`. */
function isValue(token: BodyToken, values: ReadonlySet<string>): boolean {
  return token.kind === 'param' || isClosing(token) || namesOf(token).some((name) => values.has(name));
}

function isClosing({ kind, text }: BodyToken): boolean {
  return kind === 'mark' && (text === ')' || text === ']');
}

/** What a function in FROM may be called, whose value then has the same calls: `from now() as x`. Without a name, it has its own. */
function namesOfValues(tokens: readonly BodyToken[]): readonly string[] {
  const queries = endsOfQueries(tokens);
  return tokens.flatMap((token, i) => {
    const at = tokens[i - 1]?.text === 'as' ? i - 2 : i - 1;
    const last = queries.has(at) ? undefined : tokens[at];
    const isNamed = last !== undefined && (isClosing(last) || wordCalls.has(last.text));
    return tokens[i + 1]?.text === '(' || wordCalls.has(token.text) || isNamed ? namesOf(token) : [];
  });
}

/** Functions that are called without parentheses. */
const wordCalls = new Set([
  ...['current_catalog', 'current_date', 'current_role', 'current_schema', 'current_time', 'current_timestamp', 'current_user'],
  ...['localtime', 'localtimestamp', 'session_user', 'system_user', 'user'],
]);

/** In a database of one byte for each character, the server folds more letters than those of ASCII. */
function namesOf(token: BodyToken | undefined): readonly string[] {
  const text = token?.text ?? '';
  const folded = token?.kind === 'word' ? text.toLowerCase() : text;
  return folded === text ? [text] : [text, folded];
}

function isCommand(tokens: readonly BodyToken[], i: number, { code }: Reading): boolean {
  const before = tokens[i - 1];
  const after = tokens[i + 1];
  const starts = before === undefined ? code : before.kind !== 'string' && before.kind !== 'quoted' && openers.has(before.text);
  return starts && !(after !== undefined && after.kind !== 'string' && notCommands.has(after.text));
}

/** `set_config('app.user', …, true)`: a setting of the application's own, until the transaction ends. */
function isOwnSetting(tokens: readonly BodyToken[], i: number): boolean {
  if (tokens[i]?.text !== 'set_config') return false;
  const name = tokens[i + 2];
  const [, , last] = readArguments(tokens, i + 1).args;
  return name?.kind === 'string' && name.text.includes('.') && last?.length === 1 && last[0]?.text === 'true';
}
