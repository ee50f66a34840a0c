import type { CatalogQuestion } from '../../../../guard/read-statement.ts';
import { catalogs, firstUserOid } from './describe-sql.ts';

/**
 * Schemas of the caller's path where something can be meant by what a text says of the server's own: those that come first, and
 * those with operators over its types, as one that fits exactly is taken wherever it is. One line each; null where there is none,
 * as nearly everywhere.
 */
export const standIns = `
  select pg_catalog.string_agg(s.name, E'\\n')
  from pg_catalog.unnest(pg_catalog.current_schemas(true)) with ordinality s (name, place)
  where s.name <> 'pg_catalog' and s.name !~ '^pg_temp_' and (
    s.place < pg_catalog.array_position(pg_catalog.current_schemas(true), 'pg_catalog')
    or s.name in (
      select n.nspname from pg_catalog.pg_operator o join pg_catalog.pg_namespace n on n.oid = o.oprnamespace
      where o.oid >= ${firstUserOid} and o.oprleft < ${firstUserOid} and o.oprright < ${firstUserOid}
        and o.oprname in (select b.oprname from pg_catalog.pg_operator b where b.oid < ${firstUserOid})
        and not exists (select from pg_catalog.pg_depend d where d.classid = ${catalogs.operator} and d.objid = o.oid and d.deptype = 'e')))`;

/** Functions of the server that ask it by SQL and qualify no operator. */
const askers = [
  'pg_get_viewdef',
  'pg_get_ruledef',
  'schema_to_xml',
  'schema_to_xmlschema',
  'schema_to_xml_and_xmlschema',
  'database_to_xml',
  'database_to_xmlschema',
  'database_to_xml_and_xmlschema',
];

/** All that they say, and so does whatever calls them. */
export const asked = 'select a = b and a ~ b';

const oidsOf = (from: string) => `(select coalesce(pg_catalog.string_agg(pg_catalog.concat(oid), '|'), '0') from ${from})`;

/** Views and standard functions have what they call by its number; those of the server itself are recorded nowhere else. */
const question = (major: number) => `
  with asker as materialized (
    select oid from pg_catalog.pg_proc where pronamespace = 'pg_catalog'::pg_catalog.regnamespace and proname = any ($1::pg_catalog.name[])
  ), view as materialized (
    select distinct ev_class as oid from pg_catalog.pg_rewrite
    where ev_type = '1' and ev_action::text ~ (':funcid (' || ${oidsOf('asker')} || ') ')
  ), pattern as materialized (
    select ':funcid (' || ${oidsOf('asker')} || ') |:relid (' || ${oidsOf('view')} || ') ' as it
  )
  select ${catalogs.function}, oid from asker
  union select ${catalogs.relation}, r.ev_class from pg_catalog.pg_rewrite r, pattern where r.ev_type = '1' and r.ev_action::text ~ pattern.it
  ${major >= 14 ? `union select ${catalogs.function}, p.oid from pg_catalog.pg_proc p, pattern where p.prosqlbody::text ~ pattern.it` : ''}`;

/** Class and number of all that asks the server by SQL. */
export async function openAsking(run: CatalogQuestion, major: number): Promise<readonly (readonly [string, string])[]> {
  const rows = await run(question(major), [`{${askers.join(',')}}`]);
  return rows.map(([objectClass, oid]) => [objectClass ?? '', oid ?? ''] as const);
}
