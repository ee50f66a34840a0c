import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatPath, parsePath } from './path.ts';

describe('parsePath', () => {
  it.each([
    ['/', []],
    ['', []],
    ['/_search', ['_search']],
    ['idx/_search', ['idx', '_search']],
    ['/a,b-*/_doc/7', ['a,b-*', '_doc', '7']],
    ['/idx/_doc/a%20b', ['idx', '_doc', 'a b']],
    ['/idx/_doc/%C3%A9', ['idx', '_doc', 'é']],
    ['/idx/_doc/é', ['idx', '_doc', 'é']],
    ['/%3Clogs-%7Bnow%2Fd%7D%3E/_search', ['<logs-{now/d}>', '_search']],
    ['/%3Clogs-{now%2Fd{yyyy.MM.dd|+12:00}}>,other/_search', ['<logs-{now/d{yyyy.MM.dd|+12:00}}>,other', '_search']],
    ['/eu:logs-*,-logs-old/_count', ['eu:logs-*,-logs-old', '_count']],
  ])('reads %s', (path, segments) => {
    expect(parsePath(path)).toEqual(segments);
  });

  it.each([
    ['/../_search', '".."'],
    ['/a/./b', '"."'],
    ['/a/%2e%2e/b', '%2e instead of .'],
    ['/nix/%5Fsearch', '%5F instead of _'],
    ['//evil/x', 'empty part'],
    ['/a//b', 'empty part'],
    ['/a/', 'empty part'],
    ['/idx/_doc/x%2F_search', 'encoded /'],
    ['/%3Cx%7Bnow%2F_doc%7D%3E/_search', 'encoded /'],
    ['/%3Clogs%3E%2F_doc', 'encoded /'],
    ['/<logs-{now/d}>/_search', 'written %2F'],
    ['/idx/_doc/1#/_search', 'has a #'],
    ['/idx/_doc/1%23', 'encoded ?, # or'],
    ['/idx/_doc%3Frefresh', 'encoded ?, # or'],
    ['/idx\\_doc', 'has a \\'],
    ['/idx%5C_doc', 'encoded ?, # or'],
    ['/idx/a%252F', 'encoded %'],
    ['/idx/%zz', 'invalid % escape'],
    ['/idx/%C3', 'invalid % escape'],
    ['/idx/\ud800', 'invalid'],
    ['/idx/a%0Ab', 'control character'],
    ['/idx/a\tb', 'control character'],
  ])('refuses %s', (path, why) => {
    expect(() => parsePath(path)).toThrow(
      expect.objectContaining({ kind: 'input', code: 'E_PATH', message: expect.stringContaining(why) }),
    );
  });

  it('reads what it wrote as the same parts, and writes nothing that leaves its place', () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: 'binary' }),
      fc.constantFrom('..', '%2e', 'a/b', '//x', '?', '#'),
    );
    fc.assert(
      fc.property(fc.array(text, { maxLength: 5 }), (parts) => {
        let segments: readonly string[];
        try {
          segments = parsePath(`/${parts.join('/')}`);
        } catch {
          return;
        }
        const path = formatPath(segments);
        expect(path).toMatch(/^\/[A-Za-z0-9_.~!*'(),:@=%/-]*$/);
        expect(parsePath(path)).toEqual(segments);
        // Resolving or normalizing it leads to the same place, on the same host.
        const url = new URL(path, 'http://base.invalid/');
        expect([url.host, url.pathname, url.search, url.hash]).toEqual(['base.invalid', path, '', '']);
        expect(path.slice(1).split('/').filter(Boolean).map(decodeURIComponent)).toEqual(segments);
      }),
      { numRuns: 2_000 },
    );
  });
});
