import type { CheckReport, Failure } from '@dbmole/core';
import type { CatalogRun, Param, SessionStep, TextRows } from '../engine.ts';
import type { PlanTree } from '../plan/plan-tree.ts';
import type { Candidate, KeyWriter } from './candidates.ts';
import type { StatementShape } from './statement-shape.ts';
import type { FindTables, TableFacts } from './table-facts.ts';

/** What advice on indexes needs of an engine. */
export interface IndexAdvisor {
  /** For one call, on one database. */
  open(reads: AdviceReads): Promise<OpenAdvisor>;
}

export interface OpenAdvisor {
  /** Throws for a statement that cannot be read. */
  readShape(sql: string): Promise<StatementShape>;
  findTables: FindTables;
  writer: KeyWriter;
  /** The statements that take the most time, or why they are not known. */
  listSlow(limit: number): Promise<readonly SlowStatement[] | CheckReport>;
  /** The statement that asks for the plan. */
  formatExplain(sql: string): string;
  parsePlan(answer: string, sql: string): PlanTree;
  /** The statement that creates the index. */
  formatIndex(candidate: Candidate): string;
  /** What creating it does to others. */
  describeBuilding(candidate: Candidate): string;
  /** How a plan names a full scan of a table. */
  scanWord: string;
  /** Whether plans estimate from statistics what conditions keep; otherwise they guess it, and so does advice. */
  hasStatistics: boolean;
  /** The statement that asks for the plan of a search by a part of a filter, as a plan shows it; only with statistics. */
  formatSelection?(table: TableFacts, alias: string, condition: string): string;
  /** Plans with hypothetical indexes; undefined where the server has none. */
  trial: IndexTrial | undefined;
  /** The reason why nothing is costed, and what would change that. */
  withoutTrial: string;
}

export interface SlowStatement {
  sql: string;
  calls: number;
  meanMs: number;
}

export interface IndexTrial {
  /** `HypoPG 1.4.4`. */
  name: string;
  /** The last statement of each use: afterwards the session has no such index any more. */
  reset: string;
  /** Its rows are the name of the index in plans, and its size in bytes. */
  formatCreate(candidate: Candidate): { own: string; params: readonly Param[] };
}

/** How advice reaches the server. */
export interface AdviceReads {
  run: CatalogRun;
  /** Is for what users may have created; the guard can refuse it. */
  guardedRun: CatalogRun;
  /** Whether it is a read; else throws why not. */
  check(sql: string): Promise<unknown>;
  /** In one session, which is closed afterwards. */
  runSteps(steps: readonly SessionStep[]): Promise<readonly (TextRows | Failure)[]>;
  /** The limit of each step. */
  timeoutMs: number;
}
