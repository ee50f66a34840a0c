import { Failure } from '@dbmole/core';
import { describe, expect, it } from 'vitest';
import type { ClusterIdentity, ClusterRequest } from '../../call/cluster-request.ts';
import type { GuardContext } from '../guard.ts';
import { everythingVisible } from '../index-names.ts';
import { acceptOpen } from './open-write.ts';

const identity: ClusterIdentity = {
  product: 'elasticsearch',
  version: '9.1.0',
  major: 9,
  minor: 1,
  flavour: 'default',
  clusterName: 'c',
};
const closed: GuardContext = { identity, systemIndices: false, readonly: false };

function outcome(request: string, body?: ClusterRequest['body'], context: GuardContext = closed): string {
  const [method, path = ''] = request.split(' ');
  try {
    // The cases below name methods that there are.
    const accepted = acceptOpen({ method: method as ClusterRequest['method'], path, params: {}, body }, 'main', context);
    const query = [...accepted.params].map(([name, value]) => `${name}=${value}`).join('&');
    return `${accepted.kind} /${accepted.segments.join('/')}${query === '' ? '' : `?${query}`}`;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return error.code;
  }
}

const lines = (...values: unknown[]) => values.map((value) => `${JSON.stringify(value)}\n`).join('');
const lookup = { terms: { a: { index: '.security', id: '1', path: 'x' } } };
const packed = Buffer.from(JSON.stringify(lookup)).toString('base64');

