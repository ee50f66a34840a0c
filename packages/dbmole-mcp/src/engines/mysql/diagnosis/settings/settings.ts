import { type CheckReport, type Finding, readCount } from '@dbmole/core';
import { askIfAllowed } from '../../../../audit/ask-if-allowed.ts';
import type { CheckScope } from '../../../../diagnosis/diagnosis.ts';
import type { CatalogRun } from '../../../../engine.ts';
import { readContext } from '../../catalog/context.ts';
import { readAccount } from '../account.ts';
import { checkAccounts } from './accounts.ts';
import { dangers, isOn } from './dangers.ts';
import { checkLimits } from './limits.ts';

/** Global values: those of this session are of our own making. */
const variablesSql = `
select lower(variable_name), variable_value from performance_schema.global_variables
where lower(variable_name) in (${[...Object.keys(dangers), 'max_connections', 'log_bin', 'expire_logs_days', 'max_prepared_stmt_count', 'slow_query_log', 'event_scheduler'].map((name) => `'${name}'`).join(', ')})`;
const variablesOfMariaSql = variablesSql.replace('performance_schema', 'information_schema');

/** Events that nothing runs while the scheduler is off. */
const eventsSql = `
select count(*), min(concat(event_schema, '.', event_name)) from information_schema.events where status = 'ENABLED'`;

/** What sessions set for themselves, this one too: the server does not say whether the global value was set. */
const ownVariables =
  "'foreign_key_checks', 'max_execution_time', 'session_track_schema', 'sql_select_limit', 'time_zone', 'transaction_isolation', 'transaction_read_only'";

/** Where a value comes from is known since MySQL 8.0, and to MariaDB. */
const changedSql = `
select i.variable_name, g.variable_value, i.variable_source, null
from performance_schema.variables_info i join performance_schema.global_variables g on g.variable_name = i.variable_name
where i.variable_source <> 'COMPILED' and not (i.variable_source = 'DYNAMIC' and i.variable_name in (${ownVariables}))
  and i.variable_name not regexp '(dir|file|path|socket|hostname|port|version|uuid|address|user|plugin|basedir|pid)' order by 1 limit 200`;
const changedOfMariaSql = `
select lower(variable_name), global_value, global_value_origin, default_value from information_schema.system_variables
where global_value_origin not in ('COMPILE-TIME', 'AUTO') and not (global_value <=> default_value)
  and lower(variable_name) not regexp '(dir|file|path|socket|hostname|port|version|uuid|address|user|plugin|basedir|pid)' order by 1 limit 200`;

export async function checkSettings(run: CatalogRun, { limit }: CheckScope): Promise<CheckReport> {
  const { maria } = await readContext(run);
  const [variables, changed, [replica], events, accounts] = await Promise.all([
    run(maria ? variablesOfMariaSql : variablesSql),
    run(maria ? changedOfMariaSql : changedSql),
    readReplica(run, maria),
    askIfAllowed(run, eventsSql),
    checkAccounts(run, maria),
  ]);
  const value = new Map(variables.map(([name, text]) => [name ?? '', text ?? '']));
  // An account that may not see it takes the server for a replica.
  if (replica !== undefined) value.set('replicates', 'ON');
  value.set('product', maria ? 'MariaDB' : 'MySQL');
  const limits = await checkLimits(run, value, maria);
  return {
    findings: [
      ...[...value].flatMap(([name, text]) => judgeSetting(name, text, value)),
      ...judgeEvents(value.get('event_scheduler') ?? 'ON', events?.[0] ?? []),
      ...(accounts ?? []),
      ...limits.findings,
    ],
    listing: changed
      .slice(0, limit)
      .map(
        ([name, text, source, standard]) =>
          `${name} = ${text} (${standard === null ? '' : `default ${standard}, `}from ${source?.toLowerCase()})`,
      ),
    hidden: accounts === undefined ? await describeHiddenAccounts(run, maria) : undefined,
    notes: [
      limits.note,
      ...(changed.length > limit ? [`${changed.length - limit} more settings that were set are not listed.`] : []),
    ],
  };
}

async function describeHiddenAccounts(run: CatalogRun, maria: boolean): Promise<string> {
  const account = await readAccount(run);
  const grants = (maria ? ['user', 'global_priv'] : ['user']).map((table) => `GRANT SELECT ON mysql.${table} TO ${account};`);
  return `Accounts that have no password or cannot log in are hidden; ${grants.join(' ')} ${maria ? 'show' : 'shows'} them.`;
}

function judgeSetting(name: string, value: string, others: ReadonlyMap<string, string>): Finding[] {
  const danger = dangers[name];
  if (danger === undefined || !danger.bad(value, others)) return [];
  const { severity, consequence, good, show } = danger;
  const isFixed =
    /^(?:innodb_doublewrite|innodb_force_recovery|innodb_read_only|innodb_flush_method|innodb_log_file_size|\w+_skip_errors)$/.test(
      name,
    );
  return [
    {
      severity,
      weight: severity === 'high' ? 1 : 0,
      evidence: show ? `${name} has ${show(value)}` : `${name} is ${value === '' ? 'empty' : value}`,
      consequence,
      next: isFixed
        ? `Set ${name}=${good} in the configuration and restart.`
        : `SET GLOBAL ${name} = ${good}; and the same in the configuration.`,
    },
  ];
}

/** A row if the server is a replica, or may be one. */
async function readReplica(run: CatalogRun, maria: boolean): Promise<readonly (readonly unknown[])[]> {
  const rows = maria
    ? await askIfAllowed(run, 'SHOW ALL SLAVES STATUS')
    : await askIfAllowed(run, 'select channel_name from performance_schema.replication_connection_configuration limit 1');
  return rows ?? [[]];
}

function judgeEvents(scheduler: string, [count, event]: readonly (string | null)[]): Finding[] {
  if (isOn(scheduler) || readCount(count) === 0) return [];
  return [
    {
      severity: 'medium',
      weight: 1,
      evidence: `event_scheduler is ${scheduler}, and ${count} ${count === '1' ? 'event is' : 'events are'} enabled, such as ${event}`,
      consequence: 'What they do at their time is not done.',
      next: /disabled/i.test(scheduler)
        ? 'Set event_scheduler=ON in the configuration and restart.'
        : 'SET GLOBAL event_scheduler = ON; and the same in the configuration.',
    },
  ];
}
