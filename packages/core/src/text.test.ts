import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hasUnseen, isWellFormed, oddText } from './testing/odd-text.ts';
import { alignCut, cutVisible, formatVisible, formatVisibleJson, formatVisibleReply } from './text.ts';

describe('formatVisible', () => {
  test.each([
    ['plain text, ümlaut, 漢字, 😀 and ❤️', 'plain text, ümlaut, 漢字, 😀 and ❤️'],
    ['line\n\ttab', 'line\n\ttab'],
    ['back\\slash \\u{202e} C:\\new', 'back\\slash \\u{202e} C:\\new'],
    ['a\u0000b\u001b[31m\rc\u007f\u0085', 'a⟦U+0000⟧b⟦U+001B⟧[31m⟦U+000D⟧c⟦U+007F⟧⟦U+0085⟧'],
    ['\u202eevil\u202c \u2066x\u2069', '⟦U+202E⟧evil⟦U+202C⟧ ⟦U+2066⟧x⟦U+2069⟧'],
    ['\u200b\u200f\u2060\ufeff\u00ad', '⟦U+200B⟧⟦U+200F⟧⟦U+2060⟧⟦U+FEFF⟧⟦U+00AD⟧'],
    ['\u2028\u2029', '⟦U+2028⟧⟦U+2029⟧'],
    ['\u{e0041}\u{e007f}\u{e0100}', '⟦U+E0041⟧⟦U+E007F⟧⟦U+E0100⟧'],
    ['\ud83d x \ude00', '⟦U+D83D⟧ x ⟦U+DE00⟧'],
    ['⟦U+202E⟧', '⟦U+27E6⟧U+202E⟧'],
  ])('%j', (text, shown) => {
    expect(formatVisible(text)).toBe(shown);
  });

  test('nothing unseen is left, and the original can be told', () => {
    fc.assert(
      fc.property(oddText(40), (text) => {
        const shown = formatVisible(text);
        expect(hasUnseen(shown)).toBe(false);
        expect(shown.replace(/⟦U\+([0-9A-F]+)⟧/g, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)))).toBe(text);
      }),
    );
  });
});

test('keeps the marks of a reply', () => {
  expect(formatVisibleReply('⟦1-2 of 3⟧\u202e\ufeff\nnext')).toBe('⟦1-2 of 3⟧⟦U+202E⟧⟦U+FEFF⟧\nnext');
});

test('JSON uses its own escapes and parses back', () => {
  expect(formatVisibleJson('"a\u202e⟦\u{e0041}"')).toBe('"a\\u202e\\u27e6\\udb40\\udc41"');
  fc.assert(
    fc.property(oddText(40), (text) => {
      const shown = formatVisibleJson(JSON.stringify(text));
      expect(JSON.parse(shown)).toBe(text);
      expect(hasUnseen(shown)).toBe(false);
      expect(shown).not.toContain('⟦');
    }),
  );
});

test('alignCut steps back from the middle of a pair only', () => {
  const text = 'a😀b';
  expect([-1, 0, 1, 2, 3, 4, 9].map((index) => alignCut(text, index))).toEqual([0, 0, 1, 1, 3, 4, 4]);
  expect(alignCut('\ude00\ud83d', 1)).toBe(1);
});

test('cutVisible never ends inside a mark or a pair', () => {
  const text = `ab⟦U+202E⟧😀${'x'.repeat(90)}`;
  expect(cutVisible(text, 5)).toBe('ab');
  expect(cutVisible(text, 10)).toBe('ab⟦U+202E⟧');
  expect(cutVisible(text, 11)).toBe('ab⟦U+202E⟧');
  expect(cutVisible(text, 12)).toBe('ab⟦U+202E⟧😀');
  fc.assert(
    fc.property(oddText(60).map(formatVisible), fc.nat(200), (shown, room) => {
      const cut = cutVisible(shown, room);
      expect(cut.length).toBeLessThanOrEqual(room);
      expect(shown.startsWith(cut)).toBe(true);
      expect(cut).toMatch(/^(?:[^⟦]|⟦U\+[0-9A-F]+⟧)*$/u);
      expect(isWellFormed(cut)).toBe(true);
    }),
  );
});
