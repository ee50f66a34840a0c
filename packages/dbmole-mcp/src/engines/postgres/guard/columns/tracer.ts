import type { Element, Environment, Rows } from './environment.ts';
import type { Value } from './value.ts';

/** What the columns of a function in FROM are called; undefined: like the function. `any`: at least one column. */
export type FunctionShape = readonly (string | undefined)[] | 'record' | 'any';

/** Follows values through one statement, or through the query of a view. The parts of it call each other through this. */
export interface Tracer {
  /** The result of a query. */
  query(select: unknown, outer: Environment): Rows;
  /** The value of an expression. */
  value(node: unknown, environment: Environment): Value;
  /** A condition or an order. It shows nothing, but `strict` forbids it over protected columns. */
  compare(node: unknown, environment: Environment): void;
  /** Values that are compared without an expression, as by DISTINCT. */
  compareValues(values: readonly Value[]): void;
  /** Called for each column that is named. */
  use(value: Value, location: unknown): void;
  /** Whether a function of this name may store in this statement what it is given. */
  mayStore(name: string): boolean;
  /** Called for what a function is given that stores or sends it. */
  send(value: Value, name: string): void;
  relation(schema: string | undefined, name: string): Element;
  /** Undefined: no function has this name, or several have it, with different columns. */
  shape(name: string): FunctionShape | undefined;
  /** Whether a function, operator or type of this name can run code that reads protected columns. */
  readsProtected(name: string): boolean;
  /** No user has made a function of this name. */
  isBuiltin(name: string): boolean;
  /** It may be an aggregate or a window function, whose result can tell how many rows there are. */
  isAggregate(name: string): boolean;
  /** It may return several rows. */
  returnsSet(name: string): boolean;
  /** Any expression may run such code. */
  readonly isEverywhere: boolean;
  /** What a CTE returns that changes rows; undefined in a read. */
  readonly change: ((statement: unknown, environment: Environment) => Rows) | undefined;
  /** Throws when the statement takes too long to follow. */
  step(): void;
}

/** The statement is too complex to be followed. */
export class Untraceable extends Error {}
