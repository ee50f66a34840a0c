import type { ColumnPlan, ColumnVerdict } from '../../../../guard/read-statement.ts';
import { refuseColumn, refuseStrict } from '../../../../policy/column-policy.ts';
import { isUnknown, refuseRead, type Taint, toVerdict } from '../../../../policy/taint.ts';
import type { Token } from '../../../../statement/tokens.ts';
import { toKey } from '../../catalog/schema-facts.ts';
import type { Program } from './program/instruction.ts';
import { type ProgramFlow, tracePrograms, UntraceableProgram } from './program/trace-program.ts';
import { followViews, listNames, type Schema } from './schema.ts';
import { countArguments, judgeVirtual, type Storage } from './storage.ts';

/** A statement with the program that SQLite makes of it. */
export interface PlannedText {
  readonly tokens: readonly Token[];
  readonly programs: readonly Program[];
}

export interface Ruled {
  readonly schema: Schema;
  readonly storage: Storage;
  readonly isStrict: boolean;
}

/** What the rules hide of the result of a read. Undefined if nothing of it comes from a protected column. */
export function planRead(ruled: Ruled, text: PlannedText, isPlan: boolean): ColumnPlan | undefined {
  const names = followViews(ruled.schema, text.tokens);
  const flow = traceFlow(ruled, text, names);
  if (flow === undefined) {
    if (ruled.isStrict || reachesRefused(ruled.storage, text)) throw refuseUntraceable(ruled.isStrict);
    return isPlan ? undefined : { verdicts: undefined, origins: {} };
  }
  const { read, compared, results } = flow;
  if (read?.action === 'refuse') throw refuseRead(read);
  refuseOrdered(ruled, text.programs, listNames(names));
  if (compared !== undefined && (ruled.isStrict || compared.action === 'refuse')) throw refuseCompared(compared);
  if (isPlan || (read === undefined && compared === undefined)) return undefined;
  return { verdicts: judgeResults(results ?? [], ruled.isStrict), origins: listOrigins(ruled.storage) };
}

/** Undefined if the program cannot be followed. */
export function traceFlow({ schema, storage }: Ruled, { programs, tokens }: PlannedText, names: readonly Token[]) {
  try {
    return tracePrograms(programs, {
      trees: storage.trees,
      virtual: judgeVirtual(storage, names),
      countArguments: countArguments([...tokens, ...schema.tokens]),
    });
  } catch (error) {
    if (error instanceof UntraceableProgram) return undefined;
    throw error;
  }
}

export function judgeResults(results: NonNullable<ProgramFlow['results']>, isStrict: boolean): readonly (ColumnVerdict | null)[] {
  return results.map((taint) => (taint === undefined ? null : judgeTaint(taint, isStrict)));
}

function judgeTaint(taint: Taint, isStrict: boolean): ColumnVerdict {
  if (isStrict && isUnknown(taint)) throw refuseStrict('the source of a column cannot be told');
  if (taint.action === 'refuse') throw refuseRead(taint);
  return toVerdict(taint.action, taint);
}

/** A rule `refuse` forbids to compare the column, and so does `strict` for all others. */
export function refuseCompared({ action, labels }: Taint) {
  if (action !== 'refuse') return refuseStrict(`${labels.join(', ')} is compared, sorted or grouped`);
  return refuseColumn(`${labels.join(', ')} must not be compared, sorted or grouped through this connection; nothing was run`);
}

function refuseUntraceable(isStrict: boolean) {
  const what = 'the source of the columns cannot be told';
  return isStrict
    ? refuseStrict(what)
    : refuseColumn(`${what}, and one that must not be read may be among them; nothing was run`);
}

/** What SQLite itself says of a column that is shown as it is: a second proof, which covers only these. */
export function listOrigins({ columns }: Storage): ColumnPlan['origins'] {
  const found: Record<string, ColumnVerdict | null> = {};
  for (const [table, ruled] of columns) {
    for (const [column, taint] of ruled) {
      const { action } = taint;
      found[`${table}.${column}`] = toVerdict(action === 'refuse' ? 'mask' : action, taint);
    }
  }
  return found;
}

function reachesRefused({ trees }: Storage, { programs }: PlannedText): boolean {
  const roots = new Set(programs.flat().flatMap(({ op, p2 }) => (op === 'OpenRead' || op === 'OpenWrite' ? [p2] : [])));
  return [...roots].some((root) => trees.get(root)?.columns.some((taint) => taint?.action === 'refuse'));
}

const ordering: ReadonlySet<string> = new Set([
  'ORDER',
  'GROUP',
  'DISTINCT',
  'PARTITION',
  'MIN',
  'MAX',
  'UNION',
  'EXCEPT',
  'INTERSECT',
]);

/** An index gives an order, or the first of its values, without any comparison in the program. */
function refuseOrdered({ storage, isStrict }: Ruled, programs: readonly Program[], names: ReadonlySet<string>): void {
  const isOrdered = isStrict && [...ordering].some((word) => names.has(toKey(word)));
  const opened = new Set(programs.flat().flatMap(({ op, p2 }) => (op === 'OpenRead' ? [p2] : [])));
  const indexes = [...opened].flatMap((root) => storage.trees.get(root) ?? []).filter(({ isIndex }) => isIndex);
  for (const { table, columns } of indexes) {
    const labels = new Set(columns.flatMap((taint) => taint?.labels.map(toKey) ?? []));
    const named = [...(storage.columns.get(toKey(table)) ?? [])].filter(([name]) => names.has(name) && labels.has(name));
    const refused = named.find(([, taint]) => taint.action === 'refuse' || isOrdered);
    if (refused !== undefined) throw refuseCompared(refused[1]);
  }
}
