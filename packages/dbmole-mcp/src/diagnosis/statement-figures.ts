import {
  type CheckReport,
  type Finding,
  formatMilliseconds,
  formatShare,
  formatStatement,
  joinFacts,
  type Severity,
} from '@dbmole/core';
import { formatBytes } from '../catalog/schema-text.ts';

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
  /** Of all calls, where the engine counts them. */
  spilledBytes?: number;
}

/** A statement is slow from here on: faster ones are not worth an index, however many there are. */
const minMeanMs = 50;
const largeShare = 0.3;
const noticeableShare = 0.1;
/** What one call writes to temporary files, from which on more memory is worth it. */
const minSpilledBytes = 8 * 1024 * 1024;
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
  if (calls < minCalls) return [];
  if (meanMs < minMeanMs || share < noticeableShare) return judgeSpills(figures);
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

function judgeSpills({ sql, calls, totalMs, spilledBytes = 0 }: StatementFigures): Finding[] {
  if (spilledBytes < minSpilledBytes * calls) return [];
  return [
    {
      severity: 'low',
      weight: totalMs,
      evidence: `${calls} calls wrote ${formatBytes(Math.round(spilledBytes / calls))} of temporary files each: ${formatStatement(sql)}`,
      consequence: 'Its sorts or hashes do not fit into memory, and wait for the disk.',
      next: `explain with analyze of one such statement shows which step; it may need more memory, or an index in that order: ${formatStatement(sql)}`,
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
