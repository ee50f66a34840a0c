import type { Finding } from '@dbmole/core';
import { askIfAllowed } from '../../../audit/ask-if-allowed.ts';
import type { CatalogRun } from '../../../engine.ts';

type Row = readonly (string | null)[];

/** Collations that an index sorts by, whose library has changed since they were made. The default of the database is not among them. */
const collationsSql = `
with used as materialized (
  select pg_catalog.unnest(i.indcollation) as collation, i.indexrelid from pg_catalog.pg_index i where i.indexrelid >= 16384),
counted as materialized (
  select u.collation, pg_catalog.count(*) as indexes, pg_catalog.min(u.indexrelid::int8) as sample from used u where u.collation > 0
  group by u.collation)
select pg_catalog.quote_ident(n.nspname) || '.' || pg_catalog.quote_ident(c.collname), c.collversion, pg_catalog.pg_collation_actual_version(c.oid),
  u.indexes::text, u.sample::oid::pg_catalog.regclass::text
from counted u join pg_catalog.pg_collation c on c.oid = u.collation join pg_catalog.pg_namespace n on n.oid = c.collnamespace
where c.collversion is not null and c.collversion <> pg_catalog.pg_collation_actual_version(c.oid) limit 20`;

/** Known since version 15. */
const databaseSql = `
select pg_catalog.quote_ident(d.datname), d.datcollversion, pg_catalog.pg_database_collation_actual_version(d.oid)
from pg_catalog.pg_database d where d.datname = pg_catalog.current_database()
  and d.datcollversion <> pg_catalog.pg_database_collation_actual_version(d.oid)`;

export async function findChangedCollations(run: CatalogRun): Promise<Finding[]> {
  const [collations, databases] = await Promise.all([run(collationsSql), askIfAllowed(run, databaseSql)]);
  return [...(databases ?? []).map(judgeDatabase), ...collations.map(judgeCollation)];
}

const consequence = 'Indexes on text may be in the old order: queries then miss rows, and unique indexes let duplicates in.';

function judgeDatabase([database, version, actual]: Row): Finding {
  return {
    severity: 'high',
    weight: 1e12,
    evidence: `database ${database} was made with version ${version} of its collation, and the system has ${actual}`,
    consequence,
    next: `REINDEX (CONCURRENTLY) DATABASE ${database}; then ALTER DATABASE ${database} REFRESH COLLATION VERSION;`,
  };
}

function judgeCollation([collation, version, actual, indexes, sample]: Row): Finding {
  return {
    severity: 'high',
    weight: 1e11,
    evidence: `collation ${collation} has version ${version}, and the system ${actual}; ${indexes} ${indexes === '1' ? 'index sorts' : 'indexes sort'} by it, such as ${sample}`,
    consequence,
    next: `REINDEX INDEX CONCURRENTLY ${sample}; and the others with it; then ALTER COLLATION ${collation} REFRESH VERSION;`,
  };
}
