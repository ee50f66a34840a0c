/**
 * What a statement asks of its tables, in no engine's words. Names are as the catalog has them, without quotes; which table a column
 * belongs to is known only when the catalog was asked.
 */
export interface StatementShape {
  levels: readonly Level[];
  /** One entry for each placeholder, in their order: what its value is compared with; undefined where that is not known. */
  params: readonly (ParamUse | undefined)[];
}

/** `count`: the number of a LIMIT. */
export type ParamUse = 'count' | { level: number; column: ColumnName; isList: boolean };

/** One SELECT with its FROM. */
export interface Level {
  /** The level around it, whose columns it can name: its place in the list. */
  parent: number | undefined;
  sources: readonly Source[];
  conditions: readonly Condition[];
  /** The arms of each OR, one condition each. */
  choices: readonly (readonly Condition[])[];
  joins: readonly Join[];
  order: readonly OrderKey[];
  hasLimit: boolean;
  /** Columns that are named anywhere in it; undefined where a star names all of a table. */
  used: readonly ColumnName[] | undefined;
}

export interface Source {
  alias: string;
  /** Undefined for a subquery, a query of WITH or a function. */
  table: TableName | undefined;
}

export interface TableName {
  schema: string | undefined;
  name: string;
}

export interface ColumnName {
  qualifier: string | undefined;
  name: string;
}

/** What an index would be made of: the column itself, or an expression over it. */
export interface KeyName extends ColumnName {
  expression?: Expression | undefined;
}

/** `function`: `lower(column)`. `member`: `column ->> 'key'`. */
export type Expression = { kind: 'function'; name: string } | { kind: 'member'; key: string };

/**
 * `equal`: one or a few values. `range`: open at one end. `interval`: closed at both. `prefix`: LIKE with a constant beginning. `infix`: LIKE with a wildcard in front.
 * `contains`: an operator of documents, arrays or full text.
 */
export interface Condition {
  kind: 'equal' | 'range' | 'interval' | 'prefix' | 'infix' | 'contains';
  key: KeyName;
}

/** An equality between columns, of this level or of one around it. The other side is undefined where it is more than a column. */
export interface Join {
  left: ColumnName;
  right: ColumnName | undefined;
}

export interface OrderKey {
  column: ColumnName;
  descending: boolean;
}
