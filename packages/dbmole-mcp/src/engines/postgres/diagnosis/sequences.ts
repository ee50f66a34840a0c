import { type Finding, formatShare, readNumber } from '@dbmole/core';
import type { CatalogRun } from '../../../engine.ts';
import { isOurs } from '../catalog/fragments.ts';
import { readAccount } from './account.ts';

type Row = readonly (string | null)[];

const maxFindings = 100;
const shares = { medium: 0.7, high: 0.9 };

/**
 * How far each sequence has come, from its first number to its last. It ends where the type of a column does that owns it or takes its
 * default from it. Its value is shown only to accounts that may select it.
 */
const sequencesSql = `
with filled as materialized (
  select d.objid as sequence, d.refobjid as relation, d.refobjsubid as number from pg_catalog.pg_depend d
  where d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass and d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass
    and d.refobjsubid > 0 and d.deptype in ('a', 'i')
  union all
  select d.refobjid, f.adrelid, f.adnum from pg_catalog.pg_attrdef f join pg_catalog.pg_depend d
    on d.classid = 'pg_catalog.pg_attrdef'::pg_catalog.regclass and d.objid = f.oid
      and d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass and d.deptype = 'n'),
columns as materialized (
  select distinct on (x.sequence) x.sequence, a.attname, a.atttypid, t.relname, m.nspname
  from filled x join pg_catalog.pg_attribute a on a.attrelid = x.relation and a.attnum = x.number
    join pg_catalog.pg_class t on t.oid = x.relation join pg_catalog.pg_namespace m on m.oid = t.relnamespace
  order by x.sequence, a.attlen, t.oid),
found as materialized (
  select n.nspname, c.relname, f.nspname as table_schema, f.relname as table_name, f.attname, s.seqincrement > 0 as rises,
    case when s.seqincrement > 0 then s.seqmin else s.seqmax end as first,
    case when s.seqincrement < 0 then s.seqmin
      else least(s.seqmax, case f.atttypid when 'int2'::pg_catalog.regtype then 32767 when 'int4'::pg_catalog.regtype then 2147483647
        else s.seqmax end) end as last,
    case when pg_catalog.has_sequence_privilege(c.oid, 'SELECT, USAGE') then pg_catalog.pg_sequence_last_value(c.oid) end as value
  from pg_catalog.pg_sequence s join pg_catalog.pg_class c on c.oid = s.seqrelid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    left join columns f on f.sequence = s.seqrelid
  where not s.seqcycle and ${isOurs('n')} and ($1::text is null or n.nspname = $1::text) and ($2::text is null or $2::text in (c.relname, f.relname))),
counted as (
  select *, (value::float8 - first) / nullif(last::float8 - first, 0) as share from found where value is not null)
select pg_catalog.quote_ident(nspname) || '.' || pg_catalog.quote_ident(relname),
  pg_catalog.quote_ident(table_schema) || '.' || pg_catalog.quote_ident(table_name), pg_catalog.quote_ident(attname),
  value::text, last::text, share::text, rises::text
from counted where share > ${shares.medium} order by share desc limit ${maxFindings}`;

/**
 * Sequences that are behind the unique column that they fill, as after a restore: by the largest value that ANALYZE has seen, so that no
 * table is read.
 */
