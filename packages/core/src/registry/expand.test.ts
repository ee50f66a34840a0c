import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeText, expandText, hasPlaceholder } from './expand.ts';

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
