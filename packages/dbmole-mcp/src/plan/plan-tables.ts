import type { TableDetails } from '../catalog/catalog.ts';
import type { Call } from '../tool.ts';
import type { TableFacts } from './plan-scan.ts';
import { flattenPlan, type PlanTree } from './plan-tree.ts';
import { findWasteful, type Tables } from './plan-verdict.ts';

const maxTables = 5;

/** What says why the scans of a plan used no index. Best effort: a plan without it is still a plan. */
export async function readPlanTables({ backend, options }: Call, tree: PlanTree, sql: string): Promise<Tables> {
  const scanned = findWasteful(flattenPlan(tree)).flatMap(({ table }) => table ?? []);
  const names = new Map(
    [...new Set(scanned)].slice(0, maxTables).map((table) => [table, backend.plan.findTable?.(table, sql) ?? table]),
  );
  if (names.size === 0) return new Map();
  try {
    const request = { names: [...new Set(names.values())], schema: undefined, definitions: false };
    const { tables } = await backend.catalog.describeTables(backend.catalogRun(options), request);
    const known = new Map(tables.filter(({ alsoIn }) => alsoIn.length === 0).map((table) => [table.asked, toFacts(table)]));
    return new Map(
      [...names].flatMap(([table, asked]) => {
        const facts = known.get(asked);
        return facts === undefined ? [] : [[table, facts]];
      }),
    );
  } catch {
    return new Map();
  }
}

function toFacts({ rows, columns, keys, indexes }: TableDetails): TableFacts {
  const ofKeys = keys.map(({ word, columns: names }) => ({ name: word, definition: `(${names.join(', ')})` }));
  return { rows, columns, indexes: [...ofKeys, ...indexes] };
}
