import type { RuleEntry } from '../../../ddl/rule-table.ts';
import type { DdlAction } from './actions.ts';
import { compareColumn, compareTable } from './columns.ts';
import { rules } from './knowledge.ts';
import type { Relation } from './relations.ts';

export interface Server {
  isMaria: boolean;
  /** `8.0.45` */
  version: string;
}

/** An action with its rule as the table decides it; without a rule it is not known. */
export interface Refined extends DdlAction {
  notes: readonly string[];
}

interface Question {
  action: DdlAction;
  relation: Relation;
  server: Server;
}

/** One action may become several, or another one. */
export function refine(action: DdlAction, relation: Relation | undefined, server: Server): Refined[] {
  const needsTable = action.rule === 'MODIFY COLUMN' || action.rule === 'DROP CONSTRAINT';
  if (relation === undefined) return [{ ...action, rule: needsTable ? undefined : action.rule, notes: [] }];
  const refined = refiners[action.rule ?? '']?.({ action, relation, server });
  return (refined ?? [{ rule: action.rule, notes: [] }]).map((one) => ({ ...action, ...one }));
}

type Found = Pick<Refined, 'rule' | 'notes'>;

const refiners: Readonly<Record<string, (question: Question) => Found[]>> = {
  'MODIFY COLUMN': refineChange,
  'ADD COLUMN: references': ({ server: { isMaria, version } }) =>
    // Older versions of MySQL read it and forget it.
    isMaria || atLeast(version, '9.0')
      ? [{ rule: 'ADD FOREIGN KEY', notes: [] }]
      : [{ rule: 'ADD COLUMN', notes: ['REFERENCES in a column is ignored by this version'] }],
  'DROP COLUMN': ({ action: { rule, name = '' }, relation }) => {
    const isIndexed = relation.indexedColumns.has(name.toLowerCase());
    return [{ rule: isIndexed ? `${rule}: indexed` : rule, notes: describeMissing(name, relation) }];
  },
  'RENAME COLUMN': ({ action: { rule, name = '' }, relation }) => [{ rule, notes: describeMissing(name, relation) }],
  'DROP CONSTRAINT': ({ action: { name = '' }, relation }) => {
    const kind = relation.constraints.get(name.toLowerCase());
    const rule = kind === undefined ? undefined : constraintRules[kind];
    return [{ rule, notes: rule === undefined ? [`${relation.label} has no known constraint ${name}`] : [] }];
  },
  'ENGINE: the same': ({ action: { rule, engine = '' }, relation }) => [
    { rule: engine.toLowerCase() === relation.engine.toLowerCase() ? rule : 'ENGINE: another', notes: [] },
  ],
  'CONVERT TO CHARACTER SET': ({ action: { charset, collation }, relation }) => [
    { rule: compareTable({ ...relation, charset, collation }), notes: [] },
  ],
  TRUNCATE: refineRemoval,
  'DROP TABLE': refineRemoval,
};

function refineChange({ action: { name = '', column }, relation }: Question): Found[] {
  const old = relation.columns.get(name.toLowerCase());
  if (old === undefined || column === undefined) return [{ rule: undefined, notes: describeMissing(name, relation) }];
  const described = [`${old.type} to ${column.type}`, ...describeCharset(old.charset, column.charset ?? old.tableCharset)];
  const isIndexed = relation.indexedColumns.has(name.toLowerCase());
  return compareColumn(old, column, { isIndexed, defaultCollations: relation.defaultCollations }).map((rule) => ({
    rule,
    notes: rule !== undefined && !describedByName.has(rule) ? described : [],
  }));
}

const describedByName = new Set([
  'MODIFY COLUMN: null to not null',
  'MODIFY COLUMN: not null to null',
  'MODIFY COLUMN: first or after',
  'MODIFY COLUMN: same type',
  'MODIFY COLUMN: collation',
  'MODIFY COLUMN: collation of an indexed column',
]);

function refineRemoval({ action: { rule }, relation: { referencedBy } }: Question): Found[] {
  const names = referencedBy.slice(0, 5).join(', ');
  return [{ rule, notes: names === '' ? [] : [`${names} reference it; it fails while foreign_key_checks is on`] }];
}

function describeMissing(name: string, { columns, label }: Relation): string[] {
  return columns.has(name.toLowerCase()) ? [] : [`${label} has no column ${name}; it would fail`];
}

function describeCharset(from: string | undefined, to: string | undefined): string[] {
  return from === undefined || to === undefined || from === to
    ? []
    : [`the character set becomes ${to}, from ${from}; name it in the definition to keep it`];
}

const constraintRules: Readonly<Record<string, string>> = {
  CHECK: 'DROP CHECK',
  'FOREIGN KEY': 'DROP FOREIGN KEY',
  'PRIMARY KEY': 'DROP PRIMARY KEY',
  UNIQUE: 'DROP INDEX',
};

