import { type ColumnAction, findStrictest } from '@dbmole/core';
import type { ColumnVerdict } from '../guard/read-statement.ts';
import { refuseColumn } from './column-policy.ts';

/** The protected columns that a value comes from, by their names, and the strictest of their actions. */
export interface Taint {
  readonly action: ColumnAction;
  readonly labels: readonly string[];
}

const unknownLabel = 'a column of unknown source';

/** The taint of a value whose source cannot be told. */
export const unknownTaint: Taint = { action: 'mask', labels: [unknownLabel] };

export function isUnknown({ labels }: Taint): boolean {
  return labels.includes(unknownLabel);
}

export function mergeTaints(...taints: readonly (Taint | undefined)[]): Taint | undefined {
  const found = taints.filter((taint) => taint !== undefined);
  const [first, second] = found;
  if (first === undefined || second === undefined) return first;
  const action = findStrictest(found.map((taint) => taint.action)) ?? first.action;
  return { action, labels: [...new Set(found.flatMap(({ labels }) => labels))] };
}

/** The taint of an expression: a part of a value would show more than its end does, and only whole columns can be left out. */
export function deriveTaint(taint: Taint | undefined): Taint | undefined {
  if (taint === undefined) return undefined;
  return taint.action === 'drop' || taint.action === 'partial' ? { ...taint, action: 'mask' } : taint;
}

export function isSameTaint(one: Taint | undefined, other: Taint | undefined): boolean {
  return one?.action === other?.action && one?.labels.join('\n') === other?.labels.join('\n');
}

export function refuseRead({ labels }: Taint, at?: number) {
  return refuseColumn(
    `${labels.join(', ')} must not be read through this connection; nothing was run`,
    at === undefined ? at : at + 1,
  );
}

export function toVerdict(action: ColumnVerdict['action'], { labels }: Taint): ColumnVerdict {
  return { action, label: labels.join(', ') };
}
