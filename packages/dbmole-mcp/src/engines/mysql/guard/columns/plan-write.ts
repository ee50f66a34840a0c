import type { ColumnPlan } from '../../../../guard/read-statement.ts';
import { refuseColumn } from '../../../../policy/column-policy.ts';
import { isName, noToken, type Token } from '../../../../statement/tokens.ts';
import { inTurns } from '../in-turns.ts';
import { reservedWords } from '../known-functions.ts';
import { findCalls, findTables } from '../text/find-uses.ts';
import { tokenize } from '../text/lexer.ts';
import { parseMode } from '../text/sql-mode.ts';
import type { ColumnCatalog } from './column-catalog.ts';
import { judgeColumns, openTrace, refuseKeeping, trace } from './plan-read.ts';
import { listQueries, type Place, type Question, ReachedObjects } from './reached-objects.ts';
import { beginsQuery, isUntraceable, openText } from './trace/source-text.ts';
import { traceQuery } from './trace/trace-query.ts';
import { modifierWords, traceWrite } from './trace/trace-write.ts';
import { mayShowProtected } from './trace-catalog.ts';
import { readWriteKind } from './write-kind.ts';

interface WriteText {
  tokens: readonly Token[];
  place: Place;
  /** Names of tables that it may change; some are no tables. */
  named: Place['tables'];
  ignoreSpace: boolean;
  /** It calls a function that keeps what it gets, whatever calls it. */
  keeps: boolean;
}

/**
 * What the rules hide of the rows that a write returns. Refuses a write that copies protected values to where they are shown, that takes
 * the name from protected columns, or that cannot be traced.
 */
export async function planWrite(catalog: ColumnCatalog, sql: string, question: Question): Promise<ColumnPlan | undefined> {
  const write = await readWrite(sql, question);
  const kind = readWriteKind(write.tokens);
  if (kind === 'other') throw refuseWrite(`${write.tokens[0]?.word ?? 'the statement'} cannot be traced`);
  if (kind === 'harmless') return undefined;
  const reached = await ReachedObjects.read(
    catalog,
    { ...write.place, tables: [...write.place.tables, ...write.named] },
    question,
  );
  if (kind === 'view') return checkView(catalog, write, reached);
  if (kind !== 'definition' && !mayShowProtected(reached, write.place) && !namesProtected(write, reached)) return undefined;
  if (kind === 'definition') return checkDefinition(catalog, write, reached);
  if (write.keeps) throw refuseWrite('a function of the statement keeps what it gets');
  refuseKeeping(reached);
  if (kind === 'plan') return { verdicts: undefined, origins: {}, hidesConstants: true };
  const columns = trace(() => ({ found: traceWrite(openOptions(catalog, write, reached), write.tokens.length) }));
  if (columns === undefined) throw refuseWrite('its values cannot be traced');
  return { verdicts: judgeColumns(columns.found ?? [], catalog.isStrict), origins: {} };
}

function refuseWrite(why: string) {
  return refuseColumn(`the connection has protected columns, and this statement is refused: ${why}; nothing was run`);
}

/** Functions that keep their argument for others to read. */
const keepers: ReadonlySet<string> = new Set(['GET_LOCK', 'SETVAL']);

async function readWrite(sql: string, { server }: Question): Promise<WriteText> {
  try {
    const mode = parseMode(server.sqlMode);
    const all = await inTurns(tokenize(sql, mode));
    const tokens = all.at(-1)?.word === ';' ? all.slice(0, -1) : all;
    let keeps = false;
    const calls = await inTurns(
      findCalls(tokens, mode, sql, (_, name) => {
        keeps ||= keepers.has(name.toUpperCase());
      }),
    );
    const tables = await inTurns(findTables(tokens));
    const place = { tables, calls, schema: server.database, queries: listQueries(tokens), names: new Set<string>() };
    return { tokens, keeps, ignoreSpace: mode.ignoreSpace, place, named: listNames(tokens) };
  } catch (error) {
    if (isUntraceable(error)) throw refuseWrite(error instanceof Error ? error.message : 'it cannot be read');
    throw error;
  }
}

/** Parts of a definition by which values of protected columns would get another name. */
const renaming: ReadonlySet<string> = new Set(
  'RENAME CHANGE MODIFY EXCHANGE GENERATED AS UNION ENGINE CONNECTION TABLESPACE DIRECTORY IMPORT CONVERT'.split(' '),
);
/** Engines whose tables are other tables. */
const otherTables: ReadonlySet<string> = new Set(
  'MERGE MRG_MYISAM MYISAMMRG FEDERATED FEDERATEDX CONNECT SPIDER CONNECTION TABLESPACE DIRECTORY'.split(' '),
);

function checkDefinition(catalog: ColumnCatalog, write: WriteText, reached: ReachedObjects): undefined {
  const { tokens } = write;
  const other = tokens.find(({ word, kind }) => kind === 'word' && otherTables.has(word));
  if (other !== undefined) throw refuseWrite(`${other.word} may show the values of another table`);
  const query = findQuery(tokens);
  if (query !== undefined) checkQuery(catalog, write, { reached, from: query });
  else if (tokens.some(({ word }) => word === 'SELECT')) throw refuseWrite('its query cannot be traced');
  if (query !== undefined || !namesProtected(write, reached)) return undefined;
  const part = tokens.find(
    ({ word }, i) =>
      renaming.has(word) || (i > 0 && word === 'ALTER') || (word === 'DEFAULT' && !isConstant(tokens[i + 1] ?? noToken)),
  );
  if (part !== undefined) throw refuseWrite(`${part.word} may give values of protected columns another name`);
  return undefined;
}

