import type { TableName } from '../../../advice/statement-shape.ts';
import type { ColumnFacts, IndexFacts, TableFacts } from '../../../advice/table-facts.ts';
import type { CatalogRun } from '../../../engine.ts';
import { isElsewhere } from '../catalog/list.ts';
import { readRelations, toKey } from '../catalog/schema-facts.ts';
import { readCounts, usualRowBytes } from '../catalog/sizes.ts';
import { formatIdentifier } from '../values/identifiers.ts';

const columnsSql = `select m.name, c.name, c.type, c."notnull", c.pk from sqlite_schema m join pragma_table_xinfo(m.name) c
where m.type = 'table' and c.hidden <> 1 order by m.rowid, c.cid limit 20000`;

const indexesSql = `select m.name, l.name, l."unique", l.partial, i.name, i."desc"
from sqlite_schema m join pragma_index_list(m.name) l join pragma_index_xinfo(l.name) i
where m.type = 'table' and i.key = 1 order by m.rowid, l.seq, i.seqno limit 20000`;

type Row = readonly (string | null)[];

/** Tables of which SQLite plans reads; virtual tables have indexes of their own kind. */
export async function findTables(run: CatalogRun, names: readonly TableName[]): Promise<(TableFacts | undefined)[]> {
  const relations = (await readRelations(run)).filter(({ type }) => type === 'table');
  const found = names.map(({ schema, name }) =>
    isElsewhere(schema) ? undefined : relations.find((one) => toKey(one.name) === toKey(name)),
  );
  const tables = [...new Set(found.flatMap((relation) => relation?.name ?? []))];
  const [counts, columns, indexes, stats] = await Promise.all([
    readCounts(run, tables),
    run(columnsSql),
    run(indexesSql),
    run('select idx, stat from sqlite_stat1 where idx is not null limit 20000').catch(() => []),
  ]);
  const shares = new Map(stats.map(([index, stat]) => [toKey(index), (stat ?? '').split(' ').map(Number)]));
  return found.map((relation) => {
    if (relation === undefined) return undefined;
    const { rows, rowBytes } = counts.get(relation.name) ?? { rows: 0, rowBytes: usualRowBytes };
    const isOwn = ([table]: Row) => toKey(table) === toKey(relation.name);
    const own = columns.filter(isOwn);
    const parts = indexes.filter(isOwn);
    return {
      id: toKey(relation.name),
      label: formatIdentifier(relation.name),
      ...{ rows, bytes: rows * rowBytes, isLocked: false, isPartitioned: false },
      columns: new Map(own.map((row) => [toKey(row[1]), readColumn(row, parts, shares)])),
      indexes: [...readKey(own, relation.hasNoRowid), ...readIndexes(parts)],
    };
  });
}

type Shares = ReadonlyMap<string, readonly number[]>;

function readColumn([, name, type, notNull]: Row, parts: readonly Row[], shares: Shares): ColumnFacts {
  const first = parts.find((part, i) => part[4] === name && parts[i - 1]?.[1] !== part[1]);
  const [all = 0, each = 0] = shares.get(toKey(first?.[1])) ?? [];
  return {
    label: formatIdentifier(name ?? ''),
    type: type ?? '',
    collation: undefined,
    isNullable: notNull !== '1',
    distinct: each > 0 ? Math.max(1, Math.round(all / each)) : undefined,
    sample: undefined,
    width: 16,
    kind: /blob/i.test(type ?? '') ? 'other' : 'plain',
    // LIKE compares letters without their case.
    prefixClass: 'COLLATE NOCASE',
  };
}

/** The rowid, or the key by which a table without one is stored. */
function readKey(columns: readonly Row[], hasNoRowid: boolean): IndexFacts[] {
  const keyed = columns.filter(([, , , , pk]) => pk !== '0').toSorted((one, other) => Number(one[4]) - Number(other[4]));
  const isRowid = keyed.length === 1 && keyed[0]?.[2]?.toUpperCase() === 'INTEGER' && !hasNoRowid;
  if (!isRowid) return [];
  return [
    {
      label: 'the rowid',
      keys: keyed.map(([, name]) => formatIdentifier(name ?? '')),
      included: [],
      unique: true,
      isOrdered: true,
    },
  ];
}

/** One with a condition does not serve every statement. */
function readIndexes(parts: readonly Row[]): IndexFacts[] {
  const whole = parts.filter(([, , , partial]) => partial !== '1');
  const names = [...new Set(whole.map(([, index]) => index ?? ''))];
  return names.map((label) => {
    const own = whole.filter(([, index]) => index === label);
    const keys = own.map(
      ([, , , , name, desc]) =>
        `${name === null || name === undefined ? '(expression)' : formatIdentifier(name)}${desc === '1' ? ' DESC' : ''}`,
    );
    return { label, keys, included: [], unique: own[0]?.[2] === '1', isOrdered: true };
  });
}
