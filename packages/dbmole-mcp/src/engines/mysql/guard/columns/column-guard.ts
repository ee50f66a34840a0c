import type { ColumnRules } from '@dbmole/core';
import type { ColumnPlan } from '../../../../guard/read-statement.ts';
import { openColumnCatalog } from './column-catalog.ts';
import { type ColumnQuestion, planRead, type ReadText } from './plan-read.ts';
import { planWrite } from './plan-write.ts';
import type { Question } from './reached-objects.ts';

/** Finds what the rules hide of the result of a statement, and refuses what must not run. */
interface ColumnGuard {
  planRead(read: ReadText, question: ColumnQuestion): Promise<ColumnPlan | undefined>;
  planWrite(sql: string, question: Question): Promise<ColumnPlan | undefined>;
  forget(): void;
}

/** Undefined where no column is protected. */
export function openColumnGuard(rules: readonly ColumnRules[] | undefined): ColumnGuard | undefined {
  const catalog = openColumnCatalog(rules);
  if (catalog === undefined) return undefined;
  return {
    planRead: (read, question) => planRead(catalog, read, question),
    planWrite: (sql, question) => planWrite(catalog, sql, question),
    forget: () => catalog.forget(),
  };
}
