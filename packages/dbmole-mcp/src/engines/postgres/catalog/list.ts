import type {
  Bounded,
  DatabaseSummary,
  Page,
  RelationName,
  TableFilter,
  TableListing,
  TableSummary,
} from '../../../catalog/catalog.ts';
import { formatLike } from '../../../catalog/name-parts.ts';
import type { CatalogRun } from '../../../engine.ts';
import {
  collectFacts,
  comment,
  findKind,
  formatLabel,
  isEmpty,
  isOurs,
  lockedRelations,
  relationKinds,
  schemaOrder,
} from './fragments.ts';

/** The size of a database is queried only if the account may read it: the function fails otherwise. */
const databases = `
with page as materialized (
  select d.oid, d.datname from pg_catalog.pg_database d
  where d.datallowconn and not d.datistemplate
  order by d.datname <> pg_catalog.current_database(), d.datname limit $1::int offset $2::int)
select pg_catalog.quote_ident(p.datname), (p.datname = pg_catalog.current_database())::text,
  case when pg_catalog.has_database_privilege(p.oid, 'CONNECT') or pg_catalog.pg_has_role('pg_read_all_stats', 'USAGE')
    then pg_catalog.pg_database_size(p.oid) end::text,
  (select ${comment('x.description')} from pg_catalog.pg_shdescription x
    where x.objoid = p.oid and x.classoid = 'pg_catalog.pg_database'::pg_catalog.regclass)
from page p order by p.datname <> pg_catalog.current_database(), p.datname`;

export async function listDatabases(run: CatalogRun, { limit, offset }: Page): Promise<DatabaseSummary[]> {
  const rows = await run(databases, [limit + 1, offset]);
  return rows.map(([name, current, bytes, text]) => ({
    name: name ?? '',
    current: current === 'true',
    bytes: readNumber(bytes),
    comment: text ?? undefined,
  }));
}

/**
 * Partitions are counted with their table; they are listed when a pattern asks for them. What a schema decides is decided once for
 * each schema, and only names are sorted: a database may have ten thousand tables.
 */
const tables = `
with ${lockedRelations}, schemas as materialized (
  select n.oid, n.nspname, pg_catalog.array_position(pg_catalog.current_schemas(false), n.nspname) as rank
  from pg_catalog.pg_namespace n where case when $1::text is null then ${isOurs('n')} else n.nspname = $1::text end),
names as materialized (
  select c.oid, s.nspname, s.rank, pg_catalog.count(*) over () as total from pg_catalog.pg_class c join schemas s on s.oid = c.relnamespace
  where c.relkind in (${relationKinds}) and case when $2::text is null then not c.relispartition
    when $3::boolean then s.nspname || '.' || c.relname ilike $2::text else c.relname ilike $2::text end
    and ($6::text is null or ${findKind('c')} like '%' || $6::text)
    and case $7::text
      when 'primary_key' then c.relkind in ('r', 'p')
        and not exists (select from pg_catalog.pg_constraint k where k.conrelid = c.oid and k.contype = 'p')
      when 'references' then c.relkind in ('r', 'p') and c.oid not in (select k.conrelid from pg_catalog.pg_constraint k where k.contype = 'f')
        and c.oid not in (select k.confrelid from pg_catalog.pg_constraint k where k.contype = 'f')
      when 'rows' then ${isEmpty('c')}
      else true end
  order by s.rank, s.nspname, c.relname limit $4::int offset $5::int),
page as materialized (
  select c.*, m.nspname, m.rank, m.total from names m join pg_catalog.pg_class c on c.oid = m.oid),
facts as (${collectFacts('page')}),
foreign_keys as materialized (
  select k.conrelid, k.confrelid from pg_catalog.pg_constraint k where k.contype = 'f' and k.conparentid = 0),
outgoing as (select k.conrelid as oid, pg_catalog.count(*) as found from foreign_keys k group by 1),
incoming as (select k.confrelid as oid, pg_catalog.count(*) as found from foreign_keys k group by 1)
select ${formatLabel('p', 'p')}, f.kind, f.rows::text, f.bytes::text, f.comment, f.rights, p.total::text,
  case when p.relkind in ('r', 'p') then coalesce((
    select pg_catalog.json_agg(pg_catalog.quote_ident(a.attname) order by pg_catalog.array_position(k.conkey, a.attnum))
    from pg_catalog.pg_constraint k join pg_catalog.pg_attribute a on a.attrelid = p.oid and a.attnum = any(k.conkey)
    where k.conrelid = p.oid and k.contype = 'p')::text, '[]') end,
  p.relrowsecurity::text, (select pg_catalog.count(*) from pg_catalog.pg_policy y where y.polrelid = p.oid)::text,
  coalesce(o.found, 0)::text, coalesce(i.found, 0)::text
from page p join facts f on f.oid = p.oid left join outgoing o on o.oid = p.oid left join incoming i on i.oid = p.oid
order by p.rank, p.nspname, p.relname`;

export async function listTables(run: CatalogRun, filter: TableFilter): Promise<Bounded<TableListing>> {
  const { schema, pattern, limit, offset, kind, without } = filter;
  const like = pattern === undefined ? null : formatLike(pattern);
  const dotted = pattern?.includes('.') ?? false;
  const rows = await run(tables, [schema ?? null, like, dotted, limit + 1, offset, kind ?? null, without ?? null]);
  return { shown: rows.map(readListing), total: Number(rows[0]?.[6] ?? 0) };
}

function readListing(row: readonly (string | null)[]): TableListing {
  const [primaryKey, isOn, policies, references, referencedBy] = row.slice(7);
  const rowSecurity = { isOn: isOn === 'true', policies: Number(policies) };
  return {
    ...summarize(row),
    primaryKey: primaryKey === null ? undefined : listNames(primaryKey),
    rowSecurity: rowSecurity.isOn || rowSecurity.policies > 0 ? rowSecurity : undefined,
    references: Number(references),
    referencedBy: Number(referencedBy),
  };
}

export function summarize(row: readonly (string | null)[]): TableSummary {
  const [name, kind, rows, bytes, text, rights] = row;
  return {
    name: name ?? '',
    kind: kind ?? '',
    rows: readNumber(rows),
    bytes: readNumber(bytes),
    comment: text ?? undefined,
    rights: rights ?? undefined,
  };
}

/** Reads a list of names from JSON. */
export function listNames(json: string | null | undefined): string[] {
  const names: unknown = JSON.parse(json ?? '[]');
  return Array.isArray(names) ? names.map(String) : [];
}

export function readNumber(text: string | null | undefined): number | undefined {
  return text === null || text === undefined ? undefined : Number(text);
}

/** More would not help to find a typing error. */
const maxNames = 20_000;

export async function schemaNames(run: CatalogRun): Promise<string[]> {
  return (await run(`select n.nspname from pg_catalog.pg_namespace n limit ${maxNames}`)).map(([name]) => name ?? '');
}

const names = `
select ${formatLabel('c', 'n')}, n.nspname, c.relname from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where c.relkind in (${relationKinds}) and ${isOurs('n')} order by ${schemaOrder('n')}, c.relname limit ${maxNames}`;

export async function relations(run: CatalogRun): Promise<RelationName[]> {
  return (await run(names)).map(([label, schema, name]) => ({ label: label ?? '', schema: schema ?? '', name: name ?? '' }));
}

export async function tableNames(run: CatalogRun): Promise<string[]> {
  return (await relations(run)).map(({ label }) => label);
}
