import { getInner, readLast, readText } from '../tree/node-parts.ts';
import { asFields, asList, type Fields } from '../tree/walk.ts';
import { nameColumn } from './column-name.ts';
import { type Cte, countRows, type Element, type Environment, findItem, type Rows } from './environment.ts';
import { combineRows, traceFrame } from './trace-expression.ts';
import { renameColumns, traceFrom } from './trace-from.ts';
import type { Tracer } from './tracer.ts';
import { clean, combine, merge, type NamedValue, unknown, type Value } from './value.ts';

/** The columns of a result grow with each round of a recursive query, and there are only so many protected ones. */
const maxRounds = 50;

/** `outer` is what the query is inside of: names that its own FROM does not have are looked up there. */
export function traceQuery(tracer: Tracer, select: unknown, outer: Environment): Rows {
  tracer.step();
  const fields = readSelect(select);
  if (fields === undefined) return { columns: [], others: unknown };
  const ctes = addCtes(tracer, fields.withClause, outer);
  // Within a subquery of FROM, the elements are those that LATERAL sees.
  const outside: Environment = { elements: [], ctes, outer: outer.elements.length === 0 ? outer.outer : outer };
  const rows = traceBody(tracer, fields, outside);
  const limits = [fields.limitCount, fields.limitOffset];
  tracer.compare(limits, outside);
  return { ...rows, rowCount: combine([rows.rowCount ?? clean, tracer.value(limits, outside)]) };
}

function readSelect(select: unknown): Fields | undefined {
  const wrapper = asFields(select ?? {});
  if (wrapper.SelectStmt !== undefined) return asFields(wrapper.SelectStmt);
  return wrapper.op === undefined ? undefined : wrapper;
}

function traceBody(tracer: Tracer, fields: Fields, outside: Environment): Rows {
  if (fields.op !== undefined && fields.op !== 'SETOP_NONE') return traceSetOperation(tracer, fields, outside);
  if (fields.valuesLists !== undefined) return traceValues(tracer, fields.valuesLists, outside);
  return traceSelect(tracer, fields, outside);
}

function traceSelect(tracer: Tracer, fields: Fields, outside: Environment): Rows {
  const { fromClause, targetList, whereClause, groupClause, havingClause, windowClause, sortClause, distinctClause } = fields;
  const from: Environment = { ...outside, elements: traceFrom(tracer, fromClause, outside) };
  const frames = combine(asList(windowClause).map((window) => traceFrame(tracer, getInner(window), from)));
  const environment: Environment = { ...from, frames };
  const rows = traceTargets(tracer, targetList, environment);
  tracer.compare([whereClause, havingClause, windowClause], environment);
  const distinct = asList(distinctClause);
  for (const list of [groupClause, sortClause, distinct]) compareSorted(tracer, list, rows, environment);
  // An item without a name is DISTINCT itself.
  if (distinct.length > 0 && Object.keys(asFields(distinct[0])).length === 0)
    tracer.compareValues(rows.columns.map(({ value }) => value));
  const repeating = rows.columns.filter((_, i) => returnsSet(tracer, asList(targetList)[i])).map(({ value }) => value);
  return { ...rows, rowCount: combine([countRows(environment.elements), ...repeating]) };
}

/** Whether an expression of the select list has a function that returns several rows. */
function returnsSet(tracer: Tracer, node: unknown): boolean {
  if (typeof node !== 'object' || node === null) return false;
  return Object.entries(node).some(([key, inner]) => {
    if (key === 'SubLink') return false;
    return (key === 'FuncCall' && tracer.returnsSet(readLast(asFields(inner).funcname) ?? '')) || returnsSet(tracer, inner);
  });
}

