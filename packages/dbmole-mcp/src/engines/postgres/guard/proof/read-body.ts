import { collectNames } from '../collect.ts';
import { denialOfCall, denialOfRelation } from '../denials.ts';
import { readLiterals } from '../named-argument.ts';
import { asCall, type CallUse, type NameUse, type StatementNames } from '../names.ts';
import { textOf } from '../node-parts.ts';
import type { Parser } from '../parser.ts';
import { findForeignName } from '../syntax.ts';
import { asFields, type Fields } from '../walk.ts';
import { type Body, isDecisive } from './bodies.ts';
import { isConfined } from './confined.ts';
import { readPlpgsql } from './plpgsql.ts';
import { addUse, mergeUses, Uses, usesOf } from './uses.ts';

/** What reading the body of a function or a view found. Each reason completes a sentence that begins with its name. */
export interface BodyReading {
  /** It does what a read must not do, for any user. */
  readonly refused: string | undefined;
  /** What it does cannot be known from its text; only a user without powers may run it. */
  readonly unprovable: string | undefined;
  /** It runs SQL that may come from its caller. */
  readonly isGiven: boolean;
  /** It has rows that can have columns of any type. */
  readonly hasUnknownRows: boolean;
  /** It reads relations or makes values of types by names that it finds at run time. */
  readonly findsThings: boolean;
  readonly uses: Uses;
  readonly statements: readonly StatementNames[];
}

/** Beyond these a body is not read: real ones stay far below. */
const maxLength = 200_000;
const maxStatements = 5_000;
/** Of SQL in literals in SQL. */
const maxDepth = 10;

const isRecord = /^\s*"?(?:pg_catalog"?\s*\.\s*"?)?(?:record|refcursor)"?\s*$/i;

interface Reader {
  readonly parser: Parser;
  readonly body: Body;
  readonly names: StatementNames[];
  refused: string | undefined;
  unprovable: string | undefined;
  isGiven: boolean;
  statements: number;
}

export interface ReadOptions {
  /** Rows are cast to something else, so every field may be a call. */
  readonly anyField: boolean;
  /** Whether names beyond ASCII are what the parser takes them for. */
  readonly isUtf8: boolean;
  /** Names of functions that give rows of columns which only their callers know. */
  readonly recordFunctions: ReadonlySet<string>;
}

export function readBody(body: Body, parser: Parser, { anyField, isUtf8, recordFunctions }: ReadOptions): BodyReading {
  const reader: Reader = {
    parser,
    body,
    names: [],
    refused: undefined,
    unprovable: undefined,
    isGiven: false,
    statements: 0,
  };
  const uses = new Uses();
  let rows: readonly string[] = [];
  try {
    // With output parameters the result is a row of those.
    const result = body.parameters.some(({ mode }) => /[obt]/.test(mode)) ? '' : body.result;
    const declared = [...readParts(reader, isUtf8), ...body.parameters.map(({ type }) => type), result];
    rows = body.language === 'plpgsql' ? declared.filter((type) => isRecord.test(type)) : [];
    for (const type of declared) if (type !== '') addType(type, uses, parser);
  } catch {
    fail(reader, 'has a body that cannot be parsed');
  }
  for (const names of reader.names) judgeNames(names, reader, anyField);
  for (const names of reader.names) mergeUses(uses, usesOf(names));
  const findsThings = reader.names.some(({ dynamic }) => dynamic.length > 0);
  // What is assigned to a field of a row is converted to the type that the column has in its relation.
  if (rows.length > 0) for (const [name, found] of [...uses.relations]) for (const use of found) addUse(uses.types, name, use);
  const isUnknown = (row: string) =>
    /refcursor/i.test(row) || [...uses.functions.keys()].some((name) => recordFunctions.has(name));
  const hasUnknownRows = rows.some(isUnknown) || body.parameters.some(({ type }) => isRecord.test(type));
  const { refused, unprovable, isGiven, names: statements } = reader;
  return { refused, unprovable, isGiven, hasUnknownRows, findsThings, uses, statements };
}

function fail(reader: Reader, reason: string): void {
  reader.unprovable ??= reason;
  reader.isGiven ||= takesText(reader.body);
}

