import { type Finding, formatShare, readCount } from '@dbmole/core';
import { askIfAllowed } from '../../../../audit/ask-if-allowed.ts';
import { formatBytes } from '../../../../catalog/schema-text.ts';
import type { CatalogRun } from '../../../../engine.ts';

const connectionShares = { medium: 0.8, high: 0.95 };
/** Reads of pages that were not in the buffer pool, as a share of all, from which it is too small. */
const maxMissShare = 0.05;
const minReads = 100_000;
/** Deadlocks from which on they are no accident, and how many of them in a day. */
const minDeadlocks = 3;
const secondsPerDay = 86_400;

const names = [
  ...['Threads_connected', 'Max_used_connections', 'Connection_errors_max_connections', 'Prepared_stmt_count', 'Uptime'],
  ...['Innodb_buffer_pool_read_requests', 'Innodb_buffer_pool_reads', 'Innodb_deadlocks', 'Innodb_redo_log_enabled'],
];

/** MariaDB counts deadlocks in its status, MySQL among its metrics. */
const deadlocksSql = "select count from information_schema.innodb_metrics where name = 'lock_deadlocks'";

interface Limits {
  findings: readonly Finding[];
  /** How many connections there are. */
  note: string;
}

/** What is near its end, and what the server has counted of trouble. `variables` are the global ones. */
export async function checkLimits(run: CatalogRun, variables: ReadonlyMap<string, string>, maria: boolean): Promise<Limits> {
  const [status, deadlocks] = await Promise.all([
    run(`select variable_name, variable_value from ${maria ? 'information_schema' : 'performance_schema'}.global_status
      where variable_name in (${names.map((name) => `'${name}'`).join(', ')})`),
    maria ? undefined : askIfAllowed(run, deadlocksSql),
  ]);
  // MariaDB has the names in capital letters.
  const texts = new Map(status.map(([name, text]) => [(name ?? '').toLowerCase(), text ?? '']));
  const counts = new Map([...texts].map(([name, text]) => [name, readCount(text)]));
  const used = counts.get('threads_connected') ?? 0;
  const limit = (name: string) => readCount(variables.get(name));
  return {
    findings: [
      ...judgePrepared(counts.get('prepared_stmt_count') ?? 0, limit('max_prepared_stmt_count')),
      ...judgeConnections(used, limit('max_connections'), counts),
      ...judgeBufferPool(limit('innodb_buffer_pool_size'), counts),
      ...judgeDeadlocks(
        deadlocks ? readCount(deadlocks[0]?.[0]) : (counts.get('innodb_deadlocks') ?? 0),
        counts.get('uptime') ?? 0,
      ),
      ...judgeRedoLog(texts.get('innodb_redo_log_enabled')),
    ],
    note: `${used} of ${limit('max_connections')} connections are used.`,
  };
}

function judgeRedoLog(state: string | undefined): Finding[] {
  if (state !== 'OFF') return [];
  return [
    {
      severity: 'high',
      weight: 3,
      evidence: 'the redo log of InnoDB is disabled',
      consequence: 'After a crash the server does not start, and all data are lost.',
      next: 'ALTER INSTANCE ENABLE INNODB REDO_LOG;',
    },
  ];
}

function judgeDeadlocks(count: number, uptime: number): Finding[] {
  if (count < minDeadlocks || count / Math.max(1, uptime / secondsPerDay) < 1) return [];
  return [
    {
      severity: 'low',
      weight: count,
      evidence: `${count} deadlocks were counted since the start of the server`,
      consequence: 'Each rolled back the transaction of a client.',
      next: 'SHOW ENGINE INNODB STATUS has both statements of the last one: let all transactions lock rows in one order.',
    },
  ];
}

function judgeConnections(used: number, most: number, counts: ReadonlyMap<string, number>): Finding[] {
  const share = most === 0 ? 0 : used / most;
  const refused = counts.get('connection_errors_max_connections') ?? 0;
  if (share < connectionShares.medium && refused === 0) return [];
  return [
    {
      severity: share >= connectionShares.high ? 'high' : 'medium',
      weight: share,
      evidence: `${used} of ${most} connections are used, ${counts.get('max_used_connections') ?? 0} at most so far${refused > 0 ? `; ${refused} ${refused === 1 ? 'client was' : 'clients were'} refused` : ''}`,
      consequence: 'New clients are refused when none is left.',
      next: 'diagnose check=activity for sessions that sit idle; use a pool in the applications or raise max_connections.',
    },
  ];
}

function judgePrepared(count: number, most: number): Finding[] {
  if (most === 0 || count < connectionShares.medium * most) return [];
  return [
    {
      severity: count >= connectionShares.high * most ? 'high' : 'medium',
      weight: count / most,
      evidence: `${count} of ${most} prepared statements are in use`,
      consequence: 'At the limit no client can prepare a statement.',
      next: 'An application prepares without closing: make its pool reuse statements, or raise max_prepared_stmt_count.',
    },
  ];
}

function judgeBufferPool(bytes: number, counts: ReadonlyMap<string, number>): Finding[] {
  const requests = counts.get('innodb_buffer_pool_read_requests') ?? 0;
  const share = requests === 0 ? 0 : (counts.get('innodb_buffer_pool_reads') ?? 0) / requests;
  if (requests < minReads || share < maxMissShare) return [];
  return [
    {
      severity: 'medium',
      weight: share,
      evidence: `${formatShare(share)} of the reads of pages miss the buffer pool, which has ${formatBytes(bytes)}`,
      consequence: 'The data in use does not fit into it, so statements wait for the disk.',
      next: 'diagnose check=slow_queries for what reads so much; then raise innodb_buffer_pool_size.',
    },
  ];
}
