import { denialOfFunction, isDynamic, runsText } from './denials.ts';
import { areSmall, namesOwnSchema, readLiterals, readRelation } from './named-argument.ts';
import { asCall, type CallUse, type NameUse, type StatementNames } from './names.ts';
import { innerOf, isUnknown, isUntyped, placeOf, textOf } from './node-parts.ts';
import { positionAt } from './position.ts';
import { readSource, type Source, valuesOf, valuesOfNode } from './sources.ts';
import { asFields, type Fields, type Scope, type Visited, walk } from './walk.ts';

/** The lists of `StatementNames` while they are filled. */
interface Lists {
  readonly functions: CallUse[];
  readonly relations: NameUse[];
  readonly targets: NameUse[];
  readonly operators: NameUse[];
  readonly types: NameUse[];
  readonly fields: NameUse[];
  readonly untyped: NameUse[];
  /** In a body parameters have types. */
  readonly isBody: boolean;
  readonly constants: Visited[];
  /** Columns of what is in FROM, or calls with it. */
  readonly ofSource: ColumnUse[];
  readonly inFrom: Source[];
  /** Names that stand alone, and what is in FROM: what is both is a whole row. */
  readonly alone: Set<string>;
  readonly sources: Set<string>;
  /** `t.*` in an expression, ARRAY. */
  readonly gathered: string[];
  /** UNION, CASE and what else has several values become one. */
  readonly combined: string[];
}

/** What a statement in the body of a function differs in. */
export interface BodyOptions {
  /** Names before a dot that can have a value of any type: the parameters of an SQL function. */
  readonly parameters: ReadonlySet<string>;
}

interface ColumnUse extends NameUse {
  /** What is before the dot. */
  readonly of: string;
  readonly values: readonly string[];
}

type Collect = (lists: Lists, node: Visited) => void;

/** Everything that the statement looks up by name. Throws an UnreadableNode for what a read, or a body, may not be made of. */
export function collectNames(statement: unknown, sql: string, body?: BodyOptions): StatementNames {
  const lists = createLists(body !== undefined);
  walk(statement, (node) => collectors.get(node.kind)?.(lists, node), body !== undefined);
  collectFields(lists, body);
  const { functions, relations, targets, operators, types, fields, untyped, gathered, combined, alone, sources } = lists;
  return {
    ...{ functions, relations, targets, operators, types, fields },
    dynamic: functions.filter(isDynamic),
    untyped: untyped.reduce<NameUse | undefined>(
      (first, use) => (first !== undefined && first.at < use.at ? first : use),
      undefined,
    ),
    gathers: gathered.length > 0 || [...alone].some((name) => sources.has(name)),
    combines: combined.length > 0,
    hasConstants: lists.constants.length > 0,
    positionOf: ({ at }) => (at < 0 ? undefined : positionAt(sql, at)),
  };
}

function createLists(isBody: boolean): Lists {
  return {
    ...{ functions: [], relations: [], targets: [], operators: [], types: [], fields: [], untyped: [] },
    ...{ ofSource: [], inFrom: [], gathered: [], combined: [], constants: [], isBody },
    alone: new Set(),
    sources: new Set(),
  };
}

/** Beyond it, every `t.f` counts as a possible call: each of them would have to be compared with all that is in FROM. */
const maxComparisons = 1_000_000;

/** What is before the dot decides whether `t.f` is a column or a call. */
function collectFields({ ofSource, inFrom, fields, functions }: Lists, body: BodyOptions | undefined): void {
  const isTooMuch = ofSource.length * inFrom.length > maxComparisons;
  for (const column of ofSource) {
    const { values: none, ...use } = column;
    const isAnything = isTooMuch || body?.parameters.has(column.of) === true;
    const field: NameUse = isAnything ? use : { ...use, values: inFrom.length > 0 ? valuesOf(column, inFrom) : none };
    fields.push(field);
    if (field.values === undefined || field.values.length > 0) functions.push(asCall(field));
  }
}

