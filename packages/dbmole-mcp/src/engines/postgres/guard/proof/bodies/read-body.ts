import { BoundedCache } from '../../../../../backend/bounded-cache.ts';
import { findCallDenial, findUnreviewedDenial } from '../../denials.ts';
import { findDenied } from '../../refuse.ts';
import type { Parser } from '../../thread/parser.ts';
import { collectNames } from '../../tree/collect.ts';
import { isCastByPath, readLiterals } from '../../tree/named-argument.ts';
import { asCall, type CallUse, type NameUse, type StatementNames } from '../../tree/names.ts';
import { readLast, readText } from '../../tree/node-parts.ts';
import { isDecisive } from '../../tree/settings.ts';
import { findForeignName } from '../../tree/syntax.ts';
import { asFields, asList, type Fields } from '../../tree/walk.ts';
import { catalogs } from '../catalog/describe-sql.ts';
import { hasAny } from '../types/match.ts';
import { Uses } from '../types/uses.ts';
import type { Body } from './bodies.ts';
import { type PlpgsqlParts, readPlpgsql } from './plpgsql.ts';
import { isConfined } from './template.ts';

/** What the body of a function or a view does. Each reason completes a sentence that begins with its name. */
export interface BodyReading {
  /** Why no user may read through it. */
  readonly refused: string | undefined;
  /** Why its text does not show what it does; only a harmless user may run it. */
  readonly unprovable: string | undefined;
  /** It runs SQL that may come from its caller. */
  readonly isGiven: boolean;
  /** It has values of types that only its caller, or a row at run time, decides. */
  readonly hasAnyType: boolean;
  /** Calls that find objects by name at run time. */
  readonly dynamic: readonly NameUse[];
  /** It sets a setting of an application. */
  readonly leavesState: boolean;
  /** It has definitions, which a read-only transaction stops. */
  readonly defines: boolean;
  readonly uses: Uses;
}

/** A larger body is unprovable. Real ones are far smaller. */
const maxLength = 200_000;
const maxStatements = 5_000;
/** The nesting of SQL in literals in SQL. */
const maxDepth = 10;

/** `anyelement`, `anycompatiblearray`, … */
const anyType = /^any\w+$/;
/** An SQL function of these returns what it was given; a variable of PL/pgSQL changes the fields of a record by their types. */
const passingKinds = new Set(
  'SelectStmt ResTarget ColumnRef ParamRef CaseExpr CaseWhen NullTest CoalesceExpr A_ArrayExpr SortBy RangeFunction List FuncCall Row'.split(
    ' ',
  ),
);
const passing = new Set(['array_agg', 'unnest']);
/** Rows whose columns are known when it runs. */
const rowTypes: readonly string[] = ['record', 'refcursor'];

class Reader {
  readonly body: Body;
  readonly parser: Parser;
  readonly isUtf8: boolean;
  readonly names: StatementNames[] = [];
  /** Types and relations that declared types may mean. */
  readonly declared: Name[] = [];
  refused: string | undefined = undefined;
  unprovable: string | undefined = undefined;
  isGiven = false;
  leavesState = false;
  defines = false;
  statements = 0;

  constructor(body: Body, parser: Parser, isUtf8: boolean) {
    this.body = body;
    this.parser = parser;
    this.isUtf8 = isUtf8;
  }
}

export interface ReadOptions {
  /** Some row type has an implicit cast, so every field may be a call. */
  readonly rowsAreCast: boolean;
  /** Whether the server reads names beyond ASCII as the parser does. */
  readonly isUtf8: boolean;
  /** User functions that return rows whose columns only the caller defines. */
  readonly recordFunctions: ReadonlySet<string>;
  /** Functions of a server that is newer than the guard. */
  readonly unreviewed: ReadonlySet<string>;
}

export function readBody(body: Body, parser: Parser, options: ReadOptions): BodyReading {
  const reader = new Reader(body, parser, options.isUtf8);
  try {
    // With output parameters the result is a row of them.
    const result = body.parameters.some(({ mode }) => /[obt]/.test(mode)) ? '' : body.result;
    const { types, copied } = readParts(reader);
    const others = [...body.parameters.map(({ type }) => type), result].filter((type) => type !== '');
    for (const type of [...types, ...others.map((one) => `null::${one}`)])
      reader.declared.push(...(knownTypes.get(type) ?? knownTypes.add(type, listTypeNames(type, parser))));
    for (const parts of copied) reader.declared.push(...listCopied(parts));
  } catch {
    fail(reader, 'has a body that cannot be parsed');
  }
  for (const names of reader.names) judgeNames(names, reader, options);
  const rows = body.language === 'plpgsql' ? reader.declared.filter(({ name }) => rowTypes.includes(name)) : [];
  const uses = listUses(reader, rows.length > 0);
  const mayBeAny = ({ name }: Name) => name === 'refcursor' || hasAny(uses.names, options.recordFunctions);
  const takesAny = body.parameters
    .map(({ type }) => type.replace(/^pg_catalog\./, ''))
    .some((type) => rowTypes.includes(type) || anyType.test(type));
  const hasAnyType = rows.some(mayBeAny) || (takesAny && !passes(reader));
  const { refused, unprovable, isGiven, leavesState, defines } = reader;
  const dynamic = reader.names.flatMap((names) => names.dynamic);
  return { refused, unprovable, isGiven, leavesState, defines, hasAnyType, dynamic, uses };
}

