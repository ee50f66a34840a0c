import {
  collectFacts,
  findComment,
  formatLabel,
  isOurs,
  lockedRelations,
  readColumns,
  relationKinds,
  schemaOrder,
} from './fragments.ts';

/** The number of partitions that are named; the others are counted. */
const maxNamed = 20;
/** The limit of references to a table: nearly always all of them. */
const maxReferences = 1_000;

/**
 * One statement for everything about the requested tables, as rows of one width. The first cell says what a row is, the
 * second to which table it belongs (as it was requested), the third is its order.
 */
export const describeTables = `
with ${lockedRelations}, wanted as (
  select * from pg_catalog.jsonb_to_recordset($1::jsonb) as w(ord int, rank int, nsp text, rel text)),
matches as materialized (
  select w.ord, c.*, n.nspname, ${formatLabel('c', 'n')} as label, pg_catalog.row_number() over (
    partition by w.ord order by pg_catalog.pg_table_is_visible(c.oid) desc, w.rank, ${isOurs('n')} desc, ${schemaOrder('n')}) as place
  from wanted w join pg_catalog.pg_class c on c.relname = w.rel join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where c.relkind in (${relationKinds}) and (w.nsp is null or n.nspname = w.nsp)),
found as materialized (select * from matches where place = 1),
facts as (${collectFacts('found')}),
used_types as (
  select t.oid, pg_catalog.min(f.ord) as ord, pg_catalog.row_number() over (order by pg_catalog.format_type(t.oid, null)) as place
  from found f join pg_catalog.pg_attribute a on a.attrelid = f.oid and a.attnum > 0
    join pg_catalog.pg_type u on u.oid = a.atttypid
    join pg_catalog.pg_type t on t.oid = case when u.typelem <> 0 and u.typcategory = 'A' then u.typelem else u.oid end
  where t.typtype in ('e', 'd') and not a.attisdropped group by t.oid),
incoming as (
  select f.ord, con.*, pg_catalog.row_number() over (partition by f.ord order by ${formatLabel('c', 'n')}, con.conname) as place,
    pg_catalog.count(*) over (partition by f.ord) as total, ${formatLabel('c', 'n')} as label
  from found f join pg_catalog.pg_constraint con on con.confrelid = f.oid and con.contype = 'f' and con.conparentid = 0
    join pg_catalog.pg_class c on c.oid = con.conrelid join pg_catalog.pg_namespace n on n.oid = c.relnamespace),
parts as (
  select f.ord, c.oid, ${formatLabel('c', 'n')} as label, c.relpartbound,
    pg_catalog.row_number() over (partition by f.ord order by c.relname) as place, pg_catalog.count(*) over (partition by f.ord) as total
  from found f join pg_catalog.pg_inherits i on i.inhparent = f.oid
    join pg_catalog.pg_class c on c.oid = i.inhrelid join pg_catalog.pg_namespace n on n.oid = c.relnamespace)
select 'table', f.ord, 0, f.label, facts.kind, facts.rows::text, facts.bytes::text, facts.comment, facts.rights,
  case when f.relkind in ('v', 'm') then pg_catalog.left(pg_catalog.pg_get_viewdef(f.oid, true), 100000) end
from found f join facts on facts.oid = f.oid
union all
select 'also', m.ord, m.place, m.label, null, null, null, null, null, null
from matches m join found f on f.ord = m.ord and f.oid <> m.oid where m.place between 2 and 6 and ${isOurs('m')}
union all
select 'column', f.ord, a.attnum, pg_catalog.quote_ident(a.attname), pg_catalog.format_type(a.atttypid, a.atttypmod),
  a.attnotnull::text, pg_catalog.left(pg_catalog.pg_get_expr(d.adbin, d.adrelid, true), 1000), a.attidentity::text,
  a.attgenerated::text, ${findComment('f.oid', 'a.attnum', '$2::int')}
from found f join pg_catalog.pg_attribute a on a.attrelid = f.oid and a.attnum > 0 and not a.attisdropped
  left join pg_catalog.pg_attrdef d on d.adrelid = f.oid and d.adnum = a.attnum
union all
select 'constraint', f.ord, pg_catalog.row_number() over (order by pg_catalog.array_position('{p,u,x,c,f}', con.contype), con.conkey, con.conname),
  con.contype::text, ${readColumns('con.conrelid', 'con.conkey')}, pg_catalog.left(pg_catalog.pg_get_constraintdef(con.oid, true), 2000),
  case when t.oid is not null then ${formatLabel('t', 'tn')} end, ${readColumns('con.confrelid', 'con.confkey')}, pg_catalog.quote_ident(con.conname), null
from found f join pg_catalog.pg_constraint con on con.conrelid = f.oid and con.contype in ('p', 'u', 'x', 'c', 'f')
  left join pg_catalog.pg_class t on t.oid = con.confrelid left join pg_catalog.pg_namespace tn on tn.oid = t.relnamespace
where not exists (select from pg_catalog.pg_constraint p where p.oid = con.conparentid and p.conrelid = con.conrelid)
union all
select 'incoming', i.ord, i.place, i.label, ${readColumns('i.conrelid', 'i.conkey')}, ${readColumns('i.confrelid', 'i.confkey')},
  pg_catalog.left(pg_catalog.pg_get_constraintdef(i.oid, true), 2000), i.total::text, pg_catalog.quote_ident(i.conname), null
from incoming i where i.place <= ${maxReferences}
union all
select 'index', f.ord, pg_catalog.row_number() over (order by c.relname), pg_catalog.quote_ident(c.relname),
  pg_catalog.left(pg_catalog.pg_get_indexdef(c.oid, 0, true), 2000), am.amname, i.indisvalid::text,
  exists (select from pg_catalog.pg_constraint con where con.conindid = c.oid and con.contype in ('p', 'u', 'x') and con.conrelid = f.oid)::text,
  case when c.relkind = 'i' and f.oid not in (select l.relation from locked l) and c.oid not in (select l.relation from locked l)
    then pg_catalog.pg_relation_size(c.oid) end::text,
  case when c.relkind = 'i' then pg_catalog.pg_stat_get_numscans(c.oid) end::text
from found f join pg_catalog.pg_index i on i.indrelid = f.oid join pg_catalog.pg_class c on c.oid = i.indexrelid
  join pg_catalog.pg_am am on am.oid = c.relam
union all
select 'policy', f.ord, pg_catalog.row_number() over (order by y.polname), pg_catalog.quote_ident(y.polname), y.polcmd::text, y.polpermissive::text,
  (select pg_catalog.string_agg(case r.role when 0 then 'public' else pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(r.role)) end, ', ' order by r.place)
    from pg_catalog.unnest(y.polroles) with ordinality r(role, place)),
  pg_catalog.left(pg_catalog.pg_get_expr(y.polqual, y.polrelid, true), 2000),
  pg_catalog.left(pg_catalog.pg_get_expr(y.polwithcheck, y.polrelid, true), 2000), null
from found f join pg_catalog.pg_policy y on y.polrelid = f.oid
union all
select 'trigger', f.ord, pg_catalog.row_number() over (order by t.tgname), pg_catalog.quote_ident(t.tgname),
  pg_catalog.left(pg_catalog.pg_get_triggerdef(t.oid, true), 2000), t.tgenabled::text, null, null, null, null
from found f join pg_catalog.pg_trigger t on t.tgrelid = f.oid and not t.tgisinternal
union all
select 'partition', p.ord, p.place, p.label, pg_catalog.left(pg_catalog.pg_get_expr(p.relpartbound, p.oid), 500), p.total::text, null, null, null, null
from parts p where p.place <= ${maxNamed}
union all
select 'note', f.ord, x.seq, pg_catalog.left(x.text, 1000), null, null, null, null, null, null
from found f cross join lateral (
  select 1, 'PARTITION BY ' || pg_catalog.pg_get_partkeydef(f.oid) where f.relkind = 'p'
  union all
  select 2, case when f.relispartition then 'partition of ' else 'inherits ' end || ${formatLabel('c', 'n')}
    || coalesce(' ' || pg_catalog.pg_get_expr(f.relpartbound, f.oid), '')
  from pg_catalog.pg_inherits i join pg_catalog.pg_class c on c.oid = i.inhparent join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where i.inhrelid = f.oid
  union all
  select 3, 'foreign server ' || pg_catalog.quote_ident(s.srvname) || coalesce(' (' || pg_catalog.array_to_string(t.ftoptions, ', ') || ')', '')
  from pg_catalog.pg_foreign_table t join pg_catalog.pg_foreign_server s on s.oid = t.ftserver where t.ftrelid = f.oid
  union all
  select 4, case when f.relrowsecurity then 'row level security' || case when f.relforcerowsecurity then ', also for the owner' else '' end
    || case when exists (select from pg_catalog.pg_policy y where y.polrelid = f.oid) then '' else ', no policy: hides all rows' end
    else 'row level security is off: its policies have no effect' end
  where f.relrowsecurity or exists (select from pg_catalog.pg_policy y where y.polrelid = f.oid)
  union all
  select 6, 'not filled yet: REFRESH MATERIALIZED VIEW' where f.relkind = 'm' and not f.relispopulated) x(seq, text)
union all
select 'type', u.ord, u.place, pg_catalog.format_type(t.oid, null), case t.typtype
  when 'e' then 'enum ' || pg_catalog.left((select pg_catalog.string_agg(pg_catalog.quote_literal(e.enumlabel), ',' order by e.enumsortorder)
    from pg_catalog.pg_enum e where e.enumtypid = t.oid), 4000)
  else 'domain ' || pg_catalog.format_type(t.typbasetype, t.typtypmod) || case when t.typnotnull then ' NOT NULL' else '' end
    || coalesce(' DEFAULT ' || pg_catalog.left(t.typdefault, 500), '')
    || coalesce((select ' ' || pg_catalog.left(pg_catalog.string_agg(pg_catalog.pg_get_constraintdef(con.oid, true), ' ' order by con.conname), 2000)
      from pg_catalog.pg_constraint con where con.contypid = t.oid and con.contype = 'c'), '') end,
  null, null, null, null, null
from used_types u join pg_catalog.pg_type t on t.oid = u.oid
order by 2, 1, 3`;
