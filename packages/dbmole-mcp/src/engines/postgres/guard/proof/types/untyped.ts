import type { CatalogQuestion } from '../../../../../guard/read-statement.ts';
import type { CallUse, StatementNames } from '../../tree/names.ts';
import { type CatalogObject, isUserType } from '../catalog/catalog-object.ts';
import { catalogs, firstUserOid } from '../catalog/describe-sql.ts';
import type { Matcher } from './match.ts';

/**
 * An uncast text takes the type of its neighbor. Where that is a domain, it takes the base type, so no check runs. Where it is an array,
 * a range or a row of a domain, the checks of the domain run. They also run for an array of the base type where several values take one
 * type: `CASE`, `UNION`, arguments of any type.
 */
export interface Untyped {
  /** Rows that have an array, a range or a row of such a domain in them. */
  readonly deep: readonly CatalogObject[];
  /** Rows that have such a domain. */
  readonly flat: readonly CatalogObject[];
  /** Functions whose result or whose other arguments are of the type of an argument. */
  readonly makers: ReadonlySet<string>;
}

export const nothingUntyped: Untyped = { deep: [], flat: [], makers: new Set() };

/** Row types with columns of these types, and whether one of these is more than a domain over a type of the server. */
const columns = `
  select c.reltype, pg_catalog.bool_or(t.typtype <> 'd' or t.typbasetype >= ${firstUserOid})
  from pg_catalog.pg_class c join pg_catalog.pg_attribute a on a.attrelid = c.oid
    join pg_catalog.pg_type t on t.oid = a.atttypid
  where c.reltype = any ($1::pg_catalog.oid[]) and a.atttypid = any ($1::pg_catalog.oid[])
    and c.relkind = any ('{r,v,m,f,p}'::pg_catalog.char[])
  group by c.reltype`;

const polymorphic = `(select pg_catalog.count(*) from pg_catalog.unnest(p.proargtypes::pg_catalog.oid[]) t (oid)
    where t.oid = any (poly.oids))`;

const makers = `
  with poly as (
    select pg_catalog.array_agg(oid) as oids from pg_catalog.pg_type
    where typnamespace = 'pg_catalog'::pg_catalog.regnamespace and typname ~ '^any.' and typtype = 'p'
  )
  select distinct p.proname from pg_catalog.pg_proc p, poly
  where ${polymorphic} > 1
    or (${polymorphic} = 1 and p.prorettype = any (poly.oids)
      and pg_catalog.format_type(p.prorettype, null) ~ 'array')`;

/** Queries only if some types lead to something. */
export async function openUntyped(run: CatalogQuestion, nodes: Iterable<CatalogObject>): Promise<Untyped> {
  const known = new Map([...nodes].filter(isOwnType).map((node) => [node.oid, node]));
  if (known.size === 0) return nothingUntyped;
  const rows = await run(columns, [`{${[...known.keys()].join(',')}}`]);
  if (rows.length === 0) return nothingUntyped;
  const of = (deep: string) => rows.flatMap(([oid, is]) => (is === deep ? (known.get(oid ?? '') ?? []) : []));
  return { deep: of('t'), flat: of('f'), makers: new Set((await run(makers)).map(([name]) => name ?? '')) };
}

function isOwnType({ class: objectClass, oid }: CatalogObject): boolean {
  return objectClass === catalogs.type && isUserType(oid);
}

/** The rows with a column for which an untyped text, or an array of another type, could become a value of an unsafe domain. */
export function findUntyped(names: StatementNames, known: Untyped, matcher: Matcher): readonly CatalogObject[] {
  if (known.deep.length + known.flat.length === 0) return [];
  if (names.untyped === undefined && !names.combines && !names.functions.some((call) => unites(call, known))) return [];
  const rows = gathers(names, known) ? [...known.deep, ...known.flat] : known.deep;
  return rows.filter((row) => matcher.findRelation(row) !== undefined);
}

function unites({ name, args }: CallUse, { makers }: Untyped): boolean {
  return args > 1 && makers.has(name);
}

function gathers(names: StatementNames, { makers }: Untyped): boolean {
  return names.gathers || names.functions.some(({ name }) => makers.has(name));
}
