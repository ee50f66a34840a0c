import { Failure } from '@dbmole/core';
import { describe, expect, it } from 'vitest';
import { acceptWrite, type ClusterRequest } from '../call/cluster-request.ts';
import { guardRequest } from '../guard/guard.ts';
import { refuseExpensive } from './check-request.ts';
import { hasWildTerm, startsWithAnything } from './leading-wildcards.ts';

const identity = {
  product: 'elasticsearch',
  version: '9.0.0',
  major: 9,
  minor: 0,
  flavour: 'default',
  clusterName: undefined,
} as const;
const both = { refusesWildcards: true, refusesScripts: true };

function verdictOf(path: string, body?: ClusterRequest['body'], method: ClusterRequest['method'] = 'POST'): string {
  const asked: ClusterRequest = { method: body === undefined ? 'GET' : method, path, params: {}, body };
  const isWrite = /_update|_bulk|_doc|_by_query|_async|_plugins/.test(path);
  const request = isWrite
    ? acceptWrite(asked, { name: 'main', readonly: false })
    : guardRequest(asked, { identity, systemIndices: true, models: true });
  try {
    refuseExpensive(request, both);
    return 'passes';
  } catch (error) {
    return error instanceof Failure && error.code === 'E_TOO_COSTLY' ? error.message : String(error);
  }
}

const query = (inner: object) => ['/a/_search', { query: inner }] as const;

