import { fillers, textCasts } from '../types/uses.ts';
import { anyTypes, catalogs, firstUserOid, formatFound, isImplicit, unnamed } from './describe-sql.ts';

const { cast, function: functions, operator, relation, target, type } = catalogs;

/** Other classes that lead on: transforms, languages, parts of operator classes, and what the server uses without a name. */
const others = ['3576, 2602, 2603, 2612', ...unnamed].join(', ');

/** A partitioned table and all of its parts, because the planner may compare its key with a condition on any of them. */
const withParts = (table: string, major: number) =>
  major >= 12 ? `pg_catalog.pg_partition_tree(${table})` : `(select ${table} as relid)`;

/** Reads one catalog: all of its rows, or only those that depend on something. */
type Rows = (catalog: number, oid: string) => string;

const allRows: Rows = () => '';
const ofDependents: Rows = (catalog, oid) => ` join d on d.classid = ${catalog} and d.objid = ${oid}`;

/**
 * Stored expressions: the object that evaluates it, the tree, and whether a read runs all of it or only the planner does, in part.
 * The planner folds constants, and calls stable functions for its estimates. The condition of an index is evaluated for each row of a page
 * that a bitmap knows as a whole, whatever its functions became since the index was made. Rules and policies count
 * for the targets of writes in bodies: the server refuses the write in a read-only transaction, but a rule may run before it. A policy for updates also counts for reads, because a
 * view can have FOR UPDATE. Each catalog is joined separately, because the server may otherwise read their whole union for each row.
 */
const holders = (major: number, rows: Rows, via = '') => `
    select case ev_type when '1' then ${relation} else ${target} end as class, ev_class as oid,
        case ev_type when '1' then 'calls' else 'rule' end as how, ev_action::text as tree, true as runs${via}
      from pg_catalog.pg_rewrite x${rows(2618, 'x.oid')}
    union all
    select ${relation}, polrelid, 'policy', polqual::text, true${via}
      from pg_catalog.pg_policy x${rows(3256, 'x.oid')} where polcmd in ('r', 'w', '*')
    union all
    select ${target}, polrelid, 'policy', pg_catalog.concat(polqual, polwithcheck), true${via}
      from pg_catalog.pg_policy x${rows(3256, 'x.oid')} where polcmd <> 'r'
    union all
    select ${type}, contypid, 'check', conbin::text, true${via}
      from pg_catalog.pg_constraint x${rows(2606, 'x.oid')} where contypid <> 0
    union all
    select ${relation}, conrelid, 'check', conbin::text, false${via}
      from pg_catalog.pg_constraint x${rows(2606, 'x.oid')} where contype = 'c' and conrelid <> 0
    union all
    select ${relation}, indrelid, 'index', pg_catalog.concat(indexprs, indpred), indpred is not null${via}
      from pg_catalog.pg_index x${rows(1259, 'x.indexrelid')}
    union all
    select ${relation}, stxrelid, 'statistics', ${major >= 14 ? 'stxexprs::text' : "''"}, false${via}
      from pg_catalog.pg_statistic_ext x${rows(3381, 'x.oid')}
    union all
    select ${target}, x.adrelid, 'default', x.adbin::text, false${via} from pg_catalog.pg_attrdef x${rows(2604, 'x.oid')}${
      // Virtual columns are computed when they are read.
      major >= 18
        ? `
    union all
    select ${relation}, a.attrelid, 'column ' || a.attname, x.adbin::text, true${via}
      from pg_catalog.pg_attrdef x${rows(2604, 'x.oid')}
        join pg_catalog.pg_attribute a on a.attrelid = x.adrelid and a.attnum = x.adnum and a.attgenerated = 'v'`
        : ''
    }`;

const bodies = (major: number) => (major >= 14 ? ', p.prosqlbody' : '');

