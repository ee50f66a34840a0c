import type { Capabilities } from '../audit/capabilities.ts';
import type { Forecaster } from '../cost/forecast.ts';
import type { DdlReader } from '../ddl/ddl-report.ts';
import type { Diagnosis } from '../diagnosis/diagnosis.ts';
import type { CatalogRun } from '../engine.ts';
import type { PlanTree } from '../plan/plan-tree.ts';
import type { UnlikeJoin } from '../plan/unlike-joins.ts';

/**
 * All names in these answers are as one has to write them in a statement: quoted where the engine needs it, and with the schema
 * where they would not be found without.
 */
export interface DatabaseSummary {
  name: string;
  /** The one this connection is in. */
  current: boolean;
  /** Undefined where the engine does not know it, or only after reading everything. */
  bytes: number | undefined;
  comment: string | undefined;
}

/** Where a relation is, without quotes, and its name in statements. */
export interface RelationName {
  schema: string;
  name: string;
  label: string;
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

/** A relation in a list, with what a reader would ask next. */
export interface TableListing extends TableSummary {
  /** The columns of the primary key; empty for a table without one, undefined for what cannot have one. */
  primaryKey: readonly string[] | undefined;
  /** Undefined without row-level security and policies. */
  rowSecurity: { isOn: boolean; policies: number } | undefined;
  /** The number of foreign keys; undefined where finding them would open every table. */
  references: number | undefined;
  referencedBy: number | undefined;
}

export interface ColumnDetails {
  name: string;
  type: string;
  nullable: boolean;
  default: string | undefined;
  /** What the engine generates: `identity`, `auto_increment`, `generated stored (a + b)`. */
  filled: string | undefined;
  comment: string | undefined;
}

export interface KeyDetails {
  /** The name of the constraint, as in references and checks. */
  name: string;
  /** `PK`, `UNIQUE`, or with more to it: `UNIQUE NULLS NOT DISTINCT`. */
  word: string;
  columns: readonly string[];
}

export interface ReferenceDetails {
  name: string;
  columns: readonly string[];
  table: string;
  targets: readonly string[];
  /** `ON DELETE CASCADE`; empty when there is nothing to say. */
  action: string;
}

interface CheckDetails {
  name: string;
  /** The column of a constraint that has only one, which is shown in the column's line. */
  column: string | undefined;
  definition: string;
}

/** A list that is limited to the first entries. */
export interface Bounded<T> {
  shown: readonly T[];
  total: number;
}

export interface TableDetails extends TableSummary {
  /** The caller's spelling. */
  asked: string;
  /** Others of the same name, in other schemas. */
  alsoIn: readonly string[];
  columns: readonly ColumnDetails[];
  keys: readonly KeyDetails[];
  references: readonly ReferenceDetails[];
  /** The other way: `table` and `columns` are those that point here, `targets` ours. */
  referencedBy: Bounded<ReferenceDetails>;
  checks: readonly CheckDetails[];
  indexes: readonly IndexDetails[];
  policies: readonly PolicyDetails[];
  /** The definition begins after the name. */
  triggers: readonly { name: string; definition: string }[];
  /** Lines that have no better place: how it is partitioned, of what it is a partition, where it is stored. */
  notes: readonly string[];
  partitions: Bounded<string>;
  /** A view's statement; of a table only if it was requested and the engine has one. */
  definition: string | undefined;
}

export interface IndexDetails {
  name: string;
  /** The rest of its definition, without its size: `UNIQUE btree (lower(email))`. */
  definition: string;
  /** It belongs to a key, which is shown already. */
  isKey: boolean;
  /** Undefined where the engine or the rights of the account do not tell. */
  bytes: number | undefined;
  /** How often it was used since its statistics began. */
  uses: number | undefined;
}

export interface PolicyDetails {
  name: string;
  /** `FOR SELECT TO public USING (…)` */
  definition: string;
}

/** What the engine's own statistics say of a column; nothing is scanned for it. */
export interface ColumnStats {
  column: string;
  /** The share of NULL, 0 to 1. */
  nulls: number | undefined;
  distinct: number | undefined;
  /** The most common values, with their shares. */
  common: readonly (readonly [value: string, share: number])[];
  min: string | undefined;
  max: string | undefined;
}

export interface TableStats {
  /** The name of the table, as its description has it. */
  table: string;
  columns: readonly ColumnStats[];
  /** How old they are, or how to collect them. */
  note: string;
}

export interface Description {
  /** The tables in the requested order. */
  tables: readonly TableDetails[];
  /** Enums and domains of their columns, as one line each. */
  types: readonly { name: string; definition: string }[];
  /** The names in the caller's spelling. */
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
  kind?: TableKind | undefined;
  without?: Lack | undefined;
}

/** A kind includes those that are named after it: a table may be partitioned or foreign. */
export const tableKinds = ['table', 'view', 'partitioned table', 'foreign table', 'materialized view'] as const;
export type TableKind = (typeof tableKinds)[number];

/** What a table can be without. References count in both directions. */
export const lacks = ['primary_key', 'rows', 'references'] as const;
export type Lack = (typeof lacks)[number];

/** A foreign key with the table that has it. */
export type ForeignKey = Omit<ReferenceDetails, 'action'> & { from: string };

export interface SearchFilter extends Page {
  /** A hit has all of them, in names, comments or values of anything that has a name; a column is also found by the whole name of its type. */
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
  /** The names in the caller's spelling. */
  names: readonly string[];
  schema?: string | undefined;
  /** What is read beyond the usual: statements of tables, whole comments, uses of indexes. */
  parts?: readonly Part[] | undefined;
}

/** The parts of a description. */
export const tableParts = [
  'columns',
  'keys',
  'references',
  'indexes',
  'checks',
  'triggers',
  'policies',
  'definition',
  'stats',
  'sample',
] as const;
export type Part = (typeof tableParts)[number];

/** An object that is not a table, under a name that was requested as one. */
export interface OtherObject {
  /** The caller's spelling. */
  asked: string;
  /** `function`, `sequence`, `index`, … */
  kind: string;
  /** One line or several; undefined where the account may not see it. */
  definition: string | undefined;
}

/**
 * What an engine knows of its schema. Every statement is bounded, and one more row than the page is asked for, so that the
 * caller can tell whether more follow.
 */
export interface SqlCatalog {
  listDatabases(run: CatalogRun, page: Page): Promise<DatabaseSummary[]>;
  /** The total is that of all pages; it is unknown for a page beyond the last one. */
  listTables(run: CatalogRun, filter: TableFilter): Promise<Bounded<TableListing>>;
  describeTables(run: CatalogRun, request: DescribeRequest): Promise<Description>;
  /** Statistics in the order of the tables. */
  readStats(run: CatalogRun, tables: readonly TableDetails[]): Promise<TableStats[]>;
  /** Other objects under names that are not tables. */
  findOthers(run: CatalogRun, request: Pick<DescribeRequest, 'names' | 'schema'>): Promise<OtherObject[]>;
  search(run: CatalogRun, filter: SearchFilter): Promise<SearchHit[]>;
  /** All foreign keys. Fails where there are more than a catalog statement may read. */
  foreignKeys(run: CatalogRun): Promise<ForeignKey[]>;
  /** Names as they are, without quotes. */
  schemaNames(run: CatalogRun): Promise<string[]>;
  /** Every relation: as it is, and as a statement has to write it. */
  relations(run: CatalogRun): Promise<RelationName[]>;
  /** Names that exist, for offering the nearest ones after an unknown table; `nearest-tables.ts` compares them. */
  tableNames(run: CatalogRun): Promise<string[]>;
  /** Columns of these tables; without tables, of all, as far as they go. */
  columnNames(run: CatalogRun, tables: readonly string[]): Promise<string[]>;
  /** Functions that can be called by their name alone. Left out where the guard knows them. */
  functionNames?(run: CatalogRun): Promise<string[]>;
  /** What the account could do beyond reading. Never throws for lack of privileges. */
  audit(run: CatalogRun): Promise<Capabilities>;
  /** The module is loaded when it is first used. */
  diagnosis(): Promise<Diagnosis>;
}

interface PlanRequest {
  sql: string;
  /** Runs it too. */
  analyze: boolean;
  /** Shows the plan as it is: as JSON where the engine has that. */
  raw: boolean;
  /** With the schemas of tables, if the engine can say them. */
  namesSchemas?: boolean;
}

/** How an engine explains a statement. */
export interface PlanReader {
  /** The statement that asks for the plan. Its answer may be more than one row of one cell; joined by newlines it is the plan. */
  statement(run: CatalogRun, request: PlanRequest): Promise<string>;
  /** The first line of an answer with a plan, where the usual one is not true. */
  readonly line?: string;
  /** A condensed plan of `sql`. */
  parse(answer: string, sql: string): PlanTree;
  /** Comparisons of columns of unlike types in `sql`, whose plan this is. The module is loaded when it is first used. */
  findUnlikeJoins(run: CatalogRun, tree: PlanTree, sql: string): Promise<readonly UnlikeJoin[]>;
  /** Describes what a DDL statement would do. The module is loaded when it is first used. */
  ddl(): Promise<DdlReader>;
  /** Estimates reads before they run. The module is loaded where a policy limits them. */
  forecaster(): Promise<Forecaster>;
  /** The table of `sql` that the plan calls by this name. Left out where plans name tables by nothing else. */
  findTable?(name: string, sql: string): string;
}
