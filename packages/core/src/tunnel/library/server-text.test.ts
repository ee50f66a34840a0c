import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { cleanServerText } from './server-text.ts';

test('removes what steers a terminal or hides text', () => {
  const [esc, bell] = [String.fromCharCode(27), String.fromCharCode(7)];
  expect(cleanServerText(`a${esc}[31mred${esc}[0m\r\nb\u0000c`)).toBe('ared b c');
  expect(cleanServerText(`${esc}]0;title${bell}text${esc}]8;;http://x${esc}\\link`)).toBe('textlink');
  expect(cleanServerText('safe\u202etxt\u200b\u2066x')).toBe('safetxtx');
  expect(cleanServerText('x\u2028y')).toBe('x y');
});

test('caps at 500 characters', () => {
  expect(cleanServerText('x'.repeat(10_000))).toBe(`${'x'.repeat(500)}…`);
  expect(cleanServerText('x'.repeat(500))).toBe('x'.repeat(500));
});

test('whatever comes, one line without control characters goes', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(cleanServerText(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    }),
  );
});