const equal = ['='];
/** The parser gives joins no place. */
const nowhere: Fields = { location: -1 };

/** What BETWEEN stands for; the name that the parser gives is the word itself. */
const ranges = new Map([
  ['AEXPR_BETWEEN', ['>=', '<=']],
  ['AEXPR_BETWEEN_SYM', ['>=', '<=']],
  ['AEXPR_NOT_BETWEEN', ['<', '>']],
  ['AEXPR_NOT_BETWEEN_SYM', ['<', '>']],
]);

const jsonFunctions = new Map([
  ['JSON_EXISTS_OP', 'json_exists'],
  ['JSON_QUERY_OP', 'json_query'],
  ['JSON_VALUE_OP', 'json_value'],
]);

const collectors: ReadonlyMap<string, Collect> = new Map<string, Collect>([
  ['FuncCall', collectCall],
  ['MergeSupportFunc', (lists, node) => collectWord(lists, node, 'merge_action')],
  ['InsertStmt', collectTarget],
  ['UpdateStmt', collectTarget],
  ['DeleteStmt', collectTarget],
  ['MergeStmt', collectTarget],
  ['RangeVar', collectRelation],
  [
    'RangeTableSample',
    ({ functions }, { fields }) => functions.push({ ...nameOf(fields.method, fields), args: 1, isNamed: false }),
  ],
  ['RangeSubselect', collectAlias],
  ['RangeFunction', collectFunctions],
  ['RangeTableFunc', collectXmlTable],
  ['A_Const', collectConstant],
  ['ParamRef', ({ untyped, isBody }, node) => !isBody && node.parent !== 'TypeCast' && untyped.push(untypedOf(node))],
  ['TypeCast', collectCast],
  ['A_ArrayExpr', collectArray],
  ['SelectStmt', collectRows],
  ['CoalesceExpr', collectCombined],
  ['MinMaxExpr', collectCombined],
  ['TypeName', ({ types }, { fields }) => types.push(nameOf(fields.names, fields))],
  ['ColumnRef', collectColumn],
  ['A_Indirection', collectIndirection],
  ['A_Expr', collectExpression],
  ['SubLink', collectSubLink],
  ['SortBy', ({ operators }, { fields }) => fields.useOp !== undefined && operators.push(nameOf(fields.useOp, fields))],
  ['CaseExpr', collectCase],
  ['JoinExpr', collectJoin],
  // Words of the grammar since version 16 or 17; to an older server they are calls of whatever has that name.
  ['JsonFuncExpr', (lists, node) => collectWord(lists, node, jsonFunctions.get(String(node.fields.op)))],
  ['JsonScalarExpr', (lists, node) => collectWord(lists, node, 'json_scalar')],
  ['JsonSerializeExpr', (lists, node) => collectWord(lists, node, 'json_serialize')],
  ['JsonParseExpr', (lists, node) => collectWord(lists, node, 'json')],
  ['JsonObjectConstructor', (lists, node) => collectWord(lists, node, 'json_object')],
  ['JsonArrayConstructor', (lists, node) => collectWord(lists, node, 'json_array')],
  ['JsonArrayQueryConstructor', (lists, node) => collectWord(lists, node, 'json_array')],
  ['JsonObjectAgg', (lists, node) => collectWord(lists, node, 'json_objectagg')],
  ['JsonArrayAgg', (lists, node) => collectWord(lists, node, 'json_arrayagg')],
  ['JsonTable', collectJsonTable],
]);

function collectCombined({ combined }: Lists, { kind }: Visited): void {
  combined.push(kind);
}

function collectArray({ gathered, combined }: Lists, { kind, fields }: Visited): void {
  gathered.push(kind);
  if (Array.isArray(fields.elements) && fields.elements.length > 1) combined.push(kind);
}

/** Rows of UNION and its like, and of VALUES. */
function collectRows({ combined }: Lists, { fields: { op, valuesLists } }: Visited): void {
  if (op !== 'SETOP_NONE' || (Array.isArray(valuesLists) && valuesLists.length > 1)) combined.push(String(op));
}