/** Stored trees of all that a read of a relation, a type or a function evaluates, and of what the planner may fold. */
export const trees = (major: number) => `${holders(major, allRows)}
    union all
    select ${relation}, partrelid, 'partitions', partexprs::text, false from pg_catalog.pg_partitioned_table
    union all
    select ${functions}, p.oid, 'calls', pg_catalog.concat(p.proargdefaults${bodies(major)}), true
      from pg_catalog.pg_proc p where pg_catalog.num_nonnulls(p.proargdefaults${bodies(major)}) > 0`;

/**
 * The numbers in a field of a stored tree, as texts, and in fields whose name ends the same. Splitting is much faster than a pattern; the
 * first piece is not a number. Blanks in names are escaped in trees, so a name cannot look like a field.
 */
export const listNumbers = (tree: string, field: string) => `(select pg_catalog.split_part(piece, ' ', 1) as number
        from pg_catalog.unnest(pg_catalog.string_to_array(${tree}, '${field} ')) piece)`;

/** B-tree and hash, also under other names: the others are used by an index alone. */
const sorting = `(select a.oid from pg_catalog.pg_am a join pg_catalog.pg_proc h on h.oid = a.amhandler
        where h.prosrc = any ('{bthandler,hashhandler}'::text[]))`;

/** Functions of a family for another type count in families that users made: a merge join through an index may sort by them. */
const ofFamily = `c.opcfamily = p.family and (c.opcintype = p.type or p.family >= ${firstUserOid})`;

/**
 * The operators that lead to a part of their family. The server looks for functions of its own operators in its own families first. It
 * compares two conditions by a third operator of a family that the operators of both have in common, whichever it is.
 */
const ledBy = (part: string) => `o.amopopr >= ${firstUserOid} or not exists (
        select from pg_catalog.pg_amop x where x.amopopr = o.amopopr and x.amopfamily < ${firstUserOid}
          and (x.amopmethod = o.amopmethod or o.amopmethod not in ${sorting}))${
            part === 'amop'
              ? `
        or exists (select from pg_catalog.pg_amop x where x.amopfamily = o.amopfamily and x.amopopr < ${firstUserOid} and x.amopopr <> o.amopopr)`
              : ''
          }`;

/**
 * A part of an operator class: it is used wherever values of the type are sorted or compared, and by indexes, partitions and ranges
 * that have the class. A class for a type of the server itself only counts for all values when it is the default.
 */
const ofPart = (part: string, major: number) => {
  const parts = `(select s.oid as via, x.${part}family as family, x.${part}lefttype as type from seen s join pg_catalog.pg_${part} x on x.oid = s.oid) p`;
  const holders = `${parts} join pg_catalog.pg_opclass c on ${ofFamily}
        join pg_catalog.pg_depend x on x.refclassid = 2616 and x.refobjid = c.oid and x.classid = ${relation}`;
  const ofType = `${parts} join pg_catalog.pg_opclass c on c.opcfamily = p.family and c.opcintype = p.type`;
  return [
    // A family of the server may have been extended, and serves any index of its kind. Of several with an operator, it comes first.
    `select ${type}, p.type, p.via, 'sorted' from ${parts} where p.family < ${firstUserOid}`,
    `select ${type}, c.opcintype, p.via, 'sorted' from ${ofType}
      where (c.opcintype >= ${firstUserOid} or c.opcdefault) and c.opcmethod in ${sorting}`,
    // Types without a class of their own use the default one of a type that they are binary-coercible to.
    `select ${type}, k.castsource, p.via, 'sorted' from ${ofType} join pg_catalog.pg_cast k on k.casttarget = c.opcintype
      where k.castmethod = 'b' and k.castcontext = 'i' and c.opcdefault and c.opcmethod in ${sorting}`,
    `select ${relation}, i.indrelid, p.via, 'index' from ${holders} join pg_catalog.pg_index i on i.indexrelid = x.objid`,
    `select ${operator}, o.amopopr, p.via, 'calls'
      from ${parts} join pg_catalog.pg_amop o on o.amopfamily = p.family and (${ledBy(part)})`,
    `select ${relation}, t.relid, p.via, 'partitions'
      from ${holders} join pg_catalog.pg_class r on r.oid = x.objid and r.relkind = 'p' cross join lateral ${withParts('r.oid', major)} t`,
    `select ${type}, g.rngtypid, p.via, 'sorted' from ${ofType} join pg_catalog.pg_range g on g.rngsubopc = c.oid`,
  ];
};

