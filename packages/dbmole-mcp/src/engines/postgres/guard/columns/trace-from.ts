import { getInner, readLast, readText } from '../tree/node-parts.ts';
import { asFields, asList, type Fields } from '../tree/walk.ts';
import { countRows, type Element, type Environment, findCte, type Item, type Rows } from './environment.ts';
import { combineRows } from './trace-expression.ts';
import type { FunctionShape, Tracer } from './tracer.ts';
import { combine, merge, type NamedValue, unknown, type Value } from './value.ts';

/** The query around FROM, and what is to the left of an item, which LATERAL sees. */
type TraceItem = (tracer: Tracer, fields: Fields, outside: Environment, left: readonly Element[]) => Element;

const kinds: ReadonlyMap<string, TraceItem> = new Map<string, TraceItem>([
  ['RangeVar', traceRelation],
  ['RangeSubselect', traceSubselect],
  ['RangeFunction', traceFunctions],
  ['JoinExpr', traceJoin],
  ['RangeTableSample', traceSample],
  ['RangeTableFunc', traceXmlTable],
  ['JsonTable', traceJsonTable],
]);

/** `outside` is the environment of the query, without its own FROM. */
export function traceFrom(tracer: Tracer, list: unknown, outside: Environment): readonly Element[] {
  const elements: Element[] = [];
  for (const item of asList(list)) elements.push(traceItem(tracer, item, outside, elements));
  return elements;
}

function traceItem(tracer: Tracer, item: unknown, outside: Environment, left: readonly Element[]): Element {
  tracer.step();
  const [kind = ''] = Object.keys(asFields(item));
  const trace = kinds.get(kind);
  return trace === undefined ? { items: [], columns: [], others: unknown } : trace(tracer, getInner(item), outside, left);
}

function see(left: readonly Element[], outside: Environment): Environment {
  return { ...outside, elements: left };
}

function traceRelation(tracer: Tracer, { schemaname, relname, alias }: Fields, { ctes }: Environment): Element {
  const name = String(relname);
  const schema = typeof schemaname === 'string' ? schemaname : undefined;
  const cte = schema === undefined ? findCte(name, ctes) : undefined;
  const element = cte === undefined ? tracer.relation(schema, name) : nameRows(cte.rows, name);
  return alias === undefined ? element : rename(element, alias);
}

/** The columns as those of one item. */
function nameRows({ columns, others, rowCount }: Rows, name: string | undefined): Element {
  const unlisted = others === undefined ? {} : { others };
  return { items: [{ name, columns, ...unlisted }], columns, rowCount, ...unlisted };
}

/** Where columns are missing from the list, it is not known which of them the alias names. */
function rename({ columns, others, isAtLeast, items, rowCount }: Element, alias: unknown): Element {
  const { aliasname, colnames } = asFields(alias);
  const renamed = renameColumns({ columns, others }, colnames);
  const isRelation = items.length === 1 && items[0]?.isRelation === true;
  const unlisted = others === undefined ? {} : { others };
  const isRenamed = colnames !== undefined;
  const item: Item = { name: String(aliasname), columns: renamed, isRenamed, isRelation, ...unlisted };
  return { items: [item], columns: renamed, rowCount, ...unlisted, ...(isAtLeast === true && { isAtLeast }) };
}

export function renameColumns({ columns, others }: Rows, colnames: unknown): readonly NamedValue[] {
  const names = asList(colnames).map(readText);
  if (others === undefined) return columns.map(({ name, value }, i) => ({ name: names[i] ?? name, value }));
  if (names.length === 0) return columns;
  const everything = combineRows({ columns, others });
  return Array.from({ length: Math.max(names.length, columns.length) }, (_, i) => ({ name: names[i], value: everything }));
}

function traceSubselect(
  tracer: Tracer,
  { lateral, subquery, alias }: Fields,
  outside: Environment,
  left: readonly Element[],
): Element {
  const rows = tracer.query(subquery, lateral === true ? see(left, outside) : { ...outside, elements: [] });
  const element = nameRows(rows, undefined);
  return alias === undefined ? element : rename(element, alias);
}

