import type { CatalogQuestion } from '../../../../../guard/read-statement.ts';
import { formatArray } from '../../../values/literal.ts';
import { firstUserOid } from '../../proof/catalog/describe-sql.ts';
import type { FunctionShape } from '../tracer.ts';

/** What the functions of one name return in FROM; a column without a name is called like the function. */
interface NamedFunctions {
  readonly isBuiltin: boolean;
  /** A user has made one that may change rows: only volatile functions may. */
  readonly isVolatile: boolean;
  readonly isAggregate: boolean;
  readonly returnsSet: boolean;
  /** Undefined where they differ. */
  readonly shape: FunctionShape | undefined;
}

export type FunctionShapes = Map<string, NamedFunctions>;

/** A type that depends on the arguments may be a row. */
const shapesSql = `
  select p.proname, pg_catalog.bool_or(p.oid >= ${firstUserOid}),
    pg_catalog.bool_or(p.oid >= ${firstUserOid} and p.provolatile = 'v'),
    pg_catalog.bool_or(p.prokind in ('a', 'w')), pg_catalog.bool_or(p.proretset), pg_catalog.json_agg(distinct pg_catalog.concat(case
    when o.names is not null and (p.prorettype = 2249 or pg_catalog.json_array_length(o.names) = 1) then o.names::text
    when p.prorettype = 2249 then '"record"'
    when t.typtype = 'c' then (select pg_catalog.json_agg(a.attname order by a.attnum)::text
      from pg_catalog.pg_attribute a where a.attrelid = t.typrelid and a.attnum > 0 and not a.attisdropped)
    when t.typtype in ('p', 'd') and t.typname not in ('trigger', 'event_trigger', 'void', 'cstring', 'internal') then '"any"'
    else '[null]' end))
  from pg_catalog.pg_proc p join pg_catalog.pg_type t on t.oid = p.prorettype
    cross join lateral (select pg_catalog.json_agg(p.proargnames[i] order by i) filter (where m in ('o', 'b', 't')) names
      from pg_catalog.unnest(p.proargmodes) with ordinality m (m, i)) o
  where p.proname = any ($1::pg_catalog.name[])
  group by p.proname`;

const unknownFunction: NamedFunctions = {
  isBuiltin: true,
  isVolatile: false,
  isAggregate: false,
  returnsSet: false,
  shape: undefined,
};

/** Adds what is missing. */
export async function loadShapes(shapes: FunctionShapes, names: Iterable<string>, ask: CatalogQuestion): Promise<void> {
  const missing = [...new Set(names)].filter((name) => !shapes.has(name));
  if (missing.length === 0) return;
  const rows = await ask(shapesSql, [formatArray(missing)]);
  for (const name of missing) shapes.set(name, unknownFunction);
  for (const [name, isOwn, isVolatile, isAggregate, returnsSet, json] of rows)
    shapes.set(name ?? '', {
      isBuiltin: isOwn !== 't',
      isVolatile: isVolatile === 't',
      isAggregate: isAggregate === 't',
      returnsSet: returnsSet === 't',
      shape: parseShape(json ?? '[]'),
    });
}

function parseShape(json: string): FunctionShape | undefined {
  // The query returns it in this form.
  const texts = JSON.parse(json) as string[];
  const [only] = texts;
  if (only === undefined || only === '' || texts.length > 1) return undefined;
  const shape = JSON.parse(only) as 'record' | 'any' | (string | null)[];
  return typeof shape === 'string' ? shape : shape.map((name) => (name === null || name === '' ? undefined : name));
}
