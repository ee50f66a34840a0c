import type { CatalogRun } from '../../../engine.ts';
import { formatLabel } from '../catalog/fragments.ts';
import type { DdlAction, RelationName } from './actions.ts';
import { quoteName, type Relation } from './relations.ts';
import { readTypeChange } from './type-change.ts';

/** What the catalog says of an action beside its text. */
export interface Refined {
  rule: string;
  notes: readonly string[];
  /** The table that a foreign key references. */
  other?: RelationName;
}

interface Question {
  run: CatalogRun;
  action: DdlAction;
  relation: Relation;
  version: number;
}

/** The rule of an action where it depends on the table as it is. */
export async function refine(question: Question): Promise<Refined> {
  const { action, relation } = question;
  const refiner = refiners[action.rule];
  const [refined, users] = await Promise.all([
    refiner === undefined ? { rule: action.rule, notes: [] } : refiner(question),
    describeUsers(question),
  ]);
  return { ...refined, notes: [...refined.notes, ...users, ...describeRelations(action, relation)] };
}

/** Views over the relation, or over one column of it. */
const usersSql = `
select distinct ${formatLabel('v', 'n')}
from pg_catalog.pg_depend d join pg_catalog.pg_rewrite w on w.oid = d.objid join pg_catalog.pg_class v on v.oid = w.ev_class
  join pg_catalog.pg_namespace n on n.oid = v.relnamespace
where d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass and d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass
  and d.refobjid = $1::text::oid and v.oid <> d.refobjid and ($2::text is null or d.refobjsubid = (
    select a.attnum from pg_catalog.pg_attribute a where a.attrelid = d.refobjid and a.attname = $2::text))
limit 20`;

const dropping = new Set(['DROP COLUMN', 'DROP TABLE', 'DROP VIEW', 'DROP MATERIALIZED VIEW']);

async function describeUsers({ run, action, relation }: Question): Promise<string[]> {
  const { rule, column } = action;
  if (!dropping.has(rule) && rule !== 'ALTER TYPE: rewrite') return [];
  const views = (await run(usersSql, [relation.oid, column ?? null])).map(([label]) => label ?? '');
  if (views.length === 0) return [];
  const [use, it, is] = views.length === 1 ? ['uses', 'it', 'it is'] : ['use', 'them', 'they are'];
  return [
    dropping.has(rule)
      ? `${list(views)} ${use} it: without CASCADE this fails, with CASCADE ${is} dropped as well`
      : `${list(views)} ${use} it, so this fails: drop ${it} first, and create ${it} again in the same transaction`,
  ];
}

const columnSql = `
select a.attnotnull::text,
  exists (select from pg_catalog.pg_constraint k where k.conrelid = a.attrelid and k.contype = 'c' and k.convalidated
    and pg_catalog.pg_get_expr(k.conbin, k.conrelid) = '(' || pg_catalog.quote_ident(a.attname) || ' IS NOT NULL)')::text,
  exists (select from pg_catalog.pg_constraint k where k.conrelid = a.attrelid and k.contype = 'n' and not k.convalidated and a.attnum = any(k.conkey))::text,
  a.attgenerated::text
from pg_catalog.pg_attribute a where a.attrelid = $1::text::oid and a.attname = $2::text and a.attnum > 0 and not a.attisdropped`;

const constraintSql = `
select k.contype, k.convalidated::text, n.nspname::text, r.relname::text,
  (select pg_catalog.json_agg(distinct ${formatLabel('d', 'dn')}) from pg_catalog.pg_constraint f
    join pg_catalog.pg_class d on d.oid = f.conrelid join pg_catalog.pg_namespace dn on dn.oid = d.relnamespace
    where f.contype = 'f' and f.conindid = k.conindid and k.contype <> 'f' and f.conrelid <> k.conrelid)::text
from pg_catalog.pg_constraint k left join pg_catalog.pg_class r on r.oid = k.confrelid left join pg_catalog.pg_namespace n on n.oid = r.relnamespace
where k.conrelid = $1::text::oid and k.conname = $2::text`;

