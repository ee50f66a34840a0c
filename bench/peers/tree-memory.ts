import { descendantsOf } from '../../packages/core/src/testing/process-tree.ts';
import { residentMemory } from '../process-usage.ts';

/** Of a process and all that it has started, in megabytes; null where there is no /proc. */
export function treeMemory(pid: number): number | null {
  const own = residentMemory(pid);
  if (own === null) return null;
  return descendantsOf(pid).reduce((sum, child) => sum + (residentMemory(child) ?? 0), own);
}
