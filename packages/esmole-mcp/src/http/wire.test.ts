import { describe, expect, it } from 'vitest';
import { acceptWrite, type ClusterRequest } from '../call/cluster-request.ts';
import { formatWire } from './wire.ts';

const wire = (path: string, body?: ClusterRequest['body'], prefix?: string) =>
  formatWire(acceptWrite({ method: 'POST', path, params: {}, body }, { name: 'c', readonly: false }), prefix);

describe('formatWire', () => {
  it('writes path and query', () => {
    expect(wire('/a,b/_search?q=x%3A1%26y&h=a,b&s=a%2Fb;c d+e')).toMatchObject({
      method: 'POST',
      path: '/a,b/_search?q=x:1%26y&h=a,b&s=a/b%3Bc%20d%20e',
      body: undefined,
      contentType: undefined,
    });
    expect(wire('/', undefined, '/es').path).toBe('/es/');
    expect(wire('/_cat/indices?v', undefined, '/es').path).toBe('/es/_cat/indices?v=');
  });

  it('writes objects and lists as JSON, and leaves a text as it is', () => {
    expect(wire('/x/_search', { a: [1] })).toMatchObject({ body: '{"a":[1]}', contentType: 'application/json' });
    expect(wire('/x', [1, 2])).toMatchObject({ body: '[1,2]', contentType: 'application/json' });
    expect(wire('/x', '{ "a": 1e2 }')).toMatchObject({ body: '{ "a": 1e2 }', contentType: 'application/json' });
  });

  it.each(['/_bulk', '/idx/_bulk', '/_msearch', '/idx/_msearch', '/_msearch/template', '/idx/type/_bulk'])(
    'writes lines for %s',
    (path) => {
      const contentType = 'application/x-ndjson';
      expect(wire(path, '{"a":1}\n{"b":2}\n')).toMatchObject({ body: '{"a":1}\n{"b":2}\n', contentType });
      expect(wire(path, '{"a":1}\n{"b":2}')).toMatchObject({ body: '{"a":1}\n{"b":2}\n', contentType });
      expect(wire(path, [{ a: 1 }, '{"b":2}', {}])).toMatchObject({ body: '{"a":1}\n{"b":2}\n{}\n', contentType });
    },
  );

  it.each(['/idx/_doc/_bulk', '/idx/_create/_msearch', '/idx/_update/_bulk', '/_bulk/x', '/my_bulk'])(
    'does not write lines for %s',
    (path) => {
      expect(wire(path, [{ a: 1 }])).toMatchObject({ body: '[{"a":1}]', contentType: 'application/json' });
    },
  );
});
