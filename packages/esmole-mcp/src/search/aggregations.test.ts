import { describe, expect, it } from 'vitest';
import { formatAggregations } from './aggregations.ts';

const format = (value: unknown) => formatAggregations(value, 16_000);

describe('aggregations', () => {
  it('of one value are one line', () => {
    expect(format({ total: { value: 12.5 }, last: { value: 1e12, value_as_string: '2001-09-09' } })).toBe(
      'total: 12.5\nlast: 2001-09-09',
    );
    expect(format({ price: { count: 3, min: 1, max: 5, avg: 3, sum: 9 } })).toBe('price: count=3, min=1, max=5, avg=3, sum=9');
    expect(format({ p: { values: { '50.0': 1, '99.0': 7 } } })).toBe('p: 50.0=1, 99.0=7');
  });

  it('of buckets are a table', () => {
    const states = {
      doc_count_error_upper_bound: 0,
      sum_other_doc_count: 7,
      buckets: [
        { key: 'open', doc_count: 5, price: { value: 2.5 } },
        { key: 'done', doc_count: 3, price: { value: null } },
      ],
    };
    expect(format({ states })).toBe('states (7 documents in other buckets):\nstates,docs,price\nopen,5,2.5\ndone,3,NULL');
  });

  it('inside of buckets are spread out', () => {
    const inner = (names: string[]) => ({ buckets: names.map((key, index) => ({ key, doc_count: index + 1 })) });
    const months = {
      buckets: [
        { key: 1, key_as_string: '2024-01', doc_count: 3, city: inner(['a', 'b']) },
        { key: 2, key_as_string: '2024-02', doc_count: 0, city: inner([]) },
      ],
    };
    expect(format({ months })).toBe('months:\nmonths,city,docs\n2024-01,a,1\n2024-01,b,2\n2024-02,NULL,0');
  });

  it('with keys of any kind', () => {
    expect(format({ f: { buckets: { good: { doc_count: 1 }, bad: { doc_count: 2 } } } })).toBe('f:\nf,docs\ngood,1\nbad,2');
    expect(format({ c: { after_key: { a: 'x' }, buckets: [{ key: { a: 'x', b: 1 }, doc_count: 1 }] } })).toBe(
      'c (after: {"a":"x"}):\na,b,docs\nx,1,1',
    );
    expect(format({ r: { buckets: [{ from: 1, to: 5, doc_count: 2 }] } })).toBe('r:\nr,docs\n1-5,2');
    expect(format({ m: { buckets: [{ key: ['a', 'b'], key_as_string: 'a|b', doc_count: 2 }] } })).toBe('m:\nm,docs\na|b,2');
  });

  it('of one bucket say what is in it', () => {
    expect(format({ cheap: { doc_count: 4, price: { value: 1 } } })).toBe('cheap: docs=4\ncheap.price: 1');
  });

  it('of the best hits show them', () => {
    const top = { hits: { total: { value: 1, relation: 'eq' }, hits: [{ _id: '1', _source: { a: 1 } }] } };
    expect(format({ g: { buckets: [{ key: 'x', doc_count: 1, top }] } })).toBe('g:\ng,docs,top\nx,1,"[{""a"":1}]"');
    expect(format({ top })).toBe('top: [{"a":1}]');
  });

  it('stay within their room, and say what is missing', () => {
    const buckets = Array.from({ length: 5_000 }, (_, key) => ({ key: `key-${key}`, doc_count: 1 }));
    const text = format({ a: { buckets }, b: { buckets } });
    expect(text.length).toBeLessThan(17_000);
    expect(text).toMatch(/^a \(\d+ more rows\):/);
    expect(text).toMatch(/^b \(/m);
  });

  it.each([null, undefined, 1, {}, { a: null }, { a: { buckets: null } }, { a: [] }])(
    'of an odd kind (%j) do no harm',
    (value) => {
      expect(format(value)).toEqual(expect.any(String));
    },
  );
});
