import { findFunctionDenial, findReach, runsText } from '../denials.ts';
import { FromItems, getAliasName, listCalls } from './from-items.ts';
import { areSmall, isCastByPath, namesOwnSchema, readLiterals, readRelation } from './named-argument.ts';
import { asCall, type CallUse, type NameUse, type StatementNames } from './names.ts';
import { findPlace, getInner, isTypeNamed, isUntyped, readConstant, readLast, readText } from './node-parts.ts';
import { jsonAggregates, ranges, words } from './nodes.ts';
import { positionAt } from './position.ts';
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
  combines = false;
  castsByPath = false;
  readonly kinds = new Set<string>();
  readonly records = new Set<string>();
  /** `x.f`, where x may be an item of FROM. */
  readonly ofSource: ColumnUse[] = [];
  readonly from = new FromItems();
  /** Names without a dot, and those before a star outside of the select list. */
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
    reading.kinds.add(node.kind);
    collectWord(reading, node);
    collectors.get(node.kind)?.(reading, node);
  };
  walk(statement, visit, isBody);
  collectFields(reading, body);
  for (const name of [...reading.kinds].flatMap((kind) => jsonAggregates.get(kind) ?? []))
    reading.functions.push({ schema: 'pg_catalog', name, at: -1, args: 1, isNamed: false });
  const { ofSource, from, alone, ...names } = reading;
  for (const name of alone) {
    if (from.names.has(name)) names.kinds.add('Row');
    for (const by of from.getRecords(name) ?? []) names.records.add(by);
  }
  if (from.hasRenamed || names.kinds.has('Row')) names.columns.add('*');
  return {
    ...names,
    text: sql,
    dynamic: names.functions.filter(findReach),
    positionOf: ({ at }) => (at < 0 ? undefined : positionAt(sql, at)),
  };
}

/** Whether `t.f` may be a call depends on what t is. */
function collectFields({ ofSource, from, fields, functions }: Reading, body: BodyOptions | undefined): void {
  for (const column of ofSource) {
    const { of, ...use } = column;
    const isOfRow = body?.parameters.has(of) !== true && !from.mayBeValue(column);
    const recordsOf = from.getRecords(of);
    const field: NameUse = { ...use, isOfRow, ...(recordsOf === undefined ? {} : { recordsOf }) };
    fields.push(field);
    if (!isOfRow) functions.push(asCall(field));
  }
}

const equal = ['='];
/** The parser records no location for joins. */
const nowhere: Fields = { location: -1 };

