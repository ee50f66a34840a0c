import type { Taint } from '../../../../../policy/taint.ts';
import type { ObjectName } from '../../catalog/guard-queries.ts';
import type { SourceColumn } from './name-scope.ts';

/** A table or view as a query sees it. */
export interface Relation {
  /** Undefined where the account may not see them. */
  readonly columns: readonly SourceColumn[] | undefined;
  /** The taint of a column that is not listed, as the rules name it. */
  judge(column: string): Taint | undefined;
}

/** What a trace asks of the catalog. All of it is known before. */
export interface TraceCatalog {
  /** Undefined where nothing is known of the name. */
  findRelation(name: ObjectName): Relation | undefined;
  /** Whether two names of tables or of WITH queries are the same. */
  isSameTable(one: string, other: string): boolean;
  /** The taint that a call adds to that of its arguments, by the words before its parenthesis. */
  findCall(path: readonly string[], schema: string | undefined): Taint | undefined;
}
