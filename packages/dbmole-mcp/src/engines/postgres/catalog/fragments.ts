import { parseNameParts } from '../../../catalog/name-parts.ts';

/**
 * Pieces of the statements over pg_catalog. Relations and functions are qualified; what cannot well be, operators above all, is
 * looked up where nothing can stand in for it (`own-question.ts`). Every text is bounded where it is read.
 */

/** Formats the label from aliases of pg_class and pg_namespace. */
export function formatLabel(relation: string, namespace: string): string {
  return `case when pg_catalog.pg_table_is_visible(${relation}.oid) then pg_catalog.quote_ident(${relation}.relname)
    else pg_catalog.quote_ident(${namespace}.nspname) || '.' || pg_catalog.quote_ident(${relation}.relname) end`;
}

/** Leaves out what belongs to the engine itself and to sessions. */
export function isOurs(namespace: string): string {
  return `${namespace}.nspname !~ '^(pg_catalog|pg_toast|pg_temp_|pg_toast_temp_|information_schema$)'`;
}

/** The relations that a question is limited to: `$1` is a schema and `$2` the name of a relation; null means all. */
export function isInScope(namespace: string, relation: string): string {
  return `${isOurs(namespace)} and ($1::text is null or ${namespace}.nspname = $1::text) and ($2::text is null or ${relation}.relname = $2::text)`;
}

/** Schemas of the search path first, then by name. */
export function schemaOrder(namespace: string): string {
  return `pg_catalog.array_position(pg_catalog.current_schemas(false), ${namespace}.nspname), ${namespace}.nspname`;
}

const commentLength = 201;

/** One character more than is shown tells that it goes on. */
export function comment(text: string, length: string | number = commentLength): string {
  return `pg_catalog.left(${text}, ${length})`;
}

/**
 * Selects the comment on a relation or its column. `obj_description` and its like are not called: before version 14 they run SQL of
 * their own, with the search path of the caller.
 */
export function findComment(relation: string, column = '0', length: string | number = commentLength): string {
  return `(select ${comment('x.description', length)} from pg_catalog.pg_description x
    where x.objoid = ${relation} and x.classoid = 'pg_catalog.pg_class'::pg_catalog.regclass and x.objsubid = ${column})`;
}

const kinds = [
  ['r', 'table'],
  ['p', 'partitioned table'],
  ['v', 'view'],
  ['m', 'materialized view'],
  ['f', 'foreign table'],
] as const;

export const relationKinds = kinds.map(([letter]) => `'${letter}'`).join(',');

export function findKind(relation: string): string {
  return `case ${relation}.relkind ${kinds.map(([letter, word]) => `when '${letter}' then '${word}'`).join(' ')} end`;
}

/**
 * Kind, rows, bytes, comment and rights of the relations in `source` (rows of pg_class). Sizes take a lock on the table, so those
 * that are locked exclusively, or about to be, are left out: a list must not wait for an ALTER TABLE.
 */
export function collectFacts(source: string): string {
  return `select f.oid, ${findKind('f')} || case when f.relkind = 'p' then ' (' || part.leaves || ')' else '' end as kind,
    case when f.relkind = 'p' then part.rows when f.reltuples >= 0 and f.relkind in ('r', 'm', 'f') then f.reltuples end::bigint as rows,
    case when f.relkind = 'p' then part.bytes
      when f.relkind in ('r', 'm') and f.oid not in (select l.relation from locked l) then pg_catalog.pg_total_relation_size(f.oid)
      end as bytes,
    ${findComment('f.oid')} as comment,
    case when pg_catalog.has_table_privilege(f.oid, 'SELECT') then null
      when pg_catalog.has_any_column_privilege(f.oid, 'SELECT') then 'SELECT on some columns only'
      else 'no SELECT' end as rights
  from ${source} f left join lateral (${listParts('f.oid')}) part on f.relkind = 'p'`;
}

/** With very many partitions, asking each for its size would take too long. */
const maxSized = 200;

