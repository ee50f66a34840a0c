import { openParser } from '../guard/thread/parser.ts';
import { parseOne } from '../guard/tree/syntax.ts';
import { asFields, asList, type Fields } from '../guard/tree/walk.ts';
import {
  type DdlAction,
  type DdlStatement,
  type RelationName,
  readConstraints,
  readPath,
  readRelation,
  readString,
  readStrings,
} from './actions.ts';
import { readAlterTable } from './alter-table.ts';

type Reader = (fields: Fields) => DdlAction[] | undefined;

/** Parses one statement of DDL. It runs in the thread of the guard. */
export async function readDdl(sql: string): Promise<DdlStatement> {
  const parser = await openParser();
  const statement = asFields(await parseOne(sql, parser, async () => Number.NaN));
  const [[kind, node] = ['', {}]] = Object.entries(statement);
  const fields = asFields(node);
  if (kind === 'AlterTableStmt') return readAlterStatement(fields);
  const actions = readers[kind]?.(fields);
  const command = readCommand(sql, parser.scan(sql));
  if (actions !== undefined && actions.length > 0) return { command, actions, unknown: [], tables: [] };
  return { command, actions: [], unknown: [command], tables: findRelations(fields) };
}

/** Its first words. */
function readCommand(sql: string, tokens: readonly { text: string; tokenName: string }[]): string {
  const words = tokens.filter(({ tokenName }) => !tokenName.endsWith('_COMMENT')).map(({ text }) => text.toUpperCase());
  const isWord = (word: string | undefined) => word !== undefined && /^[A-Z_]+$/.test(word);
  const count = ['CREATE', 'ALTER', 'DROP', 'REFRESH'].includes(words[0] ?? '') ? (words[1] === 'MATERIALIZED' ? 3 : 2) : 1;
  const shown = words.filter((word) => !['OR', 'REPLACE', 'UNIQUE'].includes(word)).slice(0, words[0] === 'REFRESH' ? 3 : count);
  return shown.filter(isWord).join(' ') || sql.slice(0, 20);
}

function readAlterStatement({ relation, cmds, objtype }: Fields): DdlStatement {
  const table = readRelation(relation);
  const kind = objectWords[readString(objtype) ?? ''] ?? 'TABLE';
  const command = `ALTER ${kind}`;
  if (table === undefined) return { command, actions: [], unknown: [command], tables: [] };
  const read = asList(cmds).map((node) => {
    const fields = asFields(asFields(node).AlterTableCmd);
    const actions = kind === 'INDEX' ? readAlterIndex(fields, table) : readAlterTable(fields, table);
    const isKnown = isTableLike.has(kind) || actions?.every(({ rule }) => ofAllRelations.has(rule)) === true;
    return { actions: isKnown ? actions : undefined, word: readString(fields.subtype) ?? '' };
  });
  return {
    command,
    actions: read.flatMap(({ actions }) => actions ?? []),
    unknown: read.filter(({ actions }) => actions === undefined).map(({ word }) => splitWord(word)),
    tables: [table],
  };
}

const isTableLike = new Set(['TABLE', 'INDEX']);
/** Views and sequences take the same lock for them. */
const ofAllRelations = new Set(['OWNER TO', 'SET DEFAULT', 'DROP DEFAULT', 'SET STATISTICS']);

/** `AT_SetAccessMethod` as SQL would write it. */
function splitWord(word: string): string {
  return word
    .replace(/^AT_/, '')
    .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toUpperCase();
}

const objectWords: Readonly<Record<string, string>> = {
  OBJECT_TABLE: 'TABLE',
  OBJECT_INDEX: 'INDEX',
  OBJECT_VIEW: 'VIEW',
  OBJECT_MATVIEW: 'MATERIALIZED VIEW',
  OBJECT_SEQUENCE: 'SEQUENCE',
  OBJECT_FOREIGN_TABLE: 'FOREIGN TABLE',
  OBJECT_TYPE: 'TYPE',
};

function readAlterIndex({ subtype, def }: Fields, index: RelationName): DdlAction[] | undefined {
  if (subtype === 'AT_SetRelOptions' || subtype === 'AT_ResetRelOptions') return [{ rule: 'ALTER INDEX SET', index }];
  if (subtype !== 'AT_AttachPartition') return undefined;
  return [{ rule: 'ATTACH INDEX', index: readRelation(asFields(asFields(def).PartitionCmd).name) ?? index }];
}

