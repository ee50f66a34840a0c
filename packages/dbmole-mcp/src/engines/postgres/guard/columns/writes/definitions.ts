import { getInner, readLast } from '../../tree/node-parts.ts';
import { asFields, asList, type Fields } from '../../tree/walk.ts';

/** What a definition does to columns that may be protected. */
export interface Definition {
  /** Relations, or columns of them, that must not be protected: the rules would no longer find them. */
  readonly moved: readonly { readonly relation: Fields; readonly column?: string }[];
  /** Expressions that become the values of columns of a relation. */
  readonly assigned: readonly { readonly relation: Fields; readonly column: string; readonly value: unknown }[];
}

const nothing: Definition = { moved: [], assigned: [] };

/** Definitions that neither copy values nor make code that could. */
const harmless = new Set(
  `CreateStmt IndexStmt CreateSeqStmt AlterSeqStmt CommentStmt CreateEnumStmt AlterEnumStmt CompositeTypeStmt ViewStmt DropStmt TruncateStmt
  VacuumStmt ReindexStmt ClusterStmt RefreshMatViewStmt GrantStmt GrantRoleStmt AlterDefaultPrivilegesStmt AlterOwnerStmt VariableSetStmt
  CreateStatsStmt AlterStatsStmt CheckPointStmt LockStmt`.split(/\s+/),
);

/** The same for the parts of ALTER TABLE. */
const harmlessParts = new Set(
  `AT_DropColumn AT_DropNotNull AT_SetNotNull AT_AddConstraint AT_ValidateConstraint AT_DropConstraint AT_AlterConstraint AT_SetStatistics
  AT_SetOptions AT_ResetOptions AT_SetStorage AT_SetCompression AT_AddIndex AT_ChangeOwner AT_SetRelOptions AT_ResetRelOptions AT_ClusterOn
  AT_DropCluster AT_SetLogged AT_SetUnLogged AT_SetTableSpace AT_EnableRowSecurity AT_DisableRowSecurity AT_ForceRowSecurity
  AT_NoForceRowSecurity AT_ReplicaIdentity AT_SetIdentity AT_AddIdentity AT_DropIdentity`.split(/\s+/),
);

const plainDefaults = new Set([
  'now',
  'clock_timestamp',
  'statement_timestamp',
  'transaction_timestamp',
  'gen_random_uuid',
  'nextval',
]);

/** Undefined for a statement whose effect cannot be told. */
export function readDefinition(statement: unknown): Definition | undefined {
  const [kind = ''] = Object.keys(asFields(statement));
  const fields = getInner(statement);
  if (harmless.has(kind)) return nothing;
  if (kind === 'CreateSchemaStmt') return fields.schemaElts === undefined ? nothing : undefined;
  if (kind === 'CreateTableAsStmt') return fields.objtype === 'OBJECT_MATVIEW' ? nothing : undefined;
  if (kind === 'RenameStmt') return readRename(fields);
  if (kind === 'AlterObjectSchemaStmt')
    return fields.relation === undefined ? nothing : { ...nothing, moved: [{ relation: asFields(fields.relation) }] };
  return kind === 'AlterTableStmt' ? readAlterTable(fields) : undefined;
}

function readRename({ renameType, relation, subname }: Fields): Definition | undefined {
  if (renameType === 'OBJECT_SCHEMA') return undefined;
  if (relation === undefined || renameType === 'OBJECT_TABCONSTRAINT') return nothing;
  const column = renameType === 'OBJECT_COLUMN' ? { column: String(subname) } : {};
  return { ...nothing, moved: [{ relation: asFields(relation), ...column }] };
}

function readAlterTable({ relation, cmds }: Fields): Definition | undefined {
  const parts = asList(cmds).map(getInner);
  if (!parts.every(isHarmlessPart)) return undefined;
  const assigned = parts
    .filter(({ subtype }) => subtype === 'AT_AlterColumnType')
    .map(({ name, def }) => ({ relation: asFields(relation), column: String(name), value: readColumn(def).raw_default }));
  return { moved: [], assigned };
}

/** The expression of a new type is followed; a default must not need that. */
function isHarmlessPart({ subtype, def }: Fields): boolean {
  if (harmlessParts.has(String(subtype)) || subtype === 'AT_AlterColumnType') return true;
  if (subtype === 'AT_ColumnDefault') return isPlain(def);
  const { raw_default: value, constraints } = readColumn(def);
  return subtype === 'AT_AddColumn' && isPlain([value, constraints]);
}

function readColumn(def: unknown): Fields {
  return asFields(asFields(def ?? {}).ColumnDef ?? {});
}

/** Neither a query nor a function that may read. */
function isPlain(node: unknown): boolean {
  if (typeof node !== 'object' || node === null) return true;
  if (Array.isArray(node)) return node.every(isPlain);
  return Object.entries(node).every(([key, inner]) => {
    if (key === 'SubLink') return false;
    if (key === 'FuncCall' && !plainDefaults.has(readLast(asFields(inner).funcname) ?? '')) return false;
    return isPlain(inner);
  });
}
