import type { SlowStatement } from './advisor.ts';
import type { Candidate } from './candidates.ts';
import type { TableUse } from './resolve-shape.ts';
import type { TrialPlan } from './try-indexes.ts';

/** A statement and its outcome. */
export interface Advised {
  /** The number of the statement, counted from 1. */
  number: number;
  sql: string;
  slow: SlowStatement | undefined;
  /** Why there is no advice; undefined where there is. */
  reason: string | undefined;
  uses: readonly TableUse[];
  candidates: readonly Candidate[];
  /** Common values for its placeholders; undefined where they are not known, so that it has no plan. */
  values: readonly string[] | undefined;
  before: TrialPlan | undefined;
  /** With all indexes that are advised for it, where that was costed. */
  after: TrialPlan | undefined;
  indexes: readonly Candidate[];
}
