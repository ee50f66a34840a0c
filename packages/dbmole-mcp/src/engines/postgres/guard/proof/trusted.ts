import type { CatalogQuestion } from '../../../../guard/read-statement.ts';
import type { Trust } from '../../../../guard/trust.ts';
import { formatArray } from '../../values/literal.ts';
import { type CatalogObject, toKey } from './catalog/catalog-object.ts';
import { catalogs } from './catalog/describe-sql.ts';

/** All that decides what a function does, without OIDs, which a restore changes. JSON separates the parts unambiguously. */
const definition = (
  major: number,
) => `pg_catalog.concat(pg_catalog.json_build_array(p.proname, pg_catalog.pg_get_function_identity_arguments(p.oid), p.prosrc, p.probin,
    l.lanname, p.prosecdef, p.provolatile, p.proisstrict, p.prosupport, r.rolname, p.proconfig, pg_catalog.pg_get_function_result(p.oid),
    pg_catalog.pg_get_function_arguments(p.oid)${major >= 14 ? ', pg_catalog.pg_get_function_sqlbody(p.oid)' : ''}))`;

const question = (major: number) => `
  with wanted (name, oid) as (
    select x, pg_catalog.to_regprocedure(x)::pg_catalog.oid from pg_catalog.unnest($1::text[]) x
    union all
    select 'extension ' || e.extname, d.objid from pg_catalog.pg_extension e
      join pg_catalog.pg_depend d on d.refclassid = 3079 and d.refobjid = e.oid and d.deptype = 'e' and d.classid = ${catalogs.function}
      where e.extname = any ($2::pg_catalog.name[])
  )
  select w.name, pg_catalog.json_agg(pg_catalog.concat(p.oid)), pg_catalog.encode(pg_catalog.sha256(pg_catalog.convert_to(
      pg_catalog.string_agg(${definition(major)}, E'\\n' order by p.proname, pg_catalog.pg_get_function_identity_arguments(p.oid)), 'UTF8')), 'hex')
  -- What an aggregate does is in its functions.
  from wanted w join pg_catalog.pg_proc p on p.oid = w.oid and p.prokind <> 'a'
    join pg_catalog.pg_language l on l.oid = p.prolang
    join pg_catalog.pg_roles r on r.oid = p.proowner
  group by w.name`;

const pin = / sha256:([0-9a-f]{64})$/;

/** Marks functions that are unchanged since the user trusted them. Others get a reason. */
export async function applyTrust(
  run: CatalogQuestion,
  major: number,
  { objects, trust }: { objects: ReadonlyMap<string, CatalogObject>; trust: Trust },
): Promise<void> {
  const pins = new Map(trust.functions.map((entry) => [entry.replace(pin, ''), pin.exec(entry)?.[1]]));
  const rows = await run(question(major), [formatArray([...pins.keys()]), formatArray(trust.extensions)]);
  const known = trust.known();
  const fresh: Record<string, string> = {};
  for (const [name = '', oids, hash] of rows) {
    if (name === null || hash === null || hash === undefined) continue;
    const expected = pins.get(name) ?? known[name];
    if (expected === undefined) fresh[name] = hash;
    // The query returns it in this form.
    for (const oid of JSON.parse(oids ?? '[]') as string[])
      applyTo(objects.get(toKey(catalogs.function, oid)), expected ?? hash, hash);
  }
  if (Object.keys(fresh).length > 0) trust.remember(fresh);
}

function applyTo(object: CatalogObject | undefined, expected: string, hash: string): void {
  if (object === undefined) return;
  if (expected === hash) object.isTrusted = true;
  else object.reason = `has changed since it was trusted (now sha256:${hash})`;
}
