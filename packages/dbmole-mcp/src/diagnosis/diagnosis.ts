import type { CheckReport } from '@dbmole/core';
import type { AdviceReads } from '../advice/advisor.ts';
import type { CatalogRun } from '../engine.ts';

/** The overview has this order. */
export const checkNames = [
  'activity',
  'locks',
  'slow_queries',
  'indexes',
  'index_advice',
  'tables',
  'replication',
  'settings',
  'privileges',
] as const;

export type CheckName = (typeof checkNames)[number];

/** What a check is limited to. */
export interface CheckScope {
  schema: string | undefined;
  /** The bare name of a table. */
  table: string | undefined;
  /** Lines of the listing at most. */
  limit: number;
  /** Statements that advice is wanted for; undefined: those that take the most time. */
  sql: readonly string[] | undefined;
  /** How their plans are read. */
  reads: AdviceReads;
}

/** `guardedRun` is for what users may have created; the guard can refuse it. */
type Check = (run: CatalogRun, scope: CheckScope, guardedRun: CatalogRun) => Promise<CheckReport>;

/** All checks of one engine. They only read, and none takes longer than a second on ten thousand tables. */
export type Diagnosis = Readonly<Record<CheckName, Check>>;
