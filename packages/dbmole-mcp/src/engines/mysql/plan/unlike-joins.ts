import { type JoinColumn, resolveJoins } from '../../../advice/resolve-shape.ts';
import type { CatalogRun } from '../../../engine.ts';
import type { PlanTree } from '../../../plan/plan-tree.ts';
import type { UnlikeJoin } from '../../../plan/unlike-joins.ts';
import { findTables } from '../advice/find-tables.ts';
import { parseShape } from '../advice/read-shape.ts';

/** The plan does not always show a conversion, so the types of the columns tell. */
export async function findUnlikeJoins(run: CatalogRun, _tree: PlanTree, sql: string): Promise<UnlikeJoin[]> {
  const [mode] = await run('select @@sql_mode');
  const shape = await parseShape(sql, mode?.[0] ?? '');
  const joins = await resolveJoins(shape, (names) => findTables(run, names));
  return joins.flatMap(([left, right]) => [...compare(left, right), ...compare(right, left)]);
}

function compare(own: JoinColumn, other: JoinColumn): UnlikeJoin[] {
  const index = own.table.indexes.find(
    ({ keys, isOrdered }) => isOrdered && keys[0]?.replace(/\(\d+\)$/, '') === own.column.label,
  );
  const kind = index === undefined ? undefined : findConversion(own, other);
  if (index === undefined || kind === undefined) return [];
  const describe = ({ alias, column }: JoinColumn) => `${alias}.${column.label} (${column[kind]})`;
  return [
    {
      alias: own.alias,
      other: other.alias,
      reason: `${describe(own)} is compared with ${describe(other)}, so the index ${index.label} does not serve`,
      next: `next: give both columns one ${kind}; explain of ALTER TABLE ${own.table.label} MODIFY ${own.column.label} ${formatDefinition(own, other, kind)} says what that takes`,
    },
  ];
}

/** What makes the server convert each value of the first column, so that it cannot search its index. */
function findConversion(own: JoinColumn, other: JoinColumn): 'type' | 'collation' | undefined {
  const [mine, theirs] = [own.column.collation, other.column.collation];
  if (mine === undefined) return undefined;
  // A text is read as a number or a date to be compared with one; the number or date itself is not converted.
  if (theirs === undefined) return 'type';
  if (mine === theirs || mine === 'binary' || mine.endsWith('_bin')) return undefined;
  const isWider = readSet(theirs) !== readSet(mine) && !readSet(mine).startsWith('utf8mb4');
  return isWider || theirs === 'binary' || (theirs.endsWith('_bin') && readSet(theirs) === readSet(mine))
    ? 'collation'
    : undefined;
}

function readSet(collation: string): string {
  return collation.split('_')[0] ?? '';
}

function formatDefinition({ column }: JoinColumn, other: JoinColumn, kind: 'type' | 'collation'): string {
  const { collation = '' } = other.column;
  const type = kind === 'type' ? other.column.type : `${column.type} CHARACTER SET ${readSet(collation)} COLLATE ${collation}`;
  return column.isNullable ? type : `${type} NOT NULL`;
}
