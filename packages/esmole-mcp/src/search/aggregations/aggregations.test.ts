import { LeftOut, RawNumber } from '@dbmole/core';
import { describe, expect, it } from 'vitest';
import { type AggregationOptions, AggregationText } from './aggregations.ts';

const formatIn = async (room: number, value: unknown, options?: AggregationOptions) =>
  await (await AggregationText.read(value, options)).format(room);
const format = async (value: unknown) => (await formatIn(16_000, value)).body;
const terms = (buckets: unknown, others = 0) => ({ doc_count_error_upper_bound: 0, sum_other_doc_count: others, buckets });

describe('AggregationText', () => {
  it('shows an aggregation of one value as one line', async () => {
    expect(await format({ total: { value: 12.5 }, last: { value: 1e12, value_as_string: '2001-09-09' } })).toBe(
      'total: 12.5\nlast: 2001-09-09',
    );
    expect(await format({ price: { count: 3, min: 1, max: 5, avg: 3, sum: 9 } })).toBe(
      'price: count=3, min=1, max=5, avg=3, sum=9',
    );
    expect(await format({ p: { values: { '50.0': 1, '99.0': 7 } } })).toBe('p: 50.0=1, 99.0=7');
    expect(await format({ p: { values: [{ key: 50, value: 1 }] } })).toBe('p: 50=1');
    expect(await format({ cheap: { doc_count: 4, price: { value: 1 } } })).toBe('cheap: docs=4, price=1');
    expect(await format({ m: { keys: ['a'], value: 1 } })).toBe('m: keys=a, 1');
    expect(await format({ b: { bounds: { top_left: { lat: 1.5, lon: 2 } } } })).toBe(
      'b: bounds.top_left.lat=1.5, bounds.top_left.lon=2',
    );
  });

  it('shows buckets as a table', async () => {
    const buckets = [
      { key: 'open', doc_count: 5, price: { value: 2.5 } },
      { key: 'done', doc_count: 3, price: { value: null } },
    ];
    expect(await format({ states: terms(buckets, 7) })).toBe(
      'states (7 documents in other buckets):\nstates,docs,price\nopen,5,2.5\ndone,3,NULL',
    );
  });

  it('keeps everything that a bucket has beside its inner buckets', async () => {
    const path = (key: string, doc_count: number) => ({ key, doc_count });
    const buckets = [
      {
        key: 'search',
        doc_count: 30,
        p: terms([path('/a', 9), path('/b', 8)], 13),
        a: { value: 1.5 },
        q: terms([path('x', 30)]),
      },
      { key: 'auth', doc_count: 2, p: terms([]), a: { value: null }, q: terms([path('y', 2)]) },
    ];
    expect((await format({ s: terms(buckets, 4) })).split('\n')).toEqual([
      's (4 documents in other buckets):',
      's,docs,p.sum_other_doc_count,a',
      'search,30,13,1.5',
      'auth,2,0,NULL',
      's > p:',
      's,p,docs',
      'search,/a,9',
      'search,/b,8',
      's > q:',
      's,q,docs',
      'search,x,30',
      'auth,y,2',
    ]);
  });

  it('finds buckets inside of single buckets, also at the top', async () => {
    const inner = { doc_count: 3, p: { buckets: [{ key: 'a', doc_count: 3 }] }, m: { value: 8 } };
    expect(await format({ s: { buckets: [{ key: 1, doc_count: 5, errors: inner }] }, all: inner })).toBe(
      'all: docs=3, m=8\ns:\ns,docs,errors.docs,errors.m\n1,5,3,8\ns > errors > p:\ns,p,docs\n1,a,3\nall > p:\np,docs\na,3',
    );
  });

  it('reads keys of any kind', async () => {
    expect(await format({ f: { buckets: { good: { doc_count: 1 }, bad: { doc_count: 2 } } } })).toBe('f:\nf,docs\ngood,1\nbad,2');
    expect(await format({ c: { after_key: { a: 'x' }, buckets: [{ key: { a: 'x', b: 1 }, doc_count: 1 }] } })).toBe(
      'c (after_key={"a":"x"}):\na,b,docs\nx,1,1',
    );
    expect(await format({ r: { buckets: [{ key: '1.0-5.0', from: 1, to: 5, doc_count: 2 }] } })).toBe('r:\nr,docs\n1.0-5.0,2');
    expect(await format({ r: { buckets: { cheap: { to: 5, doc_count: 2 } } } })).toBe('r:\nr,to,docs\ncheap,5,2');
    expect(await format({ r: { buckets: [{ from: 1, doc_count: 2 }] } })).toBe('r:\nr,docs\n1-*,2');
    expect(await format({ m: { buckets: [{ key: ['a', 'b'], key_as_string: 'a|b', doc_count: 2 }] } })).toBe('m:\nm,docs\na|b,2');
    expect(await format({ d: { buckets: [{ key_as_string: '2024', key: 17e11, doc_count: 2 }] } })).toBe('d:\nd,docs\n2024,2');
    expect(
      await format({ x: { doc_count: 9, bg_count: 90, buckets: [{ key: 'a', doc_count: 2, score: 0.5, bg_count: 3 }] } }),
    ).toBe('x (docs=9, bg_count=90):\nx,docs,score,bg_count\na,2,0.5,3');
  });

  it('accepts names that are words of the response format', async () => {
    const value = {
      buckets: [{ key: 1, doc_count: 2, value: { value: 3 }, docs: { value: 4 }, hits: { value: 5 }, x: { value: 6 } }],
    };
    expect(await format({ x: value })).toBe('x:\nx,docs,value,docs#2,hits,x#6\n1,2,3,4,5,6');
    expect(await format({ x: { buckets: [{ key: 1, doc_count: 2, x: { buckets: [{ key: 7, doc_count: 8 }] } }] } })).toContain(
      'x > x:\nx,x#2,docs\n1,7,8',
    );
  });

  it('shows a row for each of the top hits', async () => {
    const hits = [
      { _index: 'i', _id: '1', _score: null, _source: { a: { b: 1 } }, sort: [17] },
      { _index: 'i', _id: '2', _score: 2.5, _source: { a: { b: 3 } } },
    ];
    const top = { hits: { total: { value: 9, relation: 'eq' }, max_score: null, hits } };
    expect(await format({ g: { buckets: [{ key: 'x', doc_count: 9, top }] } })).toBe(
      'g:\ng,docs,top.total\nx,9,9\ng > top:\ng,_id,_index,sort,a.b,_score\nx,1,i,17,1,NULL\nx,2,i,NULL,3,2.5',
    );
    expect(await format({ t: { top: [{ sort: [1], metrics: { a: 2 } }] } })).toBe('t: sort=1, metrics.a=2');
  });

  it('keeps every digit of a number', async () => {
    expect(await format({ m: { value: new RawNumber('9007199254740993') } })).toBe('m: 9007199254740993');
  });

  it('shows a table of values that are too many for one line', async () => {
    const value = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`name ${at}`, at * 7]));
    expect(await format({ s: { value } })).toMatch(/^s:\nfield,value\nname 0,0\nname 1,7\n/);
    const buckets = Array.from({ length: 30 }, (_, key) => ({ key, doc_count: 1, s: { value: { [`n${key}`]: key * 7 } } }));
    expect(await format({ g: { buckets } })).toContain('\n29,1,"{""s.n29"":203}"');
  });

  it('shows the same number of rows of each table where not all fit, and reads on', async () => {
    const list = (length: number) => ({ buckets: Array.from({ length }, (_, at) => ({ key: `key-${at}`, doc_count: at })) });
    const all = { a: list(3_000), b: list(2_000), c: { value: 5 } };
    const first = await formatIn(16_000, all);
    expect(first.body.length).toBeLessThanOrEqual(16_000);
    const next = Number(/same call with agg_offset=(\d+)\.$/.exec(first.notes.join())?.[1]);
    expect(next).toBeGreaterThan(400);
    expect(first.body).toContain(`a (rows 1-${next} of 3000):`);
    expect(first.body).toContain(`b (rows 1-${next} of 2000):`);
    const second = (await formatIn(16_000, all, { offset: next })).body;
    expect(second).toMatch(new RegExp(`^a \\(rows ${next + 1}-`));
    expect(second).not.toContain('c:');
    const last = await formatIn(16_000, all, { offset: 2_990 });
    expect(last.body.split('\n')).toHaveLength(12);
    expect(last.notes).toEqual([]);
  });

  it('shows a part of each table where one is too wide', async () => {
    const wide = {
      buckets: [
        {
          key: 1,
          doc_count: 1,
          s: { value: Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`f${at}`, 'x'.repeat(400)])) },
        },
      ],
    };
    const { body, notes } = await formatIn(8_000, { wide, b: { buckets: [{ key: 'kept', doc_count: 5 }] } });
    expect(body).toMatch(/wide \(.*cut after \d+ characters.*: same call with cell_offset=\d+\):/);
    expect(body).toContain('\nkept,5');
    expect(notes).toEqual([]);
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`t${at}`, { buckets: [{ key: at, doc_count: 1 }] }]));
    expect((await formatIn(4_000, many)).notes).toEqual(['98 more tables have no room: ask for fewer aggregations at a time.']);
  });

  it('says how many rows were not kept', async () => {
    expect(await format({ a: { buckets: [{ key: 1, doc_count: 1 }, new LeftOut(70)] } })).toMatch(
      /^a \(70 more were not kept, ask for fewer\):/,
    );
  });

  it('says that there are no buckets', async () => {
    expect(await format({ a: terms([]) })).toBe('a: no buckets');
  });

  it.each([null, undefined, 1, {}, { a: null }, { a: { buckets: null } }, { a: [] }, { a: { buckets: [1, null, [{}]] } }])(
    'accepts an answer of an unexpected shape: %j',
    async (value) => {
      expect(await format(value)).toEqual(expect.any(String));
    },
  );
});
