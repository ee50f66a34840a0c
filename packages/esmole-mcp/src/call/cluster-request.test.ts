import { describe, expect, it } from 'vitest';
import { acceptWrite, type ClusterRequest, ownRead, parseTarget } from './cluster-request.ts';

const params = (path: string, given: ClusterRequest['params'] = {}) =>
  Object.fromEntries(parseTarget({ path, params: given }).params);

describe('parseTarget', () => {
  it('takes the parameters out of the path', () => {
    expect(params('/_cat/indices?v&h=index,docs.count&s=a%20b+c', { bytes: 'b', size: 3, pretty: true })).toEqual({
      v: '',
      h: 'index,docs.count',
      s: 'a b c',
      bytes: 'b',
      size: '3',
      pretty: 'true',
    });
    expect(parseTarget({ path: '/idx/_doc/1?routing=/_search', params: {} }).segments).toEqual(['idx', '_doc', '1']);
  });

  it.each([
    ['/x?a=1&a=2', {}, 'given twice'],
    ['/x?a=1', { a: '1' }, 'given twice'],
    ['/x?a=1#b', {}, 'has a #'],
    ['/x?a=%zz', {}, 'invalid % escape'],
    ['/x?=1', {}, 'not a valid parameter name'],
    ['/x', { 'a;b': '1' }, 'not a valid parameter name'],
    ['/x', { 'a&b': '1' }, 'not a valid parameter name'],
    ['/x', { a: 'x\ny' }, 'control character'],
    ['/x', { a: '\ud800' }, 'invalid'],
  ])('refuses %s with %j', (path, given, why) => {
    expect(() => params(path, given)).toThrow(
      expect.objectContaining({ code: 'E_PARAMS', message: expect.stringContaining(why) }),
    );
  });

  it('keeps a parameter that has the name of something of the language', () => {
    const { params: found } = parseTarget({ path: '/x?__proto__=1&constructor=2', params: {} });
    expect([...found]).toEqual([
      ['__proto__', '1'],
      ['constructor', '2'],
    ]);
  });
});

describe('acceptWrite', () => {
  const request: ClusterRequest = { method: 'PUT', path: '/idx', params: {}, body: undefined };

  it('accepts any request on a connection that may write', () => {
    expect(acceptWrite(request, { name: 'c', readonly: false })).toMatchObject({
      kind: 'write',
      method: 'PUT',
      segments: ['idx'],
    });
  });

  it('refuses writes on any other connection', () => {
    expect(() => acceptWrite(request, { name: 'c', readonly: true })).toThrow(expect.objectContaining({ code: 'E_READONLY' }));
    // What a connection says may have come out of a file.
    const odd = { name: 'c', readonly: '${X}' as unknown as boolean };
    expect(() => acceptWrite(request, odd)).toThrow(expect.objectContaining({ code: 'E_READONLY' }));
    const method = 'PATCH' as ClusterRequest['method'];
    expect(() => acceptWrite({ ...request, method }, { name: 'c', readonly: false })).toThrow('GET, HEAD, POST, PUT, DELETE');
  });
});

it('accepts reads of the server itself', () => {
  expect(ownRead('/_nodes/_all/os?filter_path=x')).toMatchObject({
    kind: 'read',
    method: 'GET',
    segments: ['_nodes', '_all', 'os'],
  });
});
