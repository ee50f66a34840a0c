import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeText, expandText, expandUrl, hasPlaceholder } from './expand.ts';

const env = { HOST: 'db', EMPTY: '', TRICKY: '${HOST}$${x' };

describe('expandText', () => {
  it.each([
    ['plain', 'plain', []],
    ['${HOST}', 'db', []],
    ['a${HOST}b${HOST}', 'adbbdb', []],
    ['${NONE}', '', ['NONE']],
    ['${NONE:-else}', 'else', []],
    ['${NONE:-}', '', []],
    ['${EMPTY}', '', []],
    ['${EMPTY:-else}', 'else', []],
    ['${HOST:-else}', 'db', []],
    ['$${HOST}', '${HOST}', []],
    ['$$${HOST}', '$${HOST}', []],
    ['$HOST', '$HOST', []],
    ['${TRICKY}', '${HOST}$${x', []],
    ['${constructor}', '', ['constructor']],
  ])('%s', (text, expanded, unset) => {
    expect(expandText(text, env)).toMatchObject({ text: expanded, unset, malformed: false });
  });

  it.each(['${', 'a${', '${}', '${1A}', '${A-B}', '${HOST', '${HOST:else}'])('finds %s malformed', (text) => {
    expect(expandText(text, env)).toMatchObject({ malformed: true });
    expect(hasPlaceholder(text)).toBe(true);
  });

  it('gives back every text that was escaped, and reads no variable for it', () => {
    const part = fc.oneof(fc.constantFrom('$', '{', '}', '${', '$${', '${HOST}', ':-'), fc.string());
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const text = parts.join('');
        expect(hasPlaceholder(escapeText(text))).toBe(false);
        expect(expandText(escapeText(text), env)).toEqual({ text, variables: [], unset: [], malformed: false });
      }),
      { numRuns: 500 },
    );
  });
});

describe('expandUrl', () => {
  const full = { URL: 'thing://me:p%2Fw@h/d', SCHEME: 'thing', PW: 'p/w@x#y:z?%2F', V6: '::1', PLACE: 'h:1', TWO: 'a@b' };

  it.each([
    ['${URL}', full.URL],
    ['${URL}?a=${V6}', `${full.URL}?a=${full.V6}`],
    ['${SCHEME}://h', 'thing://h'],
    ['thing://me:${PW}@h', 'thing://me:p%2Fw%40x%23y%3Az%3F%252F@h'],
    ['thing://me:${NONE:-p/w@x}@h', 'thing://me:p%2Fw%40x@h'],
    ['thing://me:${PW:-a/b?c#d@e}@h', 'thing://me:p%2Fw%40x%23y%3Az%3F%252F@h'],
    ['thing://${TWO}:${TWO}@${PLACE}/${TWO}?a=${TWO}', 'thing://a%40b:a%40b@h:1/a%40b?a=a%40b'],
    ['thing://me@[${V6}]:1/', 'thing://me@[::1]:1/'],
    ['thing://${V6}:${V6}@${TWO}', 'thing://%3A%3A1:%3A%3A1@a%40b'],
    ['thing://${PLACE}', 'thing://h:1'],
    ['thing://me:$${PW}@h', 'thing://me:${PW}@h'],
  ])('%s', (text, expanded) => {
    expect(expandUrl(text, full)).toMatchObject({ text: expanded, unset: [], malformed: false });
  });

  it('says what is unset or malformed, as in any text', () => {
    expect(expandUrl('thing://${NONE}', full)).toMatchObject({ variables: ['NONE'], unset: ['NONE'] });
    expect(expandUrl('thing://${', full)).toMatchObject({ malformed: true });
  });

  it('keeps every value in its part', () => {
    const value = fc.string({ unit: 'grapheme', minLength: 1 });
    fc.assert(
      fc.property(value, value, value, (U, P, D) => {
        const { text } = expandUrl('thing://${U}:${P}@host/${D}?q=${P}', { U, P, D });
        const parts = /^thing:\/\/([^:@/]*):([^:@/]*)@host\/([^/?#]*)\?q=([^&#]*)$/.exec(text)?.slice(1);
        expect(parts?.map(decodeURIComponent)).toEqual([U, P, D, P]);
      }),
    );
  });
});
