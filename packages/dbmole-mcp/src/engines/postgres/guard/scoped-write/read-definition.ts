import { listParts } from '../../change/unrestricted.ts';
import { getInner, readText } from '../tree/node-parts.ts';
import { asFields, asList, type Fields } from '../tree/walk.ts';
import { type Change, events } from './row-changes.ts';

export interface RelationName {
  readonly schema: string | undefined;
  readonly name: string;
}

/** A definition of relations, by what must be inside. */
export interface ScopedDefinition {
  /** What gets a name; in the schema of another relation where `beside` is one. */
  readonly created: readonly (RelationName & { readonly beside?: RelationName })[];
  /** What it names. */
  readonly relations: readonly RelationName[];
  readonly change: Change;
  /** Expressions that it runs, or leaves for later. */
  readonly expressions: readonly unknown[];
  readonly query: unknown;
  /** What goes: objects that depend on it may go as well, or are named in the refusal of the server. */
  readonly dropped: readonly (RelationName & { readonly column?: string })[];
}

/** It runs expressions over the rows, but no triggers. */
const rewritten: Change = { events: 0, columns: [] };
const nothing: ScopedDefinition = {
  created: [],
  relations: [],
  change: rewritten,
  expressions: [],
  query: undefined,
  dropped: [],
};

const readers: ReadonlyMap<string, (fields: Fields) => ScopedDefinition | undefined> = new Map([
  ['CreateStmt', readCreate],
  ['IndexStmt', (fields: Fields) => ({ ...nothing, ...readNamed(fields) })],
  ['AlterTableStmt', readAlter],
  ['DropStmt', readDrop],
  ['RenameStmt', readRename],
  ['AlterObjectSchemaStmt', readMove],
  ['ViewStmt', ({ view, query }: Fields) => readMade(view, query)],
  ['CreateTableAsStmt', ({ into, query }: Fields) => readMade(asFields(into).rel, query)],
  ['TruncateStmt', ({ relations }: Fields) => readTruncate(relations)],
  ['CommentStmt', readComment],
]);

/** Undefined for a statement that is not followed. */
export function readDefinition(statement: unknown): ScopedDefinition | undefined {
  const [kind = ''] = Object.keys(asFields(statement));
  return readers.get(kind)?.(getInner(statement));
}

function readName({ schemaname, relname }: Fields): RelationName {
  return { schema: typeof schemaname === 'string' ? schemaname : undefined, name: String(relname) };
}

const expressionFields: readonly (readonly [kind: string, field: string])[] = [
  ['ColumnDef', 'raw_default'],
  ['Constraint', 'raw_expr'],
  ['Constraint', 'where_clause'],
  ['IndexElem', 'expr'],
  ['PartitionElem', 'expr'],
  ['IndexStmt', 'whereClause'],
];

/** Relations and expressions anywhere in it. A type counts as a value of it. */
function readNamed(node: unknown): Pick<ScopedDefinition, 'relations' | 'expressions'> {
  const parts = [...listParts(node)];
  // Where there is only one that it can be, a relation is written without its kind.
  const relations = parts.flatMap(([, part]) => (isRelation(part) ? readName(asFields(part)) : []));
  const expressions = parts.flatMap(([kind, part]) =>
    kind === 'typeName'
      ? { TypeCast: { arg: { A_Const: { isnull: true } }, typeName: part } }
      : expressionFields.flatMap(([of, field]) => (kind === of ? (asFields(part)[field] ?? []) : [])),
  );
  return { relations, expressions };
}

function isRelation(part: unknown): boolean {
  return typeof part === 'object' && part !== null && 'relname' in part;
}

function readCreate({ relation, ...fields }: Fields): ScopedDefinition | undefined {
  if (asFields(relation).relpersistence === 't' || fields.ofTypename !== undefined) return undefined;
  return { ...nothing, ...readNamed(fields), created: [readName(asFields(relation))] };
}

function readMade(made: unknown, query: unknown): ScopedDefinition | undefined {
  const relation = asFields(made);
  if (relation.relpersistence === 't') return undefined;
  return { ...nothing, created: [readName(relation)], query };
}

