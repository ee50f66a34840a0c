import { catalogs, firstUserOid, formatFound, unnamed } from './describe-sql.ts';

const { cast, function: functions, operator, relation, target, type } = catalogs;

/** Whatever else depends on a function and can be depended on: transforms, the parts of operator classes, languages; and what any text may go through. */
const others = ['3576, 2602, 2603, 2612', ...unnamed].join(', ');

/** Virtual columns are computed when they are read. Version 18 has them, still without functions of users. */
const virtual = `
    union all
    select ${relation}, a.attrelid, d.via_class, d.via, 'column ' || a.attname
      from d join pg_catalog.pg_attrdef x on x.oid = d.objid
        join pg_catalog.pg_attribute a on a.attrelid = x.adrelid and a.attnum = x.adnum and a.attgenerated = 'v'
      where d.classid = 2604`;

/**
 * A partitioned table, and all of its parts: the planner may hold its key against what is asked of one of them. Version 12 began to
 * have the function.
 */
const withParts = (table: string, major: number) =>
  major >= 12 ? `pg_catalog.pg_partition_tree(${table})` : `(select ${table} as relid)`;

/** What the planner computes when all arguments are known: it may do so for any query of the table. */
const planned = (major: number) => `
    union all
    select ${relation}, c.conrelid, d.via_class, d.via, 'check'
      from d join pg_catalog.pg_constraint c on c.oid = d.objid and c.contype = 'c' and c.conrelid <> 0
      where d.classid = 2606 and d.immutable
    union all
    select ${relation}, i.indrelid, d.via_class, d.via, 'index'
      from d join pg_catalog.pg_index i on i.indexrelid = d.objid
      where d.classid = ${relation} and d.immutable
    union all
    select ${relation}, t.relid, d.via_class, d.via, 'partitions'
      from d join pg_catalog.pg_class c on c.oid = d.objid and c.relkind = 'p' cross join lateral ${withParts('c.oid', major)} t
      where d.classid = ${relation} and d.immutable
    union all
    select ${relation}, s.stxrelid, d.via_class, d.via, 'statistics'
      from d join pg_catalog.pg_statistic_ext s on s.oid = d.objid
      where d.classid = 3381 and d.immutable`;

/**
 * A part of an operator class: it is used wherever values of the type are sorted or compared, and by indexes, partitions and ranges
 * that have the class. A class for a type of the server itself only counts for all values when it is the default.
 */
const classes = (major: number) => `
    union all
    select ${type}, c.opcintype, s.class, s.oid, 'sorted'
      from seen s join parts p on p.class = s.class and p.oid = s.oid
        join pg_catalog.pg_opclass c on c.opcfamily = p.family and c.opcintype = p.type
      where c.opcintype >= ${firstUserOid} or c.opcdefault
    union all
    select ${relation}, i.indrelid, s.class, s.oid, 'index'
      from seen s join parts p on p.class = s.class and p.oid = s.oid
        join pg_catalog.pg_opclass c on c.opcfamily = p.family and c.opcintype = p.type
        join pg_catalog.pg_depend x on x.refclassid = 2616 and x.refobjid = c.oid and x.classid = ${relation}
        join pg_catalog.pg_index i on i.indexrelid = x.objid
    union all
    select ${operator}, o.amopopr, s.class, s.oid, 'calls'
      from seen s join parts p on p.class = s.class and p.oid = s.oid
        join pg_catalog.pg_amop o on o.amopfamily = p.family and o.amoplefttype = p.type and o.amopopr >= ${firstUserOid}
    union all
    select ${relation}, t.relid, s.class, s.oid, 'partitions'
      from seen s join parts p on p.class = s.class and p.oid = s.oid
        join pg_catalog.pg_opclass c on c.opcfamily = p.family and c.opcintype = p.type
        join pg_catalog.pg_depend x on x.refclassid = 2616 and x.refobjid = c.oid and x.classid = ${relation}
        join pg_catalog.pg_class r on r.oid = x.objid and r.relkind = 'p' cross join lateral ${withParts('r.oid', major)} t
    union all
    select ${type}, g.rngtypid, s.class, s.oid, 'sorted'
      from seen s join parts p on p.class = s.class and p.oid = s.oid
        join pg_catalog.pg_opclass c on c.opcfamily = p.family and c.opcintype = p.type
        join pg_catalog.pg_range g on g.rngsubopc = c.oid`;

