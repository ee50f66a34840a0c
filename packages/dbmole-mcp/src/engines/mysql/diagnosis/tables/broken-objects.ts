import type { Finding } from '@dbmole/core';
import { askIfAllowed } from '../../../../audit/ask-if-allowed.ts';
import type { CatalogRun } from '../../../../engine.ts';
import type { CatalogContext } from '../../catalog/context.ts';
import { readAccount } from '../account.ts';

type Row = readonly (string | null)[];

/** The server opens each view to tell whether it is valid. */
const maxViews = 300;
const maxEach = 20;

interface Scope {
  /** The condition on `table_schema`, and on `table_name` where a table is named. */
  where: string;
  params: readonly string[];
}

interface Broken {
  findings: readonly Finding[];
  hidden: string | undefined;
}

/**
 * `opensTables` is whether it may ask for what makes MariaDB open each table. Views and tables that cannot be read, programs whose definer is gone, and
 * tables whose statistics nothing refreshes.
 */
export async function findBroken(
  run: CatalogRun,
  { where, params, opensTables }: Scope & { opensTables: boolean },
  context: CatalogContext,
): Promise<Broken> {
  const [[views = []], frozen, orphans] = await Promise.all([
    run(`select count(*) from information_schema.views where ${where}`, params),
    opensTables
      ? run(
          `select table_schema, table_name from information_schema.tables
           where create_options like '%stats_auto_recalc=0%' and ${where} limit ${maxEach}`,
          params,
        )
      : [],
    askIfAllowed(run, formatOrphansSql(where), [...params, ...params, ...params, ...params]),
  ]);
  const damaged =
    Number(views[0]) > maxViews || (context.maria && views[0] === '0')
      ? []
      : await run(context.maria ? formatViewsSql(where) : formatDamagedSql(where), params);
  const label = (row: Row) => context.formatLabel(row[0], row[1]);
  const findings = [
    ...damaged.map((row) => (row[2] === 'VIEW' ? describeView(label(row)) : describeDamage(label(row), row[3] ?? ''))),
    ...(orphans ?? []).map(describeOrphan),
    ...frozen.map((row) => describeFrozen(label(row))),
  ];
  const grant = `GRANT SELECT (User, Host) ON mysql.user TO ${await readAccount(run)};`;
  return { findings, hidden: orphans === undefined ? `Whether definers exist is hidden; ${grant} shows it.` : undefined };
}

function formatDamagedSql(where: string): string {
  return `select table_schema, table_name, table_type, table_comment from information_schema.tables
    where (table_type = 'VIEW' and table_comment like '%invalid%' or table_type = 'BASE TABLE' and engine is null) and ${where}
    limit ${maxEach}`;
}

/** MariaDB finds no columns in a view that it cannot open. */
function formatViewsSql(where: string): string {
  return `select v.table_schema, v.table_name, 'VIEW' from information_schema.views v
    where ${where.replaceAll('table_', 'v.table_')} and not exists (select 1 from information_schema.columns c
      where c.table_schema = v.table_schema and c.table_name = v.table_name) limit ${maxEach}`;
}

/** Views, triggers and routines run as the account that defined them. A trigger counts with its table. */
function formatOrphansSql(where: string): string {
  const of = (space: string, name: string) => where.replaceAll('table_schema', space).replaceAll('table_name', name);
  return `select x.kind, x.name, x.definer from (
      select 'VIEW' as kind, concat(table_schema, '.', table_name) as name, definer, security_type as rights from information_schema.views where ${where}
      union all select 'TRIGGER', concat(trigger_schema, '.', trigger_name), definer, 'DEFINER' from information_schema.triggers
        where ${of('event_object_schema', 'event_object_table')}
      union all select routine_type, concat(routine_schema, '.', routine_name), definer, security_type from information_schema.routines
        where ${of('routine_schema', 'routine_name')}
      union all select 'EVENT', concat(event_schema, '.', event_name), definer, 'DEFINER' from information_schema.events
        where ${of('event_schema', 'event_name')}) x
    where x.rights = 'DEFINER' and not exists (select 1 from mysql.user u where concat(u.user, '@', u.host) = x.definer) limit ${maxEach}`;
}

function describeView(view: string): Finding {
  return {
    severity: 'high',
    weight: 1,
    evidence: `view ${view} is invalid: a table, column or function that it reads is gone, or its definer may not read it`,
    consequence: 'Every query of it fails.',
    next: `SHOW CREATE VIEW ${view}; then create what it lacks, or DROP VIEW ${view};`,
  };
}

function describeDamage(table: string, comment: string): Finding {
  return {
    severity: 'high',
    weight: 2,
    evidence: `table ${table} cannot be opened: ${comment}`,
    consequence: 'Every statement on it fails.',
    next: `CHECK TABLE ${table}; then REPAIR TABLE (MyISAM, Aria) or a restore from a backup.`,
  };
}

function describeOrphan([kind, name, definer]: Row): Finding {
  return {
    severity: 'high',
    weight: 1,
    evidence: `${kind?.toLowerCase()} ${name} runs as ${definer}, and there is no such account`,
    consequence: 'Every use of it fails.',
    next: `CREATE USER with the rights that it needs and ACCOUNT LOCK, or define it again with another DEFINER: SHOW CREATE ${kind} ${name};`,
  };
}

function describeFrozen(table: string): Finding {
  return {
    severity: 'low',
    weight: 0,
    evidence: `the statistics of ${table} are not refreshed (STATS_AUTO_RECALC=0)`,
    consequence: 'The planner goes by what the last ANALYZE TABLE saw, and may choose bad plans.',
    next: `ALTER TABLE ${table} STATS_AUTO_RECALC=DEFAULT; then ANALYZE TABLE ${table};`,
  };
}