function traceSample(
  tracer: Tracer,
  { relation, args, repeatable }: Fields,
  outside: Environment,
  left: readonly Element[],
): Element {
  tracer.compare([args, repeatable], see(left, outside));
  return traceItem(tracer, relation, outside, left);
}

/** Functions see the items before them, as if LATERAL was written. */
function traceFunctions(tracer: Tracer, fields: Fields, outside: Environment, left: readonly Element[]): Element {
  const { functions, ordinality, alias, coldeflist } = fields;
  const parts = asList(functions).map((item) => {
    const [call, definitions] = asList(asFields(asFields(item).List).items);
    const ofCall = Object.keys(asFields(definitions ?? {})).length === 0 ? [] : asFields(asFields(definitions).List ?? {}).items;
    const defined = asList(coldeflist ?? ofCall).map((one) => String(getInner(one).colname));
    return traceFunction(tracer, { call, defined, alias }, see(left, outside));
  });
  const rowCount = countRows(parts);
  const numbers = ordinality === true ? [{ name: 'ordinality', value: rowCount }] : [];
  const columns = [...parts.flatMap((part) => part.columns), ...numbers];
  const others = parts.flatMap((part) => part.others ?? []);
  const isAtLeast = parts.every((part) => part.others === undefined || part.isAtLeast === true);
  const element: Element = { items: [], columns, rowCount, ...(others.length > 0 && { others: combine(others), isAtLeast }) };
  const name = alias === undefined ? readCallName(asList(asFields(asFields(asList(functions)[0]).List).items)[0]) : undefined;
  if (alias !== undefined) return rename(element, alias);
  const { others: unlisted } = element;
  return { ...element, items: [{ name, columns, ...(unlisted !== undefined && { others: unlisted }) }] };
}

interface FunctionCall {
  call: unknown;
  /** The names of a column definition list. */
  defined: readonly string[];
  alias: unknown;
}

function traceFunction(tracer: Tracer, { call, defined, alias }: FunctionCall, environment: Environment): Omit<Element, 'items'> {
  const value = asColumn(tracer.value(call, environment));
  return { ...nameFunction(tracer, { call, defined, alias }, value), rowCount: value };
}

function nameFunction(tracer: Tracer, { call, defined, alias }: FunctionCall, value: Value): Omit<Element, 'items'> {
  if (defined.length > 0) return { columns: defined.map((name) => ({ name, value })) };
  const name = readCallName(call);
  const own = alias === undefined ? name : String(asFields(alias).aliasname);
  const shape = name === undefined ? 'any' : findShape(tracer, name, call);
  if (shape === undefined || shape === 'record') return { columns: [], others: value };
  if (shape === 'any') return { columns: [{ name: own, value }], others: value, isAtLeast: true };
  return { columns: shape.map((column) => ({ name: column ?? own, value })) };
}

/** `unnest` with several arrays has a column for each. */
function findShape(tracer: Tracer, name: string, call: unknown): FunctionShape | undefined {
  const args = asList(getInner(call).args);
  if (name === 'unnest' && tracer.isBuiltin(name)) return args.length > 1 ? undefined : 'any';
  return tracer.shape(name);
}

/** A value of a row is not a value of the column itself. */
function asColumn(value: Value): Value {
  return combine([value]);
}

function readCallName(call: unknown): string | undefined {
  const { FuncCall: found } = asFields(call ?? {});
  return found === undefined ? undefined : readLast(asFields(found).funcname);
}

function traceXmlTable(tracer: Tracer, fields: Fields, outside: Environment, left: readonly Element[]): Element {
  const { docexpr, rowexpr, namespaces, columns, alias } = fields;
  const environment = see(left, outside);
  const parts = asList(columns).map(getInner);
  const paths = parts.flatMap(({ colexpr, coldefexpr }) => [colexpr, coldefexpr]);
  const value = asColumn(tracer.value([docexpr, rowexpr, namespaces, paths], environment));
  const named = parts.map(({ colname }) => ({ name: String(colname), value }));
  return nameTable({ columns: named, rowCount: value }, alias, 'xmltable');
}

