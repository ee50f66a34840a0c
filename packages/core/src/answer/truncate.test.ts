import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Failure } from '../failure.ts';
import { isWellFormed, oddText } from '../testing/odd-text.ts';
import { requireBudget, smallestBudget, truncateText } from './truncate.ts';

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
