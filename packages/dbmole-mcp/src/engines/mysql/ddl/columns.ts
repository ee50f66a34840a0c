import { findClosing, type Token } from '../../../statement/tokens.ts';
import type { ColumnText } from './actions.ts';

/** Other names of types. */
const aliases: ReadonlyMap<string, string> = new Map([
  ['integer', 'int'],
  ['bool', 'tinyint(1)'],
  ['boolean', 'tinyint(1)'],
  ['dec', 'decimal'],
  ['numeric', 'decimal'],
  ['fixed', 'decimal'],
  ['character', 'char'],
  ['int1', 'tinyint'],
  ['int2', 'smallint'],
  ['int4', 'int'],
  ['int8', 'bigint'],
  ['real', 'double'],
  ['float8', 'double'],
]);

/** Reads a definition without the name: `varchar(20) NOT NULL DEFAULT 'x' AFTER a`. */
export function readColumn(name: string, tokens: readonly Token[], sql: string): ColumnText {
  const words = tokens.map(({ word }) => word);
  const has = (word: string) => words.includes(word);
  const follows = (word: string, next: string) => words.some((one, index) => one === word && words[index + 1] === next);
  const isGenerated = has('AS') || follows('GENERATED', 'ALWAYS');
  return {
    name,
    type: readType(tokens, sql),
    isNullable: !follows('NOT', 'NULL') && !follows('PRIMARY', 'KEY'),
    charset: readCharset(tokens),
    collation: readCollation(tokens),
    isPlaced: has('FIRST') || has('AFTER'),
    isAutoIncrement: has('AUTO_INCREMENT'),
    generated: isGenerated ? (has('STORED') || has('PERSISTENT') ? 'stored' : 'virtual') : undefined,
    expression: readExpression(tokens),
    isUnique: has('UNIQUE') || follows('PRIMARY', 'KEY'),
    hasCheck: has('CHECK'),
    references: has('REFERENCES'),
  };
}

/** The type in lower case, as information_schema writes it. */
function readType(tokens: readonly Token[], sql: string): string {
  const [first] = tokens;
  const name = (first?.name ?? '').toLowerCase();
  const close = tokens[1]?.word === '(' ? tokens.findIndex(({ word }) => word === ')') : 0;
  const args = tokens
    .slice(1, close + 1)
    .map(({ start, end }) => sql.slice(start, end))
    .join('');
  const attributes = ['UNSIGNED', 'ZEROFILL'].filter((word) => tokens.some((token) => token.word === word));
  return [`${aliases.get(name) ?? name}${args}`, ...attributes.map((word) => word.toLowerCase())].join(' ');
}

/** Whether the default is an expression in parentheses, and if so, whether it has names or calls in it. */
function readExpression(tokens: readonly Token[]): ColumnText['expression'] {
  const at = tokens.findIndex(({ word }, index) => word === 'DEFAULT' && tokens[index + 1]?.word === '(');
  if (at < 0) return undefined;
  const inside = tokens.slice(at + 1, findClosing(tokens, at + 1));
  return inside.some(({ kind }) => kind === 'word' || kind === 'quoted') ? 'computed' : 'constant';
}

/** The older name is that of three bytes. */
function nameCharset(name: string | undefined): string | undefined {
  return name === 'utf8' ? 'utf8mb3' : name;
}

export function readCharset(tokens: readonly Token[]): string | undefined {
  const at = tokens.findIndex(
    ({ word }, index) => word === 'CHARSET' || (word === 'CHARACTER' && tokens[index + 1]?.word === 'SET'),
  );
  if (at < 0) return undefined;
  return tokens[at + (tokens[at]?.word === 'CHARSET' ? 1 : 2)]?.name.toLowerCase();
}

export function readCollation(tokens: readonly Token[]): string | undefined {
  const at = tokens.findIndex(({ word }) => word === 'COLLATE');
  return at < 0 ? undefined : tokens[at + (tokens[at + 1]?.word === '=' ? 2 : 1)]?.name.toLowerCase();
}

export interface ColumnFacts {
  type: string;
  isNullable: boolean;
  charset: string | undefined;
  collation: string | undefined;
  /** Those that a column without its own gets. */
  tableCharset: string | undefined;
  tableCollation: string;
  maxBytesPerCharacter: number;
  isGenerated: boolean;
  isAutoIncrement: boolean;
}

const integers = /^(tinyint|smallint|mediumint|int|bigint)\(\d+\)/;

/** Without the display widths of integers, which change nothing. */
function normalize(type: string): string {
  return type
    .replace(integers, '$1')
    .replace(/^decimal$/, 'decimal(10,0)')
    .replace(/^decimal\((\d+)\)/, 'decimal($1,0)')
    .replace(/^(char|bit)$/, '$1(1)');
}

interface Surroundings {
  isIndexed: boolean;
  /** The collations that character sets have unless one is named. */
  defaultCollations: ReadonlyMap<string, string>;
}