const movable = new Set(['OBJECT_TABLE', 'OBJECT_MATVIEW', 'OBJECT_VIEW', 'OBJECT_SEQUENCE', 'OBJECT_FOREIGN_TABLE']);

const onTable =
  (rule: string, field = 'relation'): Reader =>
  (fields) => [{ rule, table: readRelation(fields[field]) }];

const readers: Readonly<Record<string, Reader>> = {
  AlterEnumStmt: ({ oldVal }) => [{ rule: oldVal === undefined ? 'ADD VALUE' : 'RENAME VALUE' }],
  AlterObjectSchemaStmt: ({ objectType, relation }) =>
    movable.has(readString(objectType) ?? '') ? [{ rule: 'SET SCHEMA', table: readRelation(relation) }] : undefined,
  AlterPolicyStmt: onTable('ALTER POLICY', 'table'),
  AlterSeqStmt: onTable('ALTER SEQUENCE', 'sequence'),
  ClusterStmt: ({ relation }) => (relation === undefined ? undefined : [{ rule: 'CLUSTER', table: readRelation(relation) }]),
  CommentStmt: readComment,
  CreatePolicyStmt: onTable('CREATE POLICY', 'table'),
  CreateSeqStmt: () => [{ rule: 'CREATE SEQUENCE' }],
  CreateStatsStmt: ({ relations }) => readRelations('CREATE STATISTICS', relations),
  CreateStmt: readCreateTable,
  CreateTableAsStmt: ({ objtype }) => [{ rule: objtype === 'OBJECT_MATVIEW' ? 'CREATE MATERIALIZED VIEW' : 'CREATE TABLE AS' }],
  CreateTrigStmt: onTable('CREATE TRIGGER'),
  DropStmt: readDrop,
  IndexStmt: readCreateIndex,
  LockStmt: ({ relations, mode }) => readRelations('LOCK TABLE', relations).map((action) => ({ ...action, mode: Number(mode) })),
  RefreshMatViewStmt: ({ relation, concurrent }) => [
    { rule: `REFRESH MATERIALIZED VIEW${concurrent === true ? ': concurrently' : ''}`, table: readRelation(relation) },
  ],
  ReindexStmt: readReindex,
  RenameStmt: readRename,
  RuleStmt: onTable('CREATE RULE'),
  TruncateStmt: ({ relations }) => readRelations('TRUNCATE', relations),
  VacuumStmt: readVacuum,
  ViewStmt: ({ view, replace }) =>
    replace === true ? [{ rule: 'CREATE OR REPLACE VIEW', table: readRelation(view) }] : [{ rule: 'CREATE VIEW' }],
};

function readRelations(rule: string, list: unknown): DdlAction[] {
  return asList(list).map((node) => ({ rule, table: readRelation(asFields(node).RangeVar) }));
}

function readComment({ objtype, object }: Fields): DdlAction[] | undefined {
  const path = readStrings(asFields(asFields(object).List ?? {}).items);
  if (movable.has(readString(objtype) ?? '')) return [{ rule: 'COMMENT', table: readPath(path) }];
  return objtype === 'OBJECT_COLUMN' ? [{ rule: 'COMMENT', table: readPath(path.slice(0, -1)), column: path.at(-1) }] : undefined;
}

function readCreateTable({ tableElts, inhRelations, partbound }: Fields): DdlAction[] {
  const elements = asList(tableElts).map(asFields);
  const constraints = elements.flatMap(({ ColumnDef: column, Constraint: constraint }) => [
    ...(column === undefined ? [] : readConstraints(asFields(column))),
    ...(constraint === undefined ? [] : [asFields(constraint)]),
  ]);
  const referenced = constraints.flatMap(({ pktable }) => (pktable === undefined ? [] : [readRelation(pktable)]));
  const parents = readRelations(`CREATE TABLE: ${partbound === undefined ? 'inherits' : 'partition of'}`, inhRelations);
  return [{ rule: 'CREATE TABLE' }, ...parents, ...referenced.map((table) => ({ rule: 'CREATE TABLE: references', table }))];
}

