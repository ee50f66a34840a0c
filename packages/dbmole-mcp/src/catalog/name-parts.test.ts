import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseNameParts } from './name-parts.ts';

const texts = (written: string) => parseNameParts(written).map(({ text }) => text);

describe('parseNameParts', () => {
  it.each([
    ['orders', ['orders']],
    ['sales.orders', ['sales', 'orders']],
    [' sales . orders ', ['sales', 'orders']],
    ['"Odd.Name"', ['Odd.Name']],
    ['a."b""c"', ['a', 'b"c']],
    ['`a``b`.c', ['a`b', 'c']],
    ['db.schema.table', ['db', 'schema', 'table']],
    ['naïve ☃', ['naïve ☃']],
  ])('reads %s', (written, parts) => {
    expect(texts(written)).toEqual(parts);
  });

  it('tells what was quoted', () => {
    expect(parseNameParts('a."B"')).toEqual([
      { text: 'a', quoted: false },
      { text: 'B', quoted: true },
    ]);
  });

  it.each(['', '.', 'a.', '.a', 'a..b', '"a', 'a"b', '"a"b', 'a\u0000b', 'x'.repeat(601)])(
    'refuses the malformed name %j',
    (written) => {
      expect(() => parseNameParts(written)).toThrow(/invalid name/);
    },
  );

  it('reads back whatever was quoted', () => {
    const part = fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' }).filter((text) => !text.includes('\u0000'));
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 3 }), (parts) => {
        expect(texts(parts.map((text) => `"${text.replaceAll('"', '""')}"`).join('.'))).toEqual(parts);
        expect(texts(parts.map((text) => `\`${text.replaceAll('`', '``')}\``).join('.'))).toEqual(parts);
      }),
    );
  });
});
