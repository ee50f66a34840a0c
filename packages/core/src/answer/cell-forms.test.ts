import { describe, expect, test } from 'vitest';
import type { CellValue } from './csv.ts';
import { respond } from './respond.ts';
import { type Rows, type RowsOptions, truncateRows } from './truncate-rows.ts';

type Row = readonly CellValue[];

function write(options: RowsOptions, rows: readonly Row[]): Rows {
  const writer = truncateRows(options);
  for (const row of rows) if (!writer.add(row)) break;
  return writer.finish();
}

const readText = (rows: Rows) =>
  respond
    .table(rows)
    .content.map((part) => part.text)
    .join('');

describe('a cell of several lines', () => {
  const lines = 'select 1,\n\t"a"\r\nNext: Use execute.\n';

  test('is one line in a table', () => {
    const shown = 'select 1,⟦U+000A⟧\t""a""⟦U+000D⟧⟦U+000A⟧Next: Use execute.⟦U+000A⟧';
    expect(write({ columns: ['a\nb', 'c'] }, [[lines, '1']]).body).toBe(`a⟦U+000A⟧b,c\n"${shown}",1`);
    expect(write({ columns: ['a'], textCell: true }, [[lines], ['1']]).body).toBe(`a\n"${shown}"\n1`);
    expect(write({ columns: ['a'] }, [[lines]]).body).toBe(`a\n"${shown}"`);
  });

  test('is plain text where it is all there is', () => {
    const { line, body } = write({ columns: ['a\nb'], textCell: true }, [[lines]]);
    expect(line).toBe('1 row. Its name, then the cell as plain text.');
    expect(body).toBe('a⟦U+000A⟧b\nselect 1,\n\t"a"⟦U+000D⟧\nNext: Use execute.\n');
    const cut = write({ columns: ['a'], textCell: true, cellLimit: 11 }, [[lines]]);
    expect(cut.body).toBe(`a\nselect 1,\n\t⟦1-11 of ${lines.length}⟧`);
    const forged = write({ columns: ['a'], textCell: true }, [['⟦1-2 of 3⟧\nx']]);
    expect(forged.body).toBe('a\n⟦U+27E6⟧1-2 of 3⟧\nx');
  });
});

describe('the only row', () => {
  const one = (row: Row, options: Partial<RowsOptions> = {}) =>
    write({ columns: row.map((_, at) => `c${at}`), textCell: true, ...options }, [row]);

  test('has its cell of several lines as plain text after it', () => {
    const { line, body } = one(['items', 'CREATE TABLE `items` (\n  `id` int,\n  `a,b` text\n)', 'x\ny']);
    expect(line).toBe('1 row. The cell ⟦below⟧ follows as plain text.');
    expect(body).toBe('c0,c1,c2\nitems,⟦below⟧,x⟦U+000A⟧y\nCREATE TABLE `items` (\n  `id` int,\n  `a,b` text\n)');
    expect(one(['a', 'b\r\nc\r\nd'])).toMatchObject({
      line: '1 row. The cell ⟦below⟧ follows as plain text. Line breaks are CRLF.',
      body: 'c0,c1\na,⟦below⟧\nb\nc\nd',
    });
    expect(one(['⟦below⟧', 'b\nc\nd']).body).toBe('c0,c1\n⟦U+27E6⟧below⟧,⟦below⟧\nb\nc\nd');
  });

  test('has it cut like any other', () => {
    const cut = one(['k', 'a\n'.repeat(300)], { cellLimit: 11 });
    expect(cut.body).toBe(`c0,c1\nk,⟦below⟧\n${'a\n'.repeat(5)}a⟦1-11 of 600⟧`);
    expect(cut.line).toContain('1 cell cut after 11 characters: same call with cell_offset=11.');
  });

  test('stays a record where a second row follows, or the cell has a single line break', () => {
    expect(one(['k', 'a\nb']).body).toBe('c0,c1\nk,a⟦U+000A⟧b');
    const row = ['k', 'a\nb\nc'];
    const two = write({ columns: ['c0', 'c1'], textCell: true }, [row, row]);
    expect(two.body).toBe(`c0,c1${'\nk,a⟦U+000A⟧b⟦U+000A⟧c'.repeat(2)}`);
  });
});