function readCreateIndex({ idxname, relation, concurrent, indexParams, if_not_exists: skips }: Fields): DdlAction[] {
  const isOnly = asFields(relation).inh !== true;
  const detail = concurrent === true ? ': concurrently' : isOnly ? ': on the parent only' : '';
  const columns = asList(indexParams).map((node) => readString(asFields(asFields(node).IndexElem).name) ?? '…');
  const index = readString(idxname);
  return [
    {
      rule: `CREATE INDEX${detail}`,
      table: readRelation(relation),
      constraint: index,
      columns,
      ...(skips === true ? { skipsExisting: true } : {}),
    },
  ];
}

function readDrop({ removeType, objects, concurrent }: Fields): DdlAction[] | undefined {
  const paths = asList(objects).map((node) => readStrings(asFields(asFields(node).List ?? {}).items));
  const rule = droppedRules[readString(removeType) ?? ''];
  if (rule === undefined) return undefined;
  return paths.map((path) => {
    if (rule === 'DROP INDEX') return { rule: `${rule}${concurrent === true ? ': concurrently' : ''}`, index: readPath(path) };
    // The table is in front of the name of its trigger or policy.
    return { rule, table: readPath(rule === 'DROP TRIGGER' || rule === 'DROP POLICY' ? path.slice(0, -1) : path) };
  });
}

const droppedRules: Readonly<Record<string, string>> = {
  OBJECT_INDEX: 'DROP INDEX',
  OBJECT_MATVIEW: 'DROP MATERIALIZED VIEW',
  OBJECT_POLICY: 'DROP POLICY',
  OBJECT_SEQUENCE: 'DROP SEQUENCE',
  OBJECT_TABLE: 'DROP TABLE',
  OBJECT_TRIGGER: 'DROP TRIGGER',
  OBJECT_VIEW: 'DROP VIEW',
};

function hasOption(list: unknown, name: string): boolean {
  return asList(list).some((node) => {
    const { defname, arg } = asFields(asFields(node).DefElem ?? {});
    return defname === name && (arg === undefined || !/false|off|"ival":0/i.test(JSON.stringify(arg)));
  });
}

function readReindex({ kind, relation, params }: Fields): DdlAction[] | undefined {
  const named = readRelation(relation);
  if (named === undefined) return undefined;
  const isIndex = kind === 'REINDEX_OBJECT_INDEX';
  const place = isIndex ? { index: named } : { table: named };
  if (hasOption(params, 'concurrently')) return [{ rule: 'REINDEX: concurrently', ...place }];
  return [{ rule: isIndex ? 'REINDEX INDEX' : 'REINDEX TABLE', ...place }];
}

function readRename({ renameType, relationType, relation, subname }: Fields): DdlAction[] | undefined {
  const named = readRelation(relation);
  if (renameType === 'OBJECT_COLUMN' && relationType === 'OBJECT_TABLE')
    return [{ rule: 'RENAME COLUMN', table: named, column: readString(subname) }];
  if (renameType === 'OBJECT_TABCONSTRAINT')
    return [{ rule: 'RENAME CONSTRAINT', table: named, constraint: readString(subname) }];
  if (renameType === 'OBJECT_POLICY') return [{ rule: 'ALTER POLICY', table: named }];
  if (renameType === 'OBJECT_INDEX') return [{ rule: 'RENAME INDEX', index: named }];
  return movable.has(readString(renameType) ?? '') ? [{ rule: 'RENAME', table: named }] : undefined;
}

function readVacuum({ rels, options }: Fields): DdlAction[] | undefined {
  const rule = hasOption(options, 'full') ? 'VACUUM FULL' : 'VACUUM';
  const tables = asList(rels).map((node) => readRelation(asFields(asFields(node).VacuumRelation).relation));
  return tables.length === 0 ? undefined : tables.map((table) => ({ rule, table }));
}

/** The relations that a statement names, whatever it does with them. */
function findRelations(fields: Fields): RelationName[] {
  const found: RelationName[] = [];
  const pending: unknown[] = [fields];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (typeof node !== 'object' || node === null) continue;
    const relation = Array.isArray(node) ? undefined : readRelation(node);
    if (relation !== undefined) found.push(relation);
    pending.push(...Object.values(node));
  }
  return found.slice(0, 10);
}
