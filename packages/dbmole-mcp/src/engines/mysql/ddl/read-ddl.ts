import { findClosing, type Token } from '../../../statement/tokens.ts';
import type { Steps } from '../guard/in-turns.ts';
import { severalStatements } from '../guard/refuse.ts';
import { tokenize } from '../guard/text/lexer.ts';
import { parseMode } from '../guard/text/sql-mode.ts';
import { type ColumnText, type DdlAction, type DdlStatement, splitAtCommas, type TableName, TokenReader } from './actions.ts';
import { readCharset, readCollation, readColumn } from './columns.ts';

const noClauses = { ALGORITHM: undefined, LOCK: undefined };

/** Reads one statement of DDL by its tokens. */
export function* readDdl(sql: string, sqlMode: string): Steps<DdlStatement> {
  const all = yield* tokenize(sql, parseMode(sqlMode));
  const end = all.findIndex(({ word }) => word === ';');
  if (end >= 0 && end < all.length - 1) throw severalStatements(all[end + 1]?.start ?? 0);
  const tokens = end < 0 ? all : all.slice(0, end);
  return readAlter(tokens, sql) ?? readIndexStatement(tokens) ?? readTableStatement(tokens) ?? readOther(tokens);
}

function readAlter(tokens: readonly Token[], sql: string): DdlStatement | undefined {
  const reader = new TokenReader(tokens);
  if (!reader.take('ALTER')) return undefined;
  reader.skip('ONLINE', 'IGNORE');
  if (!reader.take('TABLE')) return undefined;
  reader.take('IF', 'EXISTS');
  const table = reader.table();
  if (reader.take('WAIT')) reader.next();
  reader.take('NOWAIT');
  const parts = splitAtCommas(reader.rest);
  const clauses = { ALGORITHM: readClause(parts, 'ALGORITHM'), LOCK: readClause(parts, 'LOCK') };
  const actions = parts.filter((part) => !isClause(part)).flatMap((part) => readPart(part, { table, sql }));
  return { command: 'ALTER TABLE', actions: joinKeys(actions), clauses };
}

function isClause([first, second]: readonly Token[]): boolean {
  return (first?.word === 'ALGORITHM' || first?.word === 'LOCK') && second !== undefined;
}

function readClause(parts: readonly (readonly Token[])[], word: string): string | undefined {
  return parts.find(([first]) => first?.word === word)?.at(-1)?.word;
}

/** One statement that drops a primary key and adds another does both in place. */
function joinKeys(actions: readonly DdlAction[]): DdlAction[] {
  const isReplaced = ['ADD PRIMARY KEY', 'DROP PRIMARY KEY'].every((rule) => actions.some((action) => action.rule === rule));
  if (!isReplaced) return [...actions];
  return actions.flatMap((action) => {
    if (action.rule === 'ADD PRIMARY KEY') return [];
    return [action.rule === 'DROP PRIMARY KEY' ? { ...action, rule: 'DROP PRIMARY KEY: with a new one' } : action];
  });
}

interface Context {
  table: TableName | undefined;
  sql: string;
}

/** What one part of ALTER TABLE does. */
function readPart(part: readonly Token[], context: Context): DdlAction[] {
  const reader = new TokenReader(part);
  const { table } = context;
  const plain = (rule: string | undefined, name?: string): DdlAction[] => [{ rule, name, table }];
  if (reader.take('ADD')) return readAdd(reader, context);
  if (reader.take('DROP')) return readDrop(reader, table);
  if (reader.take('MODIFY') || reader.take('CHANGE')) return readChange(part[0]?.word === 'CHANGE', reader, context);
  if (reader.take('ALTER')) return readAlterPart(reader, table);
  if (reader.take('RENAME')) return readRename(reader, table);
  if (reader.take('CONVERT', 'TO')) return readConvert(part, table);
  return plain(readOption(part), part[0]?.word === 'ENGINE' ? part.at(-1)?.name : undefined).map((action) =>
    part[0]?.word === 'ENGINE' ? { ...action, engine: part.at(-1)?.name } : action,
  );
}

function readConvert(part: readonly Token[], table: TableName | undefined): DdlAction[] {
  const [charset, collation] = [readCharset(part), readCollation(part)];
  return [{ rule: 'CONVERT TO CHARACTER SET', name: collation ?? charset, table, charset, collation }];
}

const options: Readonly<Record<string, string>> = {
  AUTO_INCREMENT: 'AUTO_INCREMENT',
  CHARACTER: 'DEFAULT CHARACTER SET',
  CHARSET: 'DEFAULT CHARACTER SET',
  COLLATE: 'DEFAULT CHARACTER SET',
  COMMENT: 'COMMENT',
  DEFAULT: 'DEFAULT CHARACTER SET',
  ENGINE: 'ENGINE: the same',
  FORCE: 'FORCE',
  KEY_BLOCK_SIZE: 'ROW_FORMAT',
  ROW_FORMAT: 'ROW_FORMAT',
  STATS_AUTO_RECALC: 'STATISTICS OPTIONS',
  STATS_PERSISTENT: 'STATISTICS OPTIONS',
  STATS_SAMPLE_PAGES: 'STATISTICS OPTIONS',
};

