import type { ExportFile } from '@dbmole/core';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ExportSink } from './export-sink.ts';
import { formats, uniqueNames } from './row-format.ts';

describe('the rows of an export', () => {
  const discarded = { path: 'a.csv', bytes: 0, write: () => undefined, finish: () => undefined, discard: () => undefined };
  const open = (file: ExportFile = discarded) => {
    const sink = new ExportSink({ file, format: 'csv', onProgress: () => undefined });
    sink.columns([{ name: 'n', type: 'text' }]);
    return sink;
  };

  it.each([
    [{ text: 'abc', length: 4 }, '4 characters'],
    [{ text: '\\x616263', length: 4, unit: 'bytes' as const }, '4 bytes'],
  ])('stop at a cell that was cut', (cell, length) => {
    const sink = open();
    expect(sink.row(['1'])).toBe(true);
    expect(sink.row([cell])).toBe(false);
    expect(sink.row(['3'])).toBe(false);
    expect(() => sink.end()).toThrow(`row 2 has ${length} in column "n"`);
  });

  it('stop when the disk is full', () => {
    const write = () => {
      throw new Error('no space left');
    };
    const sink = open({ ...discarded, write });
    expect(sink.row(['1'])).toBe(false);
    expect(() => sink.end()).toThrow('no space left');
  });

  it('are not there when the statement has no result', () => {
    const sink = new ExportSink({ file: discarded, format: 'csv', onProgress: () => undefined });
    expect(() => sink.end()).toThrow('nothing to export');
  });
});

const cell = fc.oneof(fc.constant(null), fc.string({ unit: 'grapheme' }), fc.constantFrom('', ',', '"', '\r\n', 'NULL', ' x '));

describe('CSV', () => {
  it('gives back every cell', () => {
    fc.assert(
      fc.property(fc.array(cell, { minLength: 1, maxLength: 5 }), (cells) => {
        const line = formats.csv(cells.map((_, index) => ({ name: `c${index}`, type: 'text' }))).row(cells);
        expect(readCsvLine(line)).toEqual(cells);
      }),
    );
  });
});

describe('JSON Lines', () => {
  it.each([
    ['integer', '1', 1],
    ['int unsigned', '4294967295', 4_294_967_295],
    ['bigint', '9007199254740991', 9_007_199_254_740_991],
    ['bigint', '9007199254740992', '9007199254740992'],
    ['numeric(10,2)', '1.10', 1.1],
    ['numeric(10,2)', '20.00', 20],
    ['numeric', '-0.00', '-0.00'],
    ['numeric(30,2)', '12345678901234567.10', '12345678901234567.10'],
    ['numeric', '1.', '1.'],
    ['numeric', 'NaN', 'NaN'],
    ['double precision', 'Infinity', 'Infinity'],
    ['double precision', '0.1', 0.1],
    ['double precision', '1e+21', '1e+21'],
    ['float', '1e400', '1e400'],
    ['integer', '007', '007'],
    ['integer', '-0', '-0'],
    ['interval', '1', '1'],
    ['int4range', '1', '1'],
    ['integer[]', '{1}', '{1}'],
    ['text', '1', '1'],
    ['boolean', 't', true],
    ['boolean', 'false', false],
    ['boolean', 'maybe', 'maybe'],
  ])('writes %s %s as %j', (type, text, value) => {
    const line = formats.jsonl([{ name: 'a', type }]).row([text]);
    expect(line.endsWith('\n')).toBe(true);
    expect(JSON.parse(line)).toEqual({ a: value });
  });

  it('changes no name but those that are there twice', () => {
    expect(uniqueNames(['a', 'a', 'a_2', 'b', 'a'])).toEqual(['a', 'a_3', 'a_2', 'b', 'a_4']);
  });

  it('gives back every text, under names that are all different', () => {
    const name = fc.oneof(fc.constantFrom('a', 'a_2', 'a_3', '__proto__', '1'), fc.string());
    fc.assert(
      fc.property(fc.array(fc.tuple(name, cell), { minLength: 1 }), (fields) => {
        const columns = fields.map(([name]) => ({ name, type: 'text' }));
        const names = uniqueNames(columns.map(({ name }) => name));
        expect(new Set(names).size).toBe(names.length);
        const parsed = new Map(Object.entries(JSON.parse(formats.jsonl(columns).row(fields.map(([, text]) => text)))));
        for (const [index, unique] of names.entries()) expect(parsed.get(unique)).toEqual(fields[index]?.[1]);
      }),
    );
  });
});

/** One record; an empty field is null, a quoted one a text. */
function readCsvLine(line: string): (string | null)[] {
  const cells: (string | null)[] = [];
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy;
  for (let found = field.exec(line); found !== null; found = field.exec(line)) {
    cells.push(found[1] !== undefined ? found[1].replaceAll('""', '"') : found[2] || null);
  }
  return cells;
}