/**
 * Rules of what a body writes to. The server refuses the write itself in a read-only transaction, but a rule may come before it or
 * take its place; one that is added to INSERT comes after it, and is only planned.
 */
export const actsInBody = (rule: string, immutable: string) =>
  `${rule}.ev_type <> '1' and (${rule}.ev_type <> '3' or ${rule}.is_instead or ${immutable})`;

/**
 * What leads directly to the objects that are given: classes, numbers, and whether the planner may compute them. It follows the
 * recorded dependencies, as far as reading runs something by them: a trigger or a default does not run then.
 */
export function formatDependents(major: number): string {
  return formatFound(`
  with seen (class, oid, immutable) as materialized (
    select * from rows from (pg_catalog.unnest($1::pg_catalog.oid[]), pg_catalog.unnest($2::pg_catalog.oid[]),
      pg_catalog.unnest($3::pg_catalog.bool[])) x
  ), d as materialized (
    select x.classid, x.objid, x.objsubid, s.class as via_class, s.oid as via, s.immutable
    from seen s join pg_catalog.pg_depend x on x.refclassid = s.class and x.refobjid = s.oid
    where x.deptype in ('n', 'a', 'i')
  ), parts (class, oid, family, type) as (
    select 2602::pg_catalog.oid, oid, amopfamily, amoplefttype from pg_catalog.pg_amop where oid in (select oid from seen where class = 2602)
    union all
    select 2603, oid, amprocfamily, amproclefttype from pg_catalog.pg_amproc where oid in (select oid from seen where class = 2603)
  ), found_plain (class, oid, via_class, via, how) as (
    select classid, objid, via_class, via, 'calls' from d
      where classid in (${functions}, ${operator}, ${others}) or (classid = ${cast} and (via_class = ${functions} or exists (
        select from pg_catalog.pg_cast c where c.oid = objid and c.casttarget = via and c.castmethod = 'i' and c.castcontext <> 'e')))
    union all
    select ${operator}, o.oid, s.class, s.oid, 'calls'
      from seen s join pg_catalog.pg_operator o on s.oid in (o.oprnegate, o.oprcom)
      where s.class = ${operator}
    union all
    select classid, objid, via_class, via, case via_class when ${functions} then 'type' else 'made' end from d
      where classid = ${type} and via_class in (${functions}, ${type})
    union all
    select ${relation}, r.ev_class, d.via_class, d.via, 'calls'
      from d join pg_catalog.pg_rewrite r on r.oid = d.objid and r.ev_type = '1' and r.ev_class <> d.via
        join pg_catalog.pg_class c on c.oid = r.ev_class and c.relkind = 'v'
      where d.classid = 2618
    union all
    select ${target}, r.ev_class, d.via_class, d.via, 'rule'
      from d join pg_catalog.pg_rewrite r on r.oid = d.objid and ${actsInBody('r', 'd.immutable')} where d.classid = 2618
    union all
    select ${target}, x.adrelid, d.via_class, d.via, 'default'
      from d join pg_catalog.pg_attrdef x on x.oid = d.objid where d.classid = 2604 and d.immutable
    union all
    select ${target}, p.polrelid, d.via_class, d.via, 'policy'
      from d join pg_catalog.pg_policy p on p.oid = d.objid and p.polcmd <> 'r' where d.classid = 3256 and d.immutable
    union all
    select ${target}, r.ev_class, s.class, s.oid, 'rule'
      from seen s join pg_catalog.pg_depend x on x.refclassid = ${relation} and x.refobjid = s.oid and x.classid = 2618
        join pg_catalog.pg_rewrite r on r.oid = x.objid and r.ev_type = '1' and r.ev_class <> s.oid
      where s.class = ${target}
    union all
    select ${relation}, p.polrelid, d.via_class, d.via, 'policy'
      from d join pg_catalog.pg_policy p on p.oid = d.objid and p.polcmd in ('r', '*') and p.polrelid <> d.via
      where d.classid = 3256
    union all
    select ${type}, c.contypid, d.via_class, d.via, 'check'
      from d join pg_catalog.pg_constraint c on c.oid = d.objid and c.contypid <> 0
      where d.classid = 2606${planned(major)}
    union all
    select ${type}, c.reltype, d.via_class, d.via, 'made'
      from d join pg_catalog.pg_class c on c.oid = d.objid and c.reltype <> 0
      where d.classid = ${relation} and d.via_class = ${type}
    union all
    select ${relation}, c.oid, d.via_class, d.via, case c.relkind when 'f' then 'received' else 'column' end
      from d join pg_catalog.pg_class c on c.oid = d.objid and c.relkind in ('r', 'v', 'm', 'f', 'p')
      where d.classid = ${relation} and d.via_class = ${type}
    union all
    select ${relation}, i.inhparent, s.class, s.oid, 'child'
      from seen s join pg_catalog.pg_inherits i on i.inhrelid = s.oid
      where s.class = ${relation}${classes(major)}${major >= 18 ? virtual : ''}
  ), found as (
    select *, '' as detail from found_plain
  )`);
}

