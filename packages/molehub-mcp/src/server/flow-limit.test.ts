import type { Fields } from '@dbmole/core';
import { expect, it } from 'vitest';
import { limitProgress } from './flow-limit.ts';

it('passes on some reports, and of each what clients use', () => {
  const passed: Fields[] = [];
  const pass = limitProgress((report) => void passed.push(report));
  for (let progress = 0; progress < 1_000; progress++) pass?.({ progress, total: 9, message: 'm'.repeat(9_000), more: {} });
  expect(passed).toHaveLength(20);
  expect(passed[0]).toEqual({ progress: 0, total: 9, message: 'm'.repeat(2_000) });
  expect(limitProgress(undefined)).toBeUndefined();
});
