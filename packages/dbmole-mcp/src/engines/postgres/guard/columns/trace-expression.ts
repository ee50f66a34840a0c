import { findFunctionDenial, findReach } from '../denials.ts';
import { isTypeNamed, readLast, readText } from '../tree/node-parts.ts';
import { asFields, asList, type Fields } from '../tree/walk.ts';
import { countRows, type Environment, findColumn, findField, findItem, type Item, readRow } from './environment.ts';
import type { Tracer } from './tracer.ts';
import { clean, combine, makeRow, type NamedValue, unknown, type Value } from './value.ts';

type Trace = (tracer: Tracer, fields: Fields, environment: Environment) => Value;

const nothing: Trace = () => clean;

const kinds: ReadonlyMap<string, Trace> = new Map<string, Trace>([
  ['A_Const', nothing],
  ['ParamRef', nothing],
  ['SetToDefault', nothing],
  ['SQLValueFunction', nothing],
  ['MergeSupportFunc', nothing],
  ['GroupingFunc', nothing],
  ['TypeName', nothing],
  ['ColumnRef', traceColumn],
  ['A_Indirection', traceIndirection],
  ['FuncCall', traceCall],
  ['SubLink', traceSubLink],
  ['SelectStmt', (tracer, fields, environment) => combineRows(tracer.query({ SelectStmt: fields }, environment))],
  ['RowExpr', traceRow],
  ['TypeCast', traceCast],
  ['CollateClause', (tracer, { arg }, environment) => tracer.value(arg, environment)],
  ['NullTest', traceNullTest],
  ['A_Expr', traceOperator],
  ['WindowDef', nothing],
]);

/** The value of an expression: of all its parts, unless the kind of the node says more. */
export function traceExpression(tracer: Tracer, node: unknown, environment: Environment): Value {
  tracer.step();
  if (typeof node !== 'object' || node === null) return clean;
  if (Array.isArray(node)) return combine(node.map((item) => tracer.value(item, environment)));
  const found: Value[] = [];
  for (const [key, inner] of Object.entries(asFields(node))) {
    if (typeof inner !== 'object' || inner === null) continue;
    if (compared.has(key)) {
      tracer.compare(inner, environment);
      continue;
    }
    const trace = kinds.get(key);
    found.push(trace === undefined ? tracer.value(inner, environment) : trace(tracer, asFields(inner), environment));
  }
  const value = found.length === 1 ? (found[0] ?? clean) : combine(found);
  return isWrapped(node) ? withCode(tracer, node, value) : value;
}

/** Of aggregates in the syntax of JSON; those of others are read with the call. */
const compared = new Set(['agg_filter', 'agg_order', 'over']);

const free = new Set(['ColumnRef', 'A_Const', 'ParamRef', 'ResTarget', 'SubLink', 'A_Indirection', 'SelectStmt', 'List']);

/** An operator or a cast without a name in the statement may run code that reads what is protected. */
function withCode({ isEverywhere }: Tracer, node: object, value: Value): Value {
  if (!isEverywhere) return value;
  return Object.keys(node).every((key) => free.has(key)) ? value : combine([value, unknown]);
}

function isWrapped(node: object): boolean {
  return Object.keys(node).some((key) => /^[A-Z]/.test(key));
}

function traceColumn(tracer: Tracer, { fields: parts, location }: Fields, environment: Environment): Value {
  const value = findReference(tracer, asList(parts).map(readText), environment);
  tracer.use(value, location);
  return value;
}

/** `column`, `row`, `item.column`, `item.*`, `schema.table.column`; undefined is a star. */
function findReference(tracer: Tracer, parts: readonly (string | undefined)[], environment: Environment): Value {
  const [first, second, third] = parts;
  if (parts.length === 1) return first === undefined ? unknown : findColumn(first, environment);
  const isShort = parts.length === 2;
  const item = isShort ? findItem(first ?? '', undefined, environment) : findItem(second ?? '', first, environment);
  if (item === undefined || parts.length > 3) return unknown;
  const name = isShort ? second : third;
  return name === undefined ? readRow(item) : readField(tracer, item, name);
}

/** `item.f` may be a call of f with the row. */
function readField(tracer: Tracer, item: Item, name: string): Value {
  return findField(item, name) ?? combine([item.others ?? readRow(item), callValue(tracer, name)]);
}

function callValue(tracer: Tracer, name: string): Value {
  return tracer.readsProtected(name) ? unknown : clean;
}

function traceIndirection(tracer: Tracer, { arg, indirection }: Fields, environment: Environment): Value {
  const found = tracer.value(arg, environment);
  const steps = asList(indirection);
  const indexes = steps.filter((step) => asFields(step).A_Indices !== undefined);
  // An index is a value that is compared.
  tracer.compare(indexes, environment);
  const [first] = steps;
  const name = first === undefined || asFields(first).String === undefined ? undefined : readText(first);
  const field = name === undefined ? undefined : found.row?.find((one) => one.name === name)?.value;
  if (field !== undefined && steps.length === 1) return field;
  const calls = steps.flatMap((step) => (asFields(step).String === undefined ? [] : callValue(tracer, readText(step) ?? '')));
  const lookedUp = indexes.length === 0 ? clean : tracer.value(indexes, environment);
  return combine([field ?? asWhole(found), lookedUp, ...calls]);
}

