import { type CheckReport, type Finding, readCount } from '@dbmole/core';
import type { CheckScope } from '../../../diagnosis/diagnosis.ts';
import type { CatalogRun } from '../../../engine.ts';
import { formatLabel, isOurs, relationKinds } from '../catalog/fragments.ts';

const accountSql = `
select pg_catalog.quote_ident(current_user), r.rolsuper::text, pg_catalog.pg_has_role('pg_read_all_stats', 'USAGE')::text,
  pg_catalog.pg_has_role('pg_read_all_settings', 'USAGE')::text,
  exists (select from pg_catalog.pg_extension e where e.extname = 'pg_stat_statements')::text
from pg_catalog.pg_roles r where r.rolname = current_user`;

const unreadableSql = `
select ${formatLabel('c', 'n')}, pg_catalog.count(*) over ()::text,
  case when pg_catalog.has_schema_privilege(n.oid, 'USAGE') then 'SELECT' else 'USAGE on the schema' end
from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where c.relkind in (${relationKinds}) and ${isOurs('n')}
  and (not pg_catalog.has_schema_privilege(n.oid, 'USAGE') or not pg_catalog.has_any_column_privilege(c.oid, 'SELECT'))
order by n.nspname, c.relname limit $1::int`;

/** Rows that policies may hide from this account. */
const filteredSql = `
select ${formatLabel('c', 'n')}, pg_catalog.count(*) over ()::text
from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where c.relrowsecurity and ${isOurs('n')} and pg_catalog.row_security_active(c.oid)
order by n.nspname, c.relname limit $1::int`;

export async function checkPrivileges(run: CatalogRun, { limit }: CheckScope): Promise<CheckReport> {
  const [[name = '', isSuper, seesStats, seesSettings] = []] = await run(accountSql);
  if (isSuper === 'true') return { findings: [], listing: [], notes: ['The account is a superuser and sees everything.'] };
  const [unreadable, filtered] = await Promise.all([run(unreadableSql, [limit]), run(filteredSql, [limit])]);
  const hidden = readCount(unreadable[0]?.[1]);
  const rows = readCount(filtered[0]?.[1]);
  return {
    findings: [
      ...(seesStats === 'true'
        ? []
        : [missing(name ?? '', 'what other accounts run, wait for and have run', 'pg_read_all_stats', 2)]),
      ...(seesSettings === 'true'
        ? []
        : [missing(name ?? '', 'settings that only administrators may see', 'pg_read_all_settings', 1)]),
      ...(hidden === 0 ? [] : [describeHidden(name ?? '', hidden)]),
      ...(rows === 0
        ? []
        : [
            describeFiltered(
              rows,
              filtered.map(([table]) => table ?? ''),
            ),
          ]),
    ],
    listing: unreadable.map(([table, , right]) => `${table}: no ${right}`),
    notes: [...(hidden > limit ? [`${hidden - limit} more tables without rights are not listed.`] : [])],
  };
}

function missing(account: string, what: string, role: string, weight: number): Finding {
  return {
    severity: 'low',
    weight,
    evidence: `${account} does not see ${what}`,
    consequence: 'An empty answer of the other checks can mean that it was hidden.',
    next: `GRANT ${role} TO ${account}; (pg_monitor includes it)`,
  };
}

function describeHidden(account: string, count: number): Finding {
  return {
    severity: 'low',
    weight: 0,
    evidence: `${account} may not read ${count} tables or views`,
    consequence: 'They are listed and described, but queries of them fail.',
    next: `GRANT SELECT ON … TO ${account}; or, for all of them: GRANT pg_read_all_data TO ${account};`,
  };
}

function describeFiltered(count: number, tables: readonly string[]): Finding {
  return {
    severity: 'low',
    weight: 3,
    evidence: `policies may hide rows of ${count} tables from this account: ${tables.slice(0, 5).join(', ')}${count > 5 ? ', …' : ''}`,
    consequence: 'Counts and sums over them are those of the visible rows only.',
    next: `describe_table of ${tables[0] ?? ''}; select * from pg_policies where tablename = …`,
  };
}
