import type { CheckReport, Finding, Severity } from '@dbmole/core';
import type { CheckScope } from '../../../diagnosis/diagnosis.ts';
import type { CatalogRun } from '../../../engine.ts';
import { checkLimits } from './limits.ts';

/** Paths, names and locales differ on every server and mean nothing for its health. */
const changedSql = `
select s.name, s.setting, s.unit, s.boot_val, s.source, s.pending_restart::text from pg_catalog.pg_settings s
where s.pending_restart or (s.setting is distinct from s.boot_val and s.source not in ('default', 'override', 'client', 'session', 'interactive')
  and s.category !~ '^(Preset|File Locations|Client Connection Defaults / Locale|Reporting and Logging)'
  and s.name !~ '(_file|_directory|_directories|_dir|application_name|TimeZone|listen_addresses|^port)$')
order by s.pending_restart desc, s.name limit 200`;

const dangerousSql = `
select s.name, s.setting from pg_catalog.pg_settings s
where s.name in ('fsync', 'full_page_writes', 'autovacuum', 'track_counts', 'track_activities', 'synchronous_commit', 'zero_damaged_pages',
  'ignore_checksum_failure', 'data_checksums', 'wal_level', 'enable_indexscan', 'enable_seqscan', 'enable_hashjoin', 'enable_nestloop')`;

interface Danger {
  bad: string;
  severity: Severity;
  consequence: string;
}

const dangers: Readonly<Record<string, Danger>> = {
  fsync: { bad: 'off', severity: 'high', consequence: 'A crash of the machine can destroy the whole cluster.' },
  full_page_writes: { bad: 'off', severity: 'high', consequence: 'A crash in the middle of writing a page corrupts it.' },
  zero_damaged_pages: { bad: 'on', severity: 'high', consequence: 'Damaged pages are silently emptied: rows are lost.' },
  ignore_checksum_failure: { bad: 'on', severity: 'high', consequence: 'Damaged pages are read as if they were good.' },
  autovacuum: {
    bad: 'off',
    severity: 'high',
    consequence: 'Dead rows and old statistics stay, until the transaction ids run out.',
  },
  track_counts: {
    bad: 'off',
    severity: 'high',
    consequence: 'Autovacuum cannot tell which tables need it, and this tool has no counts.',
  },
  track_activities: { bad: 'off', severity: 'medium', consequence: 'What sessions run cannot be seen.' },
  synchronous_commit: {
    bad: 'off',
    severity: 'low',
    consequence: 'A crash loses the last commits, though nothing is corrupted.',
  },
  enable_indexscan: {
    bad: 'off',
    severity: 'medium',
    consequence: 'The planner avoids indexes in all sessions that start like this one.',
  },
  enable_seqscan: {
    bad: 'off',
    severity: 'medium',
    consequence: 'The planner avoids sequential scans, even where they are faster.',
  },
  enable_hashjoin: { bad: 'off', severity: 'medium', consequence: 'The planner avoids hash joins, even where they are faster.' },
  enable_nestloop: {
    bad: 'off',
    severity: 'medium',
    consequence: 'The planner avoids nested loops, even where they are faster.',
  },
};

export async function checkSettings(run: CatalogRun, { limit }: CheckScope): Promise<CheckReport> {
  const [changed, dangerous, limits] = await Promise.all([run(changedSql), run(dangerousSql), checkLimits(run)]);
  const hasChecksums = dangerous.some(([name, value]) => name === 'data_checksums' && value === 'on');
  return {
    findings: [
      ...dangerous.flatMap(([name, value]) => judgeSetting(name ?? '', value ?? '')),
      ...judgePending(changed.filter(([, , , , , pending]) => pending === 'true').map(([name]) => name ?? '')),
      ...limits.findings,
    ],
    listing: changed
      .slice(0, limit)
      .map(
        ([name, value, unit, standard, source]) =>
          `${name} = ${value}${unit === null ? '' : ` × ${unit}`} (default ${standard === '' ? 'empty' : (standard ?? 'none')}, from ${source})`,
      ),
    notes: [
      limits.note,
      ...(hasChecksums ? [] : ['Data checksums are off: a page that the disk has damaged is not noticed.']),
      ...(changed.length > limit
        ? [`${changed.length - limit} more settings that differ from their defaults are not listed.`]
        : []),
    ],
  };
}

function judgeSetting(name: string, value: string): Finding[] {
  const danger = dangers[name];
  if (danger === undefined || danger.bad !== value) return [];
  const { severity, consequence } = danger;
  const next = `ALTER SYSTEM RESET ${name}; select pg_reload_conf(); (unless it was set on purpose)`;
  return [{ severity, weight: severity === 'high' ? 1 : 0, evidence: `${name} is ${value}`, consequence, next }];
}

function judgePending(names: readonly string[]): Finding[] {
  if (names.length === 0) return [];
  return [
    {
      severity: 'medium',
      weight: names.length,
      evidence: `settings that were changed wait for a restart: ${names.join(', ')}`,
      consequence: 'The server runs with the old values, and the next restart changes its behavior.',
      next: `select name, setting, sourcefile, sourceline from pg_file_settings where name in (${names.map((name) => `'${name}'`).join(', ')}); then plan a restart.`,
    },
  ];
}
