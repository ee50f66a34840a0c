import { type Finding, formatShare, readCount } from '@dbmole/core';
import { formatBytes } from '../../../../catalog/schema-text.ts';
import type { CatalogRun } from '../../../../engine.ts';

type Row = readonly (string | null)[];

const shares = { medium: 0.8, high: 0.95 };
/** Below it, temporary files are those of a few large sorts or of building indexes. */
const minTemporaryBytes = 1024 * 1024 * 1024;

/** Deadlocks from which on they are no accident, and how many of them in a day. */
const minDeadlocks = 3;
const minDeadlocksPerDay = 1;

/** Sessions that count against max_connections, and the locks of all sessions. */
const limitsSql = `
select (select pg_catalog.count(*) from pg_catalog.pg_stat_activity a where a.usename is not null)::text,
  pg_catalog.current_setting('max_connections'), pg_catalog.current_setting('superuser_reserved_connections'),
  (select pg_catalog.count(*) from pg_catalog.pg_locks l where not l.fastpath)::text,
  (pg_catalog.current_setting('max_locks_per_transaction')::bigint
    * (pg_catalog.current_setting('max_connections')::bigint + pg_catalog.current_setting('max_prepared_transactions')::bigint))::text`;

/** Roles and databases that have a limit of their own; superusers have none. */
const ownLimitsSql = `
with used as materialized (select a.usename, a.datname from pg_catalog.pg_stat_activity a where a.usename is not null)
select 'role', pg_catalog.quote_ident(r.rolname), r.rolconnlimit::text, (select pg_catalog.count(*) from used u where u.usename = r.rolname)::text
from pg_catalog.pg_roles r where r.rolconnlimit > 0 and r.rolcanlogin and not r.rolsuper
union all
select 'database', pg_catalog.quote_ident(d.datname), d.datconnlimit::text, (select pg_catalog.count(*) from used u where u.datname = d.datname)::text
from pg_catalog.pg_database d where d.datconnlimit > 0`;

const countersSql = `
select pg_catalog.quote_ident(d.datname), d.checksum_failures::text, d.temp_files::text, d.temp_bytes::text,
  coalesce('since ' || pg_catalog.to_char(d.stats_reset, 'YYYY-MM-DD HH24:MI'), 'since the database was made'), pg_catalog.current_setting('work_mem'),
  (d.datname = pg_catalog.current_database())::text, d.deadlocks::text,
  extract(epoch from pg_catalog.now() - coalesce(d.stats_reset, pg_catalog.pg_postmaster_start_time()))::text
from pg_catalog.pg_stat_database d
where d.checksum_failures > 0
  or d.datname = pg_catalog.current_database() and (d.temp_bytes >= ${minTemporaryBytes} or d.deadlocks >= ${minDeadlocks}) limit 100`;

/** What an interrupted DROP DATABASE has left. */
const brokenSql = `
select pg_catalog.quote_ident(d.datname) from pg_catalog.pg_database d where d.datconnlimit = -2 limit 20`;

interface Limits {
  findings: readonly Finding[];
  /** How many connections there are. */
  note: string;
}

/** What is near its end, and what the server has counted of trouble. */
export async function checkLimits(run: CatalogRun): Promise<Limits> {
  const [[limits = []], own, counters, broken] = await Promise.all([
    run(limitsSql),
    run(ownLimitsSql),
    run(countersSql),
    run(brokenSql),
  ]);
  return {
    findings: [
      ...judgeConnections(limits),
      ...judgeLocks(limits),
      ...own.flatMap(judgeOwnLimit),
      ...counters.flatMap(judgeCounters),
      ...broken.map(judgeBroken),
    ],
    note: `${limits[0]} of ${limits[1]} connections are used.`,
  };
}

function rate(share: number): 'high' | 'medium' {
  return share >= shares.high ? 'high' : 'medium';
}

function judgeConnections([used, most, reserved]: Row): Finding[] {
  const share = readCount(used) / Math.max(1, readCount(most) - readCount(reserved));
  if (share < shares.medium) return [];
  return [
    {
      severity: rate(share),
      weight: share,
      evidence: `${used} of ${most} connections are used (${reserved} are reserved for superusers)`,
      consequence: 'When the rest is used up, new clients are refused.',
      next: 'diagnose check=activity for sessions that sit idle; put a pooler in front or raise max_connections.',
    },
  ];
}

function judgeLocks([, , , locks, most]: Row): Finding[] {
  const share = readCount(locks) / Math.max(1, readCount(most));
  if (share < shares.medium) return [];
  return [
    {
      severity: 'medium',
      weight: share,
      evidence: `${locks} locks are held, ${formatShare(share)} of the space for them`,
      consequence: 'At the limit statements fail with "out of shared memory".',
      next: 'diagnose check=locks; raise max_locks_per_transaction, which needs a restart.',
    },
  ];
}

function judgeOwnLimit([kind, name, limit, used]: Row): Finding[] {
  const share = readCount(used) / readCount(limit);
  if (share < shares.medium) return [];
  return [
    {
      severity: rate(share),
      weight: share,
      evidence: `${kind} ${name} uses ${used} of the ${limit} connections that it may have`,
      consequence: 'Its next clients are refused, although the server has room.',
      next: `diagnose check=activity for sessions that sit idle; or ALTER ${kind === 'role' ? 'ROLE' : 'DATABASE'} ${name} CONNECTION LIMIT …;`,
    },
  ];
}

function judgeBroken([database]: Row): Finding {
  return {
    severity: 'medium',
    weight: 0,
    evidence: `database ${database} is invalid: a DROP DATABASE was interrupted`,
    consequence: 'It cannot be opened, its files are partly gone, and VACUUM of it is not possible.',
    next: `DROP DATABASE ${database};`,
  };
}

function judgeCounters([database, failures, files, bytes, since, memory, isOwn, deadlocks, seconds]: Row): Finding[] {
  const size = readCount(bytes);
  const found: Finding[] = [];
  if (readCount(failures) > 0) {
    found.push({
      severity: 'high',
      weight: 1e9,
      evidence: `${failures} pages of database ${database} failed their checksum ${since}`,
      consequence: 'The disk has damaged them: their rows cannot be read, and are lost without a backup.',
      next: 'The log of the server names the files; pg_amcheck shows what else is damaged; restore from a backup to another disk.',
    });
  }
  if (isOwn === 'true' && size >= minTemporaryBytes) {
    found.push({
      severity: 'low',
      weight: size / 1e12,
      evidence: `statements have written ${files} temporary files of ${formatBytes(size)} ${since}; work_mem is ${memory}`,
      consequence: 'Their sorts and hashes did not fit into memory, and waited for the disk.',
      next: 'diagnose check=slow_queries for what writes them; then a larger work_mem for that role: ALTER ROLE … SET work_mem.',
    });
  }
  const perDay = readCount(deadlocks) / Math.max(1, readCount(seconds) / 86_400);
  if (isOwn === 'true' && readCount(deadlocks) >= minDeadlocks && perDay >= minDeadlocksPerDay) {
    found.push({
      severity: 'low',
      weight: readCount(deadlocks),
      evidence: `${deadlocks} deadlocks were counted in this database ${since}`,
      consequence: 'Each ended the statement of a client with an error, after a wait of deadlock_timeout.',
      next: 'The log of the server names both statements of each: let all transactions lock rows and tables in one order.',
    });
  }
  return found;
}
