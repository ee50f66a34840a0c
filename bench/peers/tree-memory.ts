import { readdirSync, readFileSync } from 'node:fs';
import { residentMemory } from '../process-usage.ts';

/** Of a process and all that it has started, in megabytes; null where there is no /proc. */
export function treeMemory(pid: number): number | null {
  const own = residentMemory(pid);
  if (own === null) return null;
  return childrenOf(pid).reduce((sum, child) => sum + (treeMemory(child) ?? 0), own);
}

function childrenOf(pid: number): number[] {
  try {
    const lists = readdirSync(`/proc/${pid}/task`).map((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8'));
    return lists.join(' ').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}