/** The best that the server can do for one action. */
export interface Ability {
  algorithm: 'INSTANT' | 'NOCOPY' | 'INPLACE' | 'COPY' | 'EXCLUSIVE' | 'none';
  lock: 'NONE' | 'SHARED' | undefined;
  work: string;
}

/** Undefined where this version has no such action. */
export function findAbility(entry: RuleEntry, { isMaria, version }: Server, relation: Relation | undefined): Ability | undefined {
  const product = isMaria ? 'MariaDB' : 'MySQL';
  const matching = entry.cases.filter(
    ({ name }) => name.startsWith(`${product} `) && atLeast(version, name.slice(product.length + 1)),
  );
  const value = matching.at(-1)?.value;
  return value === undefined ? undefined : limitByTable(parseAbility(value), entry.key, { isMaria, version }, relation);
}

function parseAbility(value: string): Ability {
  const [algorithm = '', ...rest] = value.split(' ');
  if (algorithm === 'COPY') return { algorithm, lock: rest[0] === 'NONE' ? 'NONE' : 'SHARED', work: 'copy' };
  if (algorithm === 'EXCLUSIVE') return { algorithm, lock: undefined, work: rest[0] ?? '' };
  if (algorithm === 'NOCOPY' || algorithm === 'INPLACE')
    return { algorithm, lock: rest[0] === 'SHARED' ? 'SHARED' : 'NONE', work: rest[1] ?? '' };
  return {
    algorithm: algorithm === 'INSTANT' ? algorithm : 'none',
    lock: undefined,
    work: algorithm === 'INSTANT' ? 'dictionary' : 'none',
  };
}

const instantColumns = /^(?:ADD|DROP) COLUMN|^MODIFY COLUMN: first or after/;

/** Actions that need no copy in any engine. */
const lightActions = /^(?:RENAME|SET DEFAULT|DROP DEFAULT|COMMENT|MODIFY COLUMN: same type)/;

/** What the form of the table does not allow. */
function limitByTable(ability: Ability, key: string, server: Server, relation: Relation | undefined): Ability {
  if (relation === undefined || relation.kind !== 'table' || ability.algorithm === 'EXCLUSIVE') return ability;
  if (relation.engine.toLowerCase() !== 'innodb') return lightActions.test(key) ? ability : copyTable(server);
  const isInstantColumn = ability.algorithm === 'INSTANT' && instantColumns.test(key) && !key.endsWith('virtual');
  if (isCopiedForVirtual(key, server, relation)) return copyTable(server);
  if (relation.hasFulltext) return isInstantColumn || ability.work === 'rebuild' ? limitByFulltext(server) : ability;
  if (key === 'ADD FULLTEXT INDEX') return { ...ability, work: 'rebuild' };
  const isCompressed = relation.rowFormat.toLowerCase() === 'compressed';
  return isInstantColumn && isCompressed ? { algorithm: 'INPLACE', lock: 'NONE', work: 'rebuild' } : ability;
}

/** What needs a rebuild that the server cannot do in place beside a virtual column. */
function isCopiedForVirtual(key: string, { isMaria }: Server, { hasVirtualColumn }: Relation): boolean {
  return hasVirtualColumn && key === (isMaria ? 'ADD COLUMN: first or after' : 'DROP COLUMN: indexed');
}

function copyTable({ isMaria, version }: Server): Ability {
  return { algorithm: 'COPY', lock: isMaria && atLeast(version, '11.2') ? 'NONE' : 'SHARED', work: 'copy' };
}

/** MySQL cannot rebuild an index of words in place, and MariaDB not while rows change. */
function limitByFulltext(server: Server): Ability {
  return server.isMaria ? { algorithm: 'INPLACE', lock: 'SHARED', work: 'rebuild' } : copyTable(server);
}

/** Actions of one statement share its algorithm: with another one in place, a column that is instant alone rebuilds the table. */
export function combineAbilities(all: readonly { key: string; ability: Ability | undefined }[]): (Ability | undefined)[] {
  const isInPlace = all.some(({ ability }) => ability?.algorithm === 'INPLACE' || ability?.algorithm === 'NOCOPY');
  return all.map(({ key, ability }) =>
    isInPlace && ability?.algorithm === 'INSTANT' && instantColumns.test(key)
      ? { algorithm: 'INPLACE', lock: 'NONE', work: 'rebuild' }
      : ability,
  );
}

export function atLeast(version: string, wanted: string): boolean {
  const [have, need] = [version, wanted].map((text) => text.split('.').map((part) => Number.parseInt(part, 10) || 0));
  for (let at = 0; at < 3; at += 1) {
    const difference = (have?.[at] ?? 0) - (need?.[at] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}

/** The rule of an action, if there is one. */
export function findEntry(rule: string | undefined): RuleEntry | undefined {
  return rule === undefined ? undefined : rules.get(rule);
}
