import { type CheckReport, type Finding, formatSeconds } from '@dbmole/core';
import { askIfAllowed } from '../../../../audit/ask-if-allowed.ts';
import { formatBytes } from '../../../../catalog/schema-text.ts';
import type { CheckScope } from '../../../../diagnosis/diagnosis.ts';
import type { CatalogRun } from '../../../../engine.ts';
import { readAccount } from '../account.ts';
import { checkAccounts } from './accounts.ts';
import { type Danger, dangers, findDanger } from './dangers.ts';
import { checkLimits } from './limits.ts';

/**
 * A restart changes nothing of what the command line sets. Reading pg_file_settings marks such a setting as pending in the session that
 * read it, where the file has another value.
 */
const isPending = "(s.pending_restart and s.source <> 'command line')";

/** Paths, names and locales differ on every server and mean nothing for its health. */
const changedSql = `
select s.name, s.setting, s.unit, s.boot_val, s.source, ${isPending}::text from pg_catalog.pg_settings s
where ${isPending} or (s.setting is distinct from s.boot_val and s.source not in ('default', 'override', 'client', 'session', 'interactive')
  and s.category !~ '^(Preset|File Locations|Client Connection Defaults / Locale|Reporting and Logging)'
  and s.name !~ '(_file|_directory|_directories|_dir|application_name|TimeZone|listen_addresses|^port)$')
order by 6 desc, s.name limit 200`;

/** Values of new sessions: what this one was opened with is of our own making. */
const dangerousSql = `
select s.name, s.reset_val, s.boot_val, s.source, (s.sourcefile like '%.auto.conf')::text, s.context, pg_catalog.quote_ident(pg_catalog.current_database()),
  pg_catalog.quote_ident(current_user), s.unit
from pg_catalog.pg_settings s
where s.source <> 'client' and (s.name in (${[...Object.keys(dangers), 'data_checksums'].map((name) => `'${name}'`).join(', ')})
  or s.name like 'enable\\_%' and s.vartype = 'bool' and s.boot_val = 'on' and s.reset_val = 'off')`;

/** What new sessions of other roles and databases get. */
const ownSettingsSql = `
select split_part(c.entry, '=', 1), pg_catalog.substr(c.entry, pg_catalog.strpos(c.entry, '=') + 1), pg_catalog.quote_ident(d.datname),
  pg_catalog.quote_ident(r.rolname),
  (select s.unit from pg_catalog.pg_settings s where pg_catalog.lower(s.name) = pg_catalog.lower(split_part(c.entry, '=', 1)))
from pg_catalog.pg_db_role_setting g cross join pg_catalog.unnest(g.setconfig) c(entry)
  left join pg_catalog.pg_database d on d.oid = g.setdatabase left join pg_catalog.pg_roles r on r.oid = g.setrole limit 1000`;

/** Files with an error are not loaded again, and the server does not start with them. */
const filesSql = `
select f.sourcefile, f.sourceline::text, f.name, f.error from pg_catalog.pg_file_settings f
where f.error is not null and (f.error <> 'setting could not be applied'
  or not exists (select from pg_catalog.pg_settings s where s.name = f.name and s.context = 'postmaster')) order by 1, f.sourceline limit 10`;

export async function checkSettings(run: CatalogRun, { limit }: CheckScope): Promise<CheckReport> {
  const [changed, dangerous, limits, own, files, accounts] = await Promise.all([
    run(changedSql),
    run(dangerousSql),
    checkLimits(run),
    run(ownSettingsSql),
    askIfAllowed(run, filesSql),
    checkAccounts(run),
  ]);
  const account = files === undefined ? await readAccount(run) : '';
  const hasChecksums = dangerous.some(([name, value]) => name === 'data_checksums' && value === 'on');
  return {
    findings: [
      ...dangerous.filter((row) => !isImplied(row, dangerous) && !isOwn(row, own)).flatMap(judgeSetting),
      ...own.flatMap(judgeOwnSetting),
      ...judgeFiles(files ?? []),
      ...accounts,
      ...judgePending(changed.filter(([, , , , , pending]) => pending === 'true').map(([name]) => name ?? '')),
      ...limits.findings,
    ],
    listing: changed
      .slice(0, limit)
      .map(
        ([name, value, unit, standard, source]) =>
          `${name} = ${value}${unit === null ? '' : ` × ${unit}`} (default ${standard === '' ? 'empty' : (standard ?? 'none')}, from ${source})`,
      ),
    hidden:
      files === undefined
        ? `Errors in the configuration files are hidden; GRANT SELECT ON pg_file_settings TO ${account}; GRANT EXECUTE ON FUNCTION pg_show_all_file_settings() TO ${account}; shows them.`
        : undefined,
    notes: [
      limits.note,
      ...(hasChecksums ? [] : ['Data checksums are off: a page that the disk has damaged is not noticed.']),
      ...(changed.length > limit
        ? [`${changed.length - limit} more settings that differ from their defaults are not listed.`]
        : []),
    ],
  };
}

type Row = readonly (string | null)[];

