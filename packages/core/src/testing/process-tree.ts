import { readdirSync, readFileSync } from 'node:fs';

/** Processes that this one has started; none when it is gone. Linux only. */
export function listChildren(pid: number): number[] {
  try {
    const lists = readdirSync(`/proc/${pid}/task`).map((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8'));
    return lists.join(' ').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** Includes all descendants. */
export function listDescendants(pid: number): number[] {
  return listChildren(pid).flatMap((child) => [child, ...listDescendants(child)]);
}
