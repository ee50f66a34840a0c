import { isObject, valueAt } from '../guard/body/walk-json.ts';
import { readLines } from '../policy/read-lines.ts';

const actions: ReadonlySet<string> = new Set(['index', 'create', 'update', 'delete']);

/** The number of actions of each kind, by index. The path gives the index of actions that name none. */
type BulkActions = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** Undefined where the lines cannot be told apart for certain. */
export function readBulkActions(body: unknown, pathIndex: string | undefined): BulkActions | undefined {
  const found = new Map<string, Map<string, number>>();
  const lines = tryReadLines(body) ?? [undefined];
  for (let at = 0; at < lines.length; at += 1) {
    const one = readAction(lines[at], pathIndex);
    if (one === undefined) return undefined;
    const counts = found.get(one.index) ?? new Map<string, number>();
    found.set(one.index, counts.set(one.action, (counts.get(one.action) ?? 0) + 1));
    // Its document follows.
    if (one.action !== 'delete') at += 1;
    if (at >= lines.length || !isObject(lines[at])) return undefined;
  }
  return found;
}

function readAction(line: unknown, pathIndex: string | undefined): { action: string; index: string } | undefined {
  const [action, ...others] = isObject(line) ? Object.keys(line) : [];
  if (action === undefined || others.length > 0 || !actions.has(action)) return undefined;
  const about = valueAt(line, action);
  const index = valueAt(about, '_index') ?? pathIndex;
  return isObject(about) && typeof index === 'string' ? { action, index } : undefined;
}

/** An empty line between others could be taken for a document. */
function tryReadLines(body: unknown): readonly unknown[] | undefined {
  if (typeof body === 'string' && /\n[^\S\n]*\n/.test(body)) return undefined;
  try {
    return readLines(body);
  } catch {
    return undefined;
  }
}

/** `3 index, 2 delete in logs-1; 1 update in orders` */
export function formatBulkActions(found: BulkActions): string {
  const [shown, more] = [[...found].slice(0, maxIndices), found.size - maxIndices];
  const parts = shown.map(([index, counts]) => {
    const listed = [...counts].map(([action, count]) => `${count.toLocaleString('en-US')} ${action}`);
    return `${listed.join(', ')} in ${index.slice(0, 100)}`;
  });
  return [...parts, ...(more > 0 ? [`and ${more} more indices`] : [])].join('; ');
}

const maxIndices = 10;

export function countActions(found: BulkActions): number {
  return [...found.values()].flatMap((counts) => [...counts.values()]).reduce((sum, count) => sum + count, 0);
}
