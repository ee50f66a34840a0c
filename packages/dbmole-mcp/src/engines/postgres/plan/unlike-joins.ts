import { type FilterPart, splitFilter } from '../../../advice/filter-parts.ts';
import type { Source, StatementShape } from '../../../advice/statement-shape.ts';
import type { ColumnFacts, TableFacts } from '../../../advice/table-facts.ts';
import type { CatalogRun } from '../../../engine.ts';
import { flattenPlan, type PlanTree } from '../../../plan/plan-tree.ts';
import type { UnlikeJoin } from '../../../plan/unlike-joins.ts';
import { findTables } from '../advice/find-tables.ts';
import { inspect } from '../guard/thread/guard-thread.ts';

/** A column of a plan, cast or not: `(c.id)::numeric`, `o.code`. */
const side = /^\(?((?:"(?:[^"]|"")*"|[\w$]+))\.((?:"(?:[^"]|"")*"|[\w$]+))\)?(?:::(.+))?$/u;
const joining = /^(?:hash cond|merge cond|join filter|filter) /;

interface Side {
  alias: string;
  /** The name as a statement writes it. */
  column: string;
  cast: string | undefined;
}

/** The plan shows each cast, also those that the server has added. */
export async function findUnlikeJoins(run: CatalogRun, tree: PlanTree, sql: string): Promise<UnlikeJoin[]> {
  const pairs = listPairs(tree);
  if (pairs.length === 0) return [];
  // The thread returns what `parseShape` returns there.
  const { levels } = (await inspect('shape', [sql])) as StatementShape;
  const sources = levels.flatMap((level) => level.sources.filter(({ table }) => table !== undefined));
  const found = await findTables(
    run,
    sources.flatMap(({ table }) => table ?? []),
  );
  return pairs.flatMap(([own, other]) => describe(own, other, (alias) => findTable({ sources, found }, alias)) ?? []);
}

function findTable(
  { sources, found }: { sources: readonly Source[]; found: readonly (TableFacts | undefined)[] },
  alias: string,
): TableFacts | undefined {
  const at = sources.findIndex((source) => source.alias === unquote(alias));
  return at < 0 ? undefined : found[at];
}

/** Comparisons of a column that is cast with one of another table. */
function listPairs(tree: PlanTree): [own: Side, other: Side][] {
  const conditions = flattenPlan(tree).flatMap(({ details }) => details.filter((detail) => joining.test(detail)));
  const parts = conditions.flatMap((detail) => splitFilter(detail.replace(joining, ''), new Set()));
  return parts.flatMap((part): [Side, Side][] => {
    const [left, right] = readSides(part);
    if (left === undefined || right === undefined || left.alias === right.alias) return [];
    return (
      [
        [left, right],
        [right, left],
      ] as const
    ).flatMap(([own, other]): [Side, Side][] => (own.cast === undefined ? [] : [[own, other]]));
  });
}

function readSides({ text }: FilterPart): (Side | undefined)[] {
  const inner = text.trim().replace(/^\((.*)\)$/s, (whole, inside: string) => (inside.includes(' = ') ? inside : whole));
  const sides = inner.split(' = ');
  return sides.length === 2 ? sides.map(readSide) : [];
}

function readSide(text: string): Side | undefined {
  const [, alias, column, cast] = side.exec(text.trim()) ?? [];
  return alias === undefined || column === undefined ? undefined : { alias, column, cast };
}

function unquote(name: string): string {
  return name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name;
}

const texts = /^(?:text|character varying)/;

function describe(own: Side, other: Side, find: (alias: string) => TableFacts | undefined): UnlikeJoin | undefined {
  const [table, others] = [find(own.alias), find(other.alias)];
  const column = table?.columns.get(unquote(own.column));
  const index = table?.indexes.find(({ keys, isOrdered }) => isOrdered && keys[0] === column?.label);
  if (table === undefined || column === undefined || index === undefined || own.cast === undefined) return undefined;
  // It changes nothing that an index would have to know.
  if (texts.test(own.cast) && texts.test(column.type)) return undefined;
  const [mine, theirs] = [`${own.alias}.${own.column}`, `${other.alias}.${other.column}`];
  const type = readName(column.type);
  return {
    alias: unquote(own.alias),
    other: unquote(other.alias),
    reason: `${mine} (${column.type}) is cast to ${own.cast} to be compared with ${theirs}, so the index ${index.label} does not serve`,
    next: `next: write ${mine} = ${theirs}::${type} if all of its values fit${formatChange({ table, column }, others, other.column)}`,
  };
}

/** The type without length or precision. */
function readName(type: string): string {
  return type.replace(/\([^()]*\)/, '');
}

/** A text becomes what it is compared with. */
function formatChange(
  own: { table: TableFacts; column: ColumnFacts },
  others: TableFacts | undefined,
  otherColumn: string,
): string {
  const column = others?.columns.get(unquote(otherColumn));
  if (others === undefined || column === undefined) return '';
  const isOwn = texts.test(own.column.type);
  const changed = isOwn ? own : { table: others, column };
  const type = readName((isOwn ? column : own.column).type);
  const { label } = changed.column;
  return `, or give both columns one type: explain of ALTER TABLE ${changed.table.label} ALTER COLUMN ${label} TYPE ${type} USING ${label}::${type} says what that takes`;
}