function takesText({ parameters }: Body): boolean {
  return parameters.some(({ isPlain, mode }) => mode !== 'o' && mode !== 't' && !isPlain);
}

/** Gives the types that it declares. */
function readParts(reader: Reader, isUtf8: boolean): readonly string[] {
  const { body, parser } = reader;
  if (body.unprovable !== undefined) fail(reader, body.unprovable);
  if (body.language === 'other') return [];
  if (body.text.length > maxLength) {
    fail(reader, `has a body of more than ${maxLength} characters`);
    return [];
  }
  if (!isUtf8 && findForeignName(body.text, parser) !== undefined)
    fail(reader, 'has a name beyond ASCII, which this database may fold differently');
  if (body.language === 'sql') {
    readStatements(body.text, reader, 0, new Set(body.parameters.filter(({ row }) => !row).map(({ name }) => name)));
    return [];
  }
  const { statements, dynamic, types } = readPlpgsql(body.text, body.signature, parser);
  for (const statement of statements) readStatements(statement, reader, 0, none);
  for (const expression of dynamic) readDynamic(expression, reader);
  return types;
}

const none: ReadonlySet<string> = new Set();

function readStatements(text: string, reader: Reader, depth: number, parameters: ReadonlySet<string>): void {
  for (const { stmt } of reader.parser.parse(text)) {
    reader.statements++;
    if (reader.statements > maxStatements) fail(reader, `has more than ${maxStatements} statements`);
    else if (isWalked(stmt, reader)) readNames(collectNames(stmt, text, { parameters }), reader, depth);
  }
}

/** Whether a statement names what it runs; one that a body must not have is a reason. */
function isWalked(statement: unknown, reader: Reader): boolean {
  const [kind = '', fields] = Object.entries(asFields(statement))[0] ?? [];
  if (isDefinition(kind)) return false;
  const reason = refuseKind(kind, asFields(fields));
  if (reason?.unprovable) fail(reader, reason.text);
  else if (reason !== undefined) reader.refused ??= reason.text;
  return reason === undefined && kind !== 'VariableSetStmt' && kind !== 'TransactionStmt';
}

function readNames(names: StatementNames, reader: Reader, depth: number): void {
  reader.names.push(names);
  for (const call of names.functions) if (call.texts !== undefined) readTexts(call, reader, depth);
}

/** EXECUTE with a literal runs the statement in it; any other text is known only at run time. */
function readDynamic(expression: string, reader: Reader): void {
  const [value] = targetsOf(reader.parser.parse(expression)[0]?.stmt);
  const [text] = readLiterals([value]);
  if (text === undefined) failDynamic(value, reader);
  else readStatements(text, reader, 1, none);
}

function failDynamic(value: unknown, reader: Reader): void {
  reader.unprovable ??= 'runs SQL that it puts together at run time';
  const word = findLasting(reader);
  if (word !== undefined) reader.refused ??= `puts SQL together at run time, and may run ${word}`;
  if (takesText(reader.body) && !isConfined(value, reader.body.parameters)) reader.isGiven = true;
}

