import { describe, expect, it } from 'vitest';
import { findNamedFields } from './named-fields.ts';

describe('the fields that a search names', () => {
  it.each<[object, string[]]>([
    [{ query: { match: { 'a.b': 'x' } } }, ['a.b']],
    [
      { query: { bool: { filter: [{ term: { a: 1 } }, { range: { b: { gte: 1 } } }], must_not: { exists: { field: 'c' } } } } },
      ['a', 'b', 'c'],
    ],
    [{ query: { terms: { a: [1], boost: 2 } } }, ['a']],
    [{ query: { multi_match: { query: 'x', fields: ['title^3', 'body.*'] } } }, ['body.*', 'title']],
    [{ query: { nested: { path: 'spans', query: { term: { 'spans.name': 'x' } } } } }, ['spans', 'spans.name']],
    [{ query: { query_string: { query: 'a:1 AND (b.c:"d:e" OR -f:[1 TO 2])', default_field: 'g' } } }, ['a', 'b.c', 'f', 'g']],
    [{ query: { geo_distance: { distance: '1km', place: [0, 0] } } }, ['place']],
    [
      { query: { function_score: { functions: [{ gauss: { at: { scale: '1d' } } }], query: { prefix: { a: 'x' } } } } },
      ['a', 'at'],
    ],
    [{ query: { script_score: { script: { source: 'x', params: { term: { no: 1 } } } } } }, []],
    [{ q: 'service.name:auth AND _exists_:host status:(1 2)' }, ['host', 'service.name', 'status']],
    [{ q: '@timestamp:[now-1d TO now]' }, ['@timestamp']],
    [
      {
        aggs: {
          s: {
            terms: { field: 'a', order: { x: 'asc' } },
            aggs: { x: { avg: { field: 'b' } }, f: { filter: { term: { c: 1 } } } },
          },
        },
      },
      ['a', 'b', 'c'],
    ],
    [{ aggs: { c: { composite: { sources: [{ d: { date_histogram: { field: 'at' } } }] } } } }, ['at']],
    [
      { aggs: { m: { multi_terms: { terms: [{ field: 'a' }, { field: 'b' }] } }, n: { nested: { path: 'spans' } } } },
      ['a', 'b', 'spans'],
    ],
    [{ aggs: { t: { top_hits: { sort: [{ no: 'asc' }], _source: ['no'] } } } }, []],
    [
      { sort: ['a:desc', { b: { order: 'asc' } }, '_score', { _geo_distance: { place: [0, 0], unit: 'km' } }] },
      ['a', 'b', 'place'],
    ],
    [
      { source: ['a.*', '_x'], fields: ['b', { field: 'c', format: 'x' }], body: { highlight: { fields: { d: {} } } } },
      ['a.*', 'b', 'c', 'd'],
    ],
    [
      { body: { knn: { field: 'v', filter: { term: { a: 1 } } }, collapse: { field: 'b' }, post_filter: { term: { c: 1 } } } },
      ['a', 'b', 'c', 'v'],
    ],
    [{ body: { suggest: { s: { text: 'x', term: { field: 'a' } } } } }, []],
    [{ fields: ['r', 'a'], body: { runtime_mappings: { r: { type: 'long' } } } }, ['a']],
    [{ source: ['*'], query: { term: { 'join#parent': 1 } } }, ['join#parent']],
  ])('%j are %j', (search, names) => {
    expect(findNamedFields(search).toSorted()).toEqual(names);
  });

  it('finds field names in a long text in little time', () => {
    const started = performance.now();
    expect(findNamedFields({ q: `${'a-'.repeat(50_000)}:${'"x'.repeat(50_000)}` })).toEqual([]);
    expect(performance.now() - started).toBeLessThan(200);
  });
});