/**
 * Where values of the types that are given can come from, by way of what they are made of and of casts that nobody writes: relations,
 * functions, types and operators by their names, as JSON lists; whether what the server has itself becomes one; and the types on the way.
 */
export const providers = `
  with recursive origin (root, oid) as (
    select oid, oid from pg_catalog.unnest($1::pg_catalog.oid[]) oid
    union
    select o.root, n.oid
    from origin o, lateral (
      select x.objid from pg_catalog.pg_depend x
        where x.refclassid = ${type} and x.refobjid = o.oid and x.classid = ${type}
      union all
      select c.reltype from pg_catalog.pg_depend x join pg_catalog.pg_class c on c.oid = x.objid and c.reltype <> 0
        where x.refclassid = ${type} and x.refobjid = o.oid and x.classid = ${relation}
      union all
      select c.reltype from pg_catalog.pg_type t join pg_catalog.pg_inherits i on i.inhparent = t.typrelid
          join pg_catalog.pg_class c on c.oid = i.inhrelid
        where t.oid = o.oid and t.typrelid <> 0
      union all
      select t.typbasetype from pg_catalog.pg_type t where t.oid = o.oid and t.typbasetype <> 0
      union all
      select x.refobjid from pg_catalog.pg_depend x
        where x.classid = ${type} and x.objid = o.oid and x.refclassid = ${type}
      union all
      select c.castsource from pg_catalog.pg_cast c where c.casttarget = o.oid and c.castcontext = 'i'
    ) n (oid)
    where o.oid >= ${firstUserOid}
  )
  select root, (
      select pg_catalog.json_agg(distinct c.relname) from origin o join pg_catalog.pg_class c on c.reltype = o.oid
        and c.relkind in ('r', 'v', 'm', 'f', 'p') where o.root = r.root
    ), (
      select pg_catalog.json_agg(distinct p.proname) from origin o
        join pg_catalog.pg_depend x on x.refclassid = ${type} and x.refobjid = o.oid and x.classid = ${functions}
        join pg_catalog.pg_proc p on p.oid = x.objid and (p.prorettype = o.oid or p.proargmodes is not null) where o.root = r.root
    ), (
      select pg_catalog.json_agg(distinct t.typname) from origin o join pg_catalog.pg_type t on t.oid = o.oid where o.root = r.root
    ), (
      select pg_catalog.json_agg(distinct p.oprname) from origin o join pg_catalog.pg_operator p on p.oprresult = o.oid where o.root = r.root
    ), exists (select from origin o where o.root = r.root and o.oid < ${firstUserOid}),
    (select pg_catalog.json_agg(distinct pg_catalog.concat(o.oid)) from origin o where o.root = r.root)
  from (select distinct root from origin) r`;
