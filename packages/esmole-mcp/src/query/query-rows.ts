import { LeftOut } from '@dbmole/core';
import { isObject } from '../search/hit-table.ts';

/** The rows of an answer, in the form that all languages have in common. */
export interface QueryRows {
  readonly columns: readonly string[];
  readonly list: readonly (readonly unknown[])[];
  /** Columns without any value, which are left out. */
  readonly empty: readonly string[];
  /** The cluster sent more rows than were kept. */
  readonly isCut: boolean;
}

/** A table as the cluster sent it, as far as it was kept. */
export interface SentTable {
  readonly columns: readonly string[];
  readonly types: readonly string[];
  readonly list: readonly (readonly unknown[])[];
  readonly isCut: boolean;
}

/**
 * ES|QL has `columns` and `values`, SQL `columns` and `rows`, and the plugin of OpenSearch `schema` and `datarows`. Pages after the
 * first one have the columns of that one.
 */
export function readTable(json: unknown, first?: SentTable): SentTable | undefined {
  if (!isObject(json)) return undefined;
  const sent = json.columns ?? json.schema;
  const columns = listNames(sent) ?? first?.columns;
  const given = json.values ?? json.rows ?? json.datarows;
  if (columns === undefined || !Array.isArray(given)) return undefined;
  const list = given.filter((row): row is readonly unknown[] => isWhole(row, columns.length));
  const isCut = list.length < given.length || given.at(-1) instanceof LeftOut;
  const types = Array.isArray(sent) ? sent.map((column) => (isObject(column) ? String(column.type) : '')) : first?.types;
  return { columns, types: types ?? [], list, isCut };
}

/** The table without the columns that have no value. */
export function readRows(json: unknown): QueryRows | undefined {
  const table = readTable(json);
  if (table === undefined) return undefined;
  const { columns, list, isCut } = table;
  const dropped = listDropped(isObject(json) ? json.all_columns : undefined, columns);
  if (list.length === 0) return { columns: [...columns, ...dropped], list, empty: [], isCut };
  const isFull = columns.map((_, at) => list.some((row) => row[at] !== null));
  if (isFull.every((full) => !full)) return { columns, list, empty: dropped, isCut };
  const pick = <T>(row: readonly T[]) => row.filter((_, at) => isFull[at]);
  return { columns: pick(columns), list: list.map(pick), empty: [...columns.filter((_, at) => !isFull[at]), ...dropped], isCut };
}

/** The last row that fits in memory may be a part. */
function isWhole(row: unknown, length: number): boolean {
  return Array.isArray(row) && row.length === length && !row.some((cell) => cell instanceof LeftOut);
}

/** A column of SQL may have an alias. */
function listNames(columns: unknown): readonly string[] | undefined {
  if (!Array.isArray(columns)) return undefined;
  return columns.map((column) => (isObject(column) ? String(column.alias ?? column.name) : '?'));
}

function listDropped(all: unknown, columns: readonly string[]): readonly string[] {
  const kept = new Set(columns);
  return (listNames(all) ?? []).filter((name) => !kept.has(name));
}
