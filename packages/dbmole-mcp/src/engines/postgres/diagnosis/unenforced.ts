import type { Finding } from '@dbmole/core';
import { formatLabel, isInScope } from '../catalog/fragments.ts';

type Row = readonly (string | null)[];

const maxEach = 100;

/** From version 18 on, a constraint can be declared as not enforced; that is a choice and no defect. */
const constraintsSql = `
select ${formatLabel('c', 'n')}, pg_catalog.quote_ident(k.conname), k.contype::text, c.reltuples::bigint::text
from pg_catalog.pg_constraint k join pg_catalog.pg_class c on c.oid = k.conrelid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where not k.convalidated and k.conparentid = 0 and coalesce(pg_catalog.to_jsonb(k) ->> 'conenforced', 'true') = 'true' and ${isInScope('n', 'c')}
order by c.reltuples desc, k.oid limit ${maxEach}`;

/** Foreign keys are checked by triggers of the server's own. */
const triggersSql = `
select ${formatLabel('c', 'n')}, case when t.tgisinternal then null else pg_catalog.quote_ident(t.tgname) end, c.reltuples::bigint::text, t.tgenabled::text
from pg_catalog.pg_trigger t join pg_catalog.pg_class c on c.oid = t.tgrelid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where (t.tgenabled = 'D' or t.tgenabled = 'R' and not t.tgisinternal) and ${isInScope('n', 'c')}
group by 1, 2, 3, 4 order by 2 nulls first limit ${maxEach}`;

/** Policies that nothing applies. */
const policiesSql = `
select ${formatLabel('c', 'n')}, pg_catalog.count(*)::text, c.reltuples::bigint::text
from pg_catalog.pg_policy p join pg_catalog.pg_class c on c.oid = p.polrelid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where not c.relrowsecurity and ${isInScope('n', 'c')} group by c.oid, c.relname, n.nspname, c.reltuples limit ${maxEach}`;

/** Rules that tables declare and that do not hold for all rows. `ask` passes the schema and the table that the check is limited to. */
export async function findUnenforced(ask: (sql: string) => Promise<readonly Row[]>): Promise<Finding[]> {
  const [constraints, triggers, policies] = await Promise.all([ask(constraintsSql), ask(triggersSql), ask(policiesSql)]);
  return [...policies.map(judgePolicies), ...triggers.map(judgeTrigger), ...constraints.map(judgeConstraint)];
}

function judgeTrigger([table, trigger, rows, state]: Row): Finding {
  const isOfServer = trigger === null || trigger === undefined;
  return {
    severity: isOfServer ? 'medium' : 'low',
    weight: Number(rows),
    evidence: isOfServer
      ? `the checks of foreign keys are disabled on ${table}`
      : `trigger ${trigger} of ${table} ${state === 'R' ? 'fires only for replicated changes' : 'is disabled'}`,
    consequence: isOfServer
      ? 'Rows that break a foreign key are accepted, and nothing finds them later.'
      : 'What it maintains or enforces has been skipped since.',
    next: `ALTER TABLE ${table} ENABLE TRIGGER ${isOfServer ? 'ALL; then look for rows without a match' : `${trigger}; unless it was disabled on purpose`}.`,
  };
}

function judgePolicies([table, count, rows]: Row): Finding {
  return {
    severity: 'medium',
    weight: Number(rows),
    evidence: `${table} has ${count} ${count === '1' ? 'policy' : 'policies'}, and row-level security is not enabled on it`,
    consequence: 'Every account with a right on the table sees and changes all of its rows.',
    next: `select * from pg_policies where tablename = …; then ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY;`,
  };
}

function judgeConstraint([table, constraint, kind, rows]: Row): Finding {
  return {
    severity: 'low',
    weight: Number(rows),
    evidence: `constraint ${constraint} of ${table} was never validated`,
    consequence:
      kind === 'f'
        ? 'Older rows may refer to rows that do not exist, and joins lose them.'
        : 'Older rows may break it, and the planner cannot rely on it.',
    next: `ALTER TABLE ${table} VALIDATE CONSTRAINT ${constraint}; it reads the whole table and blocks no reads or writes.`,
  };
}
