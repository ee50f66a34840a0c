import type { CheckReport } from '@dbmole/core';
import type { CheckRun } from './check-run.ts';

/** The overview has this order. */
export const checkNames = [
  'cluster',
  'activity',
  'locks',
  'slow_queries',
  'indexes',
  'tables',
  'settings',
  'privileges',
] as const;

export type CheckName = (typeof checkNames)[number];

/** What a check is limited to. */
export interface CheckScope {
  /** Lines of the listing at most. */
  limit: number;
}

/** Only reads, with a fixed number of requests. */
export type Check = (run: CheckRun, scope: CheckScope) => Promise<CheckReport>;
