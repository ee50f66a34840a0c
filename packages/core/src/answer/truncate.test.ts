import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Failure } from '../failure.ts';
import { isWellFormed, oddText } from '../testing/odd-text.ts';
import { clampLimit, requireBudget, smallestBudget, truncateText } from './truncate.ts';

describe('clampLimit', () => {
  const range = { name: 'limit', default: 100, max: 1_000 };

  test.each<[unknown, number]>([
    [undefined, 100],
    [null, 100],
    [1, 1],
    [1_000, 1_000],
    [5_000, 1_000],
    [1e300, 1_000],
  ])('%j gives %d', (requested, limit) => {
    expect(clampLimit(requested, range)).toBe(limit);
  });

  test.each<[unknown, string]>([
    [0, '0'],
    [-1, '-1'],
    [1.5, '1.5'],
    [Number.NaN, 'NaN'],
    [Number.POSITIVE_INFINITY, 'Infinity'],
    ['100', '"100"'],
    ['x'.repeat(80), `"${'x'.repeat(40)}"…`],
    [5n, '5'],
    [true, 'true'],
    [[], 'a list'],
    [{}, 'of type object'],
  ])('%s is refused', (requested, named) => {
    expect(() => clampLimit(requested, range)).toThrow(
      new Failure('input', `invalid limit ${named}: expected a whole number from 1 to 1000`),
    );
  });

  test('an offset may be 0, and a default never exceeds the maximum', () => {
    expect(clampLimit(0, { name: 'offset', default: 0, min: 0, max: 10 })).toBe(0);
    expect(clampLimit(undefined, { name: 'limit', default: 100, max: 10 })).toBe(10);
  });
});

test('a budget in which nothing fits is refused', () => {
  expect(requireBudget(smallestBudget)).toBe(smallestBudget);
  for (const budget of [smallestBudget - 1, 0, Number.NaN, 1e9 + 0.5]) expect(() => requireBudget(budget)).toThrow(Failure);
});

describe('truncateText', () => {
  test('leaves what fits', () => {
    expect(truncateText('abc', 3)).toEqual({ text: 'abc', cut: false, shown: 3, length: 3 });
  });

  test('cuts at the end of a line if one is near, and says so', () => {
    const text = 'a line of text\n'.repeat(100);
    const part = truncateText(text, 500);
    expect(part.text.length).toBeLessThanOrEqual(500);
    expect(part.text).toMatch(/a line of text\n⟦cut: 1-\d+ of 1500 characters⟧$/);
    expect(part.text.startsWith(text.slice(0, part.shown))).toBe(true);
    expect(part.shown).toBeGreaterThan(400);
  });

  test('never over its room, never half a character', () => {
    fc.assert(
      fc.property(oddText(80).filter(isWellFormed), fc.nat(200), (text, room) => {
        const part = truncateText(text, room);
        expect(part.text.length).toBeLessThanOrEqual(room);
        expect(isWellFormed(part.text)).toBe(true);
        expect(part.cut).toBe(text.length > room);
        if (part.cut && room > 60) expect(part.text).toContain(`⟦cut: 1-${part.shown} of ${text.length} characters⟧`);
      }),
    );
  });
});
