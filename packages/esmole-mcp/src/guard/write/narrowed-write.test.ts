import { Failure } from '@dbmole/core';
import { describe, expect, it } from 'vitest';
import type { ClusterIdentity, ClusterRequest } from '../../call/cluster-request.ts';
import { acceptNarrowed } from './narrowed-write.ts';

const identity: ClusterIdentity = {
  product: 'elasticsearch',
  version: '9.1.0',
  major: 9,
  minor: 1,
  flavour: 'default',
  clusterName: 'c',
};
const context = { identity, indices: ['logs-*', 'orders'], systemIndices: false, readonly: false };

function outcome(method: ClusterRequest['method'], path: string, body?: ClusterRequest['body']): string {
  try {
    const accepted = acceptNarrowed({ method, path, params: {}, body }, 'main', context);
    return `${accepted.kind} ${accepted.segments.join('/')}`;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return error.code;
  }
}

const lines = (...values: unknown[]) => values.map((value) => `${JSON.stringify(value)}\n`).join('');
const refused = 'E_INDEX_REFUSED';

describe('what may write, where a person has narrowed the indices', () => {
  it.each([
    ['POST', '/orders/_doc', { a: 1 }],
    ['PUT', '/logs-2024/_doc/1?refresh=true', { index: 'whatever' }],
    ['DELETE', '/orders/_doc/1', undefined],
    ['PUT', '/orders/_create/1', { a: 1 }],
    ['POST', '/orders/_update/1', { doc: { a: 1 } }],
    ['POST', '/orders/_bulk', lines({ index: {} }, { a: 1 }, { delete: { _id: '1', _index: 'logs-1' } })],
  ] as const)('lets %s %s through as a write', (method, path, body) => {
    expect(outcome(method, path, body)).toMatch(/^write /);
  });

  it('guards reads on a narrowed connection', () => {
    expect(outcome('POST', '/orders/_search', { query: { match_all: {} } })).toBe('read orders/_search');
    expect(outcome('POST', '/_search', {})).toBe('read logs-*,orders/_search');
    expect(outcome('POST', '/other/_search', {})).toBe(refused);
    const query = { terms: { user: { index: 'other', id: '1', path: 'x' } } };
    expect(outcome('POST', '/orders/_search', { query })).toBe(refused);
  });

  it.each([
    ['POST', '/other/_doc', { a: 1 }],
    ['PUT', '/orders,other/_doc/1', { a: 1 }],
    ['PUT', '/logs-1,other/_doc/1', { a: 1 }],
    ['PUT', '/logs-%2Cother/_doc/1', { a: 1 }],
    ['PUT', '/logs-*/_doc/1', { a: 1 }],
    ['PUT', '/there:orders/_doc/1', { a: 1 }],
    ['PUT', '/<logs-{now}>/_doc/1', { a: 1 }],
    ['POST', '/orders/_doc?pipeline=elsewhere', { a: 1 }],
    ['POST', '/_bulk', lines({ index: { _index: 'orders' } }, {})],
    ['POST', '/orders/_bulk?pipeline=x', lines({ index: {} }, {})],
    ['POST', '/orders/_bulk', lines({ index: { _index: 'other' } }, {})],
    ['POST', '/orders/_bulk', lines({ index: {} }, {}, { create: { _index: 'other' } }, {})],
    ['POST', '/orders/_bulk', lines({ index: { pipeline: 'x' } }, {})],
    ['POST', '/orders/_bulk', lines({ delete: { _index: ['other'], _id: '1' } })],
    ['POST', '/orders/_bulk', { index: { _index: 'other' } }],
    // With types of documents, each of these leads to a request that reads or writes what its body names.
    ['POST', '/orders/_doc/_mget', { docs: [{ _index: 'other', _id: '1' }] }],
    ['POST', '/orders/_doc/_msearch', lines({ index: 'other' }, {})],
    ['POST', '/orders/_doc/_bulk', lines({ index: { _index: 'other' } }, {})],
    ['POST', '/orders/_bulk/_mget', { docs: [{ _index: 'other', _id: '1' }] }],
    ['POST', '/orders/_bulk/x', { a: 1 }],
    ['POST', '/orders/_update/_search', { query: { terms: { k: { index: 'other', id: '1', path: 'x' } } } }],
    ['DELETE', '/orders', undefined],
    ['PUT', '/orders', { aliases: { other: {} } }],
    ['POST', '/orders/_update_by_query', { query: { match_all: {} } }],
    ['POST', '/orders/_delete_by_query', { query: { match_all: {} } }],
    ['POST', '/_reindex', { source: { index: 'other' }, dest: { index: 'orders' } }],
    ['POST', '/_sql', { query: 'select * from other' }],
    ['POST', '/_aliases', { actions: [{ add: { index: 'other', alias: 'logs-x' } }] }],
    ['PUT', '/_ingest/pipeline/x', {}],
    ['DELETE', '/_all', undefined],
  ] as const)('refuses %s %s', (method, path, body) => {
    expect(outcome(method, path, body)).toBe(refused);
  });

  it.each([
    ['with a plain key behind it', { delete: { _index: 'other', _id: '5' }, x: {} }],
    ['with a plain key before it', { x: 1, index: { _index: 'other' } }],
    ['that has an index of the list', { index: { _index: 'orders' }, x: {} }],
    ['with a pipeline', { create: { pipeline: 'p' }, x: {} }],
    ['with a second action', { index: {}, delete: { _index: 'other', _id: '1' } }],
    ['with a second action that is no object', { index: {}, delete: null }],
    ['that names a hidden index', { update: { _index: '.secret', _id: '1' }, doc: { a: 1 } }],
  ])('refuses a bulk action %s, in a text and in a list', (_what, line) => {
    expect(outcome('POST', '/orders/_bulk', lines(line, { a: 1 }))).toBe(refused);
    expect(outcome('POST', '/orders/_bulk', [line, { a: 1 }])).toBe(refused);
    expect(outcome('POST', '/orders/_bulk', lines({ index: {} }, line))).toBe(refused);
  });

  it('accepts bulk lines as a list or as text', () => {
    expect(outcome('POST', '/orders/_bulk', [{ index: {} }, { index: 'x', update: 5 }])).toMatch(/^write /);
  });

  it('refuses duplicate keys', () => {
    const body = '{"index":{"_index":"other","_index":"orders"}}\n{}\n';
    expect(outcome('POST', '/orders/_bulk', body)).toBe('E_BODY');
  });
});