function passes({ body, names }: Reader): boolean {
  const isPassing = ({ kinds, functions, operators, records }: StatementNames) =>
    operators.length === 0 &&
    !records.has('') &&
    [...kinds].every((kind) => passingKinds.has(kind)) &&
    functions.every(({ schema, name }) => (schema === undefined || schema === 'pg_catalog') && passing.has(name));
  return body.language === 'sql' && names.length > 0 && names.every(isPassing);
}

function listUses({ names, declared }: Reader, hasRows: boolean): Uses {
  const uses = new Uses(names);
  for (const name of declared) for (const kind of ['types', 'relations'] as const) uses.add(kind, { ...name, at: -1 });
  // An assignment to a field of a row converts the value to the type of the column.
  if (hasRows) for (const use of uses.listRelations()) uses.add('types', use);
  return uses;
}

function fail(reader: Reader, reason: string): void {
  reader.unprovable ??= reason;
  // An extension is installed by the administrator: its functions may get texts that are not SQL.
  reader.isGiven ||= reader.body.language !== 'code' && takesText(reader.body);
}

function takesText({ parameters }: Body): boolean {
  return parameters.some(({ isPlain, mode }) => mode !== 'o' && mode !== 't' && !isPlain);
}

type Types = Pick<PlpgsqlParts, 'types' | 'copied'>;
const noTypes: Types = { types: [], copied: [] };

/** Returns the types of variables. */
function readParts(reader: Reader): Types {
  const { body, parser } = reader;
  if (body.unprovable !== undefined) fail(reader, body.unprovable);
  if (body.language === 'other' || body.language === 'code') return noTypes;
  if (body.text.length > maxLength) {
    fail(reader, `has a body of more than ${maxLength} characters`);
    return noTypes;
  }
  checkNames(body.text, reader);
  if (body.language === 'sql') {
    readStatements(body.text, reader, 0, new Set(body.parameters.filter(({ row }) => !row).map(({ name }) => name)));
    return noTypes;
  }
  const { statements, dynamic, ...types } = readPlpgsql(body.text, body.signature, parser);
  for (const statement of statements) readStatements(statement, reader, 0, none);
  for (const expression of dynamic) readDynamic(expression, reader);
  return types;
}

/** Of a body, and of SQL in its literals. */
function checkNames(text: string, reader: Reader): void {
  if (!reader.isUtf8 && findForeignName(text, reader.parser) !== undefined)
    fail(reader, 'has a name beyond ASCII, which this database may fold differently');
}

const none: ReadonlySet<string> = new Set();

function readStatements(text: string, reader: Reader, depth: number, parameters: ReadonlySet<string>): void {
  if (depth > 0) checkNames(text, reader);
  for (const { stmt: written } of reader.parser.parse(text)) {
    // The server analyzes the query of CREATE TABLE AS before it refuses the statement.
    const { CreateTableAsStmt: creating } = asFields(written);
    const stmt = asFields(creating ?? {}).query ?? written;
    reader.defines ||= creating !== undefined || asFields(asFields(stmt).SelectStmt ?? {}).intoClause !== undefined;
    reader.statements++;
    if (reader.statements > maxStatements) fail(reader, `has more than ${maxStatements} statements`);
    else if (isWalked(stmt, reader)) readNames(collectNames(stmt, text, { parameters }), reader, depth);
  }
}

/** Whether the names of a statement are checked. A kind that a body must not have is a reason. */
function isWalked(statement: unknown, reader: Reader): boolean {
  const [kind = '', fields] = Object.entries(asFields(statement))[0] ?? [];
  if (isDefinition(kind)) {
    reader.defines = true;
    return false;
  }
  const reason = refuseKind(kind, asFields(fields));
  if (reason?.unprovable) fail(reader, reason.text);
  else if (reason !== undefined) reader.refused ??= reason.text;
  if (kind === 'VariableSetStmt') reader.leavesState ||= String(asFields(fields).name).includes('.');
  return reason === undefined && kind !== 'VariableSetStmt' && kind !== 'TransactionStmt';
}

