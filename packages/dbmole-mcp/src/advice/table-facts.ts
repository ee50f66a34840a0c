import type { TableName } from './statement-shape.ts';

/** What an engine's catalog says of a table that a statement reads. */
export interface TableFacts {
  /** The same for every spelling of its name. */
  id: string;
  /** The name as a statement has to write it. */
  label: string;
  /** The engine's estimate. */
  rows: number;
  bytes: number;
  /** The keys are the names in the catalog. */
  columns: ReadonlyMap<string, ColumnFacts>;
  indexes: readonly IndexFacts[];
  /** Held exclusively by another session, or about to be: to explain a statement over it would wait. */
  isLocked: boolean;
  /** Its partitions are tables of their own. */
  isPartitioned: boolean;
}

export interface ColumnFacts {
  /** The name as a statement has to write it. */
  label: string;
  /** The type as a definition has it. */
  type: string;
  /** Undefined for what is no text, and where the engine does not compare by it. */
  collation: string | undefined;
  isNullable: boolean;
  /** Different values, as far as statistics tell. */
  distinct: number | undefined;
  /** One of them, as text. */
  sample: string | undefined;
  /** Bytes of a value on average. */
  width: number;
  /** `plain` can be ordered. `document` has operators that look inside it; `other` is not indexed by us. */
  kind: 'plain' | 'document' | 'other';
  /** What a key needs so that LIKE can use its beginning: an operator class, or nothing. */
  prefixClass: string;
}

export interface IndexFacts {
  label: string;
  /** Columns and expressions as the engine writes them. */
  keys: readonly string[];
  included: readonly string[];
  unique: boolean;
  /** It holds the whole table in order. */
  isOrdered: boolean;
}

/** One entry for each name, in the same order; undefined where it is no table that an index can be created on. */
export type FindTables = (names: readonly TableName[]) => Promise<readonly (TableFacts | undefined)[]>;

/** Rows of a table from which an index is worth its upkeep. */
export const minRows = 10_000;
