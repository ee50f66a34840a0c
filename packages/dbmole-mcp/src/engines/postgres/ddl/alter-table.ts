import { asFields, asList, type Fields } from '../guard/tree/walk.ts';
import {
  type DdlAction,
  type RelationName,
  readCalls,
  readConstraints,
  readRelation,
  readString,
  readStrings,
  readType,
} from './actions.ts';

/** Actions of ALTER TABLE whose name says it all, by the words of the parser. */
const plainActions: Readonly<Record<string, string>> = {
  AT_DropColumn: 'DROP COLUMN',
  AT_SetNotNull: 'SET NOT NULL',
  AT_DropNotNull: 'DROP NOT NULL',
  AT_AddIdentity: 'ADD IDENTITY',
  AT_SetIdentity: 'SET IDENTITY',
  AT_DropIdentity: 'DROP IDENTITY',
  AT_DropExpression: 'DROP EXPRESSION',
  AT_SetExpression: 'SET EXPRESSION: stored',
  AT_SetStatistics: 'SET STATISTICS',
  AT_SetStorage: 'SET STORAGE',
  AT_SetCompression: 'SET COMPRESSION',
  AT_SetOptions: 'SET COLUMN OPTIONS',
  AT_ResetOptions: 'SET COLUMN OPTIONS',
  AT_ValidateConstraint: 'VALIDATE CONSTRAINT',
  AT_DropConstraint: 'DROP CONSTRAINT',
  AT_AlterConstraint: 'ALTER CONSTRAINT',
  AT_ChangeOwner: 'OWNER TO',
  AT_ClusterOn: 'CLUSTER ON',
  AT_DropCluster: 'SET WITHOUT CLUSTER',
  AT_SetLogged: 'SET LOGGED',
  AT_SetUnLogged: 'SET UNLOGGED',
  AT_SetTableSpace: 'SET TABLESPACE',
  AT_SetAccessMethod: 'SET ACCESS METHOD',
  AT_EnableRowSecurity: 'ROW LEVEL SECURITY',
  AT_DisableRowSecurity: 'ROW LEVEL SECURITY',
  AT_ForceRowSecurity: 'ROW LEVEL SECURITY',
  AT_NoForceRowSecurity: 'ROW LEVEL SECURITY',
  AT_ReplicaIdentity: 'REPLICA IDENTITY',
  AT_AddInherit: 'INHERIT',
  AT_DropInherit: 'NO INHERIT',
  ...Object.fromEntries(
    ['Trig', 'AlwaysTrig', 'ReplicaTrig', 'TrigAll', 'TrigUser'].map((kind) => [`AT_Enable${kind}`, 'ENABLE OR DISABLE TRIGGER']),
  ),
  ...Object.fromEntries(['Trig', 'TrigAll', 'TrigUser'].map((kind) => [`AT_Disable${kind}`, 'ENABLE OR DISABLE TRIGGER'])),
  AT_EnableRule: 'ENABLE OR DISABLE RULE',
  AT_EnableAlwaysRule: 'ENABLE OR DISABLE RULE',
  AT_EnableReplicaRule: 'ENABLE OR DISABLE RULE',
  AT_DisableRule: 'ENABLE OR DISABLE RULE',
};

const columnActions = /NOT NULL|IDENTITY|EXPRESSION|STATISTICS|STORAGE|COMPRESSION|COLUMN/;

/** Undefined for an action that the table of knowledge does not have. */
export function readAlterTable(command: Fields, table: RelationName): DdlAction[] | undefined {
  const subtype = readString(command.subtype) ?? '';
  const name = readString(command.name);
  const rule = plainActions[subtype];
  if (rule !== undefined) return [{ rule, table, ...readOther(command), ...placeName(rule, name) }];
  return readers[subtype]?.(command, table);
}

function placeName(rule: string, name: string | undefined): Partial<DdlAction> {
  if (rule.endsWith('CONSTRAINT')) return { constraint: name };
  if (/^SET (?:TABLESPACE|ACCESS METHOD)$/.test(rule)) return { place: name };
  return columnActions.test(rule) ? { column: name } : {};
}

function readOther({ def }: Fields): Pick<DdlAction, 'other'> {
  const { RangeVar: parent } = asFields(def ?? {});
  return parent === undefined ? {} : { other: readRelation(parent) };
}

const readers: Readonly<Record<string, (command: Fields, table: RelationName) => DdlAction[] | undefined>> = {
  AT_AddColumn: ({ def, missing_ok: skipsExisting }, table) =>
    readNewColumn(asFields(asFields(def).ColumnDef), table).map((action) =>
      skipsExisting === true ? { ...action, skipsExisting } : action,
    ),
  AT_ColumnDefault: ({ def, name }, table) => [
    { rule: def === undefined ? 'DROP DEFAULT' : 'SET DEFAULT', table, column: readString(name) },
  ],
  AT_AlterColumnType: ({ def, name }, table) => {
    const { typeName, raw_default: using } = asFields(asFields(def).ColumnDef);
    const isComputed = using !== undefined && !isCastOf(using, readString(name), typeName);
    return [{ rule: 'ALTER TYPE: rewrite', table, column: readString(name), type: readType(typeName), isComputed }];
  },
  AT_AddConstraint: ({ def }, table) => readConstraint(asFields(asFields(def).Constraint), table),
  AT_SetRelOptions: readParameters,
  AT_ResetRelOptions: readParameters,
  AT_AttachPartition: (command, table) => readPartition(command, { rule: 'ATTACH PARTITION', table }),
  AT_DetachPartition: (command, table) => {
    const isConcurrent = asFields(asFields(command.def).PartitionCmd).concurrent === true;
    return readPartition(command, { rule: `DETACH PARTITION${isConcurrent ? ': concurrently' : ''}`, table });
  },
  AT_DetachPartitionFinalize: (command, table) => readPartition(command, { rule: 'DETACH PARTITION: finalize', table }),
};

