import { type Finding, formatSeconds, readCount } from '@dbmole/core';
import { formatLabel, isInScope } from '../../catalog/fragments.ts';

type Row = readonly (string | null)[];

const maxEach = 100;
const secondsPerDay = 86_400;
/** What has to lie ahead, in parts of the span of the last partition. */
const minAhead = 0.1;
/** Spans after which a table whose last partition has ended is no longer written to, rather than broken. */
const maxBehind = 3;

/** A DETACH … CONCURRENTLY that was interrupted. */
const detachingSql = `
select ${formatLabel('c', 'n')}, ${formatLabel('p', 'm')}, c.reltuples::bigint::text
from pg_catalog.pg_inherits h join pg_catalog.pg_class c on c.oid = h.inhparent join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  join pg_catalog.pg_class p on p.oid = h.inhrelid join pg_catalog.pg_namespace m on m.oid = p.relnamespace
where h.inhdetachpending and ${isInScope('n', 'c')} limit ${maxEach}`;

/** Partitions by time, without one for all other values, of which the last ends soon or has ended. Bounds are constants, as the catalog has them. */
const endingSql = `
with timed as materialized (
  select t.partrelid from pg_catalog.pg_partitioned_table t join pg_catalog.pg_attribute a on a.attrelid = t.partrelid and a.attnum = t.partattrs[0]
  where t.partstrat = 'r' and t.partnatts = 1 and t.partdefid = 0
    and a.atttypid in ('date'::pg_catalog.regtype, 'timestamp'::pg_catalog.regtype, 'timestamptz'::pg_catalog.regtype)),
bounds as materialized (
  select t.partrelid, pg_catalog.regexp_match(pg_catalog.pg_get_expr(p.relpartbound, p.oid), $p$FROM \\('?([^']+)'?\\) TO \\('?([^']+)'?\\)$p$) as ends
  from timed t join pg_catalog.pg_inherits h on h.inhparent = t.partrelid join pg_catalog.pg_class p on p.oid = h.inhrelid),
read as materialized (
  select b.partrelid, b.ends[2] = 'MAXVALUE' as is_open,
    case when b.ends[1] ~ '^\\d{4,}-\\d\\d-\\d\\d' then b.ends[1]::timestamptz end as low,
    case when b.ends[2] ~ '^\\d{4,}-\\d\\d-\\d\\d' then b.ends[2]::timestamptz end as high
  from bounds b),
last as (
  select distinct on (r.partrelid) r.partrelid, r.low, r.high, extract(epoch from r.high - pg_catalog.now()) as ahead,
    extract(epoch from r.high - r.low) as span
  from read r where not exists (select from read o where o.partrelid = r.partrelid and o.is_open) order by r.partrelid, r.high desc nulls last)
select ${formatLabel('c', 'n')}, pg_catalog.to_char(l.high, 'YYYY-MM-DD HH24:MI'), l.ahead::bigint::text, c.reltuples::bigint::text
from last l join pg_catalog.pg_class c on c.oid = l.partrelid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where l.ahead < l.span * ${minAhead} and l.ahead > -greatest(${maxBehind} * l.span, 7 * ${secondsPerDay}) and ${isInScope('n', 'c')}
order by l.ahead limit ${maxEach}`;

/** `ask` passes the schema and the table that the check is limited to. */
export async function findPartitionTrouble(ask: (sql: string) => Promise<readonly Row[]>): Promise<Finding[]> {
  const [detaching, ending] = await Promise.all([ask(detachingSql), ask(endingSql)]);
  return [...detaching.map(judgeDetaching), ...ending.map(judgeEnding)];
}

function judgeDetaching([table, partition, rows]: Row): Finding {
  return {
    severity: 'medium',
    weight: readCount(rows),
    evidence: `partition ${partition} of ${table} is half detached: a DETACH PARTITION … CONCURRENTLY was interrupted`,
    consequence: `Queries of ${table} no longer see its rows, and no other partition can be detached concurrently.`,
    next: `ALTER TABLE ${table} DETACH PARTITION ${partition} FINALIZE;`,
  };
}

function judgeEnding([table, end, ahead, rows]: Row): Finding {
  const seconds = readCount(ahead);
  return {
    severity: seconds <= secondsPerDay ? 'high' : 'medium',
    weight: readCount(rows),
    evidence:
      seconds <= 0
        ? `the last partition of ${table} ended at ${end}, and it has no default partition`
        : `the last partition of ${table} ends at ${end}, in ${formatSeconds(seconds)}, and it has no default partition`,
    consequence: seconds <= 0 ? 'Every INSERT of a later row fails.' : 'From then on every INSERT of a later row fails.',
    next: `CREATE TABLE … PARTITION OF ${table} FOR VALUES FROM ('${end}') TO (…); and find out what should have made it.`,
  };
}
