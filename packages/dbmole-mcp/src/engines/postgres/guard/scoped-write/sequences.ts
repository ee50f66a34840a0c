import type { CatalogQuestion } from '../../../../guard/read-statement.ts';
import type { Scope } from '../../../../policy/scope.ts';
import { listParts } from '../../change/unrestricted.ts';
import { catalogs } from '../proof/catalog/describe-sql.ts';
import { toJson } from '../scope.ts';
import { type Named, readRelation } from '../tree/named-argument.ts';
import { readLast } from '../tree/node-parts.ts';
import { asFields } from '../tree/walk.ts';
import type { Part } from './relation-parts.ts';

const advancing = new Set(['nextval', 'setval']);

/** What `nextval('s')` and its like name; undefined for one that is known only when it runs. */
export function readSequences(tree: unknown): readonly (Named | undefined)[] {
  return [...listParts(tree)].flatMap(([kind, part]) => {
    if (kind !== 'FuncCall') return [];
    const { funcname, args } = asFields(part);
    return advancing.has(readLast(funcname) ?? '') ? [readRelation(args)] : [];
  });
}

/** The default of a serial column, whose sequence the catalog records. */
export function isSequenceDefault({ kind, text }: Part): boolean {
  return kind === 'expression' && /^nextval\('(?:[^']|'')*'::regclass\)$/.test(text);
}

const sequencesSql = `
  select n.nspname, c.relname, m.nspname, t.relname
  from pg_catalog.jsonb_to_recordset($1::pg_catalog.jsonb) as w (ord int, nsp text, name text) cross join lateral (
    select c.oid from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where c.relname = w.name and case when w.nsp is null then n.nspname = any (pg_catalog.current_schemas(true)) else n.nspname = w.nsp end
    order by pg_catalog.array_position(pg_catalog.current_schemas(true), n.nspname) limit 1) x
    join pg_catalog.pg_class c on c.oid = x.oid and c.relkind = 'S' join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    left join pg_catalog.pg_depend o on o.classid = ${catalogs.relation} and o.objid = c.oid and o.refclassid = ${catalogs.relation}
      and o.deptype in ('a', 'i')
    left join pg_catalog.pg_class t on t.oid = o.refobjid left join pg_catalog.pg_namespace m on m.oid = t.relnamespace`;

/** Whether all are sequences inside, or of tables inside. */
export async function areInside(
  sequences: readonly (Named | undefined)[],
  { scope, ask }: { scope: Scope; ask: CatalogQuestion },
): Promise<boolean> {
  if (sequences.length === 0) return true;
  const named = sequences.filter((one) => one !== undefined);
  const rows = await ask(sequencesSql, [toJson(named)]);
  const isInside = (schema: string | null | undefined, name: string | null | undefined) =>
    schema != null && name != null && scope.allows(schema, name);
  return (
    rows.length === sequences.length &&
    rows.every(([schema, name, ownerSchema, owner]) => isInside(schema, name) || isInside(ownerSchema, owner))
  );
}