/** Whether any function of one of these names, or of an operator, is volatile; and the names that there are none of. */
const volatileSql = `
with named as (
  select p.proname::text as name, p.provolatile from pg_catalog.pg_proc p
    where p.proname::text in (select pg_catalog.json_array_elements_text($1::json))
  union all select o.oprname::text, p.provolatile from pg_catalog.pg_operator o join pg_catalog.pg_proc p on p.oid = o.oprcode
    where o.oprname::text in (select pg_catalog.json_array_elements_text($2::json)))
select pg_catalog.json_agg(distinct n.name) filter (where n.provolatile = 'v')::text from named n`;

const domainSql = `
with recursive chain as (
  select t.* from pg_catalog.pg_type t where t.oid = pg_catalog.to_regtype($1::text)
  union all select b.* from pg_catalog.pg_type b join chain c on c.typbasetype = b.oid and c.typtype = 'd')
select pg_catalog.bool_or(c.typtype = 'd' and (c.typnotnull or exists (select from pg_catalog.pg_constraint k where k.contypid = c.oid)))::text
from chain c`;

const nullableIndexSql = `
select (exists (select from pg_catalog.pg_index i join pg_catalog.pg_attribute a on a.attrelid = i.indrelid
    and a.attnum = any(pg_catalog.string_to_array(i.indkey::text, ' ')::int2[])
  where i.indexrelid = pg_catalog.to_regclass($1::text) and not a.attnotnull))::text`;

/** A relation of this name in the schema of the table, where its indexes are. */
const namedBesideSql = `
select 1 from pg_catalog.pg_class c join pg_catalog.pg_class t on t.oid = $1::text::oid and c.relnamespace = t.relnamespace
where c.relname = $2::text`;

/** How the table is stored: whether it is logged, its tablespace (that of the database, if none is given), and its access method. */
const storageSql = `
select c.relpersistence::text, coalesce(s.spcname::text, (
    select ds.spcname::text from pg_catalog.pg_database d join pg_catalog.pg_tablespace ds on ds.oid = d.dattablespace
    where d.datname = pg_catalog.current_database())),
  a.amname::text
from pg_catalog.pg_class c left join pg_catalog.pg_tablespace s on s.oid = c.reltablespace left join pg_catalog.pg_am a on a.oid = c.relam
where c.oid = $1::text::oid`;

