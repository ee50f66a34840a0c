import { CutString, RawNumber } from '@dbmole/core';
import { describe, expect, it } from 'vitest';
import { createRoom, tabulate } from './hit-table.ts';

const hit = (_source: object, more: object = {}) => ({ _index: 'a', _id: '1', _score: null, _source, ...more });

const one = { isOneIndex: true, room: 32_000, cellLimit: 500 };

describe('hits', () => {
  it('have a column for everything that is nested in objects, in the order of the documents', () => {
    const table = tabulate([hit({ b: 1, a: { y: 'x', z: { deep: true } } }), hit({ b: 2, c: [1, { d: null }] })], one);
    expect(table.columns).toEqual(['_id', 'b', 'a.y', 'a.z.deep', 'c']);
    expect(table.rows).toEqual([
      ['1', 1, 'x', true, null],
      ['1', 2, null, null, '[1,{"d":null}]'],
    ]);
  });

  it('name their index where it is not the same for all, and their score where there is one', () => {
    expect(tabulate([hit({ a: 1 }, { _score: 1.5 })], { ...one, isOneIndex: false }).columns).toEqual([
      '_id',
      '_index',
      '_score',
      'a',
    ]);
  });

  it('keep every digit, and know how long a text was', () => {
    const { rows } = tabulate([hit({ n: new RawNumber('9007199254740993'), t: new CutString('abc', 9_000) })], one);
    expect(rows).toEqual([['1', '9007199254740993', { text: 'abc', length: 9_000 }]]);
  });

  it('show fields, highlights and inner hits', () => {
    const inner = { comments: { hits: { total: { value: 1 }, hits: [{ _source: { text: 'hi' } }] } } };
    const odd = { _index: 'a', _id: '1', fields: { a: [1], b: [1, 2] }, highlight: { t: ['<em>x</em>'] }, inner_hits: inner };
    const { columns, rows } = tabulate([odd], one);
    expect(columns).toEqual(['_id', 'a', 'b', 'highlight', 'inner_hits.comments']);
    expect(rows[0]).toEqual(['1', 1, '[1,2]', '{"t":["<em>x</em>"]}', '{"total":{"value":1},"hits":[{"text":"hi"}]}']);
  });

  it('are lines of JSON where they have little in common', () => {
    const hits = Array.from({ length: 10 }, (_, index) => hit({ [`only_${index}`]: index }));
    const { columns, rows } = tabulate(hits, one);
    expect(columns).toEqual(['_id', '_source']);
    expect(rows[3]).toEqual(['1', '{"only_3":3}']);
  });

  it.each([{}, { _source: null }, { _source: { a: {} } }, { _source: [] }, { fields: 1 }])(
    'of an odd kind (%j) do no harm',
    (odd) => {
      expect(tabulate([odd], one).rows).toHaveLength(1);
    },
  );

  it('that cannot have room are no rows, and their fields no columns', () => {
    const hits = Array.from({ length: 100 }, (_, index) => hit(index < 50 ? { a: 'x'.repeat(99) } : { b: 1 }));
    const { columns, rows } = tabulate(hits, { ...one, room: 1_000 });
    expect(columns).toEqual(['_id', 'a']);
    expect(rows).toHaveLength(11);
    // Each shows 20 characters at most.
    expect(tabulate(hits, { ...one, room: 1_000, cellLimit: 20 }).rows.length).toBeGreaterThan(50);
  });

  it('have room as long as a table of them may have', () => {
    const room = createRoom(1_000, 500);
    const taken = Array.from({ length: 100 }, () => room.take(hit({ a: 'x'.repeat(99) })));
    expect(taken.filter(Boolean)).toHaveLength(10);
    expect(taken.indexOf(false)).toBe(10);
  });
});
