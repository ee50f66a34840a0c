import { describe, expect, it } from 'vitest';
import { findBlockers, type LockSession } from './blocking-tree.ts';
import { judgeStatements } from './statement-figures.ts';

describe('a tree of waiting sessions', () => {
  const session = (id: string, blockers: readonly string[], waitSeconds = 1): LockSession => ({
    id,
    label: `pid ${id}`,
    state: 'active',
    blockers,
    waitSeconds,
    lock: '',
    end: 'Stop it.',
  });

  it('counts everyone behind its root, once', () => {
    const [found, ...others] = findBlockers([
      session('1', []),
      session('2', ['1']),
      session('3', ['2', '1']),
      session('4', ['3'], 30),
    ]);
    expect(others).toEqual([]);
    expect(found?.evidence).toBe('pid 1 blocks 3 sessions and is active');
    expect(found?.severity).toBe('high');
    expect(found?.consequence).toContain('pid 4 for 30 s behind them');
  });

  it('ends where sessions wait for each other', () => {
    expect(findBlockers([session('1', ['2']), session('2', ['1'])])).toEqual([]);
  });

  it('names the first waiting sessions, and counts the rest', () => {
    const waiters = Array.from({ length: 7 }, (_, at) => session(`${at + 2}`, ['1']));
    expect(findBlockers([session('1', []), ...waiters])[0]?.consequence).toMatch(/pid 5 for 1 s; 3 more\.$/);
  });
});

describe('statements', () => {
  const statement = {
    sql: 'select 1',
    calls: 100,
    totalMs: 60_000,
    meanMs: 600,
    share: 0.6,
    rows: 100,
    facts: [],
    spills: false,
  };

  it('are a finding when they are slow and take a share of the time', () => {
    const judged = (changes: Partial<typeof statement>) =>
      judgeStatements([{ ...statement, ...changes }], { limit: 5, total: 1, notes: [] }).findings;
    expect(judged({})[0]?.severity).toBe('high');
    expect(judged({ share: 0.15 })[0]?.severity).toBe('medium');
    expect(judged({ share: 0.05 })).toEqual([]);
    expect(judged({ meanMs: 6 })).toEqual([]);
    expect(judged({ calls: 1 })).toEqual([]);
  });

  it('statements that are not listed are counted', () => {
    const { listing, notes } = judgeStatements([statement, statement], { limit: 1, total: 40, notes: [] });
    expect(listing).toEqual(['60 % of the time, 100 calls, mean 600 ms, total 1 min, 1 rows a call: select 1']);
    expect(notes).toEqual(['39 more kinds of statements are not listed.']);
  });
});
