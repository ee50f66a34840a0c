import { expect, it } from 'vitest';
import { countFirst, fitNames, sortNewestFirst } from './newest-first.ts';

it('puts the newest index of each series first', () => {
  const names = ['a-1', 'a-2', 'a-3', 'a-10', 'other', '.ds-b-2026.01.01-000001', '.ds-b-2026.01.02-000002'];
  const sorted = sortNewestFirst(names);
  expect(sorted.indexOf('a-10')).toBeLessThan(sorted.indexOf('a-3'));
  expect(sorted.at(-1)).toBe('a-1');
  expect(sorted).toHaveLength(names.length);
  expect(countFirst(names)).toBe(6);
});

it('takes as many names as fit into a path', () => {
  const names = Array.from({ length: 500 }, (_, at) => `logs-of-a-service-2026.10.${at}`);
  const count = fitNames(names, 400);
  expect(names.slice(0, count).join(',').length).toBeLessThanOrEqual(2_000);
  expect(count).toBeGreaterThan(50);
  expect(fitNames(names, 4)).toBe(4);
  expect(fitNames(['x'.repeat(3_000)], 1)).toBe(1);
});