const collectors: ReadonlyMap<string, Collect> = new Map<string, Collect>([
  ['FuncCall', collectCall],
  ['DefElem', collectOption],
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
  ['RowExpr', collectRow],
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
  lists.combines ||= asList(fields.elements).length > 1;
}

/** SortBy, because ORDER BY in WITHIN GROUP has the arguments of the aggregate. */
const takesRows = ['FuncCall', 'NamedArgExpr', 'A_Indirection', 'CaseWhen', 'SortBy'];

function collectRow({ records }: Reading, { parent }: Visited): void {
  if (takesRows.includes(parent)) records.add(FromItems.notOfFunction);
}

/** Where both operands are rows, the server compares their fields. */
function collectOperands({ records }: Reading, { lexpr, rexpr }: Fields): void {
  const operands = [lexpr, rexpr].flatMap((side) => asFields(asFields(side ?? {}).List ?? {}).items ?? side ?? []);
  const rows = operands.filter((operand) => asFields(operand).RowExpr !== undefined).length;
  if (rows > 0 && (rows < operands.length || rows === 1)) records.add(FromItems.notOfFunction);
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
  // Words of the grammar since version 16 and 13; an older server looks the name up.
  const schema = ['json_object', 'normalize'].includes(name) && named.schema === 'pg_catalog' ? undefined : named.schema;
  const unless = findFunctionDenial(schema, name)?.unless;
  const relation = unless === 'relation' ? readRelation(fields.args) : undefined;
  if (relation !== undefined) relations.push({ at, ...relation });
  const isNamed = relation !== undefined || (unless === 'schema' && namesOwnSchema(fields.args));
  const args = asList(fields.args);
  if (unless !== undefined || name === 'set_config') lists.castsByPath ||= args.some(isCastByPath);
  lists.combines ||= args.length > 1;
  const hasNames = args.some((arg) => asFields(arg).NamedArgExpr !== undefined);
  // ORDER BY in WITHIN GROUP has arguments, too.
  const untyped = [...args, ...asList(fields.agg_order)].some(isUntyped);
  const counted = { schema, name, at, args: args.length, isCounted: true, untyped, isNamed, hasNames };
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

/** EXPLAIN can make the rows that it counts into bytes, as for a client. */
function collectOption({ functions }: Reading, { fields }: Visited): void {
  if (fields.defname === 'serialize')
    functions.push({ schema: 'pg_catalog', name: 'record_send', at: findPlace(fields), args: 1, isNamed: false });
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
  const relation = asFields(fields.relation ?? {});
  const { relname, schemaname } = relation;
  if (typeof relname !== 'string') return;
  const use = { schema: typeof schemaname === 'string' ? schemaname : undefined, name: relname, at: findPlace(relation) };
  targets.push(use);
  relations.push(use);
}

function collectJoin(lists: Reading, node: Visited): void {
  lists.from.addAlias(node);
  if (isUsing(node.fields)) pushAll(lists.operators, equal, nowhere);
}

function collectFunctions({ from, relations, alone }: Reading, node: Visited): void {
  from.addAlias(node);
  from.addFunctions(node);
  const isWord = ({ funcname, funcformat }: Fields) => readLast(funcname) === 'system_user' && funcformat === 'COERCE_SQL_SYNTAX';
  const call = listCalls(node.fields).find(isWord);
  if (call === undefined) return;
  // A word of the grammar since version 16; for an older server it is the name of a table.
  relations.push({ schema: undefined, name: 'system_user', at: findPlace(call) });
  from.names.add('system_user');
  alone.add('system_user');
}

function collectConstant(lists: Reading, node: Visited): void {
  const { sval, isnull } = node.fields;
  if (node.parent !== 'TypeCast' && (sval !== undefined || isnull === true)) addUntyped(lists, node);
}

/** A constant can be cast to `unknown`, and a row to `record`. */
function collectCast(lists: Reading, node: Visited): void {
  if (isTypeNamed(node.fields.typeName, 'unknown')) addUntyped(lists, node);
  if (isTypeNamed(node.fields.typeName, 'record')) lists.records.add(FromItems.notOfFunction);
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
  else from.addRecords(fields.alias === undefined ? name : getAliasName(fields.alias));
}

function isInScope(scope: Scope | undefined, name: string): boolean {
  for (let some = scope; some !== undefined; some = some.outer) if (some.name === name) return true;
  return false;
}

/** A single name is a column or a row; after a dot it may be a function of the row. */
function collectColumn(lists: Reading, { fields, parent }: Visited): void {
  const parts = asList(fields.fields);
  const last = readText(parts.at(-1));
  const of = parts.length > 1 ? (readText(parts.at(-2)) ?? '') : '';
  lists.columns.add(last ?? '*');
  // Only in the select list does `t.*` mean the columns.
  if (last === undefined && parent !== 'ResTarget') lists.alone.add(of);
  else if (last !== undefined && parts.length === 1) lists.alone.add(last);
  else if (last !== undefined) lists.ofSource.push({ schema: undefined, name: last, at: findPlace(fields), of });
}

function collectIndirection({ fields: list, functions }: Reading, { fields }: Visited): void {
  const at = findPlace(getInner(fields.arg));
  const isOfRow = asFields(fields.arg).RowExpr !== undefined;
  for (const [i, part] of asList(fields.indirection).entries()) {
    const name = readText(part);
    if (name === undefined) continue;
    const use = { schema: undefined, name, at, isOfRow: isOfRow && i === 0 };
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
  collectOperands(lists, fields);
  const range = ranges.get(String(fields.kind));
  const prefix = fields.lexpr === undefined;
  if (range === undefined) operators.push({ ...readName(fields.name, fields), untyped: hasUntyped(fields), prefix });
  else pushAll(operators, range, fields);
}

/** `x IN (SELECT …)` has no operator in the tree. */
function collectSubLink({ operators }: Reading, { fields }: Visited): void {
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
