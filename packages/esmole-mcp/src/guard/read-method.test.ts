import { describe, expect, it } from 'vitest';
import type { ClusterIdentity } from '../call/cluster-request.ts';
import { chooseReadMethod } from './read-method.ts';

const identity: ClusterIdentity = {
  product: 'elasticsearch',
  version: '8.19.0',
  major: 8,
  minor: 19,
  flavour: 'default',
  clusterName: 'c',
};

describe('chooseReadMethod', () => {
  it.each([
    ['/_cat/indices', undefined, 'GET'],
    ['/logs/_search', undefined, 'GET'],
    ['/logs/_search', {}, 'POST'],
    ['/_query', { query: 'FROM logs' }, 'POST'],
    ['/_query', undefined, 'POST'],
    ['/_aliases', { actions: [] }, 'GET'],
    ['HEAD /logs', undefined, 'HEAD'],
    ['post /logs/_count', undefined, 'POST'],
    ['/logs/_unknown', {}, 'GET'],
    ['/logs/_doc/1', { a: 1 }, 'GET'],
  ])('%s with the body %j is sent as %s', (path, body, method) => {
    expect(chooseReadMethod({ path, body }, identity)).toEqual({ method, path: path.replace(/^\w+ /, '') });
  });
});