function readPartition({ def }: Fields, action: DdlAction): DdlAction[] {
  return [{ ...action, other: readRelation(asFields(asFields(def).PartitionCmd).name) }];
}

/** Parameters that take the weak lock; of others it is not known. */
const weakParameters =
  /^(?:fillfactor|toast_tuple_target|parallel_workers|log_autovacuum_min_duration|vacuum_(?:index_cleanup|truncate|max_eager_freeze_failure_rate)|autovacuum_\w+)$/;

function readParameters({ def }: Fields, table: RelationName): DdlAction[] | undefined {
  const names = asList(asFields(asFields(def).List).items).map((item) => readString(asFields(asFields(item).DefElem).defname));
  return names.every((name) => weakParameters.test(name ?? '')) ? [{ rule: 'SET STORAGE PARAMETERS', table }] : undefined;
}

/** The column itself, perhaps cast to the new type, is what happens without USING. */
function isCastOf(expression: unknown, column: string | undefined, typeName: unknown): boolean {
  const { ColumnRef: reference, TypeCast: cast } = asFields(expression);
  if (reference !== undefined) return readStrings(asFields(reference).fields).join() === column;
  if (cast === undefined) return false;
  const { arg, typeName: target } = asFields(cast);
  return JSON.stringify(readType(target)) === JSON.stringify(readType(typeName)) && isCastOf(arg, column, typeName);
}

function readConstraint(constraint: Fields, table: RelationName): DdlAction[] | undefined {
  const { contype, conname, skip_validation: isSkipped, indexname, pktable } = constraint;
  const columns = readStrings(contype === 'CONSTR_FOREIGN' ? constraint.fk_attrs : constraint.keys);
  const base = { table, constraint: readString(conname), columns };
  const notValid = isSkipped === true ? ': not valid' : '';
  switch (contype) {
    case 'CONSTR_CHECK':
      return [{ ...base, rule: `ADD CHECK${notValid}` }];
    case 'CONSTR_NOTNULL':
      return [{ ...base, rule: `ADD NOT NULL${notValid}`, column: columns[0] }];
    case 'CONSTR_FOREIGN':
      return [{ ...base, rule: `ADD FOREIGN KEY${notValid}`, other: readRelation(pktable) }];
    case 'CONSTR_UNIQUE':
    case 'CONSTR_PRIMARY': {
      const rule = contype === 'CONSTR_UNIQUE' ? 'ADD UNIQUE' : 'ADD PRIMARY KEY';
      if (typeof indexname !== 'string') return [{ ...base, rule }];
      return [{ ...base, rule: `${rule}: using an index`, index: { schema: table.schema, name: indexname } }];
    }
    case 'CONSTR_EXCLUSION':
      return [{ ...base, rule: 'ADD EXCLUDE' }];
    default:
      return undefined;
  }
}

const serialTypes = new Set(['serial', 'smallserial', 'bigserial', 'serial2', 'serial4', 'serial8']);

/** The column, and each of its constraints. */
function readNewColumn(definition: Fields, table: RelationName): DdlAction[] {
  const column = readString(definition.colname);
  const constraints = readConstraints(definition);
  const base = { table, column, columns: column === undefined ? [] : [column], type: readType(definition.typeName) };
  const isSerial = serialTypes.has(readStrings(asFields(definition.typeName).names).at(-1) ?? '');
  const filling = isSerial ? { detail: 'serial' } : readFilling(constraints);
  const own = filling === undefined ? { rule: 'ADD COLUMN' } : { ...filling, rule: `ADD COLUMN: ${filling.detail}` };
  const more = constraints.flatMap((constraint) => readColumnConstraint(constraint, filling !== undefined));
  return [{ ...base, ...own }, ...more.map((action) => ({ ...base, ...action }))];
}

/** What gives the existing rows their values. */
function readFilling(constraints: readonly Fields[]): { detail: string; functions?: string[]; operators?: string[] } | undefined {
  for (const { contype, generated_kind: kind, raw_expr: expression } of constraints) {
    if (contype === 'CONSTR_GENERATED') return { detail: kind === 'v' ? 'generated, virtual' : 'generated, stored' };
    if (contype === 'CONSTR_IDENTITY') return { detail: 'identity' };
    if (contype === 'CONSTR_DEFAULT') return { detail: 'constant default', ...readCalls(expression) };
  }
  return undefined;
}

function readColumnConstraint({ contype, conname, pktable }: Fields, isFilled: boolean): DdlAction[] {
  switch (contype) {
    case 'CONSTR_NOTNULL':
      return isFilled ? [] : [{ rule: 'ADD COLUMN: not null, no default' }];
    case 'CONSTR_CHECK':
      return [{ rule: 'ADD COLUMN: check', constraint: readString(conname) }];
    case 'CONSTR_FOREIGN':
      return [{ rule: `ADD COLUMN: references${isFilled ? ', with default' : ''}`, other: readRelation(pktable) }];
    case 'CONSTR_UNIQUE':
      return [{ rule: 'ADD COLUMN: unique' }];
    case 'CONSTR_PRIMARY':
      return [{ rule: 'ADD COLUMN: primary key' }];
    default:
      return [];
  }
}
