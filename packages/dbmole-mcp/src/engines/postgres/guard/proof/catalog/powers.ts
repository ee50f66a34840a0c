import type { CatalogQuestion } from '../../../../../guard/read-statement.ts';
import type { CatalogObject } from './catalog-object.ts';
import { rootParams } from './roots.ts';

/** The roles with which unprovable SQL could do harm. */
export interface Powers {
  /** The OID of the user of this connection. */
  readonly user: string | undefined;
  /** The power of this user, or of a role that it can become; completes a sentence that begins with `this user`. */
  readonly own: string | undefined;
  /** The power of each role, by OID. */
  readonly roles: ReadonlyMap<string, string>;
}

/** Functions with lasting effects. Built-in ones are not granted to the public. */
const escapes =
  '^(dblink|pg_read_|pg_file_|lo_import|lo_export|http|pg_background_|heap_force_|pg_reload_conf|pg_promote|pg_switch_|pg_rotate_|' +
  'autoprewarm_|pg_create_physical|pg_create_logical|pg_drop_replication|pg_replication_origin_|run_command_on_)';

/** Predefined roles that may do more than read and write tables. */
const powerful = [
  ...['pg_execute_server_program', 'pg_write_server_files', 'pg_read_server_files', 'pg_signal_backend', 'pg_checkpoint'],
  ...['pg_maintain', 'pg_create_subscription', 'pg_signal_autovacuum_worker'],
];

const isDenied = `(p.proname = any ($3::pg_catalog.name[]) or exists (
            select from pg_catalog.unnest($4::text[]) x where pg_catalog.starts_with(p.proname, x)))`;

/** Includes the roles that SET ROLE can reach: those that the user is a member of, and the session user. */
const question = `
  select r.oid, r.rolname = current_user, case
    when r.rolsuper then 'is a superuser'
    when r.rolreplication then 'may make and drop replication slots'
    else coalesce((
      select 'is a member of ' || p.rolname from pg_catalog.pg_roles p
      where p.rolname = any ('{${powerful.join(',')}}'::pg_catalog.name[]) and pg_catalog.pg_has_role(r.oid, p.oid, 'usage') limit 1
    ), (
      select 'may call ' || p.proname || '()'
      from pg_catalog.pg_proc p join pg_catalog.pg_language l on l.oid = p.prolang
      where case when p.prolang not in (12, 13) then not l.lanpltrusted
          when p.oid >= 16384 then p.proname ~ $2 or (${isDenied} and not pg_catalog.has_function_privilege('public', p.oid, 'execute')) or exists (
            select from pg_catalog.pg_namespace n where n.oid = p.pronamespace and n.nspname = any ($5::pg_catalog.name[])
              and pg_catalog.has_schema_privilege(r.oid, n.oid, 'usage'))
          else p.proacl is not null and ${isDenied} end
        and pg_catalog.has_function_privilege(r.oid, p.oid, 'execute')
      limit 1)) end, m.taken, r.rolname
  from pg_catalog.pg_roles r cross join pg_catalog.pg_roles s cross join lateral (
    select case when s.rolsuper then r.oid = s.oid else pg_catalog.pg_has_role(s.oid, r.oid, 'member') end
  ) m (taken)
  where s.rolname = session_user and (r.rolname = current_user or r.oid = any ($1::pg_catalog.oid[]) or m.taken)`;

/** The first of the given functions that the user may call. */
const callable = `
  select p.proname from pg_catalog.pg_proc p
  where p.oid = any ($1::pg_catalog.oid[]) and pg_catalog.has_function_privilege(p.oid, 'execute') order by p.oid limit 1`;

/** `definers` are functions that run with the rights of their owners. */
export async function openPowers(run: CatalogQuestion, definers: readonly CatalogObject[]): Promise<Powers> {
  const [names = '', prefixes = '', , schemas = ''] = rootParams;
  const owners = [...new Set(definers.flatMap(({ definer }) => definer ?? []))];
  const rows = await run(question, [`{${owners.join(',')}}`, escapes, names, prefixes, schemas]);
  const roles = new Map(rows.flatMap(([oid, , what]) => (oid && what ? [[oid, what] as const] : [])));
  const [user, , own] = rows.find(([, is]) => is === 't') ?? [];
  const other = rows.find(([, , what, taken]) => what && taken === 't');
  const asOther = other && `can become ${other[4]}, which ${other[2]}`;
  // A caller who can set the search path decides what such a function calls.
  const withoutPath = definers.filter(({ hasNoPath, definer }) => hasNoPath && definer !== user && roles.has(definer ?? ''));
  const [called] = withoutPath.length === 0 ? [] : await run(callable, [`{${withoutPath.map(({ oid }) => oid).join(',')}}`]);
  const asDefiner = called && `may call ${called[0]}(), which has more rights and no search path of its own`;
  return { user: user ?? undefined, own: own ?? asOther ?? asDefiner, roles };
}