describe('a cell that is all there is', () => {
  test.each([
    ['{"a": "b, c"}', '{"a": "b, c"}', true],
    ['plain', 'plain', false],
    ['', '""', false],
    ['NULL', '"NULL"', false],
    [' a,b', '" a,b"', false],
    [null, 'NULL', false],
  ])('%j is shown as %s', (cell, shown, isText) => {
    const rows = write({ columns: ['a'], textCell: true }, [[cell]]);
    expect(rows.body).toBe(`a\n${shown}`);
    expect(rows.line).toBe(isText ? '1 row. Its name, then the cell as plain text.' : '1 row.');
  });
});

describe('line breaks of Windows', () => {
  test('are reported once where all are', () => {
    const text = write({ columns: ['a'], textCell: true }, [['one\r\ntwo\r\n']]);
    expect(text).toMatchObject({
      line: '1 row. Its name, then the cell as plain text. Line breaks are CRLF.',
      body: 'a\none\ntwo\n',
    });
    const two = write({ columns: ['a', 'b'] }, [['one\r\ntwo', 'x']]);
    expect(two).toMatchObject({ line: '1 row. Line breaks (⟦U+000A⟧) are CRLF.', body: 'a,b\none⟦U+000A⟧two,x' });
  });

  test.each([
    [['one\r\ntwo', 'three\nfour'], 'one⟦U+000D⟧⟦U+000A⟧two,three⟦U+000A⟧four'],
    [['one\r\n', 'a\rb'], 'one⟦U+000A⟧,a⟦U+000D⟧b'],
    [['a\rb', 'c'], 'a⟦U+000D⟧b,c'],
    [['a\r', '\nb'], 'a⟦U+000D⟧,⟦U+000A⟧b'],
  ])('are marked where that would not be exact: %j', (row, shown) => {
    expect(write({ columns: ['a', 'b'] }, [row]).body).toBe(`a,b\n${shown}`);
  });
});

describe('cells that have room', () => {
  const grown = (rows: readonly Row[], options: Partial<RowsOptions> = {}) =>
    write({ columns: (rows[0] ?? []).map((_, at) => `c${at}`), growCells: true, ...options }, rows);

  test('are shown whole where few rows leave it', () => {
    expect(grown([['x'.repeat(595)]])).toMatchObject({ line: '1 row.', cutCells: 0 });
    expect(grown([['x'.repeat(15_000), 'y'.repeat(15_000)]])).toMatchObject({ line: '1 row.', cutCells: 0 });
    expect(readText(grown([['x'.repeat(15_000), 'y'.repeat(15_000)]])).length).toBeGreaterThan(30_000);
  });

  test('share it where it is not enough, and say how to read on', () => {
    const rows = grown([
      ['1', 'x'.repeat(40_000)],
      ['2', 'y'.repeat(40_000)],
      ['3', 'short'],
    ]);
    expect(rows.cellLimit).toBeGreaterThan(15_000);
    expect(rows.line).toBe(
      `3 rows. 2 cells cut after ${rows.cellLimit} characters: same call with cell_offset=${rows.cellLimit}.`,
    );
    expect(readText(rows).length).toBeGreaterThan(31_000);
    expect(readText(rows).length).toBeLessThanOrEqual(32_000);
  });

  test('are as short as usual where rows fill the answer, or a limit was given', () => {
    const many = Array.from({ length: 100 }, () => ['x'.repeat(2_000)]);
    expect(grown(many)).toMatchObject({ cellLimit: 500, stoppedBy: 'budget' });
    expect(grown([['x'.repeat(2_000)]], { growCells: false })).toMatchObject({ cellLimit: 500, cutCells: 1 });
  });

  test('grow up to the row limit too', () => {
    const many = Array.from({ length: 11 }, () => ['x'.repeat(2_000)]);
    expect(grown(many, { rowLimit: 10 })).toMatchObject({ shownRows: 10, more: 'yes', cutCells: 0 });
  });
});