/** A view could take the place of a table while a read of that name is checked. */
function checkView(catalog: ColumnCatalog, write: WriteText, reached: ReachedObjects): undefined {
  const query = findQuery(write.tokens);
  if (query === undefined) throw refuseWrite('its query cannot be traced');
  checkQuery(catalog, { ...write, tokens: dropCheckOption(write.tokens) }, { reached, from: query });
}

/** Drops `WITH [CASCADED | LOCAL] CHECK OPTION` at the end. */
function dropCheckOption(tokens: readonly Token[]): readonly Token[] {
  const end = tokens.length - 2;
  if (tokens[end]?.word !== 'CHECK' || tokens[end + 1]?.word !== 'OPTION') return tokens;
  return tokens.slice(0, tokens[end - 1]?.word === 'WITH' ? end - 1 : end - 2);
}

/** Whether one of the tables that it may change is protected, or shows protected columns of others. */
function namesProtected({ named, place }: WriteText, reached: ReachedObjects): boolean {
  const isFound = ({ schema = place.schema, name }: Place['tables'][number]) =>
    schema !== undefined && reached.findRelation({ schema, name }) !== undefined;
  return mayShowProtected(reached, { ...place, calls: [], tables: named.filter(isFound) });
}

const constants: ReadonlySet<string> = new Set([
  'NULL',
  'TRUE',
  'FALSE',
  'CURRENT_TIMESTAMP',
  'NOW',
  'CHARACTER',
  'CHARSET',
  '=',
]);

function isConstant({ kind, word }: Token): boolean {
  return kind === 'text' || kind === 'number' || constants.has(word);
}

/** The query of CREATE TABLE … AS. */
function findQuery(tokens: readonly Token[]): number | undefined {
  const text = openText(tokens, { ignoreSpace: false, schema: undefined, isOwn: true });
  for (let at = 2; at < tokens.length; at += 1) {
    const { word } = tokens[at] ?? noToken;
    const isQuery = word === 'SELECT' || (word === 'WITH' && isWithQuery(tokens, at)) || (word === '(' && beginsQuery(text, at));
    const isRows = (word === 'VALUES' || word === 'TABLE') && (tokens[at - 1]?.word === 'AS' || tokens[at - 1]?.word === ')');
    if (isQuery || isRows) return at;
    if (word === '(') at = text.closing(at);
  }
  return undefined;
}

function isWithQuery(tokens: readonly Token[], at: number): boolean {
  const name = tokens[at + 1]?.word === 'RECURSIVE' ? at + 2 : at + 1;
  return isName(tokens[name] ?? noToken) && /^(?:AS|\()$/.test(tokens[name + 1]?.word ?? '');
}

function checkQuery(
  catalog: ColumnCatalog,
  write: WriteText,
  { reached, from }: { reached: ReachedObjects; from: number },
): void {
  if (!mayShowProtected(reached, write.place)) return;
  if (write.keeps) throw refuseWrite('a function of the statement keeps what it gets');
  refuseKeeping(reached);
  const columns = trace(() => traceQuery(openOptions(catalog, write, reached), from, write.tokens.length));
  const found = columns?.find(({ taint }) => taint !== undefined)?.taint;
  if (columns === undefined || found !== undefined)
    throw refuseWrite(`it copies ${found?.labels.join(', ') ?? 'what cannot be traced'} to where its values would be shown`);
}

function openOptions(catalog: ColumnCatalog, { tokens, ignoreSpace, place }: WriteText, reached: ReachedObjects) {
  return openTrace(catalog, openText(tokens, { ignoreSpace, schema: place.schema, isOwn: true }), reached);
}

/** Words before the names of tables that a statement changes. */
const beforeTables: ReadonlySet<string> = new Set(
  'INTO UPDATE INSERT REPLACE DELETE FROM USING TABLE TABLES EXISTS TO WITH LIKE JOIN DESC DESCRIBE , ( IGNORE'.split(' '),
);
/** Words after which a statement names no table that it changes. */
const endsTables: ReadonlySet<string> = new Set(['SET', 'VALUES', 'VALUE', 'SELECT', 'WHERE', 'ADD']);
const maxNames = 200;

/** All that may be the name of a table that the statement changes. Queries in parentheses change none. */
function listNames(tokens: readonly Token[]): Place['tables'] {
  const text = openText(tokens, { ignoreSpace: false, schema: undefined, isOwn: true });
  const found: Place['tables'][number][] = [];
  for (let at = 1; at < tokens.length && found.length < maxNames; at += 1) {
    const { word } = tokens[at] ?? noToken;
    if (endsTables.has(word)) break;
    if (word === '(' && beginsQuery(text, at)) at = text.closing(at);
    else found.push(...readName(tokens, at));
  }
  return found;
}

function readName(tokens: readonly Token[], at: number): Place['tables'] {
  const token = tokens[at] ?? noToken;
  const before = tokens[at - 1]?.word ?? '';
  const isPlace = beforeTables.has(before) || modifierWords.has(before);
  if (!isPlace || !isName(token) || reservedWords.has(token.word) || modifierWords.has(token.word)) return [];
  const next = tokens[at + 2] ?? noToken;
  const hasSchema = tokens[at + 1]?.word === '.' && isName(next);
  return [hasSchema ? { schema: token.name, name: next.name } : { schema: undefined, name: token.name }];
}