/** Options may follow one another without a comma; of several, nothing is said. */
function readOption(part: readonly Token[]): string | undefined {
  const [first] = part;
  const isCharset = ['CHARACTER', 'CHARSET', 'DEFAULT', 'COLLATE'].includes(first?.word ?? '');
  return part.length <= (isCharset ? 8 : 3) ? options[first?.word ?? ''] : undefined;
}

function readAdd(reader: TokenReader, { table, sql }: Context): DdlAction[] {
  const isNamed = reader.take('CONSTRAINT');
  const constraint = isNamed && !keyWords.has(reader.rest[0]?.word ?? '') ? reader.name() : undefined;
  const rule = keyRules.find(([words]) => reader.take(...words))?.[1];
  if (rule !== undefined) return [{ rule, name: constraint, table }];
  const kind = ['UNIQUE', 'FULLTEXT', 'SPATIAL'].find((word) => reader.take(word));
  if (kind !== undefined || reader.take('INDEX') || reader.take('KEY')) {
    reader.skip('INDEX', 'KEY');
    reader.take('IF', 'NOT', 'EXISTS');
    const name = reader.rest[0]?.word === '(' ? constraint : reader.name();
    return [{ rule: nameIndexRule(kind, reader.rest), name, table }];
  }
  const isUnknown = isNamed || unknownAdditions.has(reader.rest[0]?.word ?? '');
  return isUnknown ? [{ rule: undefined, name: undefined, table }] : readNewColumns(reader, { table, sql });
}

const keyWords = new Set(['PRIMARY', 'UNIQUE', 'FOREIGN', 'CHECK']);
const keyRules = [
  [['PRIMARY', 'KEY'], 'ADD PRIMARY KEY'],
  [['FOREIGN', 'KEY'], 'ADD FOREIGN KEY'],
  [['CHECK'], 'ADD CHECK'],
] as const;
const unknownAdditions = new Set(['PARTITION', 'SYSTEM', 'PERIOD']);

/** An index on an expression has parentheses in its parentheses. */
function nameIndexRule(kind: string | undefined, rest: readonly Token[]): string {
  if (kind === 'UNIQUE') return 'ADD UNIQUE';
  if (kind !== undefined) return `ADD ${kind} INDEX`;
  const isExpression = rest.some(
    ({ word }, index) => word === '(' && (rest[index - 1]?.word === '(' || rest[index - 1]?.word === ','),
  );
  return isExpression ? 'ADD INDEX: expression' : 'ADD INDEX';
}

function readNewColumns(reader: TokenReader, context: Context): DdlAction[] {
  reader.take('COLUMN');
  reader.take('IF', 'NOT', 'EXISTS');
  const { rest } = reader;
  const parts = rest[0]?.word === '(' ? splitAtCommas(rest.slice(1, findClosing(rest, 0))) : [rest];
  return parts.flatMap((part) => readNewColumn(part, context));
}

function readNewColumn([first, ...definition]: readonly Token[], { table, sql }: Context): DdlAction[] {
  const name = first?.name ?? '';
  const column = readColumn(name, definition, sql);
  const add = (detail?: string): DdlAction => ({
    rule: detail === undefined ? 'ADD COLUMN' : `ADD COLUMN: ${detail}`,
    name,
    table,
    column,
  });
  const detail = describeFilling(column);
  return [
    ...(column.isUnique && detail === undefined ? [] : [add(detail)]),
    ...(column.isUnique && detail !== 'auto_increment' ? [add('unique')] : []),
    ...(column.hasCheck ? [add('check')] : []),
    ...(column.references ? [{ rule: 'ADD COLUMN: references', name, table }] : []),
  ];
}

/** What gives the existing rows their values, or the column its place. */
function describeFilling({ isAutoIncrement, generated, expression, isPlaced }: ColumnText): string | undefined {
  if (isAutoIncrement) return 'auto_increment';
  if (generated !== undefined) return `generated, ${generated}`;
  if (expression !== undefined) return expression === 'constant' ? 'default in parentheses' : 'default expression';
  return isPlaced ? 'first or after' : undefined;
}

function readDrop(reader: TokenReader, table: TableName | undefined): DdlAction[] {
  if (reader.take('PRIMARY', 'KEY')) return [{ rule: 'DROP PRIMARY KEY', name: undefined, table }];
  const words: Readonly<Record<string, string | undefined>> = {
    INDEX: 'DROP INDEX',
    KEY: 'DROP INDEX',
    CHECK: 'DROP CHECK',
    CONSTRAINT: 'DROP CONSTRAINT',
    PARTITION: '',
    SYSTEM: '',
    PERIOD: '',
  };
  const isForeign = reader.take('FOREIGN', 'KEY');
  const word = isForeign ? undefined : Object.keys(words).find((one) => reader.rest.length > 1 && reader.take(one));
  reader.take('COLUMN');
  reader.take('IF', 'EXISTS');
  const rule = isForeign ? 'DROP FOREIGN KEY' : word === undefined ? 'DROP COLUMN' : words[word] || undefined;
  return [{ rule, name: reader.name(), table }];
}

