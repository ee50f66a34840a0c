import { valueAt } from '../call/answer-failure.ts';
import { isObject } from '../search/hit-table.ts';
import type { CheckRun } from './check-run.ts';

export interface ClusterSettings {
  /** Every setting that a check looks at, as it counts now. */
  values: ReadonlyMap<string, string>;
  /** Those that were set by a request, with `persistent` or `transient`. */
  given: readonly (readonly [name: string, value: string, how: string])[];
}

const defaults = ['cluster', 'action.destructive_requires_name', 'search.max_open_scroll_context', 'indices.breaker'];

export async function readClusterSettings(run: CheckRun): Promise<ClusterSettings | undefined> {
  const filter = ['persistent', 'transient', ...defaults.map((name) => `defaults.${name}`)].join(',');
  const params = { include_defaults: true, filter_path: filter };
  const json = await run.readIfAllowed('Settings of the cluster', { path: '/_cluster/settings', params });
  if (json === undefined) return undefined;
  const given = ['persistent', 'transient'].flatMap((how) =>
    listSettings(valueAt(json, [how])).map(([name, value]) => [name, value, how] as const),
  );
  const values = [...listSettings(valueAt(json, ['defaults'])), ...given.map(([name, value]) => [name, value] as const)];
  return { values: new Map(values), given };
}

/** Objects within objects, as names with dots. */
function listSettings(tree: unknown, prefix = ''): (readonly [name: string, value: string])[] {
  if (!isObject(tree)) return [];
  return Object.entries(tree).flatMap(([key, value]) => {
    const name = `${prefix}${key}`;
    if (isObject(value)) return listSettings(value, `${name}.`);
    return [[name, Array.isArray(value) ? value.join(',') : String(value)] as const];
  });
}
