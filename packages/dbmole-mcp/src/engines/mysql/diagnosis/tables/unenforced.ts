import type { Finding } from '@dbmole/core';
import { askIfAllowed } from '../../../../audit/ask-if-allowed.ts';
import type { CatalogRun } from '../../../../engine.ts';
import type { CatalogContext } from '../../catalog/context.ts';
import { formatIdentifier } from '../../values/identifiers.ts';

type Row = readonly (string | null)[];

const maxEach = 20;

interface Scope {
  /** The condition on `table_schema`, and on `table_name` where a table is named. */
  where: string;
  params: readonly string[];
}

/** References to tables that are gone, which DROP TABLE leaves while foreign keys are not checked. */
const orphansSql = (where: string) => `
select constraint_schema, table_name, constraint_name, referenced_table_name from information_schema.referential_constraints
where unique_constraint_name is null and ${where.replaceAll('table_schema', 'constraint_schema')} limit ${maxEach}`;

/** Known since MySQL 8.0.16; MariaDB has no such constraints. */
const checksSql = (where: string) => `
select table_schema, table_name, constraint_name from information_schema.table_constraints where enforced = 'NO' and ${where} limit ${maxEach}`;

const eventsSql = (where: string) => `
select event_schema, event_name, status from information_schema.events
where status <> 'ENABLED' and ${where.replaceAll('table_schema', 'event_schema').replaceAll('table_name', 'event_name')} limit ${maxEach}`;

/** What tables and schemas declare and the server does not do. */
export async function findUnenforced(
  run: CatalogRun,
  { where, params }: Scope,
  context: CatalogContext,
): Promise<readonly Finding[]> {
  const [orphans, checks, events] = await Promise.all(
    [orphansSql, checksSql, eventsSql].map((format) => askIfAllowed(run, format(where), params)),
  );
  const label = (row: Row) => context.formatLabel(row[0], row[1]);
  return [
    ...(orphans ?? []).map((row) => judgeOrphan(label(row), row)),
    ...(checks ?? []).map((row) => judgeCheck(label(row), row)),
    ...(events ?? []).map((row) => judgeEvent(label(row), row)),
  ];
}

function judgeOrphan(table: string, [, , constraint, target]: Row): Finding {
  return {
    severity: 'high',
    weight: 1,
    evidence: `foreign key ${constraint} of ${table} refers to ${target}, which does not exist or has no such key`,
    consequence: `Every INSERT in ${table} with a value there fails, unless foreign keys are not checked.`,
    next: `Create ${target} again, or ALTER TABLE ${table} DROP FOREIGN KEY ${formatIdentifier(constraint ?? '')};`,
  };
}

function judgeCheck(table: string, [, , constraint]: Row): Finding {
  return {
    severity: 'low',
    weight: 0,
    evidence: `constraint ${constraint} of ${table} is not enforced`,
    consequence: 'Rows that break it are accepted, unless the application prevents them.',
    next: `If it should hold: ALTER TABLE ${table} ALTER CHECK ${formatIdentifier(constraint ?? '')} ENFORCED; (checks all rows)`,
  };
}

function judgeEvent(event: string, [, , status]: Row): Finding {
  return {
    severity: 'low',
    weight: 0,
    evidence: `event ${event} is ${status?.toLowerCase()}`,
    consequence: 'What it does at its time has not been done since.',
    next: `ALTER EVENT ${event} ENABLE; unless it was disabled on purpose.`,
  };
}