function readChange(isRenaming: boolean, reader: TokenReader, { table, sql }: Context): DdlAction[] {
  reader.take('COLUMN');
  reader.take('IF', 'EXISTS');
  const oldName = reader.name();
  const name = isRenaming ? reader.name() : oldName;
  const column = readColumn(name ?? '', reader.rest, sql);
  const change: DdlAction = { rule: 'MODIFY COLUMN', name: oldName, table, column, oldName };
  const isRenamed = oldName?.toLowerCase() !== name?.toLowerCase();
  return isRenamed ? [{ rule: 'RENAME COLUMN', name: oldName, table }, change] : [change];
}

function readAlterPart(reader: TokenReader, table: TableName | undefined): DdlAction[] {
  const plain = (rule: string | undefined, name: string | undefined): DdlAction[] => [{ rule, name, table }];
  if (reader.take('INDEX') || reader.take('KEY')) return plain('ALTER INDEX: visibility', reader.name());
  if (reader.take('CHECK') || reader.take('CONSTRAINT')) {
    const name = reader.name();
    return plain(`ALTER CHECK: ${reader.take('NOT', 'ENFORCED') ? 'not enforced' : 'enforced'}`, name);
  }
  reader.take('COLUMN');
  const name = reader.name();
  if (reader.take('SET', 'DEFAULT')) return plain('SET DEFAULT', name);
  return plain(reader.take('DROP', 'DEFAULT') ? 'DROP DEFAULT' : undefined, name);
}

function readRename(reader: TokenReader, table: TableName | undefined): DdlAction[] {
  if (reader.take('COLUMN')) return [{ rule: 'RENAME COLUMN', name: reader.name(), table }];
  if (reader.take('INDEX') || reader.take('KEY')) return [{ rule: 'RENAME INDEX', name: reader.name(), table }];
  reader.skip('TO', 'AS', '=');
  return [{ rule: 'RENAME', name: undefined, table }];
}

/** CREATE INDEX and DROP INDEX are ALTER TABLE in other words. */
function readIndexStatement(tokens: readonly Token[]): DdlStatement | undefined {
  const reader = new TokenReader(tokens);
  const isDrop = reader.take('DROP');
  if (!isDrop && !reader.take('CREATE')) return undefined;
  reader.skip('OR', 'REPLACE', 'ONLINE');
  const kind = isDrop ? undefined : ['UNIQUE', 'FULLTEXT', 'SPATIAL'].find((word) => reader.take(word));
  if (!reader.take('INDEX')) return undefined;
  reader.skip('IF', 'NOT', 'EXISTS');
  const name = reader.name();
  if (reader.take('USING')) reader.next();
  reader.take('ON');
  const table = reader.table();
  const { rest } = reader;
  const find = (word: string) => {
    const at = rest.findIndex((token) => token.word === word);
    return at < 0 ? undefined : rest.slice(at + 1).find((token) => token.word !== '=')?.word;
  };
  const rule = isDrop ? 'DROP INDEX' : nameIndexRule(kind, rest);
  const clauses = { ALGORITHM: find('ALGORITHM'), LOCK: find('LOCK') };
  return { command: isDrop ? 'DROP INDEX' : 'CREATE INDEX', actions: [{ rule, name, table }], clauses };
}

function readTableStatement(tokens: readonly Token[]): DdlStatement | undefined {
  const reader = new TokenReader(tokens);
  const command = ['TRUNCATE', 'OPTIMIZE', 'RENAME', 'DROP'].find((word) => reader.take(word));
  if (command === undefined) return undefined;
  reader.skip('NO_WRITE_TO_BINLOG', 'LOCAL');
  const isTable = reader.take('TABLE') || reader.take('TABLES');
  if (!isTable && command !== 'TRUNCATE') return undefined;
  reader.take('IF', 'EXISTS');
  const rule = command === 'TRUNCATE' ? command : `${command} TABLE`;
  const actions = splitAtCommas(reader.rest).map((part) => ({ rule, name: undefined, table: new TokenReader(part).table() }));
  return { command: `${command} TABLE`, actions, clauses: noClauses };
}

function readOther(tokens: readonly Token[]): DdlStatement {
  const skipped = new Set(['OR', 'REPLACE', 'TEMPORARY']);
  const [first = '', second = ''] = tokens.map(({ word }) => word).filter((word) => !skipped.has(word));
  const command = `${first} ${second}`.trim();
  const rule = command === 'CREATE TABLE' || command === 'CREATE VIEW' ? command : undefined;
  return { command, actions: [{ rule, name: undefined, table: undefined }], clauses: noClauses };
}
