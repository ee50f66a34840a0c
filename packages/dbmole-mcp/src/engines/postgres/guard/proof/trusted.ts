import type { CatalogQuestion } from '../../../../guard/read-statement.ts';
import type { Trust } from '../../../../guard/trust.ts';
import { type CatalogObject, keyOf } from './catalog-object.ts';
import { catalogs } from './describe-sql.ts';

/** Everything that decides what a function does, without numbers that a dump and restore would change. */
const definition = (
  major: number,
) => `pg_catalog.concat_ws('|', p.proname, pg_catalog.pg_get_function_identity_arguments(p.oid), p.prosrc, p.probin,
    l.lanname, p.prosecdef, p.provolatile, r.rolname, pg_catalog.array_to_string(p.proconfig, ','),
    pg_catalog.pg_get_function_arguments(p.oid)${major >= 14 ? ', pg_catalog.pg_get_function_sqlbody(p.oid)' : ''})`;

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
  from wanted w join pg_catalog.pg_proc p on p.oid = w.oid
    join pg_catalog.pg_language l on l.oid = p.prolang
    join pg_catalog.pg_roles r on r.oid = p.proowner
  group by w.name`;

const pin = / sha256:([0-9a-f]{64})$/;

/** Takes a person's word for functions that are still what they were when it was given; says of the others that they changed. */
export async function applyTrust(
  run: CatalogQuestion,
  major: number,
  { objects, trust }: { objects: ReadonlyMap<string, CatalogObject>; trust: Trust },
): Promise<void> {
  const pins = new Map(trust.functions.map((entry) => [entry.replace(pin, ''), pin.exec(entry)?.[1]]));
  const rows = await run(question(major), [formatList([...pins.keys()]), formatList(trust.extensions)]);
  const known = trust.known();
  const fresh: Record<string, string> = {};
  for (const [name = '', oids, hash] of rows) {
    if (name === null || hash === null || hash === undefined) continue;
    const expected = pins.get(name) ?? known[name];
    if (expected === undefined) fresh[name] = hash;
    // We asked for it in this form.
    for (const oid of JSON.parse(oids ?? '[]') as string[])
      applyTo(objects.get(keyOf(catalogs.function, oid)), expected ?? hash, hash);
  }
  if (Object.keys(fresh).length > 0) trust.remember(fresh);
}

function applyTo(object: CatalogObject | undefined, expected: string, hash: string): void {
  if (object === undefined) return;
  if (expected === hash) object.isTrusted = true;
  else object.reason = `has changed since a person trusted it (now sha256:${hash})`;
}

function formatList(items: readonly string[]): string {
  return `{${items.map((item) => `"${item.replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`;
}
