import { statSync } from 'node:fs';
import type { CheckReport, Finding } from '@dbmole/core';
import { formatBytes } from '../../../catalog/schema-text.ts';
import type { CatalogRun } from '../../../engine.ts';
import { readFileSize } from '../catalog/sizes.ts';

/** From this size on, and this many times the size of the file, a log was not written back for long. */
const wal = { minBytes: 64 * 1024 * 1024, factor: 0.5 };
/** The planner guesses without statistics, which matters from this size on. */
const minAnalyzedBytes = 1024 * 1024;

/** How the file is written, its log, and its statistics. */
export async function checkSettings(run: CatalogRun): Promise<CheckReport> {
  const [settings, journal, bytes, statistics] = await Promise.all([
    run(`select s.page_size, e.encoding, v.user_version, d.file
      from pragma_page_size s, pragma_encoding e, pragma_user_version v, pragma_database_list d where d.name = 'main'`),
    run('pragma journal_mode'),
    readFileSize(run),
    run("select count(*) from sqlite_schema where name = 'sqlite_stat1'"),
  ]);
  const [pageSize, encoding, version, file] = settings[0] ?? [];
  const mode = journal[0]?.[0];
  const walBytes = file ? (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) : 0;
  return {
    findings: [...judgeJournal(mode), ...judgeWal(walBytes, bytes), ...judgeStatistics(statistics[0]?.[0], bytes)],
    listing: [
      `journal_mode: ${mode ?? 'not known'}${walBytes > 0 ? `, log ${formatBytes(walBytes)}` : ''}`,
      `page_size: ${pageSize ?? ''}; encoding: ${encoding ?? ''}; user_version: ${version ?? ''}; file: ${formatBytes(bytes)}`,
    ],
    notes: ['foreign_keys and synchronous are settings of each connection, not of the file.'],
  };
}

function judgeJournal(mode: string | null | undefined): Finding[] {
  if (mode !== 'delete' && mode !== 'truncate' && mode !== 'persist') return [];
  return [
    {
      severity: 'low',
      weight: 1,
      evidence: `journal_mode is ${mode}`,
      consequence: 'Each commit waits for all readers, and readers wait for it.',
      next: 'PRAGMA journal_mode = WAL lets them work side by side, unless the file is on a network drive.',
    },
  ];
}

function judgeWal(walBytes: number, bytes: number): Finding[] {
  if (walBytes < wal.minBytes || walBytes < wal.factor * bytes) return [];
  return [
    {
      severity: 'medium',
      weight: walBytes,
      evidence: `the log has ${formatBytes(walBytes)}, the file ${formatBytes(bytes)}`,
      consequence: 'Reads get slower with its length: a reader that never ends keeps it from being written back.',
      next: 'Close readers that stay open, then run PRAGMA wal_checkpoint(TRUNCATE) in the application.',
    },
  ];
}

function judgeStatistics(count: string | null | undefined, bytes: number): Finding[] {
  if (count !== '0' || bytes < minAnalyzedBytes) return [];
  return [
    {
      severity: 'low',
      weight: bytes,
      evidence: `the file has ${formatBytes(bytes)} and no statistics`,
      consequence: 'SQLite guesses which of several indexes keeps fewer rows.',
      next: 'ANALYZE; or PRAGMA optimize in the application, before it closes the file.',
    },
  ];
}
