import { type CheckReport, type Finding, joinFacts } from '@dbmole/core';
import type { CheckScope } from '../../../diagnosis/diagnosis.ts';
import type { CatalogRun } from '../../../engine.ts';
import { type Reference, readPrimaryKeys, readReferences, toKey } from '../catalog/schema-facts.ts';
import { formatIdentifier } from '../values/identifiers.ts';

const indexesSql = `select m.name, l.name, l.origin, l.partial, l."unique", i.name
from sqlite_schema m join pragma_index_list(m.name) l join pragma_index_info(l.name) i
where m.type = 'table' order by lower(m.name), l.name, i.seqno limit 20000`;

interface Index {
  table: string;
  name: string;
  origin: string;
  isPartial: boolean;
  isUnique: boolean;
  /** Empty for an expression. */
  columns: string[];
}

/** Foreign keys without an index, and indexes that another one makes needless. */
export async function checkIndexes(run: CatalogRun, { table, limit }: CheckScope): Promise<CheckReport> {
  const [indexes, references, keys] = await Promise.all([readIndexes(run), readReferences(run), readPrimaryKeys(run)]);
  const isWanted = (name: string) => table === undefined || toKey(name) === toKey(table);
  const own = indexes.filter((index) => isWanted(index.table));
  return {
    findings: [
      ...references.filter(({ from }) => isWanted(from)).flatMap((one) => judgeReference(one, indexes, keys)),
      ...own.flatMap((index) => judgeNeedless(index, own)),
    ],
    listing: own
      .filter(({ origin }) => origin === 'c')
      .slice(0, limit)
      .map(formatIndex),
    notes: ['SQLite does not count how often an index is used.'],
  };
}

async function readIndexes(run: CatalogRun): Promise<Index[]> {
  const found = new Map<string, Index>();
  for (const [table, name, origin, partial, unique, column] of await run(indexesSql)) {
    const index = found.get(name ?? '') ?? {
      ...{ table: table ?? '', name: name ?? '', origin: origin ?? '', columns: [] },
      ...{ isPartial: partial === '1', isUnique: unique === '1' },
    };
    found.set(index.name, index);
    index.columns.push(column ?? '');
  }
  return [...found.values()];
}

function judgeReference(
  { from, columns, table, onDelete }: Reference,
  indexes: readonly Index[],
  keys: ReadonlyMap<string, readonly string[]>,
): Finding[] {
  const [first = ''] = columns;
  const serves = (index: Index) =>
    toKey(index.table) === toKey(from) && !index.isPartial && toKey(index.columns[0]) === toKey(first);
  if (indexes.some(serves) || toKey(keys.get(toKey(from))?.[0]) === toKey(first)) return [];
  const names = columns.map(formatIdentifier).join(', ');
  return [
    {
      severity: 'medium',
      weight: onDelete === 'CASCADE' ? 2 : 1,
      evidence: `the foreign key ${formatIdentifier(from)} (${names}) -> ${formatIdentifier(table)} has no index`,
      consequence: `Each delete from ${formatIdentifier(table)}, and each change of its key, reads the whole table ${formatIdentifier(from)}.`,
      next: `CREATE INDEX ${formatIdentifier(`${from}_${first}`)} ON ${formatIdentifier(from)} (${names});`,
    },
  ];
}

/** An index that begins like a longer one of the same table answers nothing that the longer one does not. */
function judgeNeedless(index: Index, all: readonly Index[]): Finding[] {
  if (index.origin !== 'c' || index.isUnique || index.isPartial || index.columns.includes('')) return [];
  const covers = (other: Index) =>
    other !== index &&
    toKey(other.table) === toKey(index.table) &&
    !other.isPartial &&
    index.columns.every((column, i) => toKey(column) === toKey(other.columns[i])) &&
    (other.columns.length > index.columns.length || other.isUnique || other.name < index.name);
  const other = all.find(covers);
  if (other === undefined) return [];
  return [
    {
      severity: 'low',
      weight: 1,
      evidence: `${formatIndex(index)} begins like ${formatIndex(other)}`,
      consequence: 'It takes room and slows writes, and answers nothing that the other one does not.',
      next: `DROP INDEX ${formatIdentifier(index.name)};`,
    },
  ];
}

function formatIndex({ table, name, columns, isUnique, isPartial }: Index): string {
  const place = `${formatIdentifier(name)} on ${formatIdentifier(table)} (${columns.map((column) => (column === '' ? 'expression' : formatIdentifier(column))).join(', ')})`;
  return joinFacts(place, isUnique && 'unique', isPartial && 'partial');
}