function collectCase(lists: Lists, node: Visited): void {
  collectCombined(lists, node);
  const { arg, args } = node.fields;
  if (arg !== undefined) pushAll(lists.operators, equal, { ...node.fields, lexpr: arg, rexpr: args });
}

function collectWord({ functions }: Lists, { fields }: Visited, name: string | undefined): void {
  if (name !== undefined) functions.push({ schema: undefined, name, at: placeOf(fields), args: 1, isNamed: false });
}

function collectCall({ functions, relations }: Lists, { fields }: Visited): void {
  const { name, at, ...named } = nameOf(fields.funcname, fields);
  // A word of the grammar since version 16; to an older server it is whatever has that name.
  const schema = name === 'json_object' && named.schema === 'pg_catalog' ? undefined : named.schema;
  const { unlessNamed, unlessSmall } = denialOfFunction(schema, name) ?? {};
  const relation = unlessNamed === 'relation' ? readRelation(fields.args) : undefined;
  if (relation !== undefined) relations.push({ at, ...relation });
  const isNamed = relation !== undefined || (unlessNamed === 'schema' && namesOwnSchema(fields.args));
  const args = Array.isArray(fields.args) ? fields.args : [];
  const counted = { schema, name, at, args: args.length, isCounted: true, untyped: args.some(isUntyped), isNamed };
  if (runsText(schema, name)) functions.push({ ...counted, texts: readLiterals(args) });
  else if (name === 'set_config' && isOwnSetting(args)) functions.push({ ...counted, isOwnSetting: true });
  else if (unlessSmall) functions.push({ ...counted, isSmall: areSmall(args) });
  else functions.push(counted);
}

function collectXmlTable(lists: Lists, node: Visited): void {
  collectAlias(lists, node);
  const { docexpr, rowexpr, columns } = node.fields;
  const paths = (Array.isArray(columns) ? columns : []).map((column) => asFields(asFields(column).RangeTableFuncCol).colexpr);
  const isSmall = areSmall([docexpr, rowexpr, ...paths.filter((path) => path !== undefined)]);
  lists.functions.push({ schema: undefined, name: 'xmltable', at: placeOf(node.fields), args: 1, isNamed: false, isSmall });
}

/** Gone with the transaction, and no setting of the server has a dot in its name. */
function isOwnSetting(args: readonly unknown[]): boolean {
  const [name] = readLiterals(args);
  return name?.includes('.') === true && asFields(constantOf(args[2]).boolval ?? {}).boolval === true;
}

function constantOf(node: unknown): Fields {
  return node === undefined ? {} : asFields(asFields(node).A_Const ?? {});
}

function collectTarget({ targets }: Lists, { fields }: Visited): void {
  const { relname, schemaname } = asFields(fields.relation ?? {});
  if (typeof relname !== 'string') return;
  targets.push({ schema: typeof schemaname === 'string' ? schemaname : undefined, name: relname, at: placeOf(fields) });
}

function collectJsonTable(lists: Lists, node: Visited): void {
  collectAlias(lists, node);
  collectWord(lists, node, 'json_table');
}

function collectJoin(lists: Lists, node: Visited): void {
  collectAlias(lists, node);
  if (isUsing(node.fields)) pushAll(lists.operators, equal, nowhere);
}

function collectFunctions(lists: Lists, node: Visited): void {
  collectAlias(lists, node);
  const source = readSource(node.fields);
  if (source !== undefined) lists.inFrom.push(source);
}

function collectAlias({ sources }: Lists, { fields }: Visited): void {
  if (fields.alias !== undefined) sources.add(String(asFields(fields.alias).aliasname));
}

function collectConstant({ untyped, constants }: Lists, node: Visited): void {
  constants.push(node);
  const { sval, isnull } = node.fields;
  if (node.parent !== 'TypeCast' && (sval !== undefined || isnull === true)) untyped.push(untypedOf(node));
}