/** Functions make foreign data wrappers, access methods and types. */
const ofFunction = [
  `select ${relation}, t.ftrelid, d.via, 'calls'
      from d join pg_catalog.pg_foreign_server s on s.srvfdw = d.objid join pg_catalog.pg_foreign_table t on t.ftserver = s.oid
      where d.classid = 2328`,
  `select ${relation}, coalesce(i.indrelid, c.oid), d.via, case when i.indrelid is null then 'calls' else 'index' end
      from d join pg_catalog.pg_class c on c.relam = d.objid left join pg_catalog.pg_index i on i.indexrelid = c.oid
      where d.classid = 2601`,
  `select classid, objid, via, 'type' from d where classid = ${type}`,
];

/** Relations that a query can name. Before version 14, sequences and TOAST tables have row types as well. */
const withRowType = "'r', 'v', 'm', 'f', 'p', 'S', 't'";

const ofType = (major: number) => [
  `select classid, objid, via, 'made' from d where classid = ${type}`,
  `select ${type}, c.reltype, d.via, 'made' from d join pg_catalog.pg_class c on c.oid = d.objid and c.reltype <> 0 where d.classid = ${relation}`,
  `select ${relation}, c.oid, d.via, case c.relkind when 'f' then 'received' else 'column' end
      from d join pg_catalog.pg_class c on c.oid = d.objid and c.relkind in ('r', 'v', 'm', 'f', 'p') where d.classid = ${relation}`,
  // No dependency leads from the type of its rows to a relation, whose name can mean a row.
  `select ${relation}, c.oid, s.oid, 'row'
      from seen s join pg_catalog.pg_class c on c.reltype = s.oid and c.relkind in (${withRowType})`,
  // Functions of the server make arrays of values, and multiranges of ranges.
  `select ${type}, a.typelem, s.oid, 'made' from seen s join pg_catalog.pg_type a on a.oid = s.oid and a.typcategory = 'A' and a.typelem >= ${firstUserOid}`,
  ...(major >= 14
    ? [`select ${type}, g.rngtypid, s.oid, 'made' from seen s join pg_catalog.pg_range g on g.rngmultitypid = s.oid`]
    : []),
];

/** Functions in standard SQL that write to a relation: the names in other bodies tell. */
const writers = `select ${functions}, p.oid, s.oid, 'calls'
      from seen s join pg_catalog.pg_depend x on x.refclassid = ${relation} and x.refobjid = s.oid and x.classid = ${functions}
        join pg_catalog.pg_proc p on p.oid = x.objid and p.prosqlbody::text ~ ':commandType [2345] '`;

/** Queries for what leads to objects of this class only. */
const listWays = (of: string, major: number): readonly string[] =>
  ({
    [functions]: ofFunction,
    [type]: ofType(major),
    [operator]: [
      `select ${operator}, o.oid, s.oid, 'calls' from seen s join pg_catalog.pg_operator o on s.oid in (o.oprnegate, o.oprcom)`,
    ],
    [target]: [
      `select ${target}, r.ev_class, s.oid, 'rule'
      from seen s join pg_catalog.pg_depend x on x.refclassid = ${relation} and x.refobjid = s.oid and x.classid = 2618
        join pg_catalog.pg_rewrite r on r.oid = x.objid and r.ev_class <> s.oid`,
      ...(major >= 14 ? [writers] : []),
    ],
    // Values of its types are enough.
    [cast]: [
      `select ${type}, case when c.castsource >= ${firstUserOid} then c.castsource else c.casttarget end, s.oid, 'cast'
      from seen s join pg_catalog.pg_cast c on c.oid = s.oid
      where greatest(c.castsource, c.casttarget) >= ${firstUserOid} and ${isImplicit('c')}`,
    ],
    [relation]: [
      `select ${relation}, i.inhparent, s.oid, 'child' from seen s join pg_catalog.pg_inherits i on i.inhrelid = s.oid`,
    ],
    2602: ofPart('amop', major),
    2603: ofPart('amproc', major),
  })[of] ?? [];

