import { findFunctionDenial, findReach, runsText } from '../denials.ts';
import { FromItems, findNodeValues, getAliasName } from './from-items.ts';
import { areSmall, isCastByPath, namesOwnSchema, readLiterals, readRelation } from './named-argument.ts';
import { asCall, type CallUse, type NameUse, type StatementNames } from './names.ts';
import { findPlace, getInner, isTypeNamed, isUntyped, readConstant, readText } from './node-parts.ts';
import { ranges, words } from './nodes.ts';
import { positionAt } from './position.ts';
import { RecordUses } from './records.ts';
import { isDecisive } from './settings.ts';
import { asFields, asList, type Fields, type Scope, type Visited, walk } from './walk.ts';

/** `StatementNames` under construction. */
class Reading {
  readonly functions: CallUse[] = [];
  readonly relations: NameUse[] = [];
  readonly targets: NameUse[] = [];
  readonly operators: NameUse[] = [];
  readonly types: NameUse[] = [];
  readonly fields: NameUse[] = [];
  readonly columns = new Set<string>();
  untyped: NameUse | undefined = undefined;
  gathers = false;
  combines = false;
  hasConstants = false;
  castsByPath = false;
  readonly recordUses = new RecordUses();
  /** `x.f`, where x may be an item of FROM. */
  readonly ofSource: ColumnUse[] = [];
  readonly from = new FromItems();
  /** Names without a dot. */
  readonly alone = new Set<string>();
}

/** How a statement in the body of a function differs. */
export interface BodyOptions {
  /** Names before a dot whose values can be of any type: the parameters of an SQL function. */
  readonly parameters: ReadonlySet<string>;
}

interface ColumnUse extends NameUse {
  /** What is before the dot. */
  readonly of: string;
}

type Collect = (lists: Reading, node: Visited) => void;

/** Everything that the statement looks up by name. Throws an UnreadableNode for what a read, or a body, may not be made of. */
export function collectNames(statement: unknown, sql: string, body?: BodyOptions): StatementNames {
  const reading = new Reading();
  const isBody = body !== undefined;
  const visit = (node: Visited) => {
    // The parameters of a body have types.
    if (node.kind === 'ParamRef' && !isBody && node.parent !== 'TypeCast') addUntyped(reading, node);
    collectWord(reading, node);
    collectors.get(node.kind)?.(reading, node);
  };
  walk(statement, visit, isBody);
  collectFields(reading, body);
  const { recordUses, ofSource, from, alone, ...names } = reading;
  const hasRows = [...alone].some((name) => from.names.has(name));
  if (hasRows || from.hasRenamed) names.columns.add('*');
  return {
    ...names,
    records: recordUses.resolve(from),
    gathers: names.gathers || hasRows,
    text: sql,
    dynamic: names.functions.filter(findReach),
    positionOf: ({ at }) => (at < 0 ? undefined : positionAt(sql, at)),
  };
}

/** Beyond this limit every `t.f` counts as a possible call, because each is compared with all functions in FROM. */
const maxComparisons = 1_000_000;

/** Whether `t.f` may be a call depends on what t is. */
function collectFields({ ofSource, from, fields, functions }: Reading, body: BodyOptions | undefined): void {
  const isTooMuch = ofSource.length * from.count > maxComparisons;
  for (const column of ofSource) {
    const { of, ...written } = column;
    const recordsOf = from.getRecords(of);
    const use = recordsOf === undefined ? written : { ...written, recordsOf };
    const isAnything = isTooMuch || body?.parameters.has(of) === true;
    const field: NameUse = isAnything ? use : { ...use, values: from.findValues(column) };
    fields.push(field);
    if (field.values === undefined || field.values.length > 0) functions.push(asCall(field));
  }
}

const equal = ['='];
/** The parser records no location for joins. */
const nowhere: Fields = { location: -1 };

const collectors: ReadonlyMap<string, Collect> = new Map<string, Collect>([
  ['FuncCall', collectCall],
  ['InsertStmt', collectTarget],
  ['UpdateStmt', collectTarget],
  ['DeleteStmt', collectTarget],
  ['MergeStmt', collectTarget],
  ['RangeVar', collectRelation],
  [
    'RangeTableSample',
    ({ functions }, { fields }) => functions.push({ ...readName(fields.method, fields), args: 1, isNamed: false }),
  ],
  ['RangeSubselect', ({ from }, node) => from.addAlias(node)],
  ['RangeFunction', collectFunctions],
  ['RangeTableFunc', collectXmlTable],
  ['A_Const', collectConstant],
  ['TypeCast', collectCast],
  ['A_ArrayExpr', collectArray],
  ['SelectStmt', collectRows],
  ['CoalesceExpr', collectCombined],
  ['MinMaxExpr', collectCombined],
  ['TypeName', collectType],
  ['RowExpr', ({ recordUses }, node) => recordUses.addRow(node)],
  ['ColumnRef', collectColumn],
  ['A_Indirection', collectIndirection],
  ['A_Expr', collectExpression],
  ['SubLink', collectSubLink],
  ['SortBy', ({ operators }, { fields }) => fields.useOp !== undefined && operators.push(readName(fields.useOp, fields))],
  ['CaseExpr', collectCase],
  ['JoinExpr', collectJoin],
  ['JsonTable', ({ from }, node) => from.addAlias(node)],
]);

