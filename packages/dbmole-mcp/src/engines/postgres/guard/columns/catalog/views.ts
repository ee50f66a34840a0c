import type { CatalogQuestion } from '../../../../../guard/read-statement.ts';
import { openParser } from '../../thread/parser.ts';
import { collectNames } from '../../tree/collect.ts';
import type { StatementNames } from '../../tree/names.ts';
import type { RelationFacts, RelationName } from './relation-facts.ts';
import type { Relations } from './relations.ts';

/** The query of a view, parsed. */
export interface ViewQuery {
  readonly tree: unknown;
  readonly names: StatementNames;
}

/** The queries of views; null for one that cannot be read. */
const known = new WeakMap<RelationFacts, ViewQuery | null>();

export function getViewQuery(facts: RelationFacts): ViewQuery | null {
  return known.get(facts) ?? null;
}

async function parseView(facts: RelationFacts): Promise<ViewQuery | null> {
  const { definition } = facts;
  const found = known.get(facts);
  if (definition === null || found !== undefined) return found ?? null;
  const query = await parse(definition);
  known.set(facts, query);
  return query;
}

async function parse(definition: string): Promise<ViewQuery | null> {
  const parser = await openParser();
  try {
    const [statement] = parser.parse(definition);
    const tree = statement?.stmt;
    return { tree, names: collectNames(tree, definition, { parameters: new Set() }) };
  } catch {
    return null;
  }
}

/** These relations, and all that the views among them read. Loads what is not known yet. */
export async function reachRelations(
  start: readonly RelationFacts[],
  relations: Relations,
  ask: CatalogQuestion,
): Promise<ReadonlySet<RelationFacts>> {
  const reached = new Set(start);
  for (const facts of reached) {
    for (const rows of relations.listRowTypes(facts)) reached.add(rows);
    const query = await parseView(facts);
    const names: readonly RelationName[] = query?.names.relations ?? [];
    const missing = names.filter((name) => !relations.isKnown(name));
    if (missing.length > 0) await relations.load(missing, ask);
    for (const name of names) {
      const found = relations.find(name);
      if (found !== undefined) reached.add(found);
    }
  }
  return reached;
}
