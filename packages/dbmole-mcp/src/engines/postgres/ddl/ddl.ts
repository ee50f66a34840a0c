import { type DdlEffect, type DdlReader, type DdlReport, fillTemplate } from '../../../ddl/ddl-report.ts';
import { formatAction } from '../../../ddl/rule-table.ts';
import type { CatalogRun } from '../../../engine.ts';
import { inspect } from '../guard/thread/guard-thread.ts';
import type { DdlAction, DdlStatement, RelationName, TypeText } from './actions.ts';
import { rules } from './knowledge.ts';
import { findRule, type LockMode, lockModes, works } from './lock-modes.ts';
import { type Refined, refine } from './refine.ts';
import {
  findInTheWay,
  findOldTransactions,
  formatRelation,
  quoteName,
  type Relation,
  readRelation,
  type Wanted,
} from './relations.ts';

export const ddl: DdlReader = { explain };

const versionSql = "select pg_catalog.current_setting('server_version'), pg_catalog.current_setting('server_version_num')";
/** The tables of knowledge hold until this version. */
const maxVersion = 18;
/** Beyond it, a statement that waits is a danger for others. */
const strongLocks = new Set<LockMode>(['SHARE', 'SHARE ROW EXCLUSIVE', 'EXCLUSIVE', 'ACCESS EXCLUSIVE']);

/** An action with all that the catalog knows of it. */
interface Judged {
  action: DdlAction;
  relation: Relation | undefined;
  other: Relation | undefined;
  refined: Refined;
}

async function explain(run: CatalogRun, sql: string): Promise<DdlReport> {
  // The thread answers with what its reader returns.
  const statement = (await inspect('ddl', [sql])) as DdlStatement;
  const names = collectNames(statement);
  const [[row = []], found] = await Promise.all([
    run(versionSql),
    Promise.all(names.map(async (name) => [formatName(name), await readRelation(run, name)] as const)),
  ]);
  const relations = new Map(found);
  const version = Math.floor(Number(row[1]) / 10_000);
  const find = (name: RelationName | undefined) => (name === undefined ? undefined : relations.get(formatName(name)));
  const judged = await Promise.all(
    statement.actions.map(async (action): Promise<Judged> => {
      const relation = find(action.table) ?? find(action.index);
      const asIs: Refined = { rule: action.rule, notes: [] };
      const refined = relation === undefined ? asIs : await refine({ run, action, relation, version });
      const other = refined.other === undefined ? find(action.other) : await readRelation(run, refined.other);
      return { action, relation, other, refined };
    }),
  );
  const wanted = judged.flatMap((one) => listLocks(one, version));
  const isInSteps = judged.some(({ refined }) => isBuiltInSteps(refined.rule));
  const [inTheWay, old] = await Promise.all([findInTheWay(run, wanted), isInSteps ? findOldTransactions(run) : []]);
  const created = new Set(statement.actions.flatMap(({ rule, table }) => (isNew(rule) && table ? [formatName(table)] : [])));
  return {
    command: statement.command,
    server: `PostgreSQL ${row[0]}`,
    objects: found.flatMap(([name, relation]) =>
      relation === undefined ? (created.has(name) ? [] : [`${name}: not found in this database`]) : [formatRelation(relation)],
    ),
    effects: [
      ...judged.map((one) => describeEffect(one, version)),
      ...statement.unknown.map((word) => ({ action: word, lock: undefined, work: undefined, notes: [unknownNote], safer: [] })),
    ],
    inTheWay: [...inTheWay, ...old],
    notes: describeWhole(wanted, inTheWay, version),
  };
}

const unknownNote = 'this action is not in the tables of this tool; check the manual of this version before you run it';

function isBuiltInSteps(rule: string): boolean {
  return rule.endsWith(': concurrently') && rule.includes('INDEX');
}

/** Names something that does not exist yet. */
function isNew(rule: string): boolean {
  return rule === 'CREATE OR REPLACE VIEW';
}

function collectNames({ actions, tables }: DdlStatement): RelationName[] {
  const all = [...actions.flatMap(({ table, index, other }) => [table, index, other]), ...tables];
  const byName = new Map(all.flatMap((name) => (name === undefined ? [] : [[formatName(name), name] as const])));
  return [...byName.values()];
}

