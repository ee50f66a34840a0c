import type { CheckReport, Finding } from '@dbmole/core';
import { askIfAllowed } from '../../../audit/ask-if-allowed.ts';
import type { CheckScope } from '../../../diagnosis/diagnosis.ts';
import type { CatalogRun } from '../../../engine.ts';
import { readContext } from '../catalog/context.ts';
import { describeHiddenTables, readAccount } from './account.ts';

/** What each check needs, and how to see whether it is there. */
const probes: readonly { what: string; sql: string; grant: string; only?: 'mysql' }[] = [
  {
    what: 'sessions and transactions of other accounts',
    sql: 'select trx_id from information_schema.innodb_trx limit 1',
    grant: 'GRANT PROCESS ON *.*',
  },
  {
    what: 'counts of statements and indexes',
    sql: 'select digest from performance_schema.events_statements_summary_by_digest limit 1',
    grant: 'GRANT SELECT ON performance_schema.*',
  },
  {
    what: 'row locks',
    sql: 'select engine from performance_schema.data_locks limit 1',
    grant: 'GRANT SELECT ON performance_schema.*',
    only: 'mysql',
  },
];

const replicaProbes = { maria: 'SHOW ALL SLAVES STATUS', mysql: 'SHOW REPLICA STATUS' };

export async function checkPrivileges(run: CatalogRun, _scope: CheckScope): Promise<CheckReport> {
  const context = await readContext(run);
  const { maria } = context;
  const wanted = probes.filter(({ only }) => only === undefined || !maria);
  const [answers, replica, name, tables] = await Promise.all([
    Promise.all(wanted.map(({ sql }) => askIfAllowed(run, sql))),
    askIfAllowed(run, maria ? replicaProbes.maria : replicaProbes.mysql),
    readAccount(run),
    describeHiddenTables(run, context.database),
  ]);
  const missing = [
    ...wanted.filter((_, at) => answers[at] === undefined),
    ...(replica === undefined
      ? [{ what: 'the state of replication', grant: `GRANT ${maria ? 'REPLICA MONITOR' : 'REPLICATION CLIENT'} ON *.*` }]
      : []),
  ];
  return {
    findings: missing.map(({ what, grant }, at): Finding => {
      return {
        severity: 'low',
        weight: missing.length - at,
        evidence: `${name} does not see ${what}`,
        consequence: 'An empty answer of the other checks can mean that it was hidden.',
        next: `${grant} TO ${name};`,
      };
    }),
    listing: [],
    hidden: tables,
    notes: missing.length === 0 ? ['The account sees everything that the checks need.'] : [],
  };
}