/** The objects that are given, and whether the planner may compute them. */
const seen = `seen (oid, immutable) as materialized (
    select * from rows from (pg_catalog.unnest($1::pg_catalog.oid[]), pg_catalog.unnest($2::pg_catalog.bool[])) x
  )`;

/** Rows of `found_plain (class, oid, via, how)`, which lead to objects of that class. */
const formatVia = (of: string, found: string) =>
  formatFound(`${found}
  ), found as (
    select class, oid, ${of} as via_class, via, how, '' as detail from found_plain
  )`);

/**
 * What leads directly to the objects of a class that are given. It follows the recorded dependencies, as far as reading runs something by
 * them: a trigger or a default does not run then. With several classes in one query, the server would not know how many there are of each.
 */
export function formatDependents(of: string, major: number): string {
  return formatVia(
    of,
    `
  with ${seen}, d as materialized (
    select x.classid, x.objid, s.oid as via, s.immutable
    from seen s join pg_catalog.pg_depend x on x.refclassid = ${of} and x.refobjid = s.oid
    where x.deptype in ('n', 'a', 'i')
  ), found_plain (class, oid, via, how) as (
    select classid, objid, via, 'calls' from d
      where classid in (${functions}, ${operator}, ${others}) or (classid = ${cast} and (${of} = ${functions} or exists (
        select from pg_catalog.pg_cast c where c.oid = objid and c.casttarget = via and c.castmethod = 'i' and c.castcontext <> 'e')))
    union all
    select h.class, h.oid, h.via, h.how from (${holders(major, ofDependents, ', d.via, d.immutable')}) h
      where (h.runs or h.immutable) and (h.class <> ${of} or h.oid <> h.via)
    union all
    select ${relation}, t.relid, d.via, 'partitions'
      from d join pg_catalog.pg_class c on c.oid = d.objid and c.relkind = 'p' cross join lateral ${withParts('c.oid', major)} t
      where d.classid = ${relation} and d.immutable
    ${listWays(of, major)
      .map((way) => `union all\n    ${way}`)
      .join('\n    ')}`,
  );
}

/** Stored trees that call one of these functions of the server, and further ones. */
const formatCalled = (names: readonly string[], major: number, others = 'false') => `called as materialized (
    select t.* from (${trees(major)}) t where ${others} or exists (
      select from ${listNumbers('t.tree', 'funcid')} x where x.number = any (array(
        select pg_catalog.concat(oid) from pg_catalog.pg_proc where proname = any ('{${names.join(',')}}'::pg_catalog.name[]))))
  )`;

/** A whole row, what a function fills, and what JSON becomes. */
const makes = `':(?:varattno 0 :vartype|(?:func|op)resulttype|returning [{]JSONRETURNING :format (?:<>|[{][^}]*[}]) :typid) ([0-9]+) '`;

/**
 * What leads to types that are given, and what the server records no dependency for: the type of an aggregate's state; the type that
 * JSON_VALUE and JSON_QUERY return, and that of a row that a function fills.
 */
const unrecordedTypes = (major: number) => `
  with ${seen}, ${formatCalled(fillers, major, "pg_catalog.strpos(t.tree, '{JSONEXPR ') > 0")}, found_plain (class, oid, via, how) as (
    select ${functions}, a.aggfnoid::pg_catalog.oid, s.oid, 'calls'
      from pg_catalog.pg_aggregate a cross join lateral (values (a.aggtranstype), (a.aggmtranstype)) t (oid) join seen s on s.oid = t.oid
    union all
    select t.class, t.oid, s.oid, t.how
      from called t cross join lateral pg_catalog.regexp_matches(t.tree, ${makes}, 'g') m join seen s on s.oid = m[1]::pg_catalog.oid
      where t.runs or s.immutable`;