const refiners: Readonly<Record<string, (question: Question) => Promise<Refined>>> = {
  'ADD COLUMN': refineNewColumn,
  'ADD COLUMN: constant default': refineNewColumn,
  'SET NOT NULL': async ({ run, action, relation }) => {
    const { column = '' } = action;
    const [row] = await run(columnSql, [relation.oid, column]);
    if (row === undefined) return { rule: action.rule, notes: [`${relation.label} has no column ${column}; it would fail`] };
    const [isNotNull, isProved, isUnchecked] = row;
    if (isNotNull === 'true' && isUnchecked !== 'true') return { rule: `${action.rule}: it is already`, notes: [] };
    return { rule: isProved === 'true' ? `${action.rule}: a valid CHECK proves it` : action.rule, notes: [] };
  },
  'SET EXPRESSION: stored': async ({ run, action, relation }) => {
    const [row] = await run(columnSql, [relation.oid, action.column ?? '']);
    return { rule: row?.[3] === 'v' ? 'SET EXPRESSION: virtual' : action.rule, notes: [] };
  },
  'ALTER TYPE: rewrite': async ({ run, action, relation }) => {
    const { column = '', type, isComputed = false } = action;
    if (type === undefined) return { rule: action.rule, notes: [] };
    const change = await readTypeChange(run, relation.oid, { column, type, isComputed });
    if (change === undefined) return { rule: action.rule, notes: [`the column ${column} or its new type is not found here`] };
    const note = `${change.from} to ${change.to}: ${change.why}`;
    return { rule: change.keepsStorage ? 'ALTER TYPE: same storage' : action.rule, notes: [note] };
  },
  'VALIDATE CONSTRAINT': refineConstraint,
  'DROP CONSTRAINT': refineConstraint,
  'ADD PRIMARY KEY: using an index': async ({ run, action }) => {
    const { index } = action;
    const name = [index?.schema, index?.name].flatMap((part) => (part === undefined ? [] : [quoteName(part)])).join('.');
    const [row] = await run(nullableIndexSql, [name]);
    return { rule: row?.[0] === 'true' ? `${action.rule} on nullable columns` : action.rule, notes: [] };
  },
  'CREATE INDEX': async ({ run, action, relation }) => {
    if (action.skipsExisting && (await run(namedBesideSql, [relation.oid, action.constraint ?? ''])).length > 0)
      return { rule: 'CREATE INDEX: it exists', notes: [] };
    return {
      rule: relation.partitions > 0 ? `${action.rule}: on all partitions` : action.rule,
      notes: describeTree(relation),
    };
  },
  'SET LOGGED': refineStorage,
  'SET UNLOGGED': refineStorage,
  'SET TABLESPACE': refineStorage,
  'SET ACCESS METHOD': refineStorage,
  'CREATE INDEX: on the parent only': async ({ action, relation }) => ({
    rule: relation.partitions > 0 ? action.rule : 'CREATE INDEX',
    notes: [],
  }),
};

async function refineNewColumn({ run, action, relation }: Question): Promise<Refined> {
  const { type, functions = [], operators = [], column = '' } = action;
  const [[domain = []], [calls = []], [existing]] = await Promise.all([
    run(domainSql, [type?.name ?? '']),
    run(volatileSql, [JSON.stringify(functions), JSON.stringify(operators)]),
    run(columnSql, [relation.oid, column]),
  ]);
  if (existing !== undefined && action.skipsExisting) return { rule: 'ADD COLUMN: it exists', notes: [] };
  const notes = existing === undefined ? [] : [`${relation.label} already has a column ${column}; it would fail`];
  if (domain[0] === 'true') return { rule: 'ADD COLUMN: domain with constraints', notes };
  // The server wrote it: a list of names.
  const volatile = JSON.parse(calls[0] ?? '[]') as string[];
  if (volatile.length === 0) return { rule: action.rule, notes };
  return { rule: 'ADD COLUMN: volatile default', notes: [...notes, `${volatile.join(', ')} gives each row a different value`] };
}

/** Nothing is copied where the table is already as it is wanted. */
async function refineStorage({ run, action, relation }: Question): Promise<Refined> {
  const { rule, place } = action;
  const [[persistence, tablespace, method] = []] = await run(storageSql, [relation.oid]);
  if (relation.partitions > 0 || persistence === undefined) return { rule, notes: [] };
  const isSo: Readonly<Record<string, boolean>> = {
    'SET LOGGED': persistence === 'p',
    'SET UNLOGGED': persistence === 'u',
    'SET TABLESPACE': tablespace === place,
    'SET ACCESS METHOD': method === place,
  };
  if (isSo[rule] !== true) return { rule, notes: [] };
  return { rule: `${rule}: it is already${rule === 'SET TABLESPACE' ? ' there' : ''}`, notes: [] };
}

