import { clean, combine, makeRow, merge, type NamedValue, unknown, type Value } from './value.ts';

/** An item of FROM, by the name that columns are qualified with. */
export interface Item {
  /** Undefined: it has none. */
  readonly name: string | undefined;
  /** Undefined: it has an alias, or is no relation. */
  readonly schema?: string | undefined;
  readonly columns: readonly NamedValue[];
  /** There may be columns that are not listed, with this value. */
  readonly others?: Value | undefined;
  /** An alias names its columns. The fields of its rows keep the names that they have in the table. */
  readonly isRenamed?: boolean;
  /** It has system columns. */
  readonly isRelation?: boolean;
}

/** What one element of FROM adds: a relation has one item, a join has those of both sides. */
export interface Element {
  readonly items: readonly Item[];
  /** As `*` lists them, with columns of USING merged. */
  readonly columns: readonly NamedValue[];
  /** There may be columns that are not listed, with this value. */
  readonly others?: Value | undefined;
  /** There may be more columns than `*` lists, never fewer. */
  readonly isAtLeast?: boolean;
  /** What decides how many rows there are, as the arguments of a function do; conditions are left out. */
  readonly rowCount?: Value | undefined;
}

/** A query of WITH. */
export interface Cte {
  readonly name: string;
  readonly rows: Rows;
  readonly outer: Cte | undefined;
}

/** The result of a query. */
export interface Rows {
  readonly columns: readonly NamedValue[];
  /** There may be columns that are not listed, at any place, with this value. */
  readonly others?: Value | undefined;
  /** What decides how many rows there are; conditions are left out. */
  readonly rowCount?: Value | undefined;
}

/** What names mean in one query, inside of those around it. */
export interface Environment {
  readonly elements: readonly Element[];
  /** What decides how many rows the frames of its named windows have. */
  readonly frames?: Value;
  readonly ctes: Cte | undefined;
  readonly outer: Environment | undefined;
}

export const nowhere: Environment = { elements: [], ctes: undefined, outer: undefined };

const systemColumns = new Set(['ctid', 'xmin', 'xmax', 'cmin', 'cmax', 'tableoid', 'oid']);

/** What decides how many rows a query reads. */
export function countRows(elements: readonly Pick<Element, 'rowCount'>[]): Value {
  return combine(elements.map(({ rowCount }) => rowCount ?? clean));
}

export function findCte(name: string, ctes: Cte | undefined): Cte | undefined {
  for (let cte = ctes; cte !== undefined; cte = cte.outer) if (cte.name === name) return cte;
  return undefined;
}

/** `name`: a column, or else a row. What may be a column of an inner query counts as well. */
export function findColumn(name: string, environment: Environment): Value {
  const maybe: Value[] = [];
  for (const { elements } of listLevels(environment)) {
    const found = findNamed(
      name,
      elements.flatMap(({ columns }) => columns),
    );
    if (found !== undefined) return withMaybe(found, maybe);
    if (systemColumns.has(name) && elements.some(({ items }) => items.some(({ isRelation }) => isRelation)))
      return withMaybe(clean, maybe);
    maybe.push(...elements.flatMap(listLoose));
  }
  const item = findItem(name, undefined, environment);
  if (item !== undefined) return withMaybe(readRow(item), maybe);
  return maybe.length === 0 ? unknown : combine(maybe);
}

/** `item.name`; undefined if there is no such item. */
export function findField(item: Item, name: string): Value | undefined {
  const found = findNamed(name, item.columns);
  if (found !== undefined) return found;
  if (systemColumns.has(name) && item.isRelation) return clean;
  return undefined;
}

/** The value of a column that may be an unlisted one, or a function of the row. */
export function readRow({ columns, others, isRenamed }: Item): Value {
  if (others === undefined && isRenamed !== true) return makeRow(columns);
  return combine([...columns.map(({ value }) => value), others ?? clean]);
}

export function findItem(name: string, schema: string | undefined, environment: Environment): Item | undefined {
  for (const { elements } of listLevels(environment)) {
    const found = elements
      .flatMap(({ items }) => items)
      .filter((item) => item.name === name && (schema === undefined || item.schema === schema));
    // Two relations of one name in different schemas: a name without a schema is ambiguous.
    if (found.length > 0) return found.length === 1 ? found[0] : { name, columns: [], others: combine(found.map(readRow)) };
  }
  return undefined;
}

function listLevels(environment: Environment): Environment[] {
  const levels: Environment[] = [];
  for (let level: Environment | undefined = environment; level !== undefined; level = level.outer) levels.push(level);
  return levels;
}

function findNamed(name: string, columns: readonly NamedValue[]): Value | undefined {
  const found = columns.filter((column) => column.name === name);
  return found.length > 1 ? merge(found.map(({ value }) => value)) : found[0]?.value;
}

/** Columns that have any name. */
function listLoose({ columns, others }: Element): readonly Value[] {
  const unnamed = columns.filter(({ name }) => name === undefined).map(({ value }) => value);
  return others === undefined ? unnamed : [...unnamed, others];
}

function withMaybe(found: Value, maybe: readonly Value[]): Value {
  return maybe.length === 0 ? found : combine([found, ...maybe]);
}
