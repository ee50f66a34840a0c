import {
  type CheckReport,
  type Finding,
  formatMilliseconds,
  formatShare,
  formatStatement,
  joinFacts,
  type Severity,
} from '@dbmole/core';

/** What a server has counted of one kind of statement. */
export interface StatementFigures {
  /** Its literals are replaced by placeholders. */
  sql: string;
  calls: number;
  totalMs: number;
  meanMs: number;
  /** The share of the time of all statements, from 0 to 1. */
  share: number;
  rows: number;
  /** What else is known, in the words of the engine. */
  facts: readonly string[];
  /** Writes temporary files. */
  spills: boolean;
}

/** A statement is slow from here on: faster ones are not worth an index, however many there are. */
const minMeanMs = 50;
const largeShare = 0.3;
const noticeableShare = 0.1;
/** Calls that are one run of a job, not a pattern. */
const minCalls = 2;

interface Given {
  limit: number;
  /** The number of kinds of statements that were counted. */
  total: number;
  notes: readonly string[];
  hidden?: string | undefined;
}

/** The report over the statements that took the most time, the worst first. */
export function judgeStatements(all: readonly StatementFigures[], { limit, total, notes, hidden }: Given): CheckReport {
  const more = total > limit ? [`${total - limit} more kinds of statements are not listed.`] : [];
  return { findings: all.flatMap(judge), listing: all.slice(0, limit).map(format), notes: [...notes, ...more], hidden };
}

function judge(figures: StatementFigures): Finding[] {
  const { sql, share, meanMs, calls, spills, totalMs } = figures;
  if (meanMs < minMeanMs || share < noticeableShare || calls < minCalls) return [];
  const severity: Severity = share >= largeShare ? 'high' : 'medium';
  return [
    {
      severity,
      weight: totalMs,
      evidence: `${format(figures)}`,
      consequence: `It takes ${formatShare(share)} of the time of all statements, ${formatMilliseconds(meanMs)} each${spills ? ', and sorts or hashes in temporary files' : ''}.`,
      next: `explain with analyze of one such statement: ${formatStatement(sql)}`,
    },
  ];
}

function format({ sql, calls, totalMs, meanMs, share, rows, facts }: StatementFigures): string {
  const perCall = calls === 0 ? 0 : rows / calls;
  const figures = joinFacts(
    `${formatShare(share)} of the time`,
    `${calls} calls`,
    `mean ${formatMilliseconds(meanMs)}`,
    `total ${formatMilliseconds(totalMs)}`,
    `${Number(perCall.toFixed(perCall < 10 ? 1 : 0))} rows a call`,
    ...facts,
  );
  return `${figures}: ${formatStatement(sql)}`;
}