const behindSql = `
with owned as materialized (
  select d.objid as sequence, c.oid, c.relname, n.nspname, a.attname, a.attnum
  from pg_catalog.pg_depend d join pg_catalog.pg_sequence e on e.seqrelid = d.objid join pg_catalog.pg_class c on c.oid = d.refobjid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum = d.refobjsubid
  where d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass and d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass
    and d.refobjsubid > 0 and d.deptype in ('a', 'i') and c.relkind = 'r' and c.reltuples > 0
    and a.atttypid in ('int2'::pg_catalog.regtype, 'int4'::pg_catalog.regtype, 'int8'::pg_catalog.regtype)
    and (a.atthasdef or a.attidentity <> '') and ${isOurs('n')}
    and ($1::text is null or n.nspname = $1::text) and ($2::text is null or c.relname = $2::text)
    and exists (select from pg_catalog.pg_index i where i.indrelid = c.oid and i.indisunique and i.indisvalid and i.indkey::text = a.attnum::text)),
held as (
  select o.*, s.seqrelid, pg_catalog.pg_sequence_last_value(s.seqrelid) as value,
    (select greatest((x.histogram_bounds::text::text[])[pg_catalog.cardinality(x.histogram_bounds::text::text[])]::bigint,
      (select pg_catalog.max(m::bigint) from pg_catalog.unnest(x.most_common_vals::text::text[]) m))
      from pg_catalog.pg_stats x where x.schemaname = o.nspname and x.tablename = o.relname and x.attname = o.attname and not x.inherited) as top
  from owned o join pg_catalog.pg_sequence s on s.seqrelid = o.sequence and s.seqincrement > 0
  where pg_catalog.has_sequence_privilege(o.sequence, 'SELECT, USAGE'))
select pg_catalog.quote_ident(k.nspname) || '.' || pg_catalog.quote_ident(q.relname),
  pg_catalog.quote_ident(h.nspname) || '.' || pg_catalog.quote_ident(h.relname), pg_catalog.quote_ident(h.attname), h.value::text, h.top::text
from held h join pg_catalog.pg_class q on q.oid = h.seqrelid join pg_catalog.pg_namespace k on k.oid = q.relnamespace
where h.top > coalesce(h.value, 0) order by h.top - coalesce(h.value, 0) desc limit ${maxFindings}`;

const hiddenSql = `
select pg_catalog.count(*)::text, pg_catalog.min(pg_catalog.quote_ident(n.nspname)), pg_catalog.count(distinct n.oid)::text
from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where ${isOurs('n')} and case when c.relkind = 'S' then not pg_catalog.has_sequence_privilege(c.oid, 'SELECT, USAGE') else false end`;

/** `ask` passes the schema and the table that the check is limited to. */
export async function findEndingSequences(ask: (sql: string) => Promise<readonly Row[]>): Promise<Finding[]> {
  const [ending, behind] = await Promise.all([ask(sequencesSql), ask(behindSql)]);
  return [...ending.map(judge), ...behind.map(judgeBehind)];
}

export async function describeHiddenSequences(run: CatalogRun): Promise<string | undefined> {
  const [[count, schema, schemas] = []] = await run(hiddenSql);
  return count === '0' || count === undefined
    ? undefined
    : `The values of ${count} sequences are hidden; GRANT SELECT ON ALL SEQUENCES IN SCHEMA ${schema} TO ${await readAccount(run)}; shows them${schemas === '1' ? '' : `, and the same for ${Number(schemas) - 1} more schemas`}.`;
}

function judgeBehind([sequence, table, column, value, top]: Row): Finding {
  return {
    severity: 'high',
    weight: 1,
    evidence: `sequence ${sequence} ${value === null ? 'was never used' : `is at ${value}`}, and ${table}.${column} holds values up to ${top}, as of its last ANALYZE`,
    consequence: 'An INSERT that takes its number from it fails with a duplicate key.',
    next: `select setval('${sequence?.replaceAll("'", "''")}', (select max(${column}) from ${table}));`,
  };
}

function judge([sequence, table, column, value, last, used, rises]: Row): Finding {
  const share = readNumber(used) ?? 0;
  const place = table === null || table === undefined ? '' : ` of ${table}.${column}`;
  const bound = rises === 'true' ? 'MAXVALUE 9223372036854775807' : 'MINVALUE -9223372036854775808';
  return {
    severity: share >= shares.high ? 'high' : 'medium',
    weight: share * 1e9,
    evidence: `sequence ${sequence}${place} is at ${value} of ${last} (${formatShare(share)})`,
    consequence: 'When it reaches its end, every INSERT that needs a new number fails.',
    next:
      place === ''
        ? `ALTER SEQUENCE ${sequence} AS bigint ${bound};`
        : `Make the column and the sequence bigint: ALTER SEQUENCE ${sequence} AS bigint; ALTER TABLE ${table} ALTER COLUMN ${column} TYPE bigint (rewrites the table under an exclusive lock; for a large one fill a new column in batches).`,
  };
}
