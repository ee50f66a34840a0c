import type { CatalogQuestion } from '../../../../guard/read-statement.ts';
import { firstUserOid } from './describe-sql.ts';

/** What is watched beside the catalogs that are watched as a whole. */
export interface Watched {
  /** Dependencies on these objects, by the catalog they are in. */
  readonly objects: ReadonlyMap<string, readonly string[]>;
  /** Whether these tables become parts of others. */
  readonly tables: readonly string[];
}

export const nothingWatched: Watched = { objects: new Map(), tables: [] };

/** The state of the server when it was asked. */
export interface Seen {
  /** Undefined on a standby: there, a snapshot does not say which transactions it leaves out. */
  readonly snapshot: string | undefined;
  readonly fingerprint: string;
}

const wholes = [
  ['pg_proc', `oid >= ${firstUserOid}`],
  ['pg_rewrite', `oid >= ${firstUserOid}`],
  ['pg_operator', `oid >= ${firstUserOid}`],
  ['pg_cast', `oid >= ${firstUserOid}`],
  ['pg_constraint', `contypid >= ${firstUserOid}`],
  ['pg_policy', 'true'],
  ['pg_foreign_table', 'true'],
] as const;

/**
 * Changes with every row that is made, changed or dropped: how many there are, and the transactions that wrote them, counted from
 * the first there can be, so that they stay the same while time goes on.
 */
function formatFingerprint({ objects, tables }: Watched): string {
  const rows = [
    ...wholes.map(([name, which]) => `select xmin from pg_catalog.${name} where ${which}`),
    ...[...objects].map(([catalog, oids]) => {
      const some = `refclassid = ${catalog} and refobjid in (${oids.join(', ')})`;
      return `select xmin from pg_catalog.pg_depend where ${some}`;
    }),
    ...(tables.length === 0 ? [] : [`select xmin from pg_catalog.pg_inherits where inhrelid in (${tables.join(', ')})`]),
  ].join(' union all ');
  const first = "pg_catalog.count(*) * pg_catalog.age('3'::pg_catalog.xid)";
  return `select pg_catalog.count(*) as n, pg_catalog.sum(pg_catalog.age(xmin)) - ${first} as written from (${rows}) x`;
}

/** As text, so that the server plans it only when it comes to it. */
function formatLazily(watched: Watched): string {
  return `pg_catalog.query_to_xml('${quote(formatFingerprint(watched))}', true, false, '')::pg_catalog.text`;
}

export async function openSeen(run: CatalogQuestion, watched: Watched): Promise<Seen> {
  const snapshot = 'case when not pg_catalog.pg_is_in_recovery() then pg_catalog.txid_current_snapshot()::pg_catalog.text end';
  const [row] = await run(`select ${snapshot}, ${formatLazily(watched)}`);
  return { snapshot: row?.[0] ?? undefined, fingerprint: row?.[1] ?? '' };
}

/** As long as no transaction has ended since, nothing was changed. Otherwise the server has to look. */
export function formatPremise({ snapshot, fingerprint }: Seen, watched: Watched): string {
  const unchanged = `${formatLazily(watched)} operator(pg_catalog.=) '${quote(fingerprint)}'`;
  if (snapshot === undefined) return unchanged;
  return `case when pg_catalog.txid_current_snapshot()::pg_catalog.text operator(pg_catalog.=) '${quote(snapshot)}' then true else ${unchanged} end`;
}

function quote(text: string): string {
  return text.replaceAll("'", "''");
}