function judgeSetting(row: Row): Finding[] {
  const [name = '', value = ''] = row;
  const danger = findDanger(name ?? '', value ?? '');
  const unit = row[8];
  // What a role or database has set is judged there.
  if (danger === undefined || /database|user/.test(row[3] ?? '')) return [];
  return [
    {
      ...describeDanger(danger),
      evidence: `${name} is ${formatValue(value ?? '', unit ?? '')}`,
      next: `${adviseReset(row)} (unless it was set on purpose)`,
    },
  ];
}

/** Without fsync, whole pages in the log do not help. */
function isImplied([name]: Row, all: readonly Row[]): boolean {
  return name === 'full_page_writes' && all.some(([other, value]) => other === 'fsync' && value === 'off');
}

/** A session that has a value of its own hides where that of new ones comes from. */
function isOwn([name, , , source]: Row, own: readonly Row[]): boolean {
  return source === 'session' && own.some(([other]) => other === name);
}

function describeDanger({ severity, consequence }: Danger): Pick<Finding, 'severity' | 'weight' | 'consequence'> {
  return { severity, weight: 1, consequence };
}

function adviseReset([name, , standard, source, isAutomatic, context]: Row): string {
  if (source === 'command line') return `Remove ${name} from the command line of the server and restart it.`;
  const value = /^-?\w+$/.test(standard ?? '') ? standard : `'${standard}'`;
  const change = isAutomatic === 'true' ? `RESET ${name}` : `SET ${name} = ${value}`;
  return `ALTER SYSTEM ${change}; ${context === 'postmaster' ? 'then restart the server.' : 'select pg_reload_conf();'}`;
}

function judgeOwnSetting([name = '', value = '', database, role, unit]: Row): Finding[] {
  const danger = findDanger(name ?? '', convert(normalize(value ?? ''), unit ?? ''));
  if (danger === undefined) return [];
  const where = [...(role ? [`role ${role}`] : []), ...(database ? [`database ${database}`] : [])].join(' in ');
  const target = role ? `ROLE ${role}${database ? ` IN DATABASE ${database}` : ''}` : `DATABASE ${database}`;
  return [
    {
      ...describeDanger(danger),
      evidence: `${name} is ${value} for ${where}`,
      next: `ALTER ${role || database ? target : 'ROLE ALL'} RESET ${name}; (unless it was set on purpose)`,
    },
  ];
}

/** Commands may write a boolean in several ways. */
function normalize(value: string): string {
  const lower = value.toLowerCase();
  if (['true', 'yes', '1', 't', 'y'].includes(lower)) return 'on';
  return ['false', 'no', 'f', 'n'].includes(lower) ? 'off' : lower;
}

const units: Readonly<Record<string, number>> = {
  ...{ b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3, tb: 1024 ** 4 },
  ...{ us: 0.001, ms: 1, s: 1_000, min: 60_000, h: 3_600_000, d: 86_400_000 },
};

/** A number with a unit, in that of the setting: 4GB is 4194304 of a setting in kB. */
function convert(value: string, unit: string): string {
  const [, number, own = ''] = /^(-?[\d.]+) *([a-z]+)$/.exec(value) ?? [];
  const [, count, base = ''] = /^(\d*)([a-z]+)$/i.exec(unit) ?? [];
  const from = units[own];
  const to = units[base.toLowerCase()];
  if (number === undefined || from === undefined || to === undefined) return value;
  return String((Number(number) * from) / (Number(count || '1') * to));
}

function formatValue(value: string, unit: string): string {
  const [, count, base = ''] = /^(\d*)([a-z]+)$/i.exec(unit) ?? [];
  const size = units[base.toLowerCase()];
  if (size === undefined || !/^\d+$/.test(value)) return value;
  const total = Number(value) * Number(count || '1') * size;
  return /b$/i.test(base) ? formatBytes(total) : formatSeconds(total / 1_000);
}

function judgeFiles(rows: readonly Row[]): Finding[] {
  const [first] = rows;
  if (first === undefined) return [];
  const [file, line, name, error] = first;
  return [
    {
      severity: 'high',
      weight: 2,
      evidence: `the configuration has ${rows.length === 1 ? 'an error' : `${rows.length} errors`}: ${name === null ? '' : `${name}: `}${error}, line ${line} of ${file}`,
      consequence: 'Changes of the configuration are not loaded, and the server does not start again.',
      next: 'select sourcefile, sourceline, name, error from pg_file_settings where error is not null; correct them, then select pg_reload_conf();',
    },
  ];
}

function judgePending(names: readonly string[]): Finding[] {
  if (names.length === 0) return [];
  return [
    {
      severity: 'medium',
      weight: 0,
      evidence: `settings that were changed wait for a restart: ${names.join(', ')}`,
      consequence: 'The server runs with the old values, and the next restart changes its behavior.',
      next: `select name, setting, sourcefile, sourceline from pg_file_settings where name in (${names.map((name) => `'${name}'`).join(', ')}); then plan a restart.`,
    },
  ];
}
