import type { CatalogQuestion } from '../../../../guard/read-statement.ts';
import { isUserType } from './catalog-object.ts';
import { catalogs, formatFound } from './describe-sql.ts';
import { type Graph, openFound } from './graph.ts';

/** Functions of the server that query its catalog by SQL and qualify no operator. */
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

/** The operators in that SQL. */
const asked = new Set(['=', '~']);

const oidsOf = (from: string) => `(select coalesce(pg_catalog.string_agg(pg_catalog.concat(oid), '|'), '0') from ${from})`;

/** Views and standard functions have what they call by its number; those of the server itself are recorded nowhere else. */
const question = (major: number) =>
  formatFound(`
  with asker as materialized (
    select oid from pg_catalog.pg_proc where pronamespace = 'pg_catalog'::pg_catalog.regnamespace and proname = any ($1::pg_catalog.name[])
  ), view as materialized (
    select distinct ev_class as oid from pg_catalog.pg_rewrite
    where ev_type = '1' and ev_action::text ~ (':funcid (' || ${oidsOf('asker')} || ') ')
  ), pattern as materialized (
    select ':funcid (' || ${oidsOf('asker')} || ') |:relid (' || ${oidsOf('view')} || ') ' as it
  ), found (class, oid, via_class, via, how, detail) as (
    select ${catalogs.function}, oid, 0, 0, 'calls', '' from asker
    union select ${catalogs.relation}, r.ev_class, 0, 0, 'calls', '' from pg_catalog.pg_rewrite r, pattern where r.ev_type = '1' and r.ev_action::text ~ pattern.it
    ${major >= 14 ? `union select ${catalogs.function}, p.oid, 0, 0, 'calls', '' from pg_catalog.pg_proc p, pattern where p.prosqlbody::text ~ pattern.it` : ''}
  )`);

/** Where an operator over types of the server can be meant by that SQL, everything that asks so leads to it. */
export async function addAsking(graph: Graph, run: CatalogQuestion, major: number): Promise<void> {
  const operators = [...graph.objects.values()].filter(
    ({ class: of, name, open, needs }) => of === catalogs.operator && asked.has(name) && open && !needs.some(isUserType),
  );
  if (operators.length > 0) await graph.link(await openFound(run, question(major), [`{${askers.join(',')}}`]), operators);
}
