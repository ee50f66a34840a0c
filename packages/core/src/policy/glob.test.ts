import { describe, expect, it } from 'vitest';
import { matchesGlob } from './glob.ts';

describe('matchesGlob', () => {
  it.each([
    ['a*c', 'abbc', true],
    ['a*c', 'abbd', false],
    ['*', '', true],
    ['', '', true],
    ['', 'a', false],
    ['?', '', false],
    ['a?', 'ab', true],
    ['*ab*', 'xxaabxx', true],
    ['*a*b*c', 'aabbcc', true],
    ['*a*b*c', 'aabbccd', false],
    ['a**b', 'ab', true],
    ['a.c', 'abc', false],
  ])('%s and %s: %s', (pattern, text, expected) => {
    expect(matchesGlob(pattern, text)).toBe(expected);
  });

  it('takes little time for long texts and many stars', () => {
    const started = performance.now();
    expect(matchesGlob(`${'*a'.repeat(100)}b`, 'a'.repeat(30_000))).toBe(false);
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});
