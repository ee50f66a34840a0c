import { CutString, RawNumber } from '@dbmole/core';
import { describe, expect, it } from 'vitest';
import { createRoom, tabulate } from './hit-table.ts';

const hit = (_source: object, more: object = {}) => ({ _index: 'a', _id: '1', _score: null, _source, ...more });

const one = { isOneIndex: true, room: 32_000, cellLimit: 500 };

describe('hits', () => {
  it('makes a column for each nested field, in the order of the documents', async () => {
    const table = await tabulate([hit({ b: 1, a: { y: 'x', z: { deep: true } } }), hit({ b: 2, c: [1, { d: null }] })], one);
    expect(table.columns).toEqual(['_id', 'b', 'a.y', 'a.z.deep', 'c']);
    expect(table.rows).toEqual([
      ['1', 1, 'x', true, null],
      ['1', 2, null, null, '[1,{"d":null}]'],
    ]);
  });

  it('shows the index where hits differ in it, and the score where there is one', async () => {
    expect((await tabulate([hit({ a: 1 }, { _score: 1.5 })], { ...one, isOneIndex: false })).columns).toEqual([
      '_id',
      '_index',
      '_score',
      'a',
    ]);
  });

  it('keeps every digit, and the length of a cut text', async () => {
    const { rows } = await tabulate([hit({ n: new RawNumber('9007199254740993'), t: new CutString('abc', 9_000) })], one);
    expect(rows).toEqual([['1', { text: '9007199254740993', length: 16 }, { text: 'abc', length: 9_000 }]]);
  });

  it('shows fields, highlights and inner hits', async () => {
    const inner = { comments: { hits: { total: { value: 4, relation: 'eq' }, hits: [{ _id: '7', _source: { text: 'hi' } }] } } };
    const odd = {
      _index: 'a',
      _id: '1',
      fields: { a: [1], b: [1, 2] },
      highlight: { t: ['<em>x</em>', '<em>y</em>'] },
      inner_hits: inner,
    };
    const { columns, rows } = await tabulate([odd], one);
    expect(columns).toEqual(['_id', 'a', 'b', 'highlight.t', 'inner_hits.comments']);
    expect(rows[0]).toEqual(['1', 1, '[1,2]', '<em>x</em> … <em>y</em>', '1 of 4: [{"_id":"7","text":"hi"}]']);
  });

  it('quotes texts in a column that also has numbers', async () => {
    const hits = [hit({ a: '200', b: '1', c: 'x' }), hit({ a: 200, b: '2', c: 1 }), hit({ a: true }), hit({ a: 'true' })];
    const { rows } = await tabulate(hits, one);
    expect(rows).toEqual([
      ['1', '"200"', '1', 'x'],
      ['1', 200, '2', 1],
      ['1', true, null, null],
      ['1', '"true"', null, null],
    ]);
  });

  it('shows computed sort values and ignored fields', async () => {
    const odd = hit({ a: 1 }, { sort: [17, 2.5], _ignored: ['note'], ignored_field_values: { note: ['long'] } });
    const { columns, rows } = await tabulate([odd], { ...one, computed: [undefined, '_geo_distance'] });
    expect(columns).toEqual(['_id', '_geo_distance', '_ignored', 'ignored_field_values', 'a']);
    expect(rows).toEqual([['1', 2.5, 'note', '{"note":["long"]}', 1]]);
  });

  it('shows hits with little in common as lines of JSON', async () => {
    const hits = Array.from({ length: 10 }, (_, index) => hit({ [`only_${index}`]: index }));
    const { columns, rows } = await tabulate(hits, one);
    expect(columns).toEqual(['_id', '_source']);
    expect(rows[3]).toEqual(['1', '{"only_3":3}']);
  });

  it.each([{}, { _source: null }, { _source: { a: {} } }, { _source: [] }, { fields: 1 }])(
    'accepts a hit of unexpected shape: %j',
    async (odd) => {
      expect((await tabulate([odd], one)).rows).toHaveLength(1);
    },
  );

  it('leaves out hits without room, and their columns', async () => {
    const hits = Array.from({ length: 100 }, (_, index) => hit(index < 50 ? { a: 'x'.repeat(99) } : { b: 1 }));
    const { columns, rows } = await tabulate(hits, { ...one, room: 1_000 });
    expect(columns).toEqual(['_id', 'a']);
    expect(rows).toHaveLength(11);
    // Each shows 20 characters at most.
    expect((await tabulate(hits, { ...one, room: 1_000, cellLimit: 20 })).rows.length).toBeGreaterThan(50);
  });

  it('keeps hits as long as a table may have room', () => {
    const room = createRoom(1_000, 500);
    const taken = Array.from({ length: 100 }, () => room.take(hit({ a: 'x'.repeat(99) })));
    expect(taken.filter(Boolean)).toHaveLength(10);
    expect(taken.indexOf(false)).toBe(10);
  });
});
