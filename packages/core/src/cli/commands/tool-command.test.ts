import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatCsvRecord } from '../../answer/csv.ts';
import { parseCsv } from './tool-command.ts';

describe('CSV', () => {
  it.each([
    [
      'a,b\n1,2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a,b\n"x, ""y""",\n',
      [
        ['a', 'b'],
        ['x, "y"', ''],
      ],
    ],
    ['a\n"two\nlines"', [['a'], ['two\nlines']]],
    ['a\n"broken', [['a'], ['"broken']]],
  ])('%j is read as rows', (text, rows) => {
    expect(parseCsv(text)).toEqual(rows);
  });

  it('is read as it was written', () => {
    const row = fc.array(fc.string({ maxLength: 8 }), { minLength: 2, maxLength: 4 });
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 4 }), (rows) => {
        expect(parseCsv(rows.map((cells) => formatCsvRecord(cells)).join('\n'))).toEqual(rows);
      }),
    );
  });
});