function asWhole(value: Value): Value {
  return combine([value]);
}

/** `f(…)`, also as an aggregate or over a window. An order within a group has the arguments. */
function traceCall(tracer: Tracer, fields: Fields, environment: Environment): Value {
  const { funcname, args, agg_order: order, agg_within_group: isWithin, agg_filter: filter, over } = fields;
  tracer.compare([filter, over, isWithin === true ? undefined : order], environment);
  const name = readLast(funcname) ?? '';
  const parts = asList(funcname);
  const schema = parts.length > 1 ? readText(parts.at(-2)) : undefined;
  const inGroup = isWithin === true ? asList(order) : [];
  const frame =
    over === undefined ? clean : combine([traceFrame(tracer, asFields(over), environment), environment.frames ?? clean]);
  const given = combine([tracer.value([...asList(args), ...inGroup], environment), frame]);
  if (hasEffect(name) || tracer.mayStore(name)) tracer.send(given, name);
  if (tracer.readsProtected(name) || findsByItself(schema, name)) return combine([given, unknown]);
  const counted = tracer.isAggregate(name) ? countRows(environment.elements) : clean;
  const isCount = name === 'count' && (schema === 'pg_catalog' || tracer.isBuiltin(name));
  return isCount ? combine([counted, frame]) : combine([given, counted]);
}

/** What decides how many rows a frame has. */
export function traceFrame(tracer: Tracer, { startOffset, endOffset }: Fields, environment: Environment): Value {
  return combine([startOffset, endOffset].map((offset) => tracer.value(offset, environment)));
}

/** Functions that change something else than rows. What they are given can be read there. */
export function hasEffect(name: string): boolean {
  return /^(?:nextval|setval|setseed|set_config|pg_notify|pg_(?:try_)?advisory_\w+|txid_current|pg_current_xact_id)$/.test(name);
}

/** Reads tables, pages or statements that its arguments name. */
export function findsByItself(schema: string | undefined, name: string): boolean {
  const denial = findFunctionDenial(schema, name);
  if (hasEffect(name)) return false;
  if (findReach({ schema, name }) !== undefined) return true;
  return (denial !== undefined && denial.unless !== 'small') || readsPages.test(name);
}

const readsPages =
  /^(?:bt|gin|gist|brin|hash|heap|fsm)_(?:page|metap|multi|revmap|tuple|leafpage)|^get_raw_page|^tuple_data_|^pg_get_wal_/;

function traceSubLink(tracer: Tracer, { subLinkType: kind, subselect, testexpr }: Fields, environment: Environment): Value {
  const rows = tracer.query(subselect, environment);
  if (kind === 'EXISTS_SUBLINK') return clean;
  const [only] = rows.columns;
  if (kind === 'EXPR_SUBLINK' && rows.columns.length === 1 && rows.others === undefined) return only?.value ?? unknown;
  return combine([combineRows(rows), tracer.value(testexpr, environment)]);
}

export function combineRows({ columns, others }: { columns: readonly NamedValue[]; others?: Value | undefined }): Value {
  return combine([...columns.map(({ value }) => value), others ?? clean]);
}

function traceRow(tracer: Tracer, { args }: Fields, environment: Environment): Value {
  const items = asList(args);
  const values = items.map((arg) => tracer.value(arg, environment));
  const hasStar = items.some(
    (arg) => readLast(asFields(asFields(arg).ColumnRef ?? {}).fields) === undefined && asFields(arg).ColumnRef !== undefined,
  );
  return hasStar ? combine(values) : makeRow(values.map((value, i) => ({ name: `f${i + 1}`, value })));
}

/** A cast to text keeps the value: what is shown of it is its text. */
function traceCast(tracer: Tracer, { arg, typeName }: Fields, environment: Environment): Value {
  const value = tracer.value(arg, environment);
  const { names, typmods, arrayBounds } = asFields(typeName);
  if (tracer.readsProtected(readLast(names) ?? '')) return combine([value, unknown]);
  const isText = ['text', 'varchar'].some((name) => isTypeNamed(typeName, name));
  if (isText && typmods === undefined && arrayBounds === undefined && value.row === undefined) return value;
  return asWhole(value);
}

/** Where NULL is, every action shows. */
function traceNullTest(tracer: Tracer, { arg }: Fields, environment: Environment): Value {
  const value = tracer.value(arg, environment);
  return value.isPlain && asFields(arg).ColumnRef !== undefined && value.row === undefined ? clean : asWhole(value);
}

function traceOperator(tracer: Tracer, { name, lexpr, rexpr }: Fields, environment: Environment): Value {
  const given = combine([tracer.value(lexpr, environment), tracer.value(rexpr, environment)]);
  return tracer.readsProtected(readLast(name) ?? '') ? combine([given, unknown]) : given;
}

/** The parser omits the location 0. */
export function readPlace(location: unknown): number {
  return typeof location === 'number' ? location : 0;
}
