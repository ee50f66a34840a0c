import type { Finding } from '@dbmole/core';
import { formatLabel, isInScope, isOurs } from '../../catalog/fragments.ts';

type Row = readonly (string | null)[];

const maxEach = 100;

/** From version 18 on, a constraint can be declared as not enforced. Those of domains belong to no table. */
const constraintsSql = `
select case when c.oid is null then 'domain ' || pg_catalog.format_type(k.contypid, null) else ${formatLabel('c', 'n')} end,
  pg_catalog.quote_ident(k.conname), k.contype::text, coalesce(c.reltuples, 0)::bigint::text, coalesce(pg_catalog.to_jsonb(k) ->> 'conenforced', 'true')
from pg_catalog.pg_constraint k left join pg_catalog.pg_class c on c.oid = k.conrelid
  join pg_catalog.pg_namespace n on n.oid = coalesce(c.relnamespace, k.connamespace)
where not k.convalidated and k.conparentid = 0 and ${isOurs('n')} and ($1::text is null or n.nspname = $1::text)
  and ($2::text is null or c.relname = $2::text)
order by c.reltuples desc nulls last, k.oid limit ${maxEach}`;

/** Foreign keys are checked by triggers of the server's own. */
const triggersSql = `
select ${formatLabel('c', 'n')}, case when t.tgisinternal then null else pg_catalog.quote_ident(t.tgname) end, c.reltuples::bigint::text, t.tgenabled::text
from pg_catalog.pg_trigger t join pg_catalog.pg_class c on c.oid = t.tgrelid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where (t.tgenabled = 'D' or t.tgenabled = 'R' and not t.tgisinternal) and ${isInScope('n', 'c')}
group by 1, 2, 3, 4 order by 2 nulls first limit ${maxEach}`;

/** Rules of rewriting that are switched off; the one of a view cannot be. */
const rulesSql = `
select ${formatLabel('c', 'n')}, pg_catalog.quote_ident(r.rulename), c.reltuples::bigint::text
from pg_catalog.pg_rewrite r join pg_catalog.pg_class c on c.oid = r.ev_class join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where r.ev_enabled = 'D' and ${isInScope('n', 'c')} limit ${maxEach}`;

const eventTriggersSql = `
select pg_catalog.quote_ident(e.evtname), e.evtevent::text from pg_catalog.pg_event_trigger e where e.evtenabled = 'D' and $1::text is null and $2::text is null
limit ${maxEach}`;

/** Tables that apply policies and have none: without one, only the owner sees rows. */
const closedSql = `
select ${formatLabel('c', 'n')}, c.reltuples::bigint::text
from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where c.relrowsecurity and ${isInScope('n', 'c')} and not exists (select from pg_catalog.pg_policy p where p.polrelid = c.oid)
order by c.reltuples desc limit ${maxEach}`;

/** Policies that nothing applies. */
const policiesSql = `
select ${formatLabel('c', 'n')}, pg_catalog.count(*)::text, c.reltuples::bigint::text
from pg_catalog.pg_policy p join pg_catalog.pg_class c on c.oid = p.polrelid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where not c.relrowsecurity and ${isInScope('n', 'c')} group by c.oid, c.relname, n.nspname, c.reltuples limit ${maxEach}`;

/** Rules that tables declare and that do not hold for all rows. `ask` passes the schema and the table that the check is limited to. */
export async function findUnenforced(ask: (sql: string) => Promise<readonly Row[]>): Promise<Finding[]> {
  const [constraints, triggers, policies, closed, rules, events] = await Promise.all([
    ask(constraintsSql),
    ask(triggersSql),
    ask(policiesSql),
    ask(closedSql),
    ask(rulesSql),
    ask(eventTriggersSql),
  ]);
  return [
    ...policies.map(judgePolicies),
    ...triggers.map(judgeTrigger),
    ...constraints.map(judgeConstraint),
    ...closed.map(judgeClosed),
    ...rules.map(judgeRule),
    ...events.map(judgeEventTrigger),
  ];
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

function judgeConstraint([table, constraint, kind, rows, isEnforced]: Row): Finding {
  const found = { severity: 'low', weight: Number(rows) } as const;
  const of = `constraint ${constraint} of ${table}`;
  if (isEnforced === 'false') {
    return {
      ...found,
      evidence: `${of} is not enforced`,
      consequence: 'Rows that break it are accepted, unless the application prevents them.',
      next:
        kind === 'f'
          ? `If it should hold: ALTER TABLE ${table} ALTER CONSTRAINT ${constraint} ENFORCED; (checks all rows)`
          : `If it should hold: ALTER TABLE ${table} DROP CONSTRAINT ${constraint}; and add it again without NOT ENFORCED.`,
    };
  }
  return {
    ...found,
    evidence: `${of} was never validated`,
    consequence:
      kind === 'f'
        ? 'Older rows may refer to rows that do not exist, and joins lose them.'
        : 'Older rows may break it, and the planner cannot rely on it.',
    next: table?.startsWith('domain ')
      ? `ALTER DOMAIN ${table.slice('domain '.length)} VALIDATE CONSTRAINT ${constraint}; it reads all tables that use the domain.`
      : `ALTER TABLE ${table} VALIDATE CONSTRAINT ${constraint}; it reads the whole table and blocks no reads or writes.`,
  };
}

function judgeClosed([table, rows]: Row): Finding {
  return {
    severity: 'low',
    weight: Number(rows),
    evidence: `${table} has row-level security and no policy`,
    consequence: 'Only its owner, superusers and roles with BYPASSRLS see rows of it; all others see none, without an error.',
    next: `CREATE POLICY … ON ${table} …; or ALTER TABLE ${table} DISABLE ROW LEVEL SECURITY;`,
  };
}

function judgeRule([table, rule, rows]: Row): Finding {
  return {
    severity: 'low',
    weight: Number(rows),
    evidence: `rule ${rule} of ${table} is disabled`,
    consequence: 'What it redirects or adds has been skipped since.',
    next: `ALTER TABLE ${table} ENABLE RULE ${rule}; unless it was disabled on purpose.`,
  };
}

function judgeEventTrigger([trigger, event]: Row): Finding {
  return {
    severity: 'low',
    weight: 0,
    evidence: `event trigger ${trigger} (${event}) is disabled`,
    consequence: 'What it records or forbids of DDL has been skipped since.',
    next: `ALTER EVENT TRIGGER ${trigger} ENABLE; unless it was disabled on purpose.`,
  };
}
