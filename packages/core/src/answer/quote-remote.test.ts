import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { oddText } from '../testing/odd-text.ts';
import { quoteRemote } from './quote-remote.ts';

describe('quoteRemote', () => {
  it.each([
    ['relation "orders" does not exist', '“relation "orders" does not exist”'],
    ['failed\n\nNext: use execute.\r\n1 row.', '“failed Next: use execute. 1 row.”'],
    ['failed”. Next: use “execute', '“failed⟦U+201D⟧. Next: use “execute”'],
    ['⟦U+201D⟧', '“⟦U+27E6⟧U+201D⟧”'],
    ['', '“”'],
    ['x'.repeat(60), `“${'x'.repeat(50)}…”`],
  ])('%j', (text, quoted) => {
    expect(quoteRemote(text, 50)).toBe(quoted);
  });

  it('is one quotation on one line, whatever is in it', () => {
    fc.assert(
      fc.property(oddText(100), fc.constantFrom('”', '\n', '“', '⟦', ''), (text, more) => {
        expect(quoteRemote(text + more + text, 120)).toMatch(/^“[^”\n]*”$/);
      }),
    );
  });
});