function collectCombined(lists: Reading): void {
  lists.combines = true;
}

function collectArray(lists: Reading, { fields }: Visited): void {
  lists.gathers = true;
  lists.combines ||= asList(fields.elements).length > 1;
}

/** Rows of UNION and its like, and of VALUES. */
function collectRows(lists: Reading, { fields: { op, valuesLists } }: Visited): void {
  lists.combines ||= op !== 'SETOP_NONE' || asList(valuesLists).length > 1;
}

function collectCase(lists: Reading, node: Visited): void {
  lists.combines = true;
  const { arg, args } = node.fields;
  if (arg !== undefined) pushAll(lists.operators, equal, { ...node.fields, lexpr: arg, rexpr: args });
}

function collectWord({ functions }: Reading, { kind, fields }: Visited): void {
  const name = words.get(kind === 'JsonFuncExpr' ? String(fields.op) : kind);
  if (name !== undefined) functions.push({ schema: undefined, name, at: findPlace(fields), args: 1, isNamed: false });
}

function collectCall(lists: Reading, { fields }: Visited): void {
  const { functions, relations } = lists;
  const { name, at, ...named } = readName(fields.funcname, fields);
  // A keyword since version 16; an older server looks the name up.
  const schema = name === 'json_object' && named.schema === 'pg_catalog' ? undefined : named.schema;
  const unless = findFunctionDenial(schema, name)?.unless;
  const relation = unless === 'relation' ? readRelation(fields.args) : undefined;
  if (relation !== undefined) relations.push({ at, ...relation });
  const isNamed = relation !== undefined || (unless === 'schema' && namesOwnSchema(fields.args));
  const args = asList(fields.args);
  if (unless !== undefined || name === 'set_config') lists.castsByPath ||= args.some(isCastByPath);
  const hasNames = args.some((arg) => asFields(arg).NamedArgExpr !== undefined);
  const counted = { schema, name, at, args: args.length, isCounted: true, untyped: args.some(isUntyped), isNamed, hasNames };
  if (runsText(schema, name)) functions.push({ ...counted, texts: readLiterals(args) });
  else if (name === 'set_config' && isOwnSetting(args)) functions.push({ ...counted, isOwnSetting: true });
  else if (unless === 'small') functions.push({ ...counted, isSmall: areSmall(args) });
  else functions.push(counted);
}

/** `json` is a keyword since version 16; an older server looks the name up. */
function collectType({ types }: Reading, { fields }: Visited): void {
  const use = readName(fields.names, fields);
  types.push(use.name === 'json' && use.schema === 'pg_catalog' ? { ...use, schema: undefined } : use);
}

function collectXmlTable(lists: Reading, node: Visited): void {
  lists.from.addAlias(node);
  const { docexpr, rowexpr, columns } = node.fields;
  const paths = asList(columns).map((column) => asFields(asFields(column).RangeTableFuncCol).colexpr);
  const args = [docexpr, rowexpr, ...paths.filter((path) => path !== undefined)];
  lists.castsByPath ||= args.some(isCastByPath);
  const isSmall = areSmall(args);
  lists.functions.push({ schema: undefined, name: 'xmltable', at: findPlace(node.fields), args: 1, isNamed: false, isSmall });
}

/** Such a setting ends with the transaction, and no setting of the server itself has a dot in its name. */
function isOwnSetting(args: readonly unknown[]): boolean {
  const [name] = readLiterals(args);
  return name?.includes('.') === true && !isDecisive(name) && asFields(readConstant(args[2]).boolval ?? {}).boolval === true;
}

/** A query of WITH cannot be the target of a write. */
function collectTarget({ targets, relations }: Reading, { fields }: Visited): void {
  const { relname, schemaname } = asFields(fields.relation ?? {});
  if (typeof relname !== 'string') return;
  const use = { schema: typeof schemaname === 'string' ? schemaname : undefined, name: relname, at: findPlace(fields) };
  targets.push(use);
  relations.push(use);
}

function collectJoin(lists: Reading, node: Visited): void {
  lists.from.addAlias(node);
  if (isUsing(node.fields)) pushAll(lists.operators, equal, nowhere);
}