/** A name may be one of the result, and a number its column. */
function compareSorted(tracer: Tracer, list: unknown, rows: Rows, environment: Environment): void {
  for (const item of asList(list)) {
    const sorted = asFields(item).SortBy === undefined ? item : asFields(asFields(item).SortBy).node;
    const { ColumnRef: reference, A_Const: constant } = asFields(sorted ?? {});
    const parts = reference === undefined ? [] : asList(asFields(reference).fields);
    const name = parts.length === 1 ? readText(parts[0]) : undefined;
    const number = constant === undefined ? undefined : asFields(asFields(constant).ival ?? {}).ival;
    const named = rows.columns.filter((column, i) => (name !== undefined && column.name === name) || i + 1 === number);
    if (named.length > 0) tracer.compareValues(named.map(({ value }) => value));
    else if (constant === undefined) tracer.compare(sorted, environment);
  }
}

/** A select list, or that of RETURNING. */
export function traceTargets(tracer: Tracer, targets: unknown, environment: Environment): Rows {
  const columns: NamedValue[] = [];
  const others: Value[] = [];
  for (const target of asList(targets)) {
    const fields = getInner(target);
    const star = expandStar(tracer, fields.val, environment);
    if (star === undefined) columns.push({ name: nameColumn(fields), value: tracer.value(fields.val, environment) });
    else {
      columns.push(...star.columns);
      if (star.others !== undefined) others.push(star.others);
    }
  }
  return { columns, ...(others.length > 0 && { others: combine(others) }) };
}

/** `*`, `item.*` and `(row).*`; undefined for anything else. */
function expandStar(tracer: Tracer, node: unknown, environment: Environment): Rows | undefined {
  const { ColumnRef: reference, A_Indirection: indirection } = asFields(node ?? {});
  if (reference !== undefined) return expandReference(asList(asFields(reference).fields), environment);
  if (indirection === undefined) return undefined;
  const { arg, indirection: steps } = asFields(indirection);
  const last = asList(steps).at(-1);
  if (asFields(last ?? {}).A_Star === undefined) return undefined;
  const inner = asList(steps).slice(0, -1);
  const row = tracer.value(inner.length === 0 ? arg : { A_Indirection: { arg, indirection: inner } }, environment);
  return row.row === undefined ? { columns: [], others: combine([row]) } : { columns: row.row };
}

function expandReference(parts: readonly unknown[], environment: Environment): Rows | undefined {
  if (readLast(parts) !== undefined) return undefined;
  if (parts.length === 1) return listAll(environment.elements);
  const [first, second] = parts.map(readText);
  const item = parts.length === 2 ? findItem(first ?? '', undefined, environment) : findItem(second ?? '', first, environment);
  if (item === undefined || parts.length > 3) return { columns: [], others: unknown };
  const element = environment.elements.find(({ items }) => items.includes(item));
  return listAll([{ ...item, items: [], ...(element?.items.length === 1 && { isAtLeast: element.isAtLeast === true }) }]);
}

/** Where at least one column is listed, the number of all tells whether there are more. */
function listAll(elements: readonly Element[]): Rows {
  const others = elements.flatMap(({ others: unlisted, isAtLeast }) =>
    unlisted === undefined || isAtLeast === true ? [] : unlisted,
  );
  return { columns: elements.flatMap(({ columns }) => columns), ...(others.length > 0 && { others: combine(others) }) };
}

function traceValues(tracer: Tracer, lists: unknown, environment: Environment): Rows {
  const rows = asList(lists).map((list) => asList(getInner(list).items).map((item) => tracer.value(item, environment)));
  const width = Math.max(0, ...rows.map((row) => row.length));
  const columns = Array.from({ length: width }, (_, i) => ({
    name: `column${i + 1}`,
    value: merge(rows.map((row) => row[i] ?? clean)),
  }));
  return { columns };
}

function traceSetOperation(tracer: Tracer, { op, all, larg, rarg, sortClause }: Fields, outside: Environment): Rows {
  const inside: Environment = { elements: [], ctes: outside.ctes, outer: outside.outer };
  const [left, right] = [tracer.query(larg, inside), tracer.query(rarg, inside)];
  const rows = op === 'SETOP_EXCEPT' ? left : mergeRows(left, right);
  if (all !== true || op !== 'SETOP_UNION') tracer.compareValues(mergeRows(left, right).columns.map(({ value }) => value));
  compareSorted(tracer, sortClause, rows, outside);
  return rows;
}