/** What a rollback does not undo, and any owner of a table may do. */
const lasting =
  /(?<!explain\s{1,9}|explain\s{0,9}\(\s{0,9}|,\s{0,9})\b(?:analyze|vacuum|reindex|cluster|checkpoint|gin_clean_pending_list|brin_(?:de)?summarize_\w{1,20}|pg_stat_reset\w{0,40}|pg_(?:try_)?advisory_\w{1,30}|pg_logical_emit_message)\b/i;

/** In the literals that the body could put together. */
function findLasting({ body, parser }: Reader): string | undefined {
  const literals = parser.scan(body.text).filter(({ text }) => /^(?:[eu]&?)?'|^\$/i.test(text));
  const joined = literals.map(({ text }) => text.replace(/^[^'$]*'|'$|^\$\w*\$|\$\w*\$$/g, '')).join('');
  return lasting.exec(joined)?.[0].toUpperCase();
}

function targetsOf(statement: unknown): readonly unknown[] {
  const { targetList } = asFields(asFields(statement).SelectStmt ?? {});
  return Array.isArray(targetList) ? targetList.map((target) => asFields(asFields(target).ResTarget).val) : [];
}

/** Functions that run SQL which they get as text. */
function readTexts({ name, texts = [], args }: CallUse, reader: Reader, depth: number): void {
  if (name === 'ts_rewrite' && args === 3) return;
  const wanted = name === 'ts_rewrite' ? texts.slice(1) : /^(?:query_to_xml|ts_stat)/.test(name) ? texts.slice(0, 1) : texts;
  for (const text of wanted) {
    if (text === undefined) {
      reader.unprovable ??= `calls ${name}() with SQL that it puts together at run time`;
      if (takesText(reader.body)) reader.isGiven = true;
    } else if (depth >= maxDepth) fail(reader, 'has SQL in literals that is nested too deeply to check');
    else readStatements(text, reader, depth + 1, none);
  }
}

interface Kind {
  readonly text: string;
  readonly unprovable?: boolean;
}

/** Statements that the server refuses in a read-only transaction before it evaluates anything. */
function isDefinition(kind: string): boolean {
  const isDefining =
    /^(?:Alter|Create|Define|Drop|Grant|Rename|Comment|SecLabel|Index|Rule|View|RefreshMatView|Truncate|ReassignOwned|ImportForeignSchema|CompositeType)/;
  return isDefining.test(kind) && kind !== 'AlterSystemStmt';
}

const plainKinds = new Set([
  ...['SelectStmt', 'InsertStmt', 'UpdateStmt', 'DeleteStmt', 'MergeStmt', 'CallStmt', 'ExplainStmt', 'VariableShowStmt'],
  ...['ReturnStmt', 'PLAssignStmt', 'TransactionStmt'],
]);

function refuseKind(kind: string, fields: Fields): Kind | undefined {
  if (plainKinds.has(kind)) return undefined;
  if (kind !== 'VariableSetStmt') return { text: `runs ${kind.replace(/Stmt$/, '').toUpperCase()}` };
  if (fields.kind === 'VAR_RESET_ALL') return { text: 'runs RESET ALL', unprovable: true };
  return isDecisive(String(fields.name)) ? { text: `sets ${String(fields.name)}`, unprovable: true } : undefined;
}

function judgeNames(names: StatementNames, reader: Reader, anyField: boolean): void {
  const calls = anyField ? [...names.functions, ...names.fields.map(asCall)] : names.functions;
  for (const call of calls) {
    if (call.texts !== undefined || call.isOwnSetting === true) continue;
    const denial = denialOfCall(call);
    if (denial !== undefined) reader.refused ??= `calls ${call.name}(), which ${denial.reason}`;
  }
  for (const relation of names.relations) {
    const denial = denialOfRelation(relation);
    if (denial !== undefined) reader.refused ??= `reads ${relation.name}, which ${denial.reason}`;
  }
}

/** `orders%rowtype`, `orders.state%type`: the second is the type of any column of the relation. */
const copied = /^([\s\S]*?)%\s*(?:row)?type\s*(?:\[[\d\s\][]*)?$/i;

/** A declared type, as the grammar reads its name. Throws for one that it does not have. */
function addType(type: string, uses: Uses, parser: Parser): void {
  const [, source] = copied.exec(type) ?? [];
  if (source === undefined) {
    for (const use of namesOf(`select null::${type}`, parser).types) addName(use, uses);
    return;
  }
  // `t`, `t.c`, `s.t` or `s.t.c`: whatever may be the relation.
  const parts = columnParts(`select ${source}`, parser);
  for (const [i, name] of parts.entries()) addName({ schema: parts[i - 1], name }, uses);
  for (const name of parts) addName({ schema: undefined, name }, uses);
}

function namesOf(sql: string, parser: Parser): StatementNames {
  return collectNames(parser.parse(sql)[0]?.stmt, sql, { parameters: none });
}

function columnParts(sql: string, parser: Parser): readonly string[] {
  const [value] = targetsOf(parser.parse(sql)[0]?.stmt);
  const { fields } = asFields(asFields(value).ColumnRef ?? {});
  return (Array.isArray(fields) ? fields : []).flatMap((part) => textOf(part) ?? []);
}

function addName({ schema, name }: Pick<NameUse, 'schema' | 'name'>, uses: Uses): void {
  addUse(uses.types, name, { schema });
  addUse(uses.relations, name, { schema });
}
