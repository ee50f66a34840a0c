import { UrlError } from '@dbmole/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseConnectionUrl } from './connection-url.ts';

describe('parseConnectionUrl', () => {
  it.each([
    ['https://me:p%40ss@es.internal:9200', { scheme: 'https', host: 'es.internal', port: 9200, user: 'me', password: 'p@ss' }],
    ['http://localhost:9200/', { scheme: 'http', host: 'localhost', port: 9200 }],
    ['https://es.example.com', { scheme: 'https', host: 'es.example.com', port: 443 }],
    ['http://es.example.com', { scheme: 'http', host: 'es.example.com', port: 80 }],
    ['HTTPS://ES.example.com:9243', { scheme: 'https', host: 'es.example.com', port: 9243 }],
    ['http://[::1]:9200', { scheme: 'http', host: '::1', port: 9200 }],
    ['https://proxy:443/es/prod/', { scheme: 'https', host: 'proxy', port: 443, pathPrefix: '/es/prod' }],
  ])('reads %s', (text, fields) => {
    expect(parseConnectionUrl(text)).toEqual({ type: 'elasticsearch', ...fields });
  });

  it.each([
    'es.internal:9200',
    'ftp://es',
    'postgres://es/x',
    'https://',
    'https://es:0',
    'https://es:99999',
    'https://es?x=1',
    'https://es/?',
    'https://es/#x',
    'https://es\\x',
    'https://a,b/',
    'https://e s',
    'https://me:%zz@es',
    'https://me:p@ss@es',
    'https://me:12/x@es',
    'https://me:%00@es',
    'https://es/../x',
    'https://es/a/%2e%2e/b',
    'https://es/a//b',
    'https://es/a%2Fb',
  ])('refuses %s', (text) => {
    expect(() => parseConnectionUrl(text)).toThrow(UrlError);
  });

  it('does not repeat a URL that it rejects', () => {
    const part = fc
      .string({ minLength: 5, maxLength: 20 })
      .filter((text) => /^[\w%^"<>{}|`]+$/.test(text) && !/^(?:https?|a|as)$/.test(text));
    fc.assert(
      fc.property(
        part,
        fc.constantFrom(
          'x://U:S@h',
          'https://U:S@h:0',
          'https://h/?S',
          'https://U:%zzS@h',
          'http://h h/S',
          'https://U:S@S@h',
          'https://U:1/S@h',
        ),
        (secret, form) => {
          try {
            parseConnectionUrl(form.replace('S', () => secret));
          } catch (error) {
            expect(error).toBeInstanceOf(UrlError);
            expect((error as UrlError).message).not.toContain(secret);
          }
        },
      ),
    );
  });
});
