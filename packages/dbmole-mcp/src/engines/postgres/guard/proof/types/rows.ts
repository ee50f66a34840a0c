import type { CatalogQuestion } from '../../../../../guard/read-statement.ts';
import type { NameUse } from '../../tree/names.ts';
import type { CatalogObject } from '../catalog/catalog-object.ts';

/** Decides what `x.f` can mean where x is in FROM: if x is a row, f can only be a function that takes rows. */
export interface Rows {
  /** A row can implicitly become a value of another kind. */
  readonly cast: boolean;
  /** Functions that return rows for any arguments. Names of types are left out, because `f('…')` can be a cast, and `_f('…')` one to an array. */
  readonly functions: ReadonlySet<string>;
  /** The functions that return rows of the type `record`, and the empty name, as in `Records`. */
  readonly records: ReadonlySet<string>;
}

export const noRows: Rows = { cast: false, functions: new Set(), records: new Set(['']) };

export const rowsAreCast = `exists (
  select from pg_catalog.pg_cast c
    join pg_catalog.pg_type s on s.oid = c.castsource and s.typtype = 'c'
    join pg_catalog.pg_type t on t.oid = c.casttarget and t.typtype <> 'c'
  where c.castcontext = 'i')`;

const functions = `
  select p.proname
  from pg_catalog.pg_proc p join pg_catalog.pg_type t on t.oid = p.prorettype
  where p.proname !~ '^_'
  group by p.proname
  having pg_catalog.bool_and(t.typtype = 'c' or t.oid = 'record'::pg_catalog.regtype)
    and not exists (
      select from pg_catalog.pg_type y where y.typname = p.proname and y.typtype <> 'c')`;

/** Queries only if some object takes values that are not rows. */
export async function openRows(
  run: CatalogQuestion,
  known: Pick<Rows, 'cast' | 'records'>,
  nodes: Iterable<CatalogObject>,
): Promise<Rows> {
  const isAsked = [...nodes].some(({ row, takesRows }) => row !== null && !takesRows);
  return { ...known, functions: new Set(isAsked ? (await run(functions)).map(([name]) => name ?? '') : []) };
}

/** Whether the field can be a call of a function that takes no rows. */
export function mayBeOfValue(use: NameUse, { cast, functions: rows }: Rows): boolean {
  return cast || use.values === undefined || use.values.some((name) => !rows.has(name));
}
