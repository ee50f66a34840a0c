import { listDescendants } from '../../packages/core/src/testing/process-tree.ts';
import { residentMemory } from '../process-usage.ts';

/** The memory of a process and its descendants, in megabytes; null without /proc. */
export function treeMemory(pid: number): number | null {
  const own = residentMemory(pid);
  if (own === null) return null;
  return listDescendants(pid).reduce((sum, child) => sum + (residentMemory(child) ?? 0), own);
}