async function refineConstraint({ run, action, relation }: Question): Promise<Refined> {
  const { constraint = '' } = action;
  const [row] = await run(constraintSql, [relation.oid, constraint]);
  if (row === undefined)
    return { rule: action.rule, notes: [`${relation.label} has no constraint ${constraint}; it would fail`] };
  const [kind, isValid, schema, name, dependent] = row;
  const rule = kind === 'f' ? `${action.rule}: foreign key` : action.rule;
  const isDone = action.rule === 'VALIDATE CONSTRAINT' && isValid === 'true';
  const referencing = action.rule === 'DROP CONSTRAINT' ? (JSON.parse(dependent ?? '[]') as string[]) : [];
  const notes = [
    ...(isDone ? [`${constraint} is already valid; nothing is scanned`] : []),
    ...(referencing.length > 0
      ? [
          `${list(referencing)} reference it: without CASCADE it fails, with CASCADE they lose their foreign keys under ACCESS EXCLUSIVE`,
        ]
      : []),
  ];
  return name === null || name === undefined ? { rule, notes } : { rule, notes, other: { schema: schema ?? undefined, name } };
}

/** What other tables, and parts of the table, have to do with it. */
function describeRelations({ rule }: DdlAction, relation: Relation): string[] {
  const describe = describers[rule];
  if (describe !== undefined) return describe(relation);
  return /PARTITION|INDEX/.test(rule) || ofOneTable.has(rule) ? [] : describeTree(relation);
}

/** What does not reach the partitions, nor lock them. */
const ofOneTable = new Set([
  ...['COMMENT', 'CREATE STATISTICS', 'OWNER TO', 'RENAME', 'SET SCHEMA', 'REPLICA IDENTITY', 'ROW LEVEL SECURITY'],
  ...['ENABLE OR DISABLE TRIGGER', 'ENABLE OR DISABLE RULE', 'CREATE RULE', 'CREATE POLICY', 'ALTER POLICY', 'DROP POLICY'],
]);

/** Partitions, or tables that inherit from it. */
function describeTree({ partitions }: Relation): string[] {
  if (partitions === 0) return [];
  return [partitions === 1 ? 'its partition is locked as well' : `all ${partitions} partitions are locked as well`];
}

const list = (tables: readonly string[]) => tables.slice(0, 5).join(', ') + (tables.length > 5 ? ' and others' : '');

const describeReferences = ({ references, referencedBy }: Relation) => [
  ...(references.length > 0 ? [`also locks ${list(references)}, which it references, with ACCESS EXCLUSIVE`] : []),
  ...(referencedBy.length > 0 ? [`${list(referencedBy)} reference it: without CASCADE it fails`] : []),
];

const describeDefault = ({ defaultPartition }: Relation) =>
  defaultPartition === undefined ? [] : [`the default partition ${defaultPartition} is locked with ACCESS EXCLUSIVE and scanned`];

const describers: Readonly<Record<string, (relation: Relation) => string[]>> = {
  TRUNCATE: (relation) => [
    ...describeTree(relation),
    ...(relation.referencedBy.length === 0
      ? []
      : [`${list(relation.referencedBy)} reference it: without CASCADE it fails, with CASCADE they are emptied as well`]),
  ],
  'DROP TABLE': (relation) => [
    ...describeTree(relation),
    ...(relation.partitionOf === undefined
      ? []
      : [
          `also locks ${relation.partitionOf}, whose partition it is, with ACCESS EXCLUSIVE: DETACH PARTITION … CONCURRENTLY before it does not`,
        ]),
    ...describeReferences(relation),
  ],
  'DROP INDEX': ({ isOfPartitioned, tableLabel }) =>
    isOfPartitioned ? [`all partitions of ${tableLabel} are locked as well`] : [],
  'ATTACH PARTITION': describeDefault,
  'CREATE TABLE: partition of': describeDefault,
  'REFRESH MATERIALIZED VIEW: concurrently': ({ label, hasUniqueIndex }) =>
    hasUniqueIndex ? [] : [`${label} has no unique index on columns; it would fail`],
  'CREATE INDEX: concurrently': ({ kind }) =>
    kind.startsWith('partitioned')
      ? ['it fails on a partitioned table: CREATE INDEX … ON ONLY it, one CONCURRENTLY on each partition, then ATTACH PARTITION']
      : [],
};
