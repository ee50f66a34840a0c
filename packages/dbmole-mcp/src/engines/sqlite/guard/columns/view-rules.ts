import type { CatalogQuestion } from '../../../../guard/read-statement.ts';
import { mergeTaints, type Taint, unknownTaint } from '../../../../policy/taint.ts';
import type { Token } from '../../../../statement/tokens.ts';
import { toKey } from '../../catalog/schema-facts.ts';
import { quoteName } from '../../values/identifiers.ts';
import { traceFlow } from './plan-read.ts';
import { readPrograms } from './program/instruction.ts';
import { followViews, listNames, type Schema } from './schema.ts';
import type { Storage, Tree } from './storage.ts';

/**
 * Adds the rules for columns of the views that a statement names. A program has no views, so such a rule holds for the columns of tables
 * that the view computes its own of, in this statement.
 */
export async function addViewRules(
  storage: Storage,
  { schema, tokens, run }: { schema: Schema; tokens: readonly Token[]; run: CatalogQuestion },
): Promise<Storage> {
  const names = listNames(followViews(schema, tokens));
  const views = schema.objects.filter(({ type, name }) => type === 'view' && names.has(toKey(name)));
  const ruled = views.flatMap(({ name }) =>
    [...(storage.columns.get(toKey(name)) ?? [])].map(([column, taint]) => ({ sql: formatRead(name, column), taint })),
  );
  if (ruled.length === 0) return storage;
  const labelled = mapTrees(storage, (place) => ({ action: 'partial', labels: [place] }));
  const added = new Map<string, Taint>();
  const answers = await Promise.all(ruled.map(({ sql }) => run(`EXPLAIN ${sql}`)));
  for (const [i, { taint }] of ruled.entries()) {
    const text = { tokens: [], programs: readPrograms(answers[i] ?? []) };
    const flow = traceFlow({ schema, storage: labelled, isStrict: false }, text, []);
    const found = flow === undefined ? unknownTaint : mergeTaints(...(flow.results ?? []));
    for (const place of found?.labels ?? []) added.set(place, mergeTaints(added.get(place), taint) ?? taint);
  }
  const everywhere = mergeTaints(...unknownTaint.labels.map((label) => added.get(label)));
  return mapTrees(storage, (place, own) => mergeTaints(own, added.get(place), everywhere));
}

function formatRead(view: string, column: string): string {
  return `select ${quoteName(column)} from ${quoteName(view)}`;
}

type Judge = (place: string, own: Taint | undefined) => Taint | undefined;

function mapTrees(storage: Storage, judge: Judge): Storage {
  const map = (tree: Tree): Tree => {
    const find = (name: string | undefined, own: Taint | undefined) => judge(`${toKey(tree.table)}.${toKey(name)}`, own);
    return {
      ...tree,
      columns: tree.columns.map((own, i) => find(tree.names[i], own)),
      rowid: tree.rowidName === undefined ? tree.rowid : find(tree.rowidName, tree.rowid),
    };
  };
  return { ...storage, trees: new Map([...storage.trees].map(([root, tree]) => [root, map(tree)])) };
}
