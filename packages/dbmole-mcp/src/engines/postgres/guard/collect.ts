import { isDynamic } from './denials.ts';
import type { CallUse, NameUse, StatementNames } from './names.ts';
import { positionAt } from './position.ts';
import { asFields, type Fields, type Scope, type Visited, walk } from './walk.ts';

/** The lists of `StatementNames` while they are filled. */
interface Lists {
  readonly functions: CallUse[];
  readonly relations: NameUse[];
  readonly operators: NameUse[];
  readonly types: NameUse[];
  readonly fields: NameUse[];
}

type Collect = (lists: Lists, node: Visited) => void;

/** Everything that the statement looks up by name. Throws an UnreadableNode for what a read may not be made of. */
export function collectNames(statement: unknown, sql: string): StatementNames {
  const lists: Lists = { functions: [], relations: [], operators: [], types: [], fields: [] };
  walk(statement, (node) => collectors.get(node.kind)?.(lists, node));
  return {
    ...lists,
    dynamic: lists.functions.filter(isDynamic),
    positionOf: ({ at }) => (at < 0 ? undefined : positionAt(sql, at)),
  };
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
  ['FuncCall', ({ functions }, { fields }) => functions.push(callOf(fields))],
  ['RangeVar', collectRelation],
  ['RangeTableSample', ({ functions }, { fields }) => functions.push({ ...nameOf(fields.method, fields), args: 1 })],
  ['TypeName', ({ types }, { fields }) => types.push(nameOf(fields.names, fields))],
  ['ColumnRef', collectColumn],
  ['A_Indirection', collectIndirection],
  ['A_Expr', collectExpression],
  ['SubLink', collectSubLink],
  ['SortBy', ({ operators }, { fields }) => fields.useOp !== undefined && operators.push(nameOf(fields.useOp, fields))],
  ['CaseExpr', ({ operators }, { fields }) => fields.arg !== undefined && pushAll(operators, equal, fields)],
  ['JoinExpr', ({ operators }, { fields }) => isUsing(fields) && pushAll(operators, equal, nowhere)],
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
  ['JsonTable', (lists, node) => collectWord(lists, node, 'json_table')],
]);

function collectWord({ functions }: Lists, { fields }: Visited, name: string | undefined): void {
  if (name !== undefined) functions.push({ schema: undefined, name, at: placeOf(fields), args: 1 });
}

function callOf(fields: Fields): CallUse {
  const { schema, name, at } = nameOf(fields.funcname, fields);
  return { schema, name, at, args: Array.isArray(fields.args) ? fields.args.length : 0 };
}

function collectRelation({ relations }: Lists, { fields, scope }: Visited): void {
  const { schemaname, relname } = fields;
  const schema = typeof schemaname === 'string' ? schemaname : undefined;
  const name = String(relname);
  if (schema === undefined && isInScope(scope, name)) return;
  relations.push({ schema, name, at: placeOf(fields) });
}

function isInScope(scope: Scope | undefined, name: string): boolean {
  for (let some = scope; some !== undefined; some = some.outer) if (some.name === name) return true;
  return false;
}

/** A name of one part is a column or a row; the last of several may be a function of the row before it. */
function collectColumn({ fields: list }: Lists, { fields }: Visited): void {
  const parts = Array.isArray(fields.fields) ? fields.fields : [];
  const last = parts.length > 1 ? textOf(parts.at(-1)) : undefined;
  if (last !== undefined) list.push({ schema: undefined, name: last, at: placeOf(fields) });
}

function collectIndirection({ fields: list }: Lists, { fields }: Visited): void {
  const at = placeOf(innerOf(fields.arg));
  for (const part of Array.isArray(fields.indirection) ? fields.indirection : []) {
    const name = textOf(part);
    if (name !== undefined) list.push({ schema: undefined, name, at });
  }
}

function collectExpression({ operators }: Lists, { fields }: Visited): void {
  const range = ranges.get(String(fields.kind));
  if (range === undefined) operators.push(nameOf(fields.name, fields));
  else pushAll(operators, range, fields);
}

/** `x IN (SELECT …)` says no operator. */
function collectSubLink({ operators }: Lists, { fields }: Visited): void {
  if (fields.operName !== undefined) operators.push(nameOf(fields.operName, fields));
  else if (fields.testexpr !== undefined) pushAll(operators, equal, fields);
}

function isUsing({ isNatural, usingClause }: Fields): boolean {
  return isNatural === true || usingClause !== undefined;
}

function pushAll(list: NameUse[], names: readonly string[], fields: Fields): void {
  for (const name of names) list.push({ schema: undefined, name, at: placeOf(fields) });
}

/** Of `[catalog.][schema.]name`. */
function nameOf(parts: unknown, fields: Fields): NameUse {
  if (!Array.isArray(parts) || parts.length === 0) throw new Error('a name without a text');
  const schema = parts.length > 1 ? textOf(parts[parts.length - 2]) : undefined;
  return { schema, name: textOf(parts[parts.length - 1]) ?? '', at: placeOf(fields) };
}

function textOf(part: unknown): string | undefined {
  const text = asFields(part).String;
  // The parser leaves out an empty text.
  return text === undefined ? undefined : String(asFields(text).sval ?? '');
}

/** The fields of a node that has its kind around them. */
function innerOf(node: unknown): Fields {
  const [inner = {}] = Object.values(asFields(node));
  return asFields(inner);
}

/** The parser leaves out a 0, and says -1 where it does not know. */
function placeOf({ location }: Fields): number {
  return typeof location === 'number' ? location : 0;
}