describe('on a connection that may write', () => {
  it.each([
    ['POST /a/_search', { size: 1 }, 'read /a/_search'],
    ['POST /_search', {}, `read /${everythingVisible}/_search`],
    ['POST /_msearch', lines({ index: 'a' }, {}), `read /${everythingVisible}/_msearch`],
    ['POST /_text_structure/find_structure', `a plain text 1.5, ${'x,'.repeat(30_000)}`, 'read /_text_structure/find_structure'],
    ['GET /_scripts/s', undefined, 'read /_scripts/s'],
    ['DELETE /_search/scroll', { scroll_id: 'FGluY2x1ZGVfY29udGV4dF91dWlk' }, 'read /_search/scroll'],
  ])('%s is a read like any other', (request, body, expected) => {
    expect(outcome(request, body)).toBe(expected);
  });

  it.each([
    ['PUT /a', { mappings: { properties: { index: { type: 'keyword' } } } }],
    ['DELETE /a-*', undefined],
    ['POST /a/_doc', { index: '.kibana', _index: '.security', x: '.y' }],
    ['PUT /a/_create/1', { index: '.kibana' }],
    ['POST /a/_update/1', { doc: { index: '.kibana' } }],
    ['POST /_bulk', lines({ index: { _index: 'a' } }, { index: '.kibana', message: 'from .security' })],
    ['POST /a/_bulk?pipeline=p', lines({ create: {} }, { a: 1 })],
    ['POST /_reindex', { source: { index: ['a', '*b'] }, dest: { index: 'c' } }],
    ['POST /_aliases', { actions: [{ add: { index: 'a', alias: 'b' } }] }],
    ['POST /a/_delete_by_query', { query: { term: { index: 'x' } } }],
    ['POST /a/_search?search_pipeline=p', { ext: { x: 1 }, query: { match_all: {} } }],
    ['PUT /_index_template/t', { index_patterns: ['.mine-*'], template: {} }],
    ['PUT /_security/role/r', { indices: [{ names: ['.kibana*'], privileges: ['read'] }] }],
    ['POST /.ds-logs-2024.01.01-000001/_forcemerge', undefined],
    ['POST /_refresh', undefined],
    ['POST /_bulk', `${JSON.stringify({ index: { _index: 'a' } })}\n{"a": 9007199254740993, "b": "x", "b": "y"}\n`],
    ['POST /_query', { query: 'FROM a | COMPLETION x = "p" WITH { "inference_id": "m" }' }],
    ['PUT /_scripts/s', '{"script": {\n "lang": "painless",\n "source": "1"}}'],
    ['POST /_query/async', { query: 'FROM a | WHERE x == "from .security" | LIMIT 1' }],
    ['POST /_plugins/_sql', { query: "SELECT * FROM accounts-* WHERE a = '.x'" }],
    ['POST /_plugins/_ppl', { query: 'source=accounts | where host = ".x" | stats count() by host' }],
  ])('%s %j is sent as it is', (request, body) => {
    expect(outcome(request, body)).toBe(`write ${request.slice(request.indexOf(' ') + 1)}`);
  });

  it.each([
    ['POST /.security/_search', {}],
    ['POST /.security/_search?search_pipeline=p', {}],
    ['POST /a,.security/_async_search', {}],
    ['POST /there:.security/_search', {}],
    ['POST /%3C.security-%7Bnow%7D%3E/_async_search', {}],
    ['POST /.security/_doc/_search', {}],
    ['POST /.kibana/_delete_by_query', {}],
    ['PUT /.kibana/_doc/1', {}],
    ['DELETE /.kibana', undefined],
    ['DELETE /.*', undefined],
    ['PUT /.kibana/_alias/mine', undefined],
    ['PUT /_settings/.kibana', {}],
    ['POST /_msearch', lines({ index: '.security' }, {})],
    ['POST /_msearch?max_concurrent_searches=x', lines({ index: '.security' }, {})],
    ['POST /_mget', { docs: [{ _index: '.security', _id: '1' }] }],
    ['POST /_bulk', lines({ index: { _index: '.kibana' } }, {})],
    ['POST /_bulk', `{"index":{"_index":"a"}}\n{}\n{"index":{"_ind\\u0065x":"\\u002ekibana"}}\n{}\n`],
    ['POST /_bulk', `/**/${lines({ index: { _index: '.kibana' } }, {})}`],
    ['POST /_reindex', { source: { index: '.security' }, dest: { index: 'a' } }],
    ['POST /_reindex', '{"source":{"index":"a","ind\\u0065x":".security"},"dest":{"index":"a"}}'],
    ['POST /_aliases', { actions: [{ add: { indices: ['a', '.security'], alias: 'b' } }] }],
    ['POST /a/_search', { query: lookup }],
    ['POST /a/_search?search_pipeline=p', { query: lookup }],
    ['POST /a/_search?search_pipeline=p', { query: { wrapper: { query: packed } } }],
    ['POST /a/_search', { ext: {}, query: { wrapper: { query: packed } } }],
    ['POST /a/_search/template?ext=p', { source: '{{=<% %>=}}{"query":{}}' }],
    ['POST /_query?x=1', { query: 'FROM .security' }],
    ['POST /_query/async', { query: 'FROM .security', wait_for_completion_timeout: '1s' }],
    ['POST /_sql', { query: 'SELECT * FROM ".security"', keep_on_completion: true }],
    ['POST /_search?search_pipeline=p', { pit: { id: `${'A'.repeat(40)}` }, query: lookup }],
    // A reason to call it a write does not keep its indices from being looked at.
    ['POST /_query', { query: 'FROM .security | COMPLETION x = "p" WITH { "inference_id": "m" }' }],
    ['POST /_query', { query: 'FROM a | COLLECT .security' }],
    ['POST /_query/async', { query: 'FROM "<{now{\'.\'}}secret>"' }],
    ['POST /_query/async', '{/* "x" */"query": "FROM *"}'],
    ['PUT /_query/view/v', { query: 'FROM a | LOOKUP JOIN .security ON k' }],
    ['POST /_xpack/sql', { query: 'SELECT * FROM ".security"' }],
    ['POST /_plugins/_sql', { query: 'SELECT * FROM .security' }],
    ['POST /_plugins/_sql/_explain', { query: "SELECT '\\' FROM .security --'" }],
    ['POST /_opendistro/_sql', { query: 'DELETE FROM `.security`' }],
    ['POST /_plugins/_ppl', { query: 'source=.security' }],
    ['POST /_opendistro/_ppl/_explain', { query: 'describe .security' }],
    ['POST /_search?source=%7B%7D&source_content_type=application/json', undefined],
    ['POST /_bulk?index=.security', lines({ index: {} }, {})],
  ])('%s %j is refused for what it names', (request, body) => {
    expect(outcome(request, body)).toMatch(/^E_(?:INDEX_REFUSED|BODY)$/);
    expect(outcome(request, body, { ...closed, systemIndices: true })).toMatch(/^write /);
  });

  it('leaves hidden indices out of reads of everything', () => {
    expect(outcome('POST /_search?search_pipeline=p', {})).toBe(`write /${everythingVisible}/_search?search_pipeline=p`);
    expect(outcome('POST /*/_count?x=1', {})).toBe(`write /${everythingVisible}/_count?x=1`);
  });

  it('does not limit documents that it does not check', () => {
    const text = 'x'.repeat(5_000_000);
    expect(outcome('PUT /a/_doc/1', { text })).toBe('write /a/_doc/1');
    expect(outcome('POST /_bulk', lines({ index: { _index: 'a' } }, { text }))).toBe('write /_bulk');
    expect(outcome('POST /_bulk', lines({ index: { _index: '.a' } }, { text }))).toBe('E_BODY');
  });

  it('changes nothing where hidden indices are allowed', () => {
    expect(outcome('POST /_search', '{"size": 1} // one', { ...closed, systemIndices: true })).toBe('write /_search');
  });
});