describe('what a policy refuses in requests', () => {
  it.each([
    query({ wildcard: { f: '*x' } }),
    query({ wildcard: { f: { value: '?x' } } }),
    query({ wildcard: { f: { wildcard: '*x', boost: 2 } } }),
    query({ bool: { filter: [{ bool: { must_not: { wildcard: { 'a.b': { value: '*x' } } } } }] } }),
    query({ regexp: { f: '.*x' } }),
    query({ regexp: { f: { value: '(a|.*)x', flags: 'ALL' } } }),
    query({ prefix: { f: '' } }),
    query({ prefix: { f: { value: '*x' } } }),
    query({ query_string: { query: 'a AND f:*x' } }),
    query({ query_string: { query: 'f:(a OR *x)' } }),
    query({ query_string: { query: 'f:/.*x/' } }),
    query({ query_string: { query: 'f:"a\\" *x" AND *y' } }),
    query({ query_string: { query: 'f:\\" *x' } }),
    query({ query_string: { query: '"open *x' } }),
    query({ simple_query_string: { query: '*x' } }),
    query({ kql: { query: 'f: *x' } }),
    query({ span_multi: { match: { wildcard: { f: '*x' } } } }),
    query({ intervals: { f: { wildcard: { pattern: '*x' } } } }),
    query({ nested: { path: 'p', query: { wildcard: { 'p.f': '*x' } } } }),
    query({ wrapper: { query: 'short' } }),
    ['/a/_search', { aggs: { x: { filters: { filters: { term: { wildcard: { value: '*x' } } } } } } }],
    ['/a/_search', { aggs: { x: { filter: { wildcard: { f: '*x' } } } } }],
    ['/a/_search', { post_filter: { wildcard: { f: '*x' } } }],
    ['/a/_search', { suggest: { s: { regex: '.*x', completion: { field: 'f' } } } }],
    ['/a/_search', '{"query": {"wild\\u0063ard": {"f": "\\u002ax"}}}'],
    ['/a/_search?q=f:*x', undefined],
    ['/a/_count?q=*x%20AND%20b', undefined],
    ['/a/_count', { query: { wildcard: { f: '*x' } } }],
    ['/a/_msearch', '{}\n{"query": {"match_all": {}}}\n{}\n{"query": {"wildcard": {"f": "*x"}}}\n'],
    ['/_query', { query: 'FROM a | WHERE f LIKE "*x"' }],
    ['/_query', { query: 'FROM a | WHERE f RLIKE ".*x"' }],
    ['/_query', { query: 'FROM a | WHERE f like ("a*", "*x")' }],
    ['/_query', { query: 'FROM a | WHERE QSTR("f:*x")' }],
    ['/_query', { query: 'FROM a | WHERE KQL("f: *x")' }],
    ['/_query', { query: 'FROM a | LIMIT 1', filter: { wildcard: { f: '*x' } } }],
    ['/_sql', { query: "SELECT * FROM a WHERE f LIKE '%x'" }],
    ['/_sql', { query: "SELECT * FROM a WHERE f RLIKE '.*x'" }],
    ['/_sql', { query: "SELECT * FROM a WHERE QUERY('f:*x')" }],
    ['/_sql', { query: 'SELECT * FROM a WHERE f LIKE ?', params: ['%x'] }],
    ['/a/_eql/search', { query: 'any where f like "*x"' }],
    ['/a/_search/template', { source: '{"query": {"match_all": {}}}' }],
    ['/a/_async_search', { query: { wildcard: { f: '*x' } } }],
    ['/a/_delete_by_query', { query: { wildcard: { f: '*x' } } }],
    ['/_plugins/_sql', { query: "SELECT f FROM a WHERE wildcard_query(f, '*x')" }],
    ['/_plugins/_sql', { query: "SELECT f FROM a WHERE f LIKE '%x'" }],
    ['/_plugins/_ppl', { query: "source = a | where like(f, '%x')" }],
  ] as const)('a leading wildcard or what could be one: %s %j', (path, body) => {
    expect(verdictOf(path, body)).toMatch(/nothing was run$/);
  });

  it.each([
    query({ script: { script: 'true' } }),
    query({ script_score: { query: { match_all: {} }, script: { source: '1' } } }),
    query({ function_score: { functions: [{ script_score: { script: '1' } }] } }),
    query({ terms_set: { f: { terms: ['a'], minimum_should_match_script: { source: '1' } } } }),
    ['/a/_search', { script_fields: { x: { script: '1' } } }],
    ['/a/_search', { sort: { _script: { type: 'number', script: '1' } } }],
    ['/a/_search', { runtime_mappings: { x: { type: 'long', script: 'emit(1)' } } }],
    ['/a/_search', { runtime_mappings: { term: { type: 'long', script: 'emit(1)' } } }],
    ['/a/_search', { aggs: { term: { terms: { script: '1' } } } }],
    ['/a/_search', { aggs: { match: { scripted_metric: { map_script: '1', combine_script: '1', reduce_script: '1' } } } }],
    ['/a/_search', { aggs: { x: { scripted_metric: { map_script: '1', combine_script: '1', reduce_script: '1' } } } }],
    ['/a/_search', { aggs: { x: { avg: { script: { id: 'stored' } } } } }],
    ['/_sql', { query: 'SELECT x FROM a', runtime_mappings: { x: { type: 'long', script: 'emit(1)' } } }],
    ['/_scripts/painless/_execute', { script: { source: '1' } }],
    ['/a/_update/1', { script: 'ctx._source.n++' }],
    ['/_bulk', '{"update": {"_index": "a", "_id": "1"}}\n{"script": "ctx._source.n++"}\n'],
    ['/a/_update_by_query', { script: 'ctx._source.n++', query: { match_all: {} } }],
  ] as const)('a script: %s %j', (path, body) => {
    expect(verdictOf(path, body)).toMatch(/would run a script, which this connection refuses; nothing was run$/);
  });

  it.each([
    query({ match_all: {} }),
    query({ wildcard: { f: 'x*' } }),
    query({ wildcard: { f: '\\*x' } }),
    query({ regexp: { f: 'ab.*' } }),
    query({ regexp: { f: 'ab|cd.*' } }),
    query({ prefix: { f: 'x' } }),
    query({ term: { script: '*x' } }),
    query({ term: { wildcard: '*x' } }),
    query({ match: { f: { query: '*x' } } }),
    query({ query_string: { query: '*' } }),
    query({ query_string: { query: '*:* AND f:* AND a*b' } }),
    query({ query_string: { query: 'f:"*x" AND n:[* TO 5] AND a-*b' } }),
    query({ exists: { field: 'f' } }),
    ['/a/_search', { _source: ['*x'], fields: ['*x'], docvalue_fields: ['*x'] }],
    ['/a/_search', { runtime_mappings: { x: { type: 'long' } } }],
    ['/a/_search?q=f:x*', undefined],
    ['/a*/_search', { size: 0, aggs: { x: { terms: { field: 'f' } } } }],
    ['/_query', { query: 'FROM a | WHERE f LIKE "x*" AND g == "*x"' }],
    ['/_query', { query: 'FROM a | WHERE f LIKE "\\\\*x"' }],
    ['/_sql', { query: "SELECT COUNT(*) FROM a WHERE f LIKE 'x%' AND g = '%x'" }],
    ['/a/_eql/search', { query: 'any where f like "x*"' }],
    ['/a/_doc/1', { script: 'a field', wildcard: { f: '*x' } }],
    ['/_bulk', '{"index": {"_index": "a"}}\n{"script": "a field"}\n'],
    ['/a/_update/1', { doc: { script: 'a field' } }],
  ] as const)('neither: %s %j', (path, body) => {
    expect(verdictOf(path, body)).toBe('passes');
  });

  it('reads hostile patterns in little time', () => {
    for (const part of ['*', '"', '/', '\\', '(', '|', '?a ', ':*', '+*', '.*|']) {
      const started = performance.now();
      hasWildTerm(part.repeat(100_000));
      startsWithAnything(`a${part.repeat(100_000)}`);
      expect([part, performance.now() - started < 2_000]).toEqual([part, true]);
    }
  });
});