function formatName({ schema, name }: RelationName): string {
  return schema === undefined ? name : `${schema}.${name}`;
}

/** The locks of an action, with the relations that they are on. */
function listLocks({ action, relation, other, refined }: Judged, version: number): Wanted[] {
  const entry = rules.get(refined.rule);
  const rule = entry === undefined ? undefined : findRule(entry, version);
  const lock = chooseLock(action, rule?.lock);
  const own = lock === undefined || relation === undefined ? [] : [{ lock, oids: relation.locked }];
  return rule?.otherLock === undefined || other === undefined ? own : [...own, { lock: rule.otherLock, oids: other.locked }];
}

/** LOCK TABLE says which one. */
function chooseLock({ mode }: DdlAction, lock: LockMode | undefined): LockMode | undefined {
  if (mode === undefined) return lock;
  // The numbers of the parser begin at 1.
  return (Object.keys(lockModes) as LockMode[])[mode - 1] ?? lock;
}

function describeEffect(judged: Judged, version: number): DdlEffect {
  const { action, refined } = judged;
  const entry = rules.get(refined.rule);
  const rule = entry === undefined ? undefined : findRule(entry, version);
  const title = formatAction(refined.rule, action.column ?? action.constraint ?? action.index?.name);
  if (entry === undefined || rule === undefined) {
    const note = `PostgreSQL ${version} has no such action`;
    return { action: title, lock: undefined, work: undefined, notes: [note, ...refined.notes], safer: [] };
  }
  const names = collectWords(judged);
  const lock = chooseLock(action, rule.lock);
  const locks = [
    lock === undefined ? 'none on a table' : describeLock(lock, names.table ?? 'its table'),
    ...(rule.otherLock === undefined ? [] : [describeLock(rule.otherLock, names.other ?? 'the other table')]),
  ];
  return {
    action: title,
    lock: locks.join('; '),
    work: works[rule.work],
    notes: [...refined.notes, ...entry.notes.map((note) => fillTemplate(note, names))],
    safer: entry.safer.map((way) => fillTemplate(way, names)),
  };
}

function formatIdentifier(name: string): string {
  return /^[a-z_][a-z0-9_$]*$/.test(name) ? name : quoteName(name);
}

function formatType({ name, modifiers }: TypeText): string {
  const plain = name.replace('"pg_catalog".', '').replace(/"([a-z_][a-z0-9_]*)"/g, '$1');
  return modifiers.length === 0 ? plain : `${plain}(${modifiers.join(',')})`;
}

function describeLock(lock: LockMode, on: string): string {
  return `${lock} on ${on}: ${lockModes[lock].blocks}`;
}

/** The names that the texts of a rule are filled with. */
function collectWords({ action, relation, other, refined }: Judged): Readonly<Record<string, string | undefined>> {
  const { table, index, column, constraint, columns = [], type } = action;
  const isOnIndex = table === undefined && index !== undefined;
  const bare = [relation?.label.split('.').at(-1)?.replaceAll('"', '') ?? 'table', ...(columns.length > 0 ? columns : [column])];
  const createdIndex = refined.rule.startsWith('CREATE INDEX') ? constraint : undefined;
  return {
    table: isOnIndex ? relation?.tableLabel : (relation?.label ?? table?.name),
    other: other?.label ?? action.other?.name,
    column: column && formatIdentifier(column),
    columns: columns.length === 0 ? undefined : columns.map(formatIdentifier).join(', '),
    constraint: formatIdentifier(constraint ?? [...bare, refined.rule.includes('FOREIGN KEY') ? 'fkey' : 'check'].join('_')),
    index: formatIdentifier(index?.name ?? createdIndex ?? [...bare, 'idx'].join('_')),
    type: type && formatType(type),
  };
}

function describeWhole(wanted: readonly Wanted[], inTheWay: readonly string[], version: number): string[] {
  const isStrong = wanted.some(({ lock }) => strongLocks.has(lock));
  const waits = 'While it waits for its lock, everything that conflicts with it queues behind it';
  return [
    ...(isStrong
      ? [`${waits}: SET lock_timeout = '2s' before it, and retry${inTheWay.length > 0 ? ' when the above have ended' : ''}.`]
      : []),
    ...(version > maxVersion ? [`This was verified on versions 14 to ${maxVersion}; this server is newer.`] : []),
  ];
}
