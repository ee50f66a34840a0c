import { expect, it } from 'vitest';
import type { AnswerTable } from '../api.ts';
import { layOutColumns } from './column-layout.ts';
import { formatCopy } from './format-copy.ts';
import { movePlace } from './grid-keys.ts';
import { decodeText, parseRecords, parseTable } from './parse-table.ts';

function toTable(body: string, more: Partial<AnswerTable> = {}): AnswerTable {
  const shownRows = body.split('\n').length - 1;
  const columns = body.split('\n')[0]?.split(',').length ?? 0;
  const whole = { columns, shownColumns: columns, offset: 0, shownRows, cutCells: 0, redactedCells: 0, isCrlf: false, notes: [] };
  return { body, ...whole, ...more };
}

it('parses the records of RFC 4180', () => {
  const read = (text: string) => parseRecords(text).map((record) => record.map((field) => field.text));
  expect(read('a,"b ""x"", c",\n,"",d\n')).toEqual([
    ['a', 'b "x", c', ''],
    ['', '', 'd'],
  ]);
  expect(read('a,"two\nlines"\r\n"open')).toEqual([['a', 'two\nlines'], ['open']]);
});

it('keeps NULL, the text NULL, the empty text and cut values apart', () => {
  const { columns, rows } = parseTable(toTable('a,"b,c",d,e\nNULL,"NULL","",xx⟦1-2 of 90⟧\n⟦U+202E⟧x,⟦U+27E6⟧1⟧,1,2'));
  expect(columns).toEqual(['a', 'b,c', 'd', 'e']);
  expect(rows).toEqual([
    [
      { text: null, mark: '' },
      { text: 'NULL', mark: '' },
      { text: '', mark: '' },
      { text: 'xx', mark: '⟦1-2 of 90⟧' },
    ],
    ['⟦U+202E⟧x', '⟦U+27E6⟧1⟧', '1', '2'].map((text) => ({ text, mark: '' })),
  ]);
  expect(decodeText('⟦U+202E⟧x⟦U+27E6⟧')).toBe('\u202ex⟦');
});

it('reads a cell that is plain text, alone or below its record', () => {
  const text = (table: AnswerTable) => parseTable(table).rows[0]?.map((cell) => cell.text);
  expect(text(toTable('a\n"x",\ny', { text: 'cell', shownRows: 1 }))).toEqual(['"x",⟦U+000A⟧y']);
  expect(text(toTable('a,b\n1,⟦below⟧\nx\ny', { text: 'below', shownRows: 1, isCrlf: true }))).toEqual([
    '1',
    'x⟦U+000D⟧⟦U+000A⟧y',
  ]);
  expect(parseTable(toTable('a,b', { shownRows: 0 }))).toEqual({ columns: ['a', 'b'], rows: [] });
});

it('copies values exactly, and lets nothing in them become markup or a command', () => {
  const table = parseTable(toTable('n,"n",t\n12345678901234567890.10,NULL,a⟦U+000A⟧<b>|"""\n1,"",⟦U+001B⟧[x](y)'));
  expect(formatCopy(table, 'CSV')).toBe('n,n,t\r\n12345678901234567890.10,,"a\n<b>|"""""""\r\n1,"",⟦U+001B⟧[x](y)\r\n');
  expect(formatCopy(table, 'JSON')).toBe(
    '[\n  {"n": "12345678901234567890.10", "n_2": null, "t": "a\\n<b>|\\"\\"\\""},\n  {"n": "1", "n_2": "", "t": "\\u001b[x](y)"}\n]\n',
  );
  expect(formatCopy(table, 'Markdown').split('\n')[2]).toBe('| 12345678901234567890.10 | NULL | a &lt;b\\>\\|""" |');
});

it('lays columns out by what is in them, and moves within the result', () => {
  const layout = layOutColumns(parseTable(toTable('a,b\n1,x\nNULL,y')));
  expect([...layout.numbers]).toEqual([0]);
  const size = { rows: 10, columns: 3, page: 4 };
  const move = (key: string, isControl = false) => movePlace({ row: 5, column: 1 }, { key, isControl }, size);
  expect(move('PageDown')).toEqual({ row: 9, column: 1 });
  expect(move('Home', true)).toEqual({ row: 0, column: 0 });
  expect(move('End')).toEqual({ row: 5, column: 2 });
  expect(move('toString')).toBeUndefined();
});