function findTree(oid: string): string {
  return `with recursive tree as (
      select i.inhrelid from pg_catalog.pg_inherits i where i.inhparent = ${oid}
      union all select i.inhrelid from pg_catalog.pg_inherits i join tree on i.inhparent = tree.inhrelid)`;
}

/** Whether a table has no rows. Statistics that count none are trusted only if the table has not grown since. */
export function isEmpty(relation: string): string {
  const one = (alias: string) => `case
    when ${alias}.relkind not in ('r', 'm') or ${alias}.reltuples > 0 or ${alias}.oid in (select l.relation from locked l) then false
    when ${alias}.reltuples = 0 and pg_catalog.pg_stat_get_live_tuples(${alias}.oid) > 0 then false
    else pg_catalog.pg_relation_size(${alias}.oid) <= case when ${alias}.reltuples < 0 then 0
      else ${alias}.relpages * pg_catalog.current_setting('block_size')::bigint end end`;
  return `case when ${relation}.relkind <> 'p' then ${one(relation)} else not exists (${findTree(`${relation}.oid`)}
    select from tree join pg_catalog.pg_class leaf on leaf.oid = tree.inhrelid where leaf.relkind <> 'p' and not ${one('leaf')}) end`;
}

function listParts(oid: string): string {
  return `${findTree(oid)},
    leaf as (
      select l.oid, l.reltuples, l.relkind, pg_catalog.count(*) over () as total
      from tree join pg_catalog.pg_class l on l.oid = tree.inhrelid where l.relkind <> 'p')
    select pg_catalog.count(*) as leaves, pg_catalog.sum(leaf.reltuples) filter (where leaf.reltuples >= 0) as rows,
      pg_catalog.sum(case when leaf.total <= ${maxSized} and leaf.oid not in (select l.relation from locked l)
        then pg_catalog.pg_total_relation_size(leaf.oid) end) as bytes
    from leaf`;
}

/** `collectFacts` needs it as a common table expression. */
export const lockedRelations = `locked as materialized (
  select relation from pg_catalog.pg_locks where locktype = 'relation' and mode = 'AccessExclusiveLock' and relation is not null)`;

/** The names of columns in the order of their numbers, as JSON. */
export function readColumns(relation: string, numbers: string): string {
  return `(
  select pg_catalog.json_agg(pg_catalog.quote_ident(a.attname) order by k.place)::text
  from pg_catalog.unnest(${numbers}) with ordinality k(num, place)
  join pg_catalog.pg_attribute a on a.attrelid = ${relation} and a.attnum = k.num)`;
}

/** One reading of a name that the caller wrote. Lower `rank` is nearer to what the engine itself would understand. */
interface Candidate {
  ord: number;
  rank: number;
  nsp: string | null;
  rel: string;
}

/**
 * Without quotes the engine folds a name to lower case; but a name copied from a list may have lost its quotes, so the
 * exact spelling counts too, and so does a name with dots in it.
 */
export function listCandidates(written: string, ord: number, schema: string | undefined): Candidate[] {
  const parts = parseNameParts(written);
  const table = parts.at(-1);
  const namespace = parts.at(-2) ?? (schema === undefined ? undefined : { text: schema, quoted: true });
  if (table === undefined) return [];
  const readings: Omit<Candidate, 'ord' | 'rank'>[] = [];
  for (const rel of listForms(table)) {
    if (namespace === undefined) readings.push({ nsp: null, rel });
    else for (const nsp of listForms(namespace)) readings.push({ nsp, rel });
  }
  if (parts.length > 1 && parts.every((part) => !part.quoted)) readings.push({ nsp: schema ?? null, rel: written });
  return readings.map((reading, rank) => ({ ord, rank, ...reading }));
}

function listForms({ text, quoted }: { text: string; quoted: boolean }): string[] {
  return quoted || text === text.toLowerCase() ? [text] : [text.toLowerCase(), text];
}
