import type { Capabilities } from './audit/capabilities.ts';
import type { CatalogRun } from './engine.ts';

/**
 * All names in these answers are as one has to write them in a statement: quoted where the engine needs it, and with the schema
 * where they would not be found without.
 */
export interface DatabaseSummary {
  name: string;
  /** The one this connection is in. */
  current: boolean;
  /** Undefined where the engine does not tell, or only at the price of reading everything. */
  bytes: number | undefined;
  comment: string | undefined;
}

/** A relation as `list_tables` shows it. */
export interface TableSummary {
  name: string;
  /** `table`, `view`, `materialized view`, `foreign table`, `partitioned table (12)`, … */
  kind: string;
  /** The engine's estimate; undefined when it has none. */
  rows: number | undefined;
  bytes: number | undefined;
  comment: string | undefined;
  /** What the account may not do with it; undefined when it may read it all. */
  rights: string | undefined;
}

export interface ColumnDetails {
  name: string;
  type: string;
  nullable: boolean;
  default: string | undefined;
  /** What the engine fills in by itself: `identity`, `auto_increment`, `generated stored (a + b)`. */
  filled: string | undefined;
  comment: string | undefined;
}

export interface KeyDetails {
  /** `PK`, `UNIQUE`, or with more to it: `UNIQUE NULLS NOT DISTINCT`. */
  word: string;
  columns: readonly string[];
}

export interface ReferenceDetails {
  columns: readonly string[];
  table: string;
  targets: readonly string[];
  /** `ON DELETE CASCADE`; empty when there is nothing to say. */
  action: string;
}

export interface CheckDetails {
  /** Of one column only, so that it can stand in its line. */
  column: string | undefined;
  definition: string;
}

/** A list of which the engine was asked for the first ones only. */
export interface Bounded<T> {
  shown: readonly T[];
  total: number;
}

export interface TableDetails extends TableSummary {
  /** As the caller wrote it. */
  asked: string;
  /** Others of the same name, in other schemas. */
  alsoIn: readonly string[];
  columns: readonly ColumnDetails[];
  keys: readonly KeyDetails[];
  references: readonly ReferenceDetails[];
  /** The other way: `table` and `columns` are those that point here, `targets` ours. */
  referencedBy: Bounded<ReferenceDetails>;
  checks: readonly CheckDetails[];
  /** Name and the rest of its definition; those behind a key are left out. */
  indexes: readonly { name: string; definition: string }[];
  /** Lines that have no better place: how it is partitioned, of what it is a partition, where it is stored. */
  notes: readonly string[];
  partitions: Bounded<string>;
  /** A view's statement, when it was asked for. */
  definition: string | undefined;
}

export interface Description {
  /** In the order asked for. */
  tables: readonly TableDetails[];
  /** Enums and domains of their columns, as one line each. */
  types: readonly { name: string; definition: string }[];
  /** As the caller wrote them. */
  missing: readonly string[];
}

export interface Page {
  limit: number;
  offset: number;
}

export interface TableFilter extends Page {
  schema?: string | undefined;
  /** Part of a name, or a pattern with `*` and `?`. With a dot in it, of the name with its schema. */
  pattern?: string | undefined;
}

export interface SearchFilter extends Page {
  /** A hit has all of them, in names or comments of relations, columns, types and routines. */
  words: readonly string[];
  schema?: string | undefined;
}

export interface SearchHit {
  /** `table`, `column`, `type`, `function`, … */
  kind: string;
  /** `orders`, `orders.customer_id`. */
  name: string;
  detail: string;
}

export interface DescribeRequest {
  /** As the caller wrote them, quoted or not, with or without schema. */
  names: readonly string[];
  schema?: string | undefined;
  /** Statements of views too. */
  definitions: boolean;
}

/**
 * What an engine knows of its schema. Every statement is bounded, and one more row than the page is asked for, so that the
 * caller can tell whether more follow.
 */
export interface SqlCatalog {
  listDatabases(run: CatalogRun, page: Page): Promise<DatabaseSummary[]>;
  listTables(run: CatalogRun, filter: TableFilter): Promise<TableSummary[]>;
  describeTables(run: CatalogRun, request: DescribeRequest): Promise<Description>;
  search(run: CatalogRun, filter: SearchFilter): Promise<SearchHit[]>;
  /** As they are, without quotes. */
  schemaNames(run: CatalogRun): Promise<string[]>;
  /** Names that exist, for offering the nearest ones after an unknown table; `nearest-tables.ts` compares them. */
  tableNames(run: CatalogRun): Promise<string[]>;
  /** Columns of these tables; without tables, of all, as far as they go. */
  columnNames(run: CatalogRun, tables: readonly string[]): Promise<string[]>;
  /** What the account could do beyond reading. Never throws for want of rights. */
  audit(run: CatalogRun): Promise<Capabilities>;
}

export interface PlanRequest {
  sql: string;
  /** Runs it too. */
  analyze: boolean;
  /** To be shown as it is, so as JSON where the engine has that. */
  raw: boolean;
}

/** How an engine explains a statement. */
export interface PlanReader {
  /** The statement that asks for the plan. Its answer may be more than one row of one cell; joined by newlines it is the plan. */
  statement(run: CatalogRun, request: PlanRequest): Promise<string>;
  /** Node, estimated and actual rows, time; what is slow and why. Of a plan that was not asked for as raw. */
  condense(answer: string): string;
}
