import { type DdlEffect, type DdlReader, type DdlReport, fillTemplate } from '../../../ddl/ddl-report.ts';
import { formatAction } from '../../../ddl/rule-table.ts';
import type { CatalogRun } from '../../../engine.ts';
import { detectFlavour } from '../flavour.ts';
import { readServerFacts } from '../guard/catalog/guard-queries.ts';
import { inTurns } from '../guard/in-turns.ts';
import type { DdlStatement, TableName } from './actions.ts';
import { readDdl } from './read-ddl.ts';
import { type Ability, atLeast, combineAbilities, findAbility, findEntry, type Refined, refine, type Server } from './refine.ts';
import { findInTheWay, formatRelation, type InTheWay, type Relation, readRelation } from './relations.ts';

export const ddl: DdlReader = { explain };

interface Judged {
  refined: Refined;
  relation: Relation | undefined;
  ability: Ability | undefined;
}

async function explain(run: CatalogRun, sql: string): Promise<DdlReport> {
  const { sqlMode } = await readServerFacts(run);
  const statement = await inTurns(readDdl(sql, sqlMode));
  const names = new Map(
    statement.actions.flatMap(({ table }) => (table === undefined ? [] : [[formatName(table), table] as const])),
  );
  const [[row = []], found] = await Promise.all([
    run('select version()'),
    Promise.all([...names].map(async ([label, name]) => [label, await readRelation(run, name)] as const)),
  ]);
  const { product, version } = detectFlavour(row[0] ?? '');
  const server: Server = { isMaria: product === 'MariaDB', version };
  const relations = new Map(found);
  const alone = statement.actions.flatMap((action) => {
    const relation = action.table === undefined ? undefined : relations.get(formatName(action.table));
    return refine(action, relation, server).map((refined): Judged => {
      const entry = findEntry(refined.rule);
      return { refined, relation, ability: entry === undefined ? undefined : findAbility(entry, server, relation) };
    });
  });
  const abilities = combineAbilities(alone.map(({ refined, ability }) => ({ key: refined.rule ?? '', ability })));
  const judged = alone.map((one, index) => ({ ...one, ability: abilities[index] }));
  const known = found.flatMap(([, relation]) => (relation === undefined ? [] : [relation]));
  const waits = await Promise.all(known.slice(0, maxTables).map((relation) => findInTheWay(run, relation, server.isMaria)));
  return {
    command: statement.command,
    server: `${product} ${version.split('-')[0]}`,
    objects: found.map(([label, relation]) =>
      relation === undefined ? `${label}: not found, or not visible to this account` : formatRelation(relation),
    ),
    effects: judged.map((one) => describeEffect(one, statement, server)),
    inTheWay: waits.flatMap(({ sessions }) => sessions),
    notes: describeWhole({
      judged,
      isMixed: alone.some((one, index) => one.ability !== abilities[index]),
      statement,
      waits,
      server,
    }),
  };
}

const maxTables = 5;

function formatName({ schema, name }: TableName): string {
  return schema === undefined ? name : `${schema}.${name}`;
}

const works: Readonly<Record<string, string>> = {
  copy: 'copies the whole table row by row',
  rebuild: 'rebuilds the whole table and its indexes in place',
  index: 'reads the whole table and builds an index; the table is not rebuilt',
  metadata: 'changes metadata only; the table is neither read nor rebuilt',
  dictionary: 'changes the data dictionary only; the table is neither read nor rebuilt',
  empty: 'replaces the table by an empty one',
  drop: 'removes the table and its file',
  none: 'touches no table that exists',
};

function describeEffect(
  { refined, ability, relation }: Judged,
  { command }: DdlStatement,
  { isMaria, version }: Server,
): DdlEffect {
  const { rule, name, notes } = refined;
  const action = formatAction(rule ?? command, name ?? nameTable(refined));
  const entry = findEntry(rule);
  if (entry === undefined || ability === undefined) {
    const why = entry === undefined ? describeUnknown(command) : `${isMaria ? 'MariaDB' : 'MySQL'} ${version} has no such action`;
    return { action, lock: undefined, work: undefined, notes: [why, ...notes], safer: [] };
  }
  const names = { table: relation?.label, column: name };
  return {
    action,
    lock: describeLock(ability),
    work: `${works[ability.work] ?? ability.work}${ability.algorithm === 'EXCLUSIVE' || ability.algorithm === 'none' ? '' : ` (ALGORITHM=${ability.algorithm})`}`,
    notes: [...notes, ...entry.notes.map((note) => fillTemplate(note, names))],
    safer: isInstant(ability) ? [] : entry.safer.map((way) => fillTemplate(way, names)),
  };
}