function readNames(names: StatementNames, reader: Reader, depth: number): void {
  reader.names.push(names);
  // The server writes the schema of a type in a view where it has to.
  if (names.castsByPath && reader.body.class === catalogs.function)
    reader.unprovable ??= 'casts a literal to a type without the schema of the type';
  reader.leavesState ||= names.functions.some(({ isOwnSetting }) => isOwnSetting === true);
  for (const call of names.functions) if (call.texts !== undefined) readTexts(call, reader, depth);
}

/** EXECUTE with a literal can be checked; any other text is known only at run time. */
function readDynamic(expression: string, reader: Reader): void {
  const [value] = listTargets(reader.parser.parse(expression)[0]?.stmt);
  const [text] = isCastByPath(value) ? [] : readLiterals([value]);
  if (text === undefined) failDynamic(value, reader);
  else readStatements(text, reader, 1, none);
}

function failDynamic(value: unknown, reader: Reader): void {
  reader.unprovable ??= 'runs SQL that it puts together at run time';
  const word = findLasting(reader);
  if (word !== undefined) reader.refused ??= `puts SQL together at run time, and may run ${word}`;
  if (takesText(reader.body) && !isConfined(value, reader.body.parameters, reader.parser)) reader.isGiven = true;
}

/** Effects that a rollback does not undo and that every owner of a table may cause. */
const lastingEffects =
  /(?<!explain\s{1,9}|explain\s{0,9}\(\s{0,9}|,\s{0,9})\b(?:analyze|vacuum|reindex|cluster|checkpoint|gin_clean_pending_list|brin_(?:de)?summarize_\w{1,20}|pg_stat_reset\w{0,40}|pg_(?:try_)?advisory_\w{1,30}|pg_logical_emit_message)\b/i;

/** Searches the literals of the body, joined. */
function findLasting({ body, parser }: Reader): string | undefined {
  const literals = parser.scan(body.text).filter(({ text }) => /^(?:[eu]&?)?'|^\$/i.test(text));
  const joined = literals.map(({ text }) => text.replace(/^[^'$]*'|'$|^\$\w*\$|\$\w*\$$/g, '')).join('');
  return lastingEffects.exec(joined)?.[0].toUpperCase();
}

function listTargets(statement: unknown): readonly unknown[] {
  const { targetList } = asFields(asFields(statement).SelectStmt ?? {});
  return asList(targetList).map((target) => asFields(asFields(target).ResTarget).val);
}

/** The literals of functions that run SQL from their arguments. */
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

function judgeNames({ functions, fields, relations }: StatementNames, reader: Reader, options: ReadOptions): void {
  const { rowsAreCast, unreviewed } = options;
  const calls = (rowsAreCast ? [...functions, ...fields.map(asCall)] : functions).filter(
    ({ texts, isOwnSetting }) => texts === undefined && isOwnSetting !== true,
  );
  const [denied] = findDenied(
    { functions: calls, relations },
    (use) => findCallDenial(use) ?? findUnreviewedDenial(use, unreviewed),
  );
  if (denied !== undefined) reader.refused ??= `${denied.verb} ${denied.subject}, which ${denied.denial.reason}`;
}

type Name = Pick<NameUse, 'schema' | 'name'>;

const typeKinds = new Set(
  'SelectStmt ResTarget TypeCast TypeName CollateClause A_Const A_Expr ColumnRef A_Indirection A_Indices'.split(' '),
);

/** Most functions have the same few types. */
const knownTypes = new BoundedCache<readonly Name[]>();

/** The types and relations that `null::mood` or `orders.state%type` may mean. Throws for anything else. */
function listTypeNames(expression: string, parser: Parser): readonly Name[] {
  const sql = `select ${expression}`;
  const [parsed, ...others] = parser.parse(sql);
  const { types, kinds } = collectNames(parsed?.stmt, sql, { parameters: none });
  const [value, ...values] = listTargets(parsed?.stmt);
  const isOther = others.length + values.length > 0 || [...kinds].some((kind) => !typeKinds.has(kind));
  const { A_Expr: copied, TypeCast: cast, CollateClause: collated } = asFields(value);
  if (isOther || (copied ?? cast ?? collated) === undefined) throw new Error(`not a type: ${expression}`);
  if (copied === undefined) return types;
  const { lexpr, name } = asFields(copied);
  const { fields } = asFields(asFields(lexpr).ColumnRef);
  if (readLast(name) !== '%') throw new Error(`not a copied type: ${expression}`);
  return listCopied(asList(fields).map((part) => readText(part) ?? ''));
}

/** `t`, `t.c`, `s.t` or `s.t.c`: any part may be the relation. A name may have a dot. */
function listCopied(parts: readonly string[]): readonly Name[] {
  if (parts.length > 3) throw new Error('a copied type with too many dots');
  const names = parts.flatMap((_, from) => parts.slice(from).map((_, more) => parts.slice(from, from + more + 1).join('.')));
  return names.flatMap((name) => [undefined, ...names].map((schema) => ({ schema, name })));
}
