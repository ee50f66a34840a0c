import type { CatalogQuestion } from '../../../../guard/read-statement.ts';
import type { CallUse, StatementNames } from '../names.ts';
import { type CatalogObject, isUserType } from './catalog-object.ts';
import { catalogs } from './describe-sql.ts';
import { findNamed, type Matching } from './match.ts';
import type { Uses } from './uses.ts';

/**
 * A text that nobody cast becomes a value of the type of what stands beside it. It never becomes a value of a domain, which is taken
 * for what it is a domain of, but it does become an array, a range or a row of one: then the checks of the domain run. So does an array
 * of what it is a domain of, where several values become one: `CASE`, `UNION`, arguments of any type.
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

const types = `
  select oid, case when typtype operator(pg_catalog.=) 'd' then typbasetype end from pg_catalog.pg_type
  where oid operator(pg_catalog.=) any ($1::pg_catalog.oid[])`;

const columns = `
  select c.reltype, a.atttypid
  from pg_catalog.pg_class c join pg_catalog.pg_attribute a on a.attrelid operator(pg_catalog.=) c.oid
  where c.reltype operator(pg_catalog.=) any ($1::pg_catalog.oid[]) and a.atttypid operator(pg_catalog.=) any ($1::pg_catalog.oid[])
    and c.relkind operator(pg_catalog.=) any ('{r,v,m,f,p}'::pg_catalog.char[])`;

const polymorphic = `(select pg_catalog.count(*) from pg_catalog.unnest(p.proargtypes::pg_catalog.oid[]) t (oid)
    where t.oid operator(pg_catalog.=) any (poly.oids))`;

const makers = `
  with poly as (
    select pg_catalog.array_agg(oid) as oids from pg_catalog.pg_type
    where typnamespace operator(pg_catalog.=) 'pg_catalog'::pg_catalog.regnamespace and typname operator(pg_catalog.~) '^any.' and typtype operator(pg_catalog.=) 'p'
  )
  select distinct p.proname from pg_catalog.pg_proc p, poly
  where ${polymorphic} operator(pg_catalog.>) 1
    or (${polymorphic} operator(pg_catalog.=) 1 and p.prorettype operator(pg_catalog.=) any (poly.oids)
      and pg_catalog.format_type(p.prorettype, null) operator(pg_catalog.~) 'array')`;

/** Asks only where there are types that lead to something. */
export async function openUntyped(run: CatalogQuestion, nodes: Iterable<CatalogObject>): Promise<Untyped> {
  const known = new Map([...nodes].filter(isOwnType).map((node) => [node.oid, node]));
  if (known.size === 0) return nothingUntyped;
  const params = [`{${[...known.keys()].join(',')}}`];
  const bases = new Map((await run(types, params)).map(([oid, base]) => [oid ?? '', base ?? undefined]));
  const rows = new Map<string, boolean>();
  for (const [row, column] of await run(columns, params))
    rows.set(row ?? '', rows.get(row ?? '') === true || isDeep(column ?? '', bases));
  const of = (deep: boolean) => [...rows].flatMap(([oid, is]) => (is === deep ? (known.get(oid) ?? []) : []));
  if (rows.size === 0) return nothingUntyped;
  return { deep: of(true), flat: of(false), makers: new Set((await run(makers)).map(([name]) => name ?? '')) };
}

function isOwnType({ class: objectClass, oid }: CatalogObject): boolean {
  return objectClass === catalogs.type && isUserType(oid);
}

/** What a domain is a domain of is what counts. */
function isDeep(type: string, bases: ReadonlyMap<string, string | undefined>): boolean {
  for (let next: string | undefined = type; next !== undefined && bases.has(next); next = bases.get(next))
    if (bases.get(next) === undefined) return true;
  return false;
}

/** The rows among whose columns a text, or an array of another type, could become a value that the server checks. */
export function findUntyped(
  names: StatementNames,
  uses: Uses,
  known: Untyped & { matching: Matching },
): readonly CatalogObject[] {
  if (known.deep.length + known.flat.length === 0) return [];
  if (names.untyped === undefined && !names.combines && !names.functions.some((call) => unites(call, known))) return [];
  const rows = gathers(names, known) ? [...known.deep, ...known.flat] : known.deep;
  return rows.filter((row) => findNamed(row, uses.relations, known.matching) !== undefined);
}

function unites({ name, args }: CallUse, { makers }: Untyped): boolean {
  return args > 1 && makers.has(name);
}

function gathers(names: StatementNames, { makers }: Untyped): boolean {
  return names.gathers || names.functions.some(({ name }) => makers.has(name));
}
