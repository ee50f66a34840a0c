import { describe, expect, it } from 'vitest';
import { splitFilter } from './filter-parts.ts';

const columns = new Set(['a', 'b', 'Odd', 'note']);
const split = (filter: string) => splitFilter(filter, columns).map((part) => [part.text.trim(), ...part.columns]);

describe('the parts of a filter', () => {
  it.each([
    ['(a > 5)', [['a > 5', 'a']]],
    [
      "((note ~~ '%x AND (%'::text) AND (a > 5))",
      [
        ["(note ~~ '%x AND (%'::text)", 'note'],
        ['(a > 5)', 'a'],
      ],
    ],
    [
      '((a >= 1) AND (a <= 5) AND ((a = 1) OR ((b = 2) AND (a = 3))))',
      [
        ['(a >= 1)', 'a'],
        ['(a <= 5)', 'a'],
        ['((a = 1) OR ((b = 2) AND (a = 3)))', 'a', 'b'],
      ],
    ],
    [
      '((t."Odd" = 1) AND (b.a = t.b))',
      [
        ['(t."Odd" = 1)', 'Odd'],
        ['(b.a = t.b)', 'a', 'b'],
      ],
    ],
    [
      '(a = 1) AND (b = 2)',
      [
        ['(a = 1)', 'a'],
        ['(b = 2)', 'b'],
      ],
    ],
    [
      "((lower(note) = 'a'::text) AND note IS NULL)",
      [
        ["(lower(note) = 'a'::text)", 'note'],
        ['note IS NULL', 'note'],
      ],
    ],
    ["(note = 'it''s a AND b'::text)", [["note = 'it''s a AND b'::text", 'note']]],
  ])('%s', (filter, parts) => {
    expect(split(filter)).toEqual(parts);
  });

  it('keeps a filter of very many parts whole', () => {
    const filter = `(${Array.from({ length: 50 }, (_, i) => `(a > ${i})`).join(' AND ')})`;
    expect(split(filter)).toEqual([[filter, 'a']]);
  });
});
