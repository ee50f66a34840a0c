import type { CatalogQuestion } from '../../../../guard/read-statement.ts';
import type { NameUse } from '../names.ts';
import type { CatalogObject } from './catalog-object.ts';

/** What becomes of `x.f`, where x is in FROM: when it is a row, only what takes rows can be meant by f. */
export interface Rows {
  /** A row can become a value of another kind, and nobody has to write it. */
  readonly cast: boolean;
  /** The functions that give rows, whatever they are called with; `f('…')` can be a cast, where f is a type, and `_f('…')` where it is one of an array. */
  readonly functions: ReadonlySet<string>;
}

export const noRows: Rows = { cast: false, functions: new Set() };

export const rowsAreCast = `exists (
  select from pg_catalog.pg_cast c
    join pg_catalog.pg_type s on s.oid operator(pg_catalog.=) c.castsource and s.typtype operator(pg_catalog.=) 'c'
    join pg_catalog.pg_type t on t.oid operator(pg_catalog.=) c.casttarget and t.typtype operator(pg_catalog.<>) 'c'
  where c.castcontext operator(pg_catalog.=) 'i')`;

const functions = `
  select p.proname
  from pg_catalog.pg_proc p join pg_catalog.pg_type t on t.oid operator(pg_catalog.=) p.prorettype
  where p.proname operator(pg_catalog.!~) '^_'
  group by p.proname
  having pg_catalog.bool_and(t.typtype operator(pg_catalog.=) 'c' or t.oid operator(pg_catalog.=) 'record'::pg_catalog.regtype)
    and not exists (
      select from pg_catalog.pg_type y where y.typname operator(pg_catalog.=) p.proname and y.typtype operator(pg_catalog.<>) 'c')`;

/** Asks only where there is something for values that are no rows. */
export async function openRows(
  run: CatalogQuestion,
  { cast }: Pick<Rows, 'cast'>,
  nodes: Iterable<CatalogObject>,
): Promise<Rows> {
  const isAsked = [...nodes].some(({ row, whole }) => row !== undefined && !whole);
  return { cast, functions: new Set(isAsked ? (await run(functions)).map(([name]) => name ?? '') : []) };
}

/** Whether it can be a call of what is for no rows. */
export function mayBeOfValue(use: NameUse | undefined, { cast, functions: rows }: Rows): boolean {
  if (use === undefined) return false;
  return cast || use.values === undefined || use.values.some((name) => !rows.has(name));
}
