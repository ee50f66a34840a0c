import { type Finding, formatShare, readCount, readNumber } from '@dbmole/core';
import type { CatalogRun, Param } from '../../../../engine.ts';
import { isOurs } from '../../catalog/fragments.ts';
import { readAccount } from '../account.ts';

type Row = readonly (string | null)[];

const maxFindings = 100;
const shares = { medium: 0.7, high: 0.9 };

/** Reading a value locks its sequence until the transaction ends, so no transaction takes more than this share of the room for locks. */
const lockShare = 8;
const batchSize = `greatest(50, pg_catalog.current_setting('max_locks_per_transaction')::int8
  * (pg_catalog.current_setting('max_connections')::int8 + pg_catalog.current_setting('max_prepared_transactions')::int8) / ${lockShare})`;
/** Each one read opens its file. */
const maxSequences = 2_000;
const maxNarrow = 2_147_483_647;

/** The server may ask before it joins, and then of what is no sequence. A superuser needs no right to each. */
const isReadable = `((select r.rolsuper from pg_catalog.pg_roles r where r.rolname = current_user)
  or case when c.relkind = 'S' then pg_catalog.has_sequence_privilege(c.oid, 'SELECT, USAGE') else true end)`;

/** Sequences whose values this account may read without waiting for another session; those of small numbers that are used most come first. */
const listSql = `
select pg_catalog.array_agg(l.sequence)::text, pg_catalog.min(l.total)::text
from (
  select c.oid as sequence, pg_catalog.row_number() over (order by s.seqmax > ${maxNarrow},
    pg_catalog.pg_stat_get_blocks_fetched(c.oid) desc, c.oid) as place, pg_catalog.count(*) over () as total
  from pg_catalog.pg_sequence s join pg_catalog.pg_class c on c.oid = s.seqrelid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where ${isOurs('n')} and ${isReadable}
    and ($1::text is null or n.nspname = $1::text)
    and ($2::text is null or c.relname = $2::text or exists (
      select from pg_catalog.pg_depend d left join pg_catalog.pg_attrdef f on d.classid = 'pg_catalog.pg_attrdef'::pg_catalog.regclass and f.oid = d.objid
        join pg_catalog.pg_class t on t.oid = coalesce(f.adrelid, d.refobjid)
      where (d.objid = c.oid or d.refobjid = c.oid) and t.relname = $2::text))
    and c.oid not in (select k.relation from pg_catalog.pg_locks k where k.relation is not null
      and k.mode in ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock'))) l
where l.place <= ${maxSequences} group by (l.place - 1) / ${batchSize}`;

/** The sequences of a batch with their values, and the columns that own them or take their defaults from them. */
const countedSql = `
counted as materialized (
  select s.seqrelid, s.seqincrement > 0 as rises, s.seqmin, s.seqmax, s.seqcycle, pg_catalog.pg_sequence_last_value(s.seqrelid) as value
  from pg_catalog.pg_sequence s where s.seqrelid = any ($1::oid[])),
columns as materialized (
  select k.seqrelid, a.attrelid, a.attnum, a.attname, a.atttypid, a.attlen, x.is_owner and (a.atthasdef or a.attidentity <> '') as fills
  from counted k cross join lateral (
      select d.refobjid as relation, d.refobjsubid as number, true as is_owner from pg_catalog.pg_depend d
      where d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass and d.objid = k.seqrelid
        and d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass and d.refobjsubid > 0 and d.deptype in ('a', 'i')
      union all
      select f.adrelid, f.adnum, false from pg_catalog.pg_depend d join pg_catalog.pg_attrdef f on f.oid = d.objid
      where d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass and d.refobjid = k.seqrelid
        and d.classid = 'pg_catalog.pg_attrdef'::pg_catalog.regclass and d.deptype = 'n') x
    join pg_catalog.pg_attribute a on a.attrelid = x.relation and a.attnum = x.number)`;

const qualified = (relation: string, namespace: string) =>
  `pg_catalog.quote_ident(${namespace}.nspname) || '.' || pg_catalog.quote_ident(${relation}.relname)`;

