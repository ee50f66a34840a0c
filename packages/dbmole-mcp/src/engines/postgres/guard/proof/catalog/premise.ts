import { randomBytes } from 'node:crypto';
import type { CatalogQuestion } from '../../../../../guard/read-statement.ts';
import { momentSql } from '../../../session/premise-watch.ts';
import { formatLiteral } from '../../../values/literal.ts';
import { catalogs, firstUserOid } from './describe-sql.ts';

/** The rows that are watched in addition to `wholes`. */
export interface Watched {
  /** OIDs by catalog; new dependencies on them count. */
  readonly objects: ReadonlyMap<string, readonly string[]>;
  /** Tables whose definition and parents count. */
  readonly tables: readonly string[];
  /** Whether all user types and the columns of rows count, because an unsafe cast may be used for any of them. */
  readonly types: boolean;
  /**
   * A transaction number: virtual columns count if this or a later transaction defined them. No dependency shows the built-in functions
   * that they call. Undefined: the server has no virtual columns.
   */
  readonly computedSince?: number | undefined;
  /** What one statement reaches: other functions with a body may change. Undefined for a shared premise. */
  readonly reached?: Reached | undefined;
}

export interface Reached {
  /** All names that it uses. */
  readonly names: ReadonlySet<string>;
  readonly functions: ReadonlySet<string>;
}

export const nothingWatched: Watched = { objects: new Map(), tables: [], types: false };

/** The state of the catalog at one moment. */
export interface Seen {
  readonly fingerprint: string;
  /** The search path, which can differ in a new session. */
  readonly path: string;
  /** Unchanged as long as no transaction ends; undefined on a standby. */
  readonly moment: string | undefined;
}

/** Operators are qualified, because a search path may have user operators before the server's own. */
const newer = (column: string) => `${column} operator(pg_catalog.>=) ${firstUserOid}::pg_catalog.oid`;

/** Without casts to text, which a user could define. Without the schema of temporary tables, which only some sessions have, and which is empty between calls. A role may quote all names. */
const ownSchema = `pg_catalog.btrim(pg_catalog.concat(pg_catalog.pg_my_temp_schema()::pg_catalog.regnamespace), '"')::pg_catalog.name`;
/** Roles whose attributes decide what unprovable code may do. */
const powerfulRoles = `(select pg_catalog.string_agg(pg_catalog.concat(r.oid, r.rolsuper, r.rolreplication, r.rolinherit), ',' order by r.oid)
  from pg_catalog.pg_roles r where r.rolsuper or r.rolreplication or not r.rolinherit)`;
const currentPath = `pg_catalog.concat(pg_catalog.array_remove(pg_catalog.current_schemas(true), ${ownSchema}), ${powerfulRoles})`;

/** Catalogs that are watched as a whole. Built-in functions and views are included, because a superuser may replace them. */
const wholes = [
  ['pg_proc', 'true'],
  ['pg_rewrite', 'true'],
  ['pg_operator', newer('oid')],
  ['pg_cast', newer('oid')],
  ['pg_constraint', "contypid operator(pg_catalog.<>) '0'::pg_catalog.oid"],
  ['pg_policy', 'true'],
  ['pg_foreign_table', 'true'],
  ['pg_namespace', 'true'],
  ['pg_opclass', newer('oid')],
  ['pg_amproc', newer('oid')],
  ['pg_amop', newer('oid')],
  ['pg_auth_members', 'true'],
  ['pg_language', 'true'],
  // Everything that depends on a user function, access method, operator class or operator. Other tables may come and go.
  [
    'pg_depend',
    `refclassid operator(pg_catalog.=) any ('{1255,2601,2616,2617}'::pg_catalog.oid[]) and ${newer('refobjid')}
      and classid operator(pg_catalog.=) any ('{1247,1259,2604,2606,2607,3381,3601,3764}'::pg_catalog.oid[])`,
  ],
  ['pg_foreign_data_wrapper', 'true'],
] as const;

/** Rows that initdb created have a constant age. When one is changed, its new row counts. */
const dated = 'pg_catalog.age(xmin) operator(pg_catalog.<) 2147483647';

/** Random, so that an attacker cannot choose transactions whose hashes cancel out. */
const seed = randomBytes(8).readBigInt64BE();