/** A constant can be cast to having no type. */
function collectCast({ untyped }: Lists, node: Visited): void {
  if (isUnknown(node.fields.typeName)) untyped.push(untypedOf(node));
}

function untypedOf({ kind, fields }: Visited): NameUse {
  return { schema: undefined, name: kind === 'ParamRef' ? `$${fields.number}` : '', at: placeOf(fields) };
}

function collectRelation(lists: Lists, node: Visited): void {
  const { schemaname, relname } = node.fields;
  const schema = typeof schemaname === 'string' ? schemaname : undefined;
  const name = String(relname);
  collectAlias(lists, node);
  lists.sources.add(name);
  const { fields, scope } = node;
  if (schema === undefined && isInScope(scope, name)) return;
  lists.relations.push({ schema, name, at: placeOf(fields) });
}

function isInScope(scope: Scope | undefined, name: string): boolean {
  for (let some = scope; some !== undefined; some = some.outer) if (some.name === name) return true;
  return false;
}

const none: readonly string[] = [];

/** A name of one part is a column or a row; the last of several may be a function of the row before it. */
function collectColumn({ ofSource, alone, gathered }: Lists, { fields, parent }: Visited): void {
  const parts = Array.isArray(fields.fields) ? fields.fields : [];
  const last = textOf(parts.at(-1));
  if (last === undefined) {
    // In the list of what is selected, and nowhere else, `t.*` stands for its columns.
    if (parent !== 'ResTarget') gathered.push('*');
  } else if (parts.length === 1) alone.add(last);
  else ofSource.push({ schema: undefined, name: last, at: placeOf(fields), of: textOf(parts.at(-2)) ?? '', values: none });
}

function collectIndirection({ fields: list, functions }: Lists, { fields }: Visited): void {
  const at = placeOf(innerOf(fields.arg));
  const values = valuesOfNode(fields.arg);
  for (const [i, part] of (Array.isArray(fields.indirection) ? fields.indirection : []).entries()) {
    const name = textOf(part);
    if (name === undefined) continue;
    const use = { schema: undefined, name, at, ...(i === 0 && values !== undefined ? { values } : {}) };
    list.push(use);
    // A constant without a type becomes whatever the function is for.
    functions.push({ ...asCall(use), isField: !isUntyped(fields.arg) });
  }
}

function hasUntyped({ lexpr, rexpr }: Fields): boolean {
  return isUntyped(lexpr) || isUntyped(rexpr);
}

function collectExpression({ operators }: Lists, { fields }: Visited): void {
  const range = ranges.get(String(fields.kind));
  const prefix = fields.lexpr === undefined;
  if (range === undefined) operators.push({ ...nameOf(fields.name, fields), untyped: hasUntyped(fields), prefix });
  else pushAll(operators, range, fields);
}

/** `x IN (SELECT …)` says no operator. */
function collectSubLink({ operators, gathered }: Lists, { fields }: Visited): void {
  if (fields.subLinkType === 'ARRAY_SUBLINK') gathered.push('array');
  const operands = { ...fields, lexpr: fields.testexpr };
  if (fields.operName !== undefined) operators.push({ ...nameOf(fields.operName, fields), untyped: hasUntyped(operands) });
  else if (fields.testexpr !== undefined) pushAll(operators, equal, operands);
}

function isUsing({ isNatural, usingClause }: Fields): boolean {
  return isNatural === true || usingClause !== undefined;
}

function pushAll(list: NameUse[], names: readonly string[], fields: Fields): void {
  for (const name of names) list.push({ schema: undefined, name, at: placeOf(fields), untyped: hasUntyped(fields) });
}

/** Of `[catalog.][schema.]name`. */
function nameOf(parts: unknown, fields: Fields): NameUse {
  if (!Array.isArray(parts) || parts.length === 0) throw new Error('a name without a text');
  const schema = parts.length > 1 ? textOf(parts[parts.length - 2]) : undefined;
  return { schema, name: textOf(parts[parts.length - 1]) ?? '', at: placeOf(fields) };
}