/** The rules of a MODIFY or CHANGE: one for each thing that becomes different. Undefined in the list: not known. */
export function compareColumn(old: ColumnFacts, wanted: ColumnText, around: Surroundings): (string | undefined)[] {
  if (old.isGenerated || wanted.generated !== undefined || old.isAutoIncrement !== wanted.isAutoIncrement) return [undefined];
  const target = findTarget(old, wanted, around);
  const hasOtherCharset = old.charset !== undefined && nameCharset(target.charset) !== nameCharset(old.charset);
  const hasOtherCollation = old.charset !== undefined && !hasOtherCharset && target.collation !== old.collation;
  const found = [
    hasOtherCharset ? compareCharsets(old, wanted, nameCharset(target.charset)) : compareTypes(old, wanted.type),
    hasOtherCollation ? nameCollationRule('MODIFY COLUMN', around.isIndexed) : '',
    old.isNullable && !wanted.isNullable ? 'MODIFY COLUMN: null to not null' : '',
    !old.isNullable && wanted.isNullable ? 'MODIFY COLUMN: not null to null' : '',
    wanted.isPlaced ? 'MODIFY COLUMN: first or after' : '',
  ].filter((rule) => rule !== '');
  const isCopied = found.some((rule) => rule === 'MODIFY COLUMN: other type' || rule === 'MODIFY COLUMN: character set');
  // A copy does the rest as well.
  if (isCopied) return found.slice(0, 1);
  return found.length === 0 ? ['MODIFY COLUMN: same type'] : found;
}

/** The character set and collation that the column gets. */
function findTarget({ tableCharset, tableCollation }: ColumnFacts, wanted: ColumnText, { defaultCollations }: Surroundings) {
  const charset = wanted.charset ?? wanted.collation?.split('_')[0] ?? tableCharset;
  const usual = wanted.charset === undefined ? tableCollation : defaultCollations.get(nameCharset(charset) ?? '');
  return { charset, collation: wanted.collation ?? usual };
}

function nameCollationRule(action: string, isIndexed: boolean): string {
  return `${action}: ${isIndexed ? 'collation of an indexed column' : 'collation'}`;
}

interface Conversion extends Omit<Surroundings, 'isIndexed'> {
  charset: string | undefined;
  collation: string | undefined;
  columns: ReadonlyMap<string, ColumnFacts>;
  indexedColumns: ReadonlySet<string>;
}

/** The rule of CONVERT TO; undefined: not known. */
export function compareTable({ charset, collation, columns, indexedColumns, defaultCollations }: Conversion): string | undefined {
  const target = nameCharset(charset) ?? '';
  const texts = [...columns].filter(([, column]) => column.charset !== undefined);
  const others = texts.filter(([, column]) => nameCharset(column.charset) !== target);
  if (others.some(([, { charset: from }]) => !isWider(from, target))) return 'CONVERT TO CHARACTER SET';
  if (others.length > 0) return undefined;
  const wanted = collation ?? defaultCollations.get(target);
  const changed = texts.filter(([, column]) => column.collation !== wanted);
  if (changed.length === 0) return 'CONVERT TO CHARACTER SET: the same';
  return nameCollationRule(
    'CONVERT TO CHARACTER SET',
    changed.some(([name]) => indexedColumns.has(name)),
  );
}

/** The same characters in the same bytes: not all versions agree on when that needs no copy. */
function isWider(from: string | undefined, to: string | undefined): boolean {
  return /^utf8(?:mb3)?$/.test(from ?? '') && to === 'utf8mb4';
}

function compareCharsets(old: ColumnFacts, wanted: ColumnText, charset: string | undefined): string | undefined {
  const isKept = ['', 'MODIFY COLUMN: longer varchar'].includes(compareTypes(old, wanted.type));
  return isWider(old.charset, charset) && isKept ? undefined : 'MODIFY COLUMN: character set';
}

/** Names the change of the type; empty if the type stays. */
function compareTypes({ type, maxBytesPerCharacter }: ColumnFacts, wanted: string): string {
  const [from, to] = [normalize(type), normalize(wanted)];
  if (from === to) return '';
  const [oldLength, newLength] = [readLength(from), readLength(to)];
  if (oldLength !== undefined && newLength !== undefined && newLength >= oldLength && from.split('(')[0] === to.split('(')[0]) {
    const bytes = from.startsWith('varbinary') ? 1 : maxBytesPerCharacter;
    const isCrossing = oldLength * bytes <= 255 && newLength * bytes > 255;
    if (!isCrossing) return 'MODIFY COLUMN: longer varchar';
    // MariaDB reads the length of a shorter one right either way.
    const size = oldLength * bytes < 128 ? '' : ' of 128 bytes or more';
    return `MODIFY COLUMN: varchar${size} that needs a second byte for its length`;
  }
  const isAppended = /^(?:enum|set)\(/.test(from) && to.startsWith(`${from.slice(0, -1)},`);
  return isAppended && countItems(from) > 8 === countItems(to) > 8 && countItems(from) > 255 === countItems(to) > 255
    ? 'MODIFY COLUMN: values appended to the list'
    : 'MODIFY COLUMN: other type';
}

function readLength(type: string): number | undefined {
  const [, length] = /^(?:varchar|varbinary)\((\d+)\)$/.exec(type) ?? [];
  return length === undefined ? undefined : Number(length);
}

function countItems(list: string): number {
  return list.split("','").length;
}