/** How far each sequence has come, from its first number to its last. It ends where the type of a column does. */
const endingSql = `
narrowest as (
  select distinct on (x.seqrelid) x.* from columns x order by x.seqrelid, x.attlen, x.attrelid),
ending as (
  select k.*, f.attrelid, f.attname, case when k.rises then k.seqmin else k.seqmax end as first,
    case when k.rises then least(k.seqmax, case f.atttypid when 'int2'::pg_catalog.regtype then 32767
      when 'int4'::pg_catalog.regtype then 2147483647 else k.seqmax end) else k.seqmin end as last
  from counted k left join narrowest f on f.seqrelid = k.seqrelid
  where k.value is not null and (not k.seqcycle or f.attrelid is not null)),
shares as (
  select e.*, (e.value::float8 - e.first) / nullif(e.last::float8 - e.first, 0) as share from ending e)
select 'ending' as kind, ${qualified('c', 'n')} as sequence, ${qualified('t', 'm')} as owner, pg_catalog.quote_ident(e.attname) as attribute,
  e.value::text as value, e.last::text as last, e.share::text as share, e.rises::text as rises,
  e.seqcycle::text as cycles
from shares e join pg_catalog.pg_class c on c.oid = e.seqrelid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  left join pg_catalog.pg_class t on t.oid = e.attrelid left join pg_catalog.pg_namespace m on m.oid = t.relnamespace
where e.share > ${shares.medium}`;

/**
 * Sequences that are behind the unique column that they fill, as after a restore: by the largest value that ANALYZE has seen, so that no
 * table is read.
 */
const behindSql = `
select 'behind', ${qualified('q', 'k')}, ${qualified('h', 'h')}, pg_catalog.quote_ident(h.attname), h.value::text, h.top::text, null, null, null
from (
  select x.seqrelid, x.attname, k.value, t.relname, n.nspname, (
      select greatest((y.histogram_bounds::text::text[])[pg_catalog.cardinality(y.histogram_bounds::text::text[])]::bigint,
        (select pg_catalog.max(v::bigint) from pg_catalog.unnest(y.most_common_vals::text::text[]) v))
      from pg_catalog.pg_stats y where y.schemaname = n.nspname and y.tablename = t.relname and y.attname = x.attname and not y.inherited) as top
  from columns x join counted k on k.seqrelid = x.seqrelid join pg_catalog.pg_class t on t.oid = x.attrelid
    join pg_catalog.pg_namespace n on n.oid = t.relnamespace
  where x.fills and k.rises and t.relkind = 'r' and t.reltuples > 0
    and x.atttypid in ('int2'::pg_catalog.regtype, 'int4'::pg_catalog.regtype, 'int8'::pg_catalog.regtype)
    and exists (select from pg_catalog.pg_index i
      where i.indrelid = t.oid and i.indisunique and i.indisvalid and i.indnatts = 1 and i.indkey[0] = x.attnum)) h
  join pg_catalog.pg_class q on q.oid = h.seqrelid join pg_catalog.pg_namespace k on k.oid = q.relnamespace
where h.top > coalesce(h.value, 0)`;

const batchSql = `with ${countedSql}, ${endingSql} union all ${behindSql} limit ${maxFindings}`;

const hiddenSql = `
select pg_catalog.count(*)::text, pg_catalog.min(pg_catalog.quote_ident(n.nspname)), pg_catalog.count(distinct n.oid)::text
from pg_catalog.pg_sequence s join pg_catalog.pg_class c on c.oid = s.seqrelid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where ${isOurs('n')} and not ${isReadable}`;

interface Sequences {
  findings: readonly Finding[];
  notes: readonly string[];
}

/** `params` are the schema and the table that the check is limited to. */
export async function checkSequences(run: CatalogRun, params: readonly Param[]): Promise<Sequences> {
  const batches = await run(listSql, params);
  const rows: Row[] = [];
  // Together they would be one transaction.
  for (const [batch = null] of batches) rows.push(...(await run(batchSql, [batch])));
  const total = readCount(batches[0]?.[1]);
  return {
    findings: rows.map(([kind, ...row]) => (kind === 'ending' ? judge(row) : judgeBehind(row))),
    notes:
      total > maxSequences
        ? [`Of ${total} sequences the ${maxSequences} that are used most were looked at; name a schema or a table.`]
        : [],
  };
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

function judge([sequence, table, column, value, last, used, rises, cycles]: Row): Finding {
  const share = readNumber(used) ?? 0;
  const place = table === null || table === undefined ? '' : ` of ${table}.${column}`;
  const bound = rises === 'true' ? 'MAXVALUE 9223372036854775807' : 'MINVALUE -9223372036854775808';
  return {
    severity: share >= shares.high ? 'high' : 'medium',
    weight: share * 1e9,
    evidence: `sequence ${sequence}${place} is at ${value} of ${last} (${formatShare(share)})`,
    consequence:
      cycles === 'true'
        ? 'When it reaches its end, it begins again with numbers that are in use.'
        : 'When it reaches its end, every INSERT that needs a new number fails.',
    next:
      place === ''
        ? `ALTER SEQUENCE ${sequence} AS bigint ${bound};`
        : `Make the column and the sequence bigint: ALTER SEQUENCE ${sequence} AS bigint; ALTER TABLE ${table} ALTER COLUMN ${column} TYPE bigint (rewrites the table under an exclusive lock; for a large one fill a new column in batches).`,
  };
}