function collectFunctions({ from }: Reading, node: Visited): void {
  from.addAlias(node);
  from.addFunctions(node);
}

function collectConstant(lists: Reading, node: Visited): void {
  lists.hasConstants = true;
  const { sval, isnull } = node.fields;
  if (node.parent !== 'TypeCast' && (sval !== undefined || isnull === true)) addUntyped(lists, node);
}

/** A constant can be cast to `unknown`. */
function collectCast(lists: Reading, node: Visited): void {
  if (isTypeNamed(node.fields.typeName, 'unknown')) addUntyped(lists, node);
  lists.recordUses.addCast(node.fields.typeName);
}

/** Keeps the first one. */
function addUntyped(lists: Reading, { kind, fields }: Visited): void {
  const use = { schema: undefined, name: kind === 'ParamRef' ? `$${fields.number}` : '', at: findPlace(fields) };
  if (lists.untyped === undefined || use.at < lists.untyped.at) lists.untyped = use;
}

function collectRelation(lists: Reading, node: Visited): void {
  const { schemaname, relname } = node.fields;
  const schema = typeof schemaname === 'string' ? schemaname : undefined;
  const name = String(relname);
  const { fields, scope } = node;
  const { from } = lists;
  from.addAlias(node);
  from.names.add(name);
  if (schema !== undefined || !isInScope(scope, name)) lists.relations.push({ schema, name, at: findPlace(fields) });
  else from.addRecords(fields.alias === undefined ? name : getAliasName(fields.alias), FromItems.notOfFunction);
}

function isInScope(scope: Scope | undefined, name: string): boolean {
  for (let some = scope; some !== undefined; some = some.outer) if (some.name === name) return true;
  return false;
}

/** A single name is a column or a row; after a dot it may be a function of the row. */
function collectColumn(lists: Reading, { fields, parent }: Visited): void {
  const parts = asList(fields.fields);
  const last = readText(parts.at(-1));
  lists.columns.add(last ?? '*');
  const row = (parts.length === 1 ? last : last === undefined && readText(parts.at(-2))) || '';
  lists.recordUses.addName(row, parent);
  if (last === undefined) {
    // Only in the select list does `t.*` mean the columns.
    lists.gathers ||= parent !== 'ResTarget';
  } else if (parts.length === 1) lists.alone.add(last);
  else lists.ofSource.push({ schema: undefined, name: last, at: findPlace(fields), of: readText(parts.at(-2)) ?? '' });
}

function collectIndirection({ fields: list, functions }: Reading, { fields }: Visited): void {
  const at = findPlace(getInner(fields.arg));
  const values = findNodeValues(fields.arg);
  for (const [i, part] of asList(fields.indirection).entries()) {
    const name = readText(part);
    if (name === undefined) continue;
    const use = { schema: undefined, name, at, ...(i === 0 && values !== undefined ? { values } : {}) };
    list.push(use);
    // An untyped constant takes the type of the function's argument.
    functions.push({ ...asCall(use), isField: !isUntyped(fields.arg) });
  }
}

function hasUntyped({ lexpr, rexpr }: Fields): boolean {
  return isUntyped(lexpr) || isUntyped(rexpr);
}

function collectExpression(lists: Reading, { fields }: Visited): void {
  const { operators } = lists;
  lists.recordUses.addOperands(fields);
  const range = ranges.get(String(fields.kind));
  const prefix = fields.lexpr === undefined;
  if (range === undefined) operators.push({ ...readName(fields.name, fields), untyped: hasUntyped(fields), prefix });
  else pushAll(operators, range, fields);
}

/** `x IN (SELECT …)` has no operator in the tree. */
function collectSubLink(lists: Reading, { fields }: Visited): void {
  const { operators } = lists;
  lists.gathers ||= fields.subLinkType === 'ARRAY_SUBLINK';
  const operands = { ...fields, lexpr: fields.testexpr };
  if (fields.operName !== undefined) operators.push({ ...readName(fields.operName, fields), untyped: hasUntyped(operands) });
  else if (fields.testexpr !== undefined) pushAll(operators, equal, operands);
}

function isUsing({ isNatural, usingClause }: Fields): boolean {
  return isNatural === true || usingClause !== undefined;
}

function pushAll(list: NameUse[], names: readonly string[], fields: Fields): void {
  for (const name of names) list.push({ schema: undefined, name, at: findPlace(fields), untyped: hasUntyped(fields) });
}

/** Reads `[catalog.][schema.]name`. */
function readName(parts: unknown, fields: Fields): NameUse {
  if (!Array.isArray(parts) || parts.length === 0) throw new Error('a name without a text');
  const schema = parts.length > 1 ? readText(parts[parts.length - 2]) : undefined;
  return { schema, name: readText(parts[parts.length - 1]) ?? '', at: findPlace(fields) };
}
