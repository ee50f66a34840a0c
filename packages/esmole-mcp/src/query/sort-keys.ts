import { RawNumber } from '@dbmole/core';
import { Scanner, type Token, UnreadableQuery } from '../guard/query/scanner.ts';
import type { Language } from './language.ts';

/** A column by which the rows of an ES|QL query are sorted. */
export interface SortKey {
  readonly column: string;
  /** The column as the query writes it. */
  readonly text: string;
  readonly descends: boolean;
  readonly nullsFirst: boolean;
}

/** Commands after which the columns that are left have the values that they were sorted by. */
const keeping: ReadonlySet<string> = new Set(['KEEP', 'DROP', 'WHERE', 'LIMIT']);

/** The columns of the last SORT; undefined unless the rows leave the query in this order, with these values. */
export function findSortKeys(query: string, { dialect }: Language): readonly SortKey[] | undefined {
  const commands = splitTokens(listTokens(query, dialect), '|');
  const last = commands.findLastIndex(([word]) => isWord(word, 'SORT'));
  const after = commands.slice(last + 1).map(([word]) => word?.value.toUpperCase() ?? '');
  if (last === -1 || !after.every((word) => keeping.has(word))) return undefined;
  const keys = splitTokens(commands[last]?.slice(1) ?? [], ',').map(readKey);
  return keys.every((key) => key !== undefined) ? keys : undefined;
}

function listTokens(query: string, dialect: Language['dialect']): readonly Token[] {
  const scanner = new Scanner(query, dialect);
  const tokens: Token[] = [];
  try {
    for (let token = scanner.next(); token.kind !== 'end'; token = scanner.next()) tokens.push(token);
  } catch (error) {
    if (!(error instanceof UnreadableQuery)) throw error;
  }
  return tokens;
}

/** Splits at a mark that is in no brackets. */
function splitTokens(tokens: readonly Token[], mark: string): readonly (readonly Token[])[] {
  const parts: Token[][] = [[]];
  let depth = 0;
  for (const token of tokens) {
    const char = token.kind === 'mark' ? token.value : ' ';
    if ('([{'.includes(char)) depth++;
    if (')]}'.includes(char)) depth--;
    if (char === mark && depth === 0) parts.push([]);
    else parts.at(-1)?.push(token);
  }
  return parts;
}

/** `name.part DESC NULLS LAST`; undefined for an expression. */
function readKey(tokens: readonly Token[]): SortKey | undefined {
  const isDot = ({ kind, value }: Token) => kind === 'mark' && value === '.';
  const isName = ({ kind }: Token) => kind === 'word' || kind === 'name';
  const end = tokens.findIndex((token, at) => (at % 2 === 0 ? !isName(token) : !isDot(token)));
  const name = tokens.slice(0, end === -1 ? undefined : end);
  const rest = tokens.slice(name.length).map(({ value }) => value.toUpperCase());
  const order = /^(?:(ASC|DESC)(?: |$))?(?:NULLS (FIRST|LAST))?$/.exec(rest.join(' '));
  if (name.length % 2 === 0 || order === null) return undefined;
  const [, direction, nulls] = order;
  const descends = direction === 'DESC';
  return {
    column: name.map(({ value }) => value).join(''),
    text: name.map(({ kind, value }) => (kind === 'name' ? `\`${value.replaceAll('`', '``')}\`` : value)).join(''),
    descends,
    nullsFirst: nulls === undefined ? descends : nulls === 'FIRST',
  };
}

function isWord(token: Token | undefined, word: string): boolean {
  return token?.kind === 'word' && token.value.toUpperCase() === word;
}

/** Functions that make a value of a text, by the type of a column. */
const casts: ReadonlyMap<string, string> = new Map([
  ['keyword', ''],
  ['text', ''],
  ['long', 'TO_LONG'],
  ['integer', 'TO_LONG'],
  ['unsigned_long', 'TO_UNSIGNED_LONG'],
  ['double', 'TO_DOUBLE'],
  ['date', 'TO_DATETIME'],
  ['date_nanos', 'TO_DATE_NANOS'],
  ['ip', 'TO_IP'],
  ['version', 'TO_VERSION'],
  ['boolean', 'TO_INTEGER'],
]);

/** Whether values of this type can be compared. */
export function isComparable(type: string): boolean {
  return casts.has(type);
}

interface KeyValue {
  readonly key: SortKey & { readonly type: string };
  readonly value: unknown;
}

/** The condition for rows that come after the one with these values. */
export function formatAfter(values: readonly KeyValue[]): string {
  const branches = values.flatMap((one, at) => {
    const behind = formatBehind(one);
    return behind === undefined ? [] : [[...values.slice(0, at).map(formatEqual), behind].join(' AND ')];
  });
  // After nulls that come last in every key there is nothing.
  return branches.length === 0 ? 'false' : branches.map((branch) => `(${branch})`).join(' OR ');
}

function formatBehind({ key, value }: KeyValue): string | undefined {
  const { text, descends, nullsFirst } = key;
  if (value === null) return nullsFirst ? `${text} IS NOT NULL` : undefined;
  const compared = `${formatKey(key)} ${descends ? '<' : '>'} ${formatValue(key.type, value)}`;
  return nullsFirst ? compared : `(${compared} OR ${text} IS NULL)`;
}

function formatEqual({ key, value }: KeyValue): string {
  return value === null ? `${key.text} IS NULL` : `${formatKey(key)} == ${formatValue(key.type, value)}`;
}

/** Booleans have an order, and no operator for it. */
function formatKey({ text, type }: KeyValue['key']): string {
  return type === 'boolean' ? `TO_INTEGER(${text})` : text;
}

function formatValue(type: string, value: unknown): string {
  if (typeof value === 'boolean') return value ? '1' : '0';
  const text = quote(value instanceof RawNumber ? value.text : String(value));
  const cast = casts.get(type) ?? '';
  return cast === '' ? text : `${cast}(${text})`;
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);

function quote(text: string): string {
  return `"${text.replace(/["\\\n\r\t]/g, (char) => escapes.get(char) ?? char)}"`;
}
