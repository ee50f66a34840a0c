import type { CatalogQuestion } from '../../../../guard/read-statement.ts';
import { formatLiteral } from '../../literal.ts';
import { momentSql } from '../../premise-watch.ts';
import { catalogs, firstUserOid } from './describe-sql.ts';

/** What is watched beside the catalogs that are watched as a whole. */
export interface Watched {
  /** Dependencies on these objects, by the catalog they are in. */
  readonly objects: ReadonlyMap<string, readonly string[]>;
  /** Whether these tables become parts of others. */
  readonly tables: readonly string[];
  /** Whether there are other types that can be cast to by name. Those of rows cannot; those of arrays come with every table. */
  readonly types: boolean;
}

export const nothingWatched: Watched = { objects: new Map(), tables: [], types: false };

/** The state of the server when it was asked. */
export interface Seen {
  readonly fingerprint: string;
  /** The schemas that names are looked for in. A new session can have others. */
  readonly path: string;
  /** Equal as long as no transaction ended; undefined on a standby. */
  readonly moment: string | undefined;
}

/** Operators by their schema: a search path may have others before the server's own. */
const newer = (column: string) => `${column} operator(pg_catalog.>=) ${firstUserOid}::pg_catalog.oid`;

/** By no cast to text that somebody can make. Without the schema of temporary tables, which only some sessions have, and which is empty between calls. A role may quote all names. */
const ownSchema = `pg_catalog.btrim(pg_catalog.concat(pg_catalog.pg_my_temp_schema()::pg_catalog.regnamespace), '"')::pg_catalog.name`;
/** And the roles that may do anything, which decides what code without proof may do. */
const powerfulRoles = `(select pg_catalog.string_agg(pg_catalog.concat(r.oid, r.rolsuper, r.rolreplication), ',' order by r.oid)
  from pg_catalog.pg_roles r where r.rolsuper or r.rolreplication)`;
const currentPath = `pg_catalog.concat(pg_catalog.array_remove(pg_catalog.current_schemas(true), ${ownSchema}), ${powerfulRoles})`;

/** Of functions and views, those of the server itself too: a superuser may replace them. */
const wholes = [
  ['pg_proc', 'true'],
  ['pg_rewrite', 'true'],
  ['pg_operator', newer('oid')],
  ['pg_cast', newer('oid')],
  ['pg_constraint', newer('contypid')],
  ['pg_policy', 'true'],
  ['pg_foreign_table', 'true'],
  ['pg_namespace', 'true'],
  ['pg_opclass', newer('oid')],
  ['pg_amproc', newer('oid')],
  ['pg_auth_members', 'true'],
  ['pg_language', 'true'],
  // What the planner may compute, and what any text may go through. Tables that call nothing can come and go.
  [
    'pg_depend',
    `refclassid operator(pg_catalog.=) '1255'::pg_catalog.oid and ${newer('refobjid')}
      and classid operator(pg_catalog.=) any ('{1259,2604,2606,2607,3381,3601,3764}'::pg_catalog.oid[])`,
  ],
  ['pg_foreign_data_wrapper', 'true'],
] as const;

/** Rows that were there from the beginning have an age that does not grow. When they are changed, there is one more that has. */
const dated = 'pg_catalog.age(xmin) operator(pg_catalog.<) 2147483647';

/**
 * Changes with every row that is made, changed or dropped: how many there are, and the transactions that wrote them, counted from
 * the first there can be, so that they stay the same while time goes on.
 */
function formatFingerprint({ objects, tables, types: named }: Watched): string {
  const types = objects.get(catalogs.type) ?? [];
  const rows = [
    ...wholes.map(([name, which]) => `select xmin from pg_catalog.${name} where ${which}`),
    ...[...objects].map(([catalog, oids]) => {
      const some = `refclassid operator(pg_catalog.=) ${catalog}::pg_catalog.oid and refobjid ${oneOf(oids)}`;
      return `select xmin from pg_catalog.pg_depend where ${some}`;
    }),
    // Under which name, and in which schema.
    ...(types.length === 0 ? [] : [`select xmin from pg_catalog.pg_type where oid ${oneOf(types)}`]),
    ...(named
      ? [
          `select xmin from pg_catalog.pg_type where typtype operator(pg_catalog.<>) 'c' and typname operator(pg_catalog.!~) '^_' and ${newer('oid')}`,
        ]
      : []),
    ...(tables.length === 0 ? [] : [`select xmin from pg_catalog.pg_class where oid ${oneOf(tables)}`]),
    ...(tables.length === 0 ? [] : [`select xmin from pg_catalog.pg_inherits where inhrelid ${oneOf(tables)}`]),
  ].join(' union all ');
  const first = "pg_catalog.count(*) operator(pg_catalog.*) pg_catalog.age('3'::pg_catalog.xid)::pg_catalog.int8";
  const written = `pg_catalog.sum(pg_catalog.age(xmin)) operator(pg_catalog.-) (${first})`;
  return `(select pg_catalog.concat_ws(' ', pg_catalog.count(*), ${written}) from (${rows}) x where ${dated})`;
}

function oneOf(oids: readonly string[]): string {
  return `operator(pg_catalog.=) any ('{${oids.join(',')}}'::pg_catalog.oid[])`;
}

/** Sessions will ask for the moment as well: a server that cannot tell it should say so here. */
export async function openSeen(run: CatalogQuestion, watched: Watched): Promise<Seen> {
  const [row] = await run(`select ${formatFingerprint(watched)}, ${currentPath}, ${momentSql}`);
  return { fingerprint: row?.[0] ?? '', path: row?.[1] ?? '', moment: row?.[2] ?? undefined };
}

export function formatPremise({ fingerprint, path }: Seen, watched: Watched): string {
  const samePath = `${currentPath} operator(pg_catalog.=) ${formatLiteral(path)}`;
  return `(${samePath} and ${formatFingerprint(watched)} operator(pg_catalog.=) ${formatLiteral(fingerprint)})`;
}
