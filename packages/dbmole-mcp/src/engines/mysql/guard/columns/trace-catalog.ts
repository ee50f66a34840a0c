import { mergeTaints, type Taint, unknownTaint } from '../../../../policy/taint.ts';
import type { ObjectName } from '../catalog/guard-queries.ts';
import type { ColumnCatalog } from './column-catalog.ts';
import type { Place, ReachedObjects, ReachedView } from './reached-objects.ts';
import type { SourceColumn } from './trace/name-scope.ts';
import type { TraceCatalog } from './trace/relation.ts';
import { isUntraceable } from './trace/source-text.ts';
import { traceQuery } from './trace/trace-query.ts';

/** What a trace may ask of the objects that a statement leads to. Views are traced when they are first asked for. */
export function createTraceCatalog(catalog: ColumnCatalog, reached: ReachedObjects): TraceCatalog {
  const traced = new Map<ReachedView, readonly SourceColumn[] | undefined>();
  const trace: TraceCatalog = {
    isSameTable: (one, other) => one === other || (reached.folds && one.toLowerCase() === other.toLowerCase()),
    findRelation(name) {
      const judge = (column: string) => catalog.judge(name, column);
      const found = reached.findRelation(name);
      if (found === undefined)
        return isSequence(name) ? { columns: [{ name: 'seq', taint: undefined }], judge } : { columns: undefined, judge };
      if (!found.isView) return { columns: found.columns, judge };
      return { columns: readView(name), judge };
    },
    findCall: (path, schema) => findCall(reached, path, schema),
  };
  const readView = (name: ObjectName) => {
    const view = reached.findView(name);
    if (view === undefined) return undefined;
    if (!traced.has(view)) {
      // A view that leads to itself, which no server accepts.
      traced.set(view, undefined);
      traced.set(view, traceView(view, trace));
    }
    return traced.get(view);
  };
  return trace;
}

/** The tables of MariaDB's engine for sequences, which are not in its catalog. */
function isSequence({ name }: ObjectName): boolean {
  return /^seq_\d+_to_\d+(?:_step_\d+)?$/.test(name);
}

/** The names are those of the view, in the order of its definition. */
function traceView({ relation, opened }: ReachedView, catalog: TraceCatalog): readonly SourceColumn[] | undefined {
  const { columns } = relation;
  const text = opened?.text;
  const found =
    text === undefined ? undefined : tryTrace(() => traceQuery({ text, catalog, isStrict: false }, 0, text.tokens.length));
  if (columns.length === 0) return found;
  return columns.map(({ name, taint }, i) => ({
    name,
    taint: mergeTaints(taint, found?.length === columns.length ? found[i]?.taint : unknownTaint),
  }));
}

function tryTrace<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (isUntraceable(error)) return undefined;
    throw error;
  }
}

/** A function may return whatever it reads. What it gets is the matter of its arguments. */
function findCall(reached: ReachedObjects, path: readonly string[], schema: string | undefined): Taint | undefined {
  return reached.findRoutines(path, schema).some(({ place }) => mayShowProtected(reached, place)) ? unknownTaint : undefined;
}

/**
 * Whether tables with protected columns are among all that a text leads to, or something of which nothing is known. `place` is undefined
 * for a text that cannot be read.
 */
export function mayShowProtected(reached: ReachedObjects, place: Place | undefined, seen = new Set<Place>()): boolean {
  if (place === undefined) return true;
  if (seen.has(place)) return false;
  seen.add(place);
  const { tables, calls, schema: own, queries } = place;
  const isShown = ({ schema, name }: Place['tables'][number]) => {
    if (schema === undefined && (own === undefined || /^dual$/i.test(name))) return false;
    const table = { schema: schema ?? own ?? '', name };
    const relation = reached.findRelation(table);
    if (relation === undefined) return schema !== undefined || !queries.has(name.toLowerCase());
    if (relation.isProtected || reached.namesProtected(table, place)) return true;
    return relation.isView && mayShowProtected(reached, reached.findView(table)?.opened?.place, seen);
  };
  return (
    tables.some(isShown) ||
    calls.some(({ path, name }) =>
      reached.findRoutines([...path, name], own).some((routine) => mayShowProtected(reached, routine.place, seen)),
    )
  );
}
