import { describe, expect, it } from 'vitest';
import { formatPlan } from './plan-text.ts';
import type { PlanNode } from './plan-tree.ts';

function node(changes: Partial<PlanNode>): PlanNode {
  return {
    label: 'Step',
    estimatedRows: 10,
    actualRows: 10,
    loops: 1,
    totalMs: 1,
    removed: undefined,
    spilled: undefined,
    cost: undefined,
    fullScan: false,
    details: [],
    children: [],
    ...changes,
  };
}

const planOf = (root: Partial<PlanNode>, totalMs: number | undefined = 100) =>
  formatPlan({ roots: [node(root)], totalMs, notes: [] });

describe('formatPlan', () => {
  it('gives each node its own share of the time', () => {
    const text = planOf({
      label: 'Join',
      totalMs: 100,
      children: [node({ label: 'A', totalMs: 70 }), node({ label: 'B', totalMs: 10 })],
    });
    expect(text).toBe(
      'Join: rows 10->10, 100 ms (own 20 %)\n  A: rows 10->10, 70 ms (own 70 %)\n  B: rows 10->10, 10 ms (own 10 %)\nslow: A, 70 ms of 100 ms',
    );
  });

  it.each([
    [{ estimatedRows: 10, actualRows: 99 }, false],
    [{ estimatedRows: 10, actualRows: 100 }, true],
    [{ estimatedRows: 1_000, actualRows: 100 }, true],
    [{ estimatedRows: 9, actualRows: 99 }, false],
    [{ estimatedRows: 1, actualRows: 10, loops: 10 }, true],
    [{ estimatedRows: 100, actualRows: 0, loops: 0 }, false],
  ])('calls an estimate bad or not: %j', (changes, bad) => {
    expect(planOf(changes).includes('was estimated at')).toBe(bad);
  });

  it.each([
    [{ fullScan: true, removed: 999, actualRows: 1 }, false],
    [{ fullScan: true, removed: 1_000, actualRows: 1, estimatedRows: 1 }, true],
    [{ fullScan: true, removed: 1_000, actualRows: 101 }, false],
    [{ fullScan: false, removed: 1_000, actualRows: 1 }, false],
  ])('calls a scan wasteful or not: %j', (changes, wasteful) => {
    expect(planOf(changes).includes('no index serves')).toBe(wasteful);
  });

  it('says what went to disk, even where that is not the slowest', () => {
    const text = planOf({ totalMs: 100, children: [node({ label: 'Sort', totalMs: 1, spilled: 'sort 3 MB' })] });
    expect(text).toContain('\nalso: Sort ran out of memory and went to disk (sort 3 MB)');
  });

  it('goes by cost where nothing ran', () => {
    const estimated = { actualRows: undefined, loops: undefined, totalMs: undefined };
    const text = formatPlan({
      roots: [node({ ...estimated, label: 'Scan', cost: 50, fullScan: true })],
      totalMs: undefined,
      notes: [],
    });
    expect(text).toBe(
      'Scan: rows 10, cost 50 (own 100 %)\ncostly: Scan, 100 % of the estimated cost: reads the whole table, for 10 rows',
    );
  });

  it('takes no cost for a time where the statement ran', () => {
    const unmeasured = { actualRows: undefined, loops: undefined, totalMs: undefined };
    expect(planOf({ ...unmeasured, label: 'Constant row', estimatedRows: 1, cost: 1 }, 0.04)).toBe(
      'Constant row: rows 1, cost 1',
    );
  });

  it('bounds a long plan and long conditions', () => {
    const children = Array.from({ length: 500 }, () => node({ details: ['x'.repeat(10_000)] }));
    const text = planOf({ children });
    expect(text).toContain('\nand 301 more nodes');
    expect(text.length).toBeLessThan(60_000);
  });

  it('lets no data look like a line or a mark of ours', () => {
    expect(planOf({ details: ['a\nslow: ⟦cut⟧'] }).split('\n')[0]).toContain('a slow: ⟦U+27E6⟧cut⟧');
  });
});