/** Each column is one of the left or the right. */
function mergeRows(left: Rows, right: Rows): Rows {
  const others = [left, right].flatMap((rows) => rows.others ?? []);
  const rowCount = countRows([left, right]);
  if (others.length > 0) {
    const everything = combine([combineRows(left), combineRows(right)]);
    return { columns: left.columns.map(({ name }) => ({ name, value: everything })), others: everything, rowCount };
  }
  const columns = left.columns.map(({ name, value }, i) => ({ name, value: merge([value, right.columns[i]?.value ?? unknown]) }));
  return { columns, rowCount };
}

/** Each query of WITH sees the ones before it, of WITH RECURSIVE itself and all. */
export function addCtes(tracer: Tracer, withClause: unknown, { ctes, ...outer }: Environment): Cte | undefined {
  if (withClause === undefined) return ctes;
  const { ctes: list, recursive } = asFields(withClause);
  // What a query reads of a later one is not followed.
  const later = recursive === true ? asList(list).map((item) => String(getInner(item).ctename)) : [];
  let seen = later.reduce<Cte | undefined>((all, name) => ({ name, rows: { columns: [], others: unknown }, outer: all }), ctes);
  for (const item of asList(list)) {
    const fields = getInner(item);
    const name = String(fields.ctename);
    seen = { name, rows: traceCte(tracer, fields, { ...outer, elements: [], ctes: seen }, recursive === true), outer: seen };
  }
  return seen;
}

function traceCte(tracer: Tracer, fields: Fields, environment: Environment, isRecursive: boolean): Rows {
  const name = String(fields.ctename);
  const select = readSelect(fields.ctequery);
  if (select === undefined)
    return finish(fields, tracer.change?.(fields.ctequery, environment) ?? { columns: [], others: unknown });
  if (!isRecursive || select.op !== 'SETOP_UNION') return finish(fields, tracer.query(fields.ctequery, environment));
  // What the first query gives goes into the second one, and what that gives into it again.
  const bottom = finish(fields, tracer.query(select.larg, environment));
  for (let known = bottom, round = 0; round < maxRounds; round++) {
    const ctes = { name, rows: known, outer: environment.ctes };
    const found = mergeRows(known, finish(fields, tracer.query(fields.ctequery, { ...environment, ctes })));
    if (isSame(known, found)) return found;
    known = found;
  }
  return { columns: [], others: unknown };
}

/** With the names that WITH gives, and the columns that SEARCH and CYCLE add. */
function finish({ aliascolnames, search_clause: search, cycle_clause: cycle }: Fields, rows: Rows): Rows {
  const columns = renameColumns(rows, aliascolnames);
  const everything = combineRows({ ...rows, columns });
  const added: NamedValue[] = [];
  if (search !== undefined) added.push({ name: String(asFields(search).search_seq_column), value: everything });
  if (cycle !== undefined) {
    added.push({ name: String(asFields(cycle).cycle_mark_column), value: clean });
    added.push({ name: String(asFields(cycle).cycle_path_column), value: everything });
  }
  const fresh = added.filter(({ name }) => !columns.some((column) => column.name === name));
  return { ...rows, columns: [...columns, ...fresh] };
}

function isSame(one: Rows, other: Rows): boolean {
  return one.columns.length === other.columns.length && toKey(one) === toKey(other);
}

function toKey({ columns, others, rowCount }: Rows): string {
  const all = [...columns.map(({ value }) => value), others ?? clean, rowCount ?? clean];
  return all
    .map(
      ({ sources, isPlain, isUnknown }) =>
        `${sources
          .map(({ label }) => label)
          .toSorted()
          .join('+')}/${isPlain}/${isUnknown}`,
    )
    .join(';');
}