/**
 * Changes whenever a watched row is created, changed or dropped: the number of rows, and hashes of the transactions that wrote them. The
 * transactions are counted from the first possible one, so that their numbers stay the same.
 */
function formatFingerprint({ objects, tables, types: all, computedSince, reached }: Watched): string {
  const types = objects.get(catalogs.type) ?? [];
  const rows = [
    ...wholes.map(([name, which]) => {
      const some = name === 'pg_proc' && reached !== undefined ? formatReached(reached) : which;
      return `select xmin from pg_catalog.${name} where ${some}`;
    }),
    ...[...objects].map(([catalog, oids]) => {
      const some = `refclassid operator(pg_catalog.=) ${catalog}::pg_catalog.oid and refobjid ${oneOf(oids)}`;
      return `select xmin from pg_catalog.pg_depend where ${some}`;
    }),
    // A type may be renamed or moved to another schema, and the row type of a child table is implicitly cast to that of its parent.
    types.length > 0 &&
      `select xmin from pg_catalog.pg_type where oid ${oneOf(types)} union all
      select i.xmin from pg_catalog.pg_inherits i join pg_catalog.pg_type t on t.typrelid operator(pg_catalog.=) i.inhparent where t.oid ${oneOf(types)}`,
    all &&
      `select xmin from pg_catalog.pg_type where ${newer('oid')} union all
      select xmin from pg_catalog.pg_class where ${newer('reltype')}`,
    computedSince !== undefined && formatComputed(computedSince),
    tables.length > 0 &&
      `select xmin from pg_catalog.pg_class where oid ${oneOf(tables)} union all
      select xmin from pg_catalog.pg_inherits where inhrelid ${oneOf(tables)}`,
  ]
    .filter((query) => query !== false)
    .join(' union all ');
  const age = (xid: string) => `pg_catalog.age(${xid})::pg_catalog.int8`;
  const transaction = `${age("'3'::pg_catalog.xid")} operator(pg_catalog.-) ${age('xmin')}`;
  const written = `pg_catalog.hashint8extended(${transaction}, '${seed}'::pg_catalog.int8)`;
  return `(select pg_catalog.concat_ws(' ', pg_catalog.count(*), pg_catalog.sum(${written})) from (${rows}) x where ${dated})`;
}

/** pg_attrdef also has all defaults, so only its new rows are looked up in pg_attribute. */
function formatComputed(since: number): string {
  return `select d.xmin from pg_catalog.pg_attrdef d
    where pg_catalog.age(d.xmin) operator(pg_catalog.<=) pg_catalog.age('${since}'::pg_catalog.xid) and exists (
      select from pg_catalog.pg_attribute a where a.attrelid operator(pg_catalog.=) d.adrelid and a.attnum operator(pg_catalog.=) d.adnum
        and a.attgenerated operator(pg_catalog.=) 'v'::pg_catalog."char")`;
}

/** All functions without a text body are watched, because their callers are recorded by OID and not by name. */
function formatReached({ names, functions }: Reached): string {
  const all = [...names].map((name) => formatLiteral(name)).join(',');
  return `(prolang operator(pg_catalog.<) 14::pg_catalog.oid or prosqlbody is not null or oid ${oneOf([...functions])}
    or proname operator(pg_catalog.=) any (array[${all}]::pg_catalog.name[]))`;
}

function oneOf(oids: readonly string[]): string {
  return `operator(pg_catalog.=) any ('{${oids.join(',')}}'::pg_catalog.oid[])`;
}

/** Reads the moment as well, so that a server which cannot tell it fails here rather than in a session. */
export async function openSeen(run: CatalogQuestion, watched: Watched): Promise<Seen> {
  const [row] = await run(`select ${formatFingerprint(watched)}, ${currentPath}, ${momentSql}`);
  return { fingerprint: row?.[0] ?? '', path: row?.[1] ?? '', moment: row?.[2] ?? undefined };
}

export function formatPremise({ fingerprint, path }: Seen, watched: Watched): string {
  const samePath = `${currentPath} operator(pg_catalog.=) ${formatLiteral(path)}`;
  return `(${samePath} and ${formatFingerprint(watched)} operator(pg_catalog.=) ${formatLiteral(fingerprint)})`;
}
