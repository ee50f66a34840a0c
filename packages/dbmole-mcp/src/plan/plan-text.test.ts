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
    table: undefined,
    alias: undefined,
    filter: undefined,
    expectedReads: undefined,
    rowCount: 'complete',
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

  it.each<[Partial<PlanNode>, boolean]>([
    [{ estimatedRows: 10, actualRows: 99 }, false],
    [{ estimatedRows: 10, actualRows: 100 }, true],
    [{ estimatedRows: 1_000, actualRows: 100 }, true],
    [{ estimatedRows: 9, actualRows: 99 }, false],
    [{ estimatedRows: 1, actualRows: 10, loops: 10 }, true],
    [{ estimatedRows: 100, actualRows: 0, loops: 0 }, false],
    [{ estimatedRows: 1_000, actualRows: 5, rowCount: 'partial' }, false],
    [{ estimatedRows: 5, actualRows: 1_000, rowCount: 'partial' }, true],
    [{ estimatedRows: 5, actualRows: 1_000, rowCount: 'unknown' }, false],
    [{ estimatedRows: 5, actualRows: 1_000, rowCount: 'guess' }, false],
    [{ estimatedRows: 4, actualRows: 0, loops: 100 }, false],
    [{ estimatedRows: 5, actualRows: 0.1, loops: 100 }, true],
    [{ estimatedRows: 1, actualRows: 0.01, loops: 500 }, false],
    [{ estimatedRows: 5_000, actualRows: 5, filter: 'NOT (hashed SubPlan 1)' }, false],
  ])('calls an estimate bad or not: %j', (changes, bad) => {
    expect(planOf(changes).includes('was estimated at')).toBe(bad);
  });

  const filter = "(note = 'x')";
  it.each([
    [{ fullScan: true, filter, removed: 999, actualRows: 1 }, false],
    [{ fullScan: true, filter, removed: 1_000, actualRows: 1, estimatedRows: 1 }, true],
    [{ fullScan: true, filter, removed: 1_000, actualRows: 126 }, false],
    [{ fullScan: false, filter, removed: 1_000, actualRows: 1 }, false],
    [{ fullScan: true, filter: 'EXISTS(SubPlan 1)', removed: 1_000, actualRows: 1 }, false],
  ])('calls a scan wasteful or not: %j', (changes, wasteful) => {
    expect(planOf(changes).includes('no index was used')).toBe(wasteful);
  });

  it.each([
    [{ totalMs: 49 }, 100, false],
    [{ totalMs: 50 }, 100, true],
    [{ totalMs: 60 }, 600, true],
  ])('calls slow what takes a part of the time and at least 50 ms: %j of %d ms', (changes, totalMs, slow) => {
    expect(/^slow: /m.test(planOf(changes, totalMs))).toBe(slow);
  });

  const many = (count: number, totalMs: number) => Array.from({ length: count }, () => node({ totalMs }));
  it('calls nothing slow where every step takes little of the time', () => {
    expect(planOf({ totalMs: 1_200, children: many(20, 60) }, 1_200)).not.toContain('slow: ');
  });

  it('says what went to disk, whether it was slow or not', () => {
    const children = [node({ label: 'Sort', totalMs: 1, spilled: 'sort 3 MB' })];
    expect(planOf({ totalMs: 40, children })).toContain('\nnote: Sort ran out of memory');
    const text = planOf({ totalMs: 100, children });
    expect(text).toContain('\nalso: Sort ran out of memory and went to disk (sort 3 MB)');
    expect(text).toContain('\nnext: select fewer rows and columns; an index in this order');
  });

  it('says how often a nested loop repeats its inner side', () => {
    const loop = (loops: number) => planOf({ label: 'Nested Loop', totalMs: 100, children: [node({ loops, totalMs: 1 })] }, 100);
    expect(loop(1_000)).toContain('slow: Nested Loop, 99 ms of 100 ms: repeats its inner side 1000 times');
    expect(loop(999)).not.toContain('repeats');
  });

  describe('of what did not run', () => {
    const estimated = { actualRows: undefined, loops: undefined, totalMs: undefined };
    const scan = { ...estimated, label: 'Scan', cost: 50, fullScan: true, table: 't', filter };
    const planned = (changes: Partial<PlanNode>, rows?: number) =>
      formatPlan(
        { roots: [node({ ...scan, ...changes })], totalMs: undefined, notes: [] },
        new Map([['t', { rows, columns: [{ name: 'note', type: 'text' }], indexes: [] }]]),
      );

    it('goes by cost, and says what a scan reads for nothing', () => {
      expect(planned({ expectedReads: 5_000 })).toBe(
        'Scan: rows 10, cost 50 (own 100 %)\ncostly: Scan, 100 % of the estimated cost: would read about 5000 rows for 10: no index begins with note\nnext: diagnose with check=index_advice and this statement as sql looks for an index',
      );
      expect(planned({}, 5_000)).toContain('would read about 5000 rows for 10');
    });

    it.each([
      ['a scan for all rows', { filter: undefined }, 5_000],
      ['a scan of a small table', {}, 500],
      ['a scan that keeps most', { estimatedRows: 4_000 }, 5_000],
      ['a scan of a table of unknown size', {}, undefined],
      ['an index lookup', { fullScan: false }, 5_000],
    ] as const)('does not call %s costly', (_, changes, rows) => {
      expect(planned(changes, rows)).toBe(planned(changes, rows).split('\n')[0]);
    });
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

  it('does not let data look like our lines or marks', () => {
    expect(planOf({ details: ['a\nslow: ⟦cut⟧'] }).split('\n')[0]).toContain('a slow: ⟦U+27E6⟧cut⟧');
  });
});
