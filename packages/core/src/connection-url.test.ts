import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { findConflict, joinUrl, orIssue, parseUrl, UrlError } from './connection-url.ts';
import { redact } from './redact/redact.ts';

const form = 'thing://user@host';
const nothing = { scheme: 'thing', user: '', password: '', host: 'h', port: undefined, path: '', parameters: [] };

describe('parseUrl', () => {
  it.each([
    ['thing://h', {}],
    ['THING://h', {}],
    ['thing://me:pw@h:1/d', { user: 'me', password: 'pw', port: 1, path: '/d' }],
    ['thing://a%40b:p%2Fw%25%3A%23@h', { user: 'a@b', password: 'p/w%:#' }],
    ['thing://[2001:db8::1]:5', { host: '2001:db8::1', port: 5 }],
    ['thing://h/a%2Fb/c', { path: '/a%2Fb/c' }],
    [
      'thing://h?a=1&b=x%20y&a=2',
      {
        parameters: [
          ['a', '1'],
          ['b', 'x y'],
          ['a', '2'],
        ],
      },
    ],
  ])('splits %s', (text, parts) => {
    expect(parseUrl(text, form)).toEqual({ ...nothing, ...parts });
  });

  it.each([
    ['me:hunter22@h', /expected the form thing:/],
    ['thing://me:hunter22@h:port', /expected the form thing:/],
    ['thing://me:hunter22@h:0', /invalid port 0/],
    ['thing://me:hunter 22@h', /%20/],
    ['thing://me:hunter22%zz@h', /%25/],
    ['thing://me:hunter22%00@h', /NUL/],
    // A password that was not encoded.
    ['thing://me:hunter#22@h', /%23/],
    ['thing://me:hunter@22@h', /%40/],
    ['thing://me:hunter22/x@h', /%2F/],
    ['thing://me:12/hunter22@h', /%2F/],
    ['thing://me:12?hunter22@h', /%3F/],
    ['thing://me/hunter22@h', /%2F/],
    ['thing://me:hunter@22/x@h', /%40/],
    ['thing://me:hunter@h?x=22@h', /%40/],
  ])('refuses %s without repeating it', (text, why) => {
    const error = createError(() => parseUrl(text, form));
    expect(error.message).toMatch(why);
    expect(error.message).not.toMatch(/hunter|22|12/);
  });
});

describe('joinUrl', () => {
  const parse = () => ({ host: 'h', port: 1, password: 'only-here/once' });

  it('adds what the URL says, and makes its password known as a secret', () => {
    expect(joinUrl({ name: 'x', host: 'h' }, 'thing://', parse)).toEqual({ name: 'x', ...parse() });
    expect(redact('it was only-here/once, or only-here%2Fonce')).toBe('it was [secret], or [secret]');
  });

  it.each([{ host: 'other' }, { port: 2 }, { password: { env: 'PW' } }])('accepts no other value beside it: %j', (fields) => {
    const [key] = Object.keys(fields);
    expect(findConflict(fields, parse())).toBe(key);
    expect(createError(() => joinUrl(fields, 'thing://', parse)).message).toContain(`"${key}"`);
  });

  it('does not treat shown values or references as secrets', () => {
    joinUrl({}, 'thing://', () => ({ user: 'the-same-word', password: 'the-same-word' }));
    joinUrl({}, 'thing://', () => ({ password: '${THE_VARIABLE}' }));
    expect(redact('the-same-word ${THE_VARIABLE}')).toBe('the-same-word ${THE_VARIABLE}');
  });

  it('needs a text', () => {
    expect(createError(() => joinUrl({}, { env: 'URL' }, parse)).message).toContain('${NAME}');
  });
});

it('orIssue makes an issue of the field, and hides no other error', () => {
  const readSchema = (error: Error) =>
    z.string().transform((_, context) =>
      orIssue(context, () => {
        throw error;
      }),
    );
  const issues = readSchema(new UrlError('wrong')).safeParse('').error?.issues;
  expect(issues).toMatchObject([{ path: ['url'], message: 'wrong' }]);
  expect(() => readSchema(new Error('ours')).safeParse('')).toThrow('ours');
});

function createError(work: () => unknown): Error {
  try {
    work();
  } catch (error) {
    if (error instanceof UrlError) return error;
  }
  return expect.fail('it was accepted');
}
