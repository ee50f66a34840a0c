import { type Finding, formatShare, readCount } from '@dbmole/core';
import type { CatalogRun, Param } from '../../../../engine.ts';
import { formatLabel, isInScope } from '../../catalog/fragments.ts';

type Row = readonly (string | null)[];

const maxEach = 100;
const maxNames = 5;
/** What the server can count; it stops taking writes three million before the end. */
const maxTransactions = 2_146_483_647;
const shares = { medium: 0.25, high: 0.5 };
/** How far beyond the age at which autovacuum freezes a table it counts as overdue. */
const lateFactor = 2;

const freezeAge = "pg_catalog.current_setting('autovacuum_freeze_max_age')::bigint";
const isOld = (age: string) => `(${age} > ${shares.medium * maxTransactions} or ${age} > ${lateFactor} * ${freezeAge})`;

const tablesSql = `
with aged as materialized (
  select c.oid, c.relname, n.nspname, greatest(pg_catalog.age(c.relfrozenxid), pg_catalog.mxid_age(c.relminmxid)) as age
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'm') and c.relpersistence <> 't' and ${isInScope('n', 'c')} and (${isOld('pg_catalog.age(c.relfrozenxid)')}
    or pg_catalog.mxid_age(c.relminmxid) > ${shares.medium * maxTransactions}))
select ${formatLabel('a', 'a')}, a.age::text, ${freezeAge}::text, pg_catalog.count(*) over ()::text from aged a order by a.age desc, 1 limit ${maxEach}`;

const databasesSql = `
select pg_catalog.quote_ident(d.datname), greatest(pg_catalog.age(d.datfrozenxid), pg_catalog.mxid_age(d.datminmxid))::text, ${freezeAge}::text,
  pg_catalog.count(*) over ()::text
from pg_catalog.pg_database d
where ${isOld('pg_catalog.age(d.datfrozenxid)')} or pg_catalog.mxid_age(d.datminmxid) > ${shares.medium * maxTransactions}
order by 2 desc, 1 limit ${maxEach}`;

/** Transactions whose ids the server still has to tell apart. `params` are the schema and the table that the check is limited to. */
export async function findOldTransactions(run: CatalogRun, params: readonly Param[]): Promise<Finding[]> {
  const [tables, databases] = await Promise.all([run(tablesSql, params), run(databasesSql)]);
  return [...judge(databases, describeDatabases), ...judge(tables, describeTables)];
}

type Describe = (names: string, count: number, listed: readonly string[]) => Pick<Finding, 'evidence' | 'consequence' | 'next'>;

/** All in one finding: where one is late, the others are as well. */
function judge(rows: readonly Row[], describe: Describe): Finding[] {
  const [first] = rows;
  if (first === undefined) return [];
  const age = readCount(first[1]);
  const share = age / maxTransactions;
  const count = readCount(first[3]);
  const listed = rows.slice(0, maxNames).map(([name]) => name ?? '');
  const { evidence, ...rest } = describe(`${listed.join(', ')}${count > listed.length ? ', …' : ''}`, count, listed);
  const due = share >= shares.medium ? `${formatShare(share)} of what the server can count` : `and are due at ${first[2]}`;
  return [
    {
      severity: share >= shares.high ? 'high' : 'medium',
      weight: age,
      evidence: `${evidence} ${age} transactions old, ${due}`,
      ...rest,
    },
  ];
}

const describeDatabases: Describe = (names, count) => ({
  evidence: `${count === 1 ? `database ${names} has` : `${count} databases (${names}) have`} rows that are not frozen and up to`,
  consequence: 'At 100 % the server stops taking writes until a VACUUM has frozen old rows.',
  next: 'Look for old transactions and slots (diagnose check=activity, check=replication), then VACUUM (FREEZE) the oldest tables.',
});

const describeTables: Describe = (names, count, listed) => ({
  evidence: `${count === 1 ? `table ${names} has` : `${count} tables (${names}) have`} rows that are not frozen and up to`,
  consequence: 'They keep the whole database from being frozen; at 100 % the server stops taking writes.',
  next: `VACUUM (FREEZE) ${listed.join(', ')};`,
});