/** Only ALTER TABLE has clauses with which the server itself refuses. */
function describeUnknown(command: string): string {
  const advice =
    command === 'ALTER TABLE'
      ? 'with ALGORITHM=INSTANT, then INPLACE with LOCK=NONE, the server refuses what it cannot do that way'
      : 'check the manual of this version before you run it';
  return `this action is not in the tables of this tool; ${advice}`;
}

/** The table, where the action is about the table alone. */
function nameTable({ rule, table }: Refined): string | undefined {
  const isWhole = rule === 'TRUNCATE' || rule?.endsWith(' TABLE') === true;
  return isWhole && table !== undefined ? formatName(table) : undefined;
}

function isInstant({ algorithm }: Ability): boolean {
  return algorithm === 'INSTANT';
}

function describeLock({ algorithm, lock }: Ability): string {
  if (algorithm === 'none') return 'none on a table that exists';
  if (algorithm === 'EXCLUSIVE') return 'exclusive metadata lock: reads and writes wait';
  if (lock === 'SHARED') return 'LOCK=SHARED: reads go on, writes wait until it ends';
  return lock === 'NONE' ? 'LOCK=NONE: reads and writes go on' : 'none but the metadata lock, for a moment';
}

const order: readonly Ability['algorithm'][] = ['none', 'INSTANT', 'NOCOPY', 'INPLACE', 'COPY', 'EXCLUSIVE'];

interface Whole {
  judged: readonly Judged[];
  /** An action that is instant alone is not in this statement. */
  isMixed: boolean;
  statement: DdlStatement;
  waits: readonly InTheWay[];
  server: Server;
}

function describeWhole({ judged, isMixed, statement, waits, server }: Whole): string[] {
  const abilities = judged.map(({ ability }) => ability);
  const known = abilities.flatMap((ability) => (ability === undefined || ability.algorithm === 'none' ? [] : [ability]));
  const worst = known.toSorted((a, b) => order.indexOf(b.algorithm) - order.indexOf(a.algorithm))[0];
  if (worst === undefined) return [];
  return [
    ...(abilities.includes(undefined) ? [] : describeClauses(worst, known, statement, server)),
    ...(isMixed || (worst.algorithm === 'COPY' && known.some(isInstant))
      ? ['All actions of one statement share its algorithm: run the instant ones in a statement of their own.']
      : []),
    `It needs an exclusive metadata lock for a moment, so it waits for each open transaction that has used the table, and everything else on the table waits behind it: SET SESSION lock_wait_timeout = 5 before it, and retry${waits.some(({ sessions }) => sessions.length > 0) ? ' when the above have ended' : ''}.`,
    ...waits.flatMap(({ note }) => note ?? []),
  ];
}

/** The clauses that make the server refuse what would take more than is said here. */
function describeClauses(
  worst: Ability,
  known: readonly Ability[],
  { clauses }: DdlStatement,
  { isMaria, version }: Server,
): string[] {
  const { algorithm } = worst;
  if (algorithm === 'EXCLUSIVE') return [];
  const lock = known.some((one) => one.lock === 'SHARED') ? 'SHARED' : 'NONE';
  const canLock = isMaria || algorithm !== 'INSTANT';
  const wanted = `ALGORITHM=${algorithm}${canLock && algorithm !== 'INSTANT' ? `, LOCK=${lock}` : ''}`;
  const given = order.indexOf(readAlgorithm(clauses.ALGORITHM) ?? algorithm);
  if (given < order.indexOf(algorithm) || (clauses.LOCK === 'NONE' && lock === 'SHARED'))
    return [`As it is written the server refuses it: the best is ${wanted}.`];
  if (clauses.ALGORITHM === 'COPY' && algorithm !== 'COPY') return [`ALGORITHM=COPY copies the table, which ${wanted} does not.`];
  if (clauses.ALGORITHM !== undefined) return [];
  if (algorithm !== 'COPY') return [`With ${wanted} the server refuses it instead of doing more than this.`];
  const since = isMaria && !atLeast(version, '11.2') ? ' From MariaDB 11.2 on, writes go on meanwhile.' : '';
  return [`Nothing better than ${wanted} is possible.${since}`];
}

function readAlgorithm(word: string | undefined): Ability['algorithm'] | undefined {
  return order.find((one) => one === word);
}
