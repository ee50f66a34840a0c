import { getInner } from '../../tree/node-parts.ts';
import { asFields, asList, type Fields } from '../../tree/walk.ts';
import type { Element, Environment, Item, Rows } from '../environment.ts';
import { combineRows } from '../trace-expression.ts';
import { traceFrom } from '../trace-from.ts';
import { addCtes, traceTargets } from '../trace-query.ts';
import type { Tracer } from '../tracer.ts';
import { combine, type NamedValue, unknown, type Value } from '../value.ts';

/** Throws if the values may not be copied to a column with this value. */
export type Assign = (column: NamedValue, given: Value) => void;

interface Change {
  readonly tracer: Tracer;
  readonly fields: Fields;
  readonly assign: Assign;
  /** The environment of the statement, without its own relations. */
  readonly outside: Environment;
  readonly target: Element;
}

const kinds: ReadonlyMap<string, (change: Change) => Rows> = new Map([
  ['InsertStmt', traceInsert],
  ['UpdateStmt', traceUpdate],
  ['DeleteStmt', traceDelete],
  ['MergeStmt', traceMerge],
]);

/** What a statement that changes rows returns. */
export function traceChange(
  tracer: Tracer,
  { statement, outer }: { statement: unknown; outer: Environment },
  assign: Assign,
): Rows {
  const [kind = ''] = Object.keys(asFields(statement));
  const trace = kinds.get(kind);
  if (trace === undefined) return { columns: [], others: unknown };
  const fields = getInner(statement);
  const outside: Environment = { elements: [], ctes: addCtes(tracer, fields.withClause, outer), outer: outer.outer };
  const [target = { items: [], columns: [] }] = traceFrom(tracer, [{ RangeVar: { ...asFields(fields.relation) } }], {
    ...outside,
    ctes: undefined,
  });
  return trace({ tracer, fields, assign, outside, target });
}

function traceInsert({ tracer, fields, assign, outside, target }: Change): Rows {
  const { cols, selectStmt, onConflictClause, returningClause } = fields;
  const columns = pickColumns(target, cols);
  if (selectStmt !== undefined) assignRows(columns, tracer.query(selectStmt, outside), assign);
  if (onConflictClause !== undefined) {
    const { targetList, whereClause } = asFields(onConflictClause);
    const excluded: Element = { items: [{ name: 'excluded', columns: target.columns }], columns: [] };
    const environment = { ...outside, elements: [target, excluded] };
    assignTargets({ tracer, target, assign }, targetList, environment);
    tracer.compare(whereClause, environment);
  }
  return traceReturning({ tracer, target, outside }, returningClause, [target]);
}

function traceUpdate({ tracer, fields, assign, outside, target }: Change): Rows {
  const { fromClause, targetList, whereClause, returningClause } = fields;
  const elements = [target, ...traceFrom(tracer, fromClause, outside)];
  const environment = { ...outside, elements };
  assignTargets({ tracer, target, assign }, targetList, environment);
  tracer.compare(whereClause, environment);
  return traceReturning({ tracer, target, outside }, returningClause, elements);
}

function traceDelete({ tracer, fields, outside, target }: Change): Rows {
  const { usingClause, whereClause, returningClause } = fields;
  const elements = [target, ...traceFrom(tracer, usingClause, outside)];
  tracer.compare(whereClause, { ...outside, elements });
  return traceReturning({ tracer, target, outside }, returningClause, elements);
}

function traceMerge({ tracer, fields, assign, outside, target }: Change): Rows {
  const { sourceRelation, joinCondition, mergeWhenClauses, returningClause } = fields;
  const elements = [...traceFrom(tracer, [sourceRelation], outside), target];
  const environment = { ...outside, elements };
  tracer.compare(joinCondition, environment);
  for (const clause of asList(mergeWhenClauses).map(getInner)) {
    tracer.compare(clause.condition, environment);
    if (clause.values === undefined) assignTargets({ tracer, target, assign }, clause.targetList, environment);
    else {
      const values = asList(clause.values).map((value) => tracer.value(value, environment));
      for (const [i, column] of pickColumns(target, clause.targetList).entries()) assign(column, values[i] ?? unknown);
    }
  }
  return traceReturning({ tracer, target, outside }, returningClause, elements);
}

/** The named columns of the target, or all. */
function pickColumns({ columns }: Element, named: unknown): readonly NamedValue[] {
  const names = asList(named).map((column) => getInner(column).name);
  return names.length === 0 ? columns : names.map((name) => findColumn(columns, name));
}

function findColumn(columns: readonly NamedValue[], name: unknown): NamedValue {
  return columns.find((column) => column.name === name) ?? { name: String(name), value: combine([]) };
}

function assignRows(columns: readonly NamedValue[], rows: Rows, assign: Assign): void {
  const all = rows.others === undefined ? undefined : combineRows(rows);
  for (const [i, column] of columns.entries()) {
    const value = all ?? rows.columns[i]?.value;
    // Columns without a value get their default.
    if (value !== undefined) assign(column, value);
  }
}

function assignTargets(
  { tracer, target, assign }: Pick<Change, 'tracer' | 'target' | 'assign'>,
  list: unknown,
  environment: Environment,
) {
  for (const { name, val } of asList(list).map(getInner))
    assign(findColumn(target.columns, name), readAssigned(tracer, val, environment));
}

/** `(a, b) = (select …)` or `(a, b) = (1, 2)`. */
function readAssigned(tracer: Tracer, val: unknown, environment: Environment): Value {
  const { MultiAssignRef: several } = asFields(val ?? {});
  if (several === undefined) return tracer.value(val, environment);
  const { source, colno } = asFields(several);
  const place = Number(colno) - 1;
  const { SubLink: query, RowExpr: row } = asFields(source);
  if (row !== undefined) return tracer.value(asList(asFields(row).args)[place], environment);
  if (query === undefined) return tracer.value(source, environment);
  const rows = tracer.query(asFields(query).subselect, environment);
  return rows.others === undefined ? (rows.columns[place]?.value ?? unknown) : combineRows(rows);
}

/** The row before and after the change has names as well, which `*` does not list. */
function traceReturning(
  { tracer, target, outside }: Pick<Change, 'tracer' | 'target' | 'outside'>,
  clause: unknown,
  elements: readonly Element[],
): Rows {
  if (clause === undefined) return { columns: [] };
  const { exprs, options } = asFields(clause);
  const given = asList(options).map(getInner);
  const names = ['OLD', 'NEW'].map(
    (which) => given.find(({ option }) => option === `RETURNING_OPTION_${which}`)?.value ?? which.toLowerCase(),
  );
  const items = names.map((name): Item => ({ name: String(name), columns: target.columns, isRelation: true }));
  return traceTargets(tracer, exprs, { ...outside, elements: [...elements, { items, columns: [] }] });
}
