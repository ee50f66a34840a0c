import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { covers } from '../guard/index-names.ts';
import { formatNames, groupByPattern } from './name-pattern.ts';

const days = Array.from({ length: 31 }, (_, day) => `logs-2024.01.${String(day + 1).padStart(2, '0')}`);
const patterns = (names: readonly string[]) => groupByPattern(names, (name) => name).map(({ pattern }) => pattern);

describe('names of indices', () => {
  it('groups names by pattern, and keeps their common start', () => {
    expect(patterns(days)).toEqual(['logs-2024.01.*']);
    expect(patterns([...days, 'logs-2024.02.01'])).toEqual(['logs-2024.*']);
    expect(patterns([...days, 'logs-2023.02.01'])).toEqual(['logs-*']);
    expect(patterns(days.map((day) => `app2-${day}-x`))).toEqual(['app2-logs-2024.01.*-x']);
    expect(patterns(['v1', 'v2', 'v10', 'v11'])).toEqual(['v*']);
    expect(patterns(['v1', 'v10', 'v11', 'v12'])).toEqual(['v*']);
  });

  it('does not group few or unrelated names', () => {
    expect(patterns(['v1', 'v2', 'v10'])).toEqual(['v1', 'v2', 'v10']);
    expect(patterns(['orders', 'customers', 'a', 'b', 'c'])).toEqual(['a', 'b', 'c', 'customers', 'orders']);
    expect(patterns([])).toEqual([]);
  });

  it('keeps series with different words apart', () => {
    expect(patterns([...days, ...days.map((day) => `${day}-old`)])).toEqual(['logs-2024.01.*', 'logs-2024.01.*-old']);
  });

  it('makes patterns that match exactly their members', () => {
    const name = fc.stringMatching(/^[ab](?:[-._]?(?:\d{1,2}|x)){0,4}$/);
    fc.assert(
      fc.property(fc.uniqueArray(name, { maxLength: 60 }), (names) => {
        const groups = groupByPattern(names, (one) => one);
        expect(groups.flatMap(({ members }) => members).sort()).toEqual([...names].sort());
        for (const { pattern, members } of groups) for (const one of members) expect(covers(pattern, one)).toBe(true);
      }),
    );
  });

  it('leaves overlong names alone, in little time', () => {
    const long = Array.from({ length: 8 }, (_, at) => `.ds-${'-123456'.repeat(15_000)}${at}`);
    const started = performance.now();
    expect(patterns([...long, ...long])).toHaveLength(16);
    expect(performance.now() - started).toBeLessThan(1_000);
    const longest = Array.from({ length: 4 }, (_, at) => `${'1.'.repeat(127)}${at}`);
    expect(patterns(longest)).toEqual([`${'1.'.repeat(127)}*`]);
    expect(patterns(longest.map((name) => `${name}x`))).toHaveLength(4);
  });

  it('formats names as a short text', () => {
    expect(formatNames([...days, 'orders'])).toBe('logs-2024.01.* (31: logs-2024.01.01 … logs-2024.01.31), orders');
    expect(formatNames(['a', 'b', 'c'], 2)).toBe('a, b, and 1 more');
  });
});