/** Parts of ALTER TABLE that lead to nothing but what they name. */
const followed = new Set(
  `AT_AddColumn AT_DropColumn AT_ColumnDefault AT_DropNotNull AT_SetNotNull AT_AddConstraint AT_ValidateConstraint AT_DropConstraint
  AT_AlterColumnType AT_SetStatistics AT_SetStorage AT_SetCompression AT_SetOptions AT_ResetOptions AT_SetRelOptions AT_ResetRelOptions
  AT_AttachPartition AT_DetachPartition AT_AddIdentity AT_SetIdentity AT_DropIdentity AT_SetExpression AT_DropExpression`.split(
    /\s+/,
  ),
);
/** Of these, what else depends on a column matters. */
const taking = new Set(['AT_DropColumn', 'AT_AlterColumnType', 'AT_DropConstraint']);

function readAlter({ relation, cmds, objtype }: Fields): ScopedDefinition | undefined {
  const parts = asList(cmds).map(getInner);
  if (objtype !== 'OBJECT_TABLE' || !parts.every(({ subtype }) => followed.has(String(subtype)))) return undefined;
  const own = readName(asFields(relation));
  const { relations, expressions } = readNamed(parts);
  const defaults = parts.flatMap(({ subtype, def }) => (subtype === 'AT_ColumnDefault' && def !== undefined ? [def] : []));
  const dropped = parts
    .filter(
      ({ subtype, behavior }) => taking.has(String(subtype)) && (subtype !== 'AT_DropConstraint' || behavior === 'DROP_CASCADE'),
    )
    .map(({ subtype, name }) => (subtype === 'AT_DropConstraint' ? own : { ...own, column: String(name) }));
  return { ...nothing, relations: [own, ...relations], expressions: [...expressions, ...defaults], dropped };
}

const droppable = new Set(['OBJECT_TABLE', 'OBJECT_VIEW', 'OBJECT_MATVIEW', 'OBJECT_INDEX']);

function readDrop({ objects, removeType }: Fields): ScopedDefinition | undefined {
  if (!droppable.has(String(removeType))) return undefined;
  const relations = asList(objects).map((object) => readPath(asList(asFields(asFields(object).List).items)));
  return { ...nothing, relations, dropped: removeType === 'OBJECT_INDEX' ? [] : relations };
}

function readPath(path: readonly unknown[]): RelationName {
  const [name = '', schema] = path.map((one) => readText(one) ?? '').toReversed();
  return { schema, name };
}

const renamable = new Set([
  'OBJECT_TABLE',
  'OBJECT_VIEW',
  'OBJECT_MATVIEW',
  'OBJECT_COLUMN',
  'OBJECT_INDEX',
  'OBJECT_TABCONSTRAINT',
]);

function readRename({ renameType, relation, newname }: Fields): ScopedDefinition | undefined {
  if (!renamable.has(String(renameType)) || relation === undefined) return undefined;
  const own = readName(asFields(relation));
  const isPart = renameType === 'OBJECT_COLUMN' || renameType === 'OBJECT_TABCONSTRAINT' || renameType === 'OBJECT_INDEX';
  const created = isPart ? [] : [{ schema: own.schema, name: String(newname), beside: own }];
  return { ...nothing, relations: [own], created };
}

function readMove({ objectType, relation, newschema }: Fields): ScopedDefinition | undefined {
  if (relation === undefined || !droppable.has(String(objectType))) return undefined;
  const own = readName(asFields(relation));
  return { ...nothing, relations: [own], created: [{ schema: String(newschema), name: own.name }] };
}

function readTruncate(relations: unknown): ScopedDefinition {
  const named = asList(relations).map((relation) => readName(asFields(asFields(relation).RangeVar)));
  return { ...nothing, relations: named, change: { events: events.truncate, columns: undefined } };
}

function readComment({ objtype, object }: Fields): ScopedDefinition | undefined {
  const isColumn = objtype === 'OBJECT_COLUMN';
  if (!isColumn && objtype !== 'OBJECT_TABLE' && objtype !== 'OBJECT_VIEW') return undefined;
  const path = asList(asFields(asFields(object).List).items);
  return { ...nothing, relations: [readPath(isColumn ? path.slice(0, -1) : path)] };
}