function traceJsonTable(tracer: Tracer, fields: Fields, outside: Environment, left: readonly Element[]): Element {
  const { context_item: item, passing, columns, alias } = fields;
  const value = asColumn(tracer.value([item, passing, columns], see(left, outside)));
  return nameTable({ columns: listJsonColumns(columns, value), rowCount: value }, alias, 'json_table');
}

function listJsonColumns(columns: unknown, value: Value): readonly NamedValue[] {
  return asList(columns)
    .map(getInner)
    .flatMap(({ coltype, name, columns: nested }) => {
      return coltype === 'JTC_NESTED' ? listJsonColumns(nested, value) : { name: String(name), value };
    });
}

function nameTable(rows: Rows, alias: unknown, name: string): Element {
  const element = nameRows(rows, name);
  return alias === undefined ? element : rename(element, alias);
}

function traceJoin(tracer: Tracer, fields: Fields, outside: Environment, before: readonly Element[]): Element {
  const { larg, rarg, quals, alias, join_using_alias: usingAlias } = fields;
  const left = traceItem(tracer, larg, outside, before);
  const right = traceItem(tracer, rarg, outside, [...before, left]);
  const names = listMerged(fields, left, right);
  const merged = names.map((name) => ({ name, value: mergeSides(fields.jointype, pick(left, name), pick(right, name)) }));
  tracer.compareValues(merged.map(({ value }) => value));
  const rest = [left, right].flatMap(({ columns }) =>
    columns.filter((column) => column.name === undefined || !names.includes(column.name)),
  );
  const unlisted = listUnlisted(fields, left, right);
  const aliased: readonly Item[] =
    usingAlias === undefined ? [] : [{ name: String(asFields(usingAlias).aliasname), columns: merged }];
  const joined: Element = {
    items: [...left.items, ...right.items, ...aliased],
    columns: [...merged, ...rest],
    rowCount: countRows([left, right]),
    ...unlisted,
  };
  tracer.compare(quals, see([left, right], outside));
  return alias === undefined ? joined : rename({ ...joined, items: [] }, alias);
}

/** An outer join shows the column of its outer side, others either of both. */
function mergeSides(type: unknown, left: Value, right: Value): Value {
  if (type === 'JOIN_LEFT') return left;
  return type === 'JOIN_RIGHT' ? right : merge([left, right]);
}

/** Which columns NATURAL merges is not known where some have no name. */
function listUnlisted(fields: Fields, left: Element, right: Element): Pick<Element, 'others' | 'isAtLeast'> {
  const sides = [left, right];
  const all = sides.flatMap(({ columns }) => columns);
  const others = sides.flatMap((side) => side.others ?? []);
  if (isNatural(fields) && (others.length > 0 || all.some(({ name }) => name === undefined)))
    return { others: combineRows({ columns: all, others: combine(others) }) };
  if (others.length === 0) return {};
  return { others: combine(others), isAtLeast: sides.every((side) => side.others === undefined || side.isAtLeast === true) };
}

function isNatural({ isNatural: is }: Fields): boolean {
  return is === true;
}

function listMerged(fields: Fields, left: Element, right: Element): readonly string[] {
  if (!isNatural(fields)) return asList(fields.usingClause).map((name) => readText(name) ?? '');
  const names = new Set(right.columns.map(({ name }) => name));
  return left.columns.flatMap(({ name }) => (name !== undefined && names.has(name) ? name : []));
}

function pick({ columns, others }: Element, name: string): Value {
  const found = columns.filter((column) => column.name === name);
  if (found.length > 0) return merge(found.map(({ value }) => value));
  return others ?? combineRows({ columns });
}