/** What leads to casts to text that are given, by the server's own functions in SQL. */
const unrecordedCasts = (major: number) => `
  with recursive ${seen}, source (via, immutable, type) as (
    select c.oid, s.immutable, c.castsource from pg_catalog.pg_cast c join seen s on s.oid = c.oid where c.casttarget = 25
    union select x.via, x.immutable, y.oid from source x join pg_catalog.pg_type y on y.typbasetype = x.type
  ), ${formatCalled(textCasts, major)}, found_plain (class, oid, via, how) as (
    select t.class, t.oid, x.via, t.how
      from called t cross join lateral pg_catalog.regexp_matches(t.tree, ':[a-z_]*typ[a-zI]* ([0-9]+) ', 'g') m
        join source x on x.type = m[1]::pg_catalog.oid
      where t.runs or x.immutable`;

/** What leads to operators of the server that are given: dependencies on them are not recorded. */
const unrecordedOperators = (major: number) => `
  with ${seen}, found_plain (class, oid, via, how) as (
    select t.class, t.oid, s.oid, t.how
      from (${trees(major)}) t cross join lateral pg_catalog.regexp_matches(t.tree, ':(?:opno|opnos [(]o|sortop|eqop) ([0-9 ]+)', 'g') m
        cross join lateral pg_catalog.unnest(pg_catalog.string_to_array(m[1], ' ')) x (number)
        join seen s on pg_catalog.concat(s.oid) = x.number and s.oid < ${firstUserOid}
      where t.runs or s.immutable`;

/** What leads to types, casts or operators, and no dependency tells. */
export function formatUnrecorded(of: string, major: number): string {
  return formatVia(of, (of === cast ? unrecordedCasts : of === operator ? unrecordedOperators : unrecordedTypes)(major));
}

/**
 * Where values of the types that are given can come from, through their parts and implicit casts: the names of relations, functions, types
 * and operators; whether what the server has itself becomes one; the types on the way; and whether a row without a type becomes one.
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
  ), general (name) as materialized (
    -- The default of an argument of any type can make the result any type.
    select p.proname from pg_catalog.pg_proc p
    where p.oid >= ${firstUserOid} and p.pronargdefaults > 0 and exists (
      select from pg_catalog.unnest(p.proargtypes::pg_catalog.oid[]) a (oid) join pg_catalog.pg_type t on t.oid = a.oid and ${anyTypes('t')})
  )
  select root, (select pg_catalog.json_agg(distinct n.name) from (
      select c.relname from origin o join pg_catalog.pg_class c on c.reltype = o.oid and c.relkind in (${withRowType}) where o.root = r.root
      union all
      select p.proname from origin o
        join pg_catalog.pg_depend x on x.refclassid = ${type} and x.refobjid = o.oid and x.classid = ${functions}
        join pg_catalog.pg_proc p on p.oid = x.objid and (p.prorettype = o.oid or p.proargmodes is not null) where o.root = r.root
      union all
      select name from general
      union all
      select t.typname from origin o join pg_catalog.pg_type t on t.oid = o.oid where o.root = r.root
      union all
      select p.oprname from origin o join pg_catalog.pg_operator p on p.oprresult = o.oid where o.root = r.root
    ) n (name)), exists (select from origin o where o.root = r.root and o.oid < ${firstUserOid}),
    (select pg_catalog.json_agg(distinct pg_catalog.concat(o.oid)) from origin o where o.root = r.root),
    (select t.typcategory = 'C' from pg_catalog.pg_type t where t.oid = r.root)
  from (select distinct root from origin) r`;
