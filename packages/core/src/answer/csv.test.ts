import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hasUnseen, oddText } from '../testing/odd-text.ts';
import { parseTable } from '../testing/read-table.ts';
import { type CellValue, cutCell, formatCell } from './csv.ts';

const wide = { offset: 0, limit: 10_000 };
const show = (value: CellValue, offset = 0, limit = 10_000) => formatCell(cutCell(value, { offset, limit }));

describe('formatCell', () => {
  test.each<[CellValue, string]>([
    [null, 'NULL'],
    ['NULL', '"NULL"'],
    ['null', 'null'],
    ['', '""'],
    ['plain', 'plain'],
    ['a,b', '"a,b"'],
    ['say "x"', '"say ""x"""'],
    ['two\nlines', 'two⟦U+000A⟧lines'],
    ['\n', '⟦U+000A⟧'],
    ['a,b\nNext: c', '"a,b⟦U+000A⟧Next: c"'],
    ['tab\there', '"tab\there"'],
    [' edge', '" edge"'],
    ['edge ', '"edge "'],
    ['\r', '⟦U+000D⟧'],
    ['C:\\new', 'C:\\new'],
    ['⟦1-2 of 3⟧', '⟦U+27E6⟧1-2 of 3⟧'],
    [0, '0'],
    [-0, '-0'],
    [12345678901234567890n, '12345678901234567890'],
    [true, 'true'],
  ])('%s', (value, shown) => {
    expect(show(value)).toBe(shown);
  });

  test('a reader gets back exactly what was written', () => {
    fc.assert(
      fc.property(fc.array(fc.option(oddText(30)), { minLength: 1, maxLength: 6 }), (values) => {
        const record = values.map((value) => formatCell(cutCell(value, wide))).join(',');
        expect(hasUnseen(record)).toBe(false);
        expect(parseTable(`line\n${record}`).columns).toEqual(values.map((text) => ({ text })));
      }),
    );
  });
});

describe('cutCell', () => {
  test.each<[string, CellValue, number, number, string]>([
    ['whole at the limit', 'abcde', 0, 5, 'abcde'],
    ['cut', 'abcdef', 0, 5, 'abcde⟦1-5 of 6⟧'],
    ['read on', 'abcdef', 5, 5, 'f⟦6-6 of 6⟧'],
    ['past the end', 'abcdef', 10, 5, '⟦0 of 6⟧'],
    ['short cells stay whole wherever the window is', 'key', 500, 5, 'key'],
    ['cut inside quotes', 'a,b,c,d', 0, 3, '"a,b⟦1-3 of 7⟧"'],
    ['a pair is left to the next window', 'ab😀cd', 0, 3, 'ab⟦1-2 of 6⟧'],
    ['which begins with it', 'ab😀cd', 3, 3, '😀cd⟦3-6 of 6⟧'],
    ['an escape is never cut', 'a\u202eb', 0, 2, 'a⟦U+202E⟧⟦1-2 of 3⟧'],
    ['null is never cut', null, 7, 1, 'NULL'],
    ['numbers are cut as text', 123456n, 0, 3, '123⟦1-3 of 6⟧'],
    ['kept in part', { text: 'abcdef', length: 900 }, 0, 3, 'abc⟦1-3 of 900⟧'],
    ['kept less than the limit', { text: 'abc', length: 900 }, 0, 5, 'abc⟦1-3 of 900⟧'],
    ['length in bytes', { text: 'abc', length: 900, unit: 'bytes' }, 0, 5, 'abc⟦characters 1-3; 900 bytes in all⟧'],
    ['kept from the middle', { text: 'xyz', length: 900, start: 500 }, 500, 3, 'xyz⟦501-503 of 900⟧'],
    ['kept from before the window', { text: 'xyz', length: 503, start: 500 }, 501, 3, 'yz⟦502-503 of 503⟧'],
    ['beyond what was kept', { text: 'abc', length: 900 }, 500, 5, '⟦0 of 900⟧'],
    ['kept whole after all', { text: 'abc', length: 3 }, 0, 5, 'abc'],
  ])('%s', (_, value, offset, limit, shown) => {
    expect(show(value, offset, limit)).toBe(shown);
  });

  test('says whether there is more, and whether moving the window would show it', () => {
    const of = (value: CellValue, offset: number, limit: number) => {
      const { cut, unkept } = cutCell(value, { offset, limit });
      return { cut, unkept };
    };
    expect(of('abcdef', 0, 5)).toEqual({ cut: true, unkept: false });
    expect(of('abcdef', 5, 5)).toEqual({ cut: false, unkept: false });
    expect(of({ text: 'abcdef', length: 900 }, 0, 6)).toEqual({ cut: true, unkept: false });
    expect(of({ text: 'abcdef', length: 900 }, 3, 6)).toEqual({ cut: true, unkept: true });
    expect(of({ text: 'abc', length: 9, unit: 'bytes' }, 0, 5)).toEqual({ cut: true, unkept: true });
    expect(of({ text: 'xyz', length: 503, start: 500 }, 500, 3)).toEqual({ cut: false, unkept: false });
  });

  test('windows that follow each other repeat nothing and leave nothing out', () => {
    fc.assert(
      fc.property(oddText(60), fc.integer({ min: 1, max: 9 }), (text, limit) => {
        let joined = '';
        for (let offset = 0; offset < text.length + limit; offset += limit) joined += cutCell(text, { offset, limit }).text ?? '';
        if (text.length > limit) expect(joined).toBe(text);
      }),
    );
  });

  test('work depends on the window, not on the cell', () => {
    const huge = `${'\u202e"'.repeat(5_000_000)}`;
    const started = performance.now();
    for (let round = 0; round < 1_000; round += 1) show(huge, 0, 100);
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});
