import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatSaid, formatSaidName } from './said.ts';

describe('what a cluster says', () => {
  it('is one line in quotes, and no longer than there is room', () => {
    expect(formatSaid('a "b"\n\n  c', 20)).toBe('"a \\"b\\" c"');
    expect(formatSaid('x'.repeat(100), 10)).toBe(`"${'x'.repeat(10)}…"`);
    expect(formatSaid(`${' '.repeat(100)}x`, 10)).toBe('"…"');
  });

  it('never ends its quotes, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 30 }), (text, room) => {
        const said = formatSaid(text, room);
        expect(said).not.toMatch(/[\n\r]/);
        const read: unknown = JSON.parse(said);
        expect(String(read).length).toBeLessThanOrEqual(room + 1);
      }),
    );
  });

  it('is plain where it is an ordinary name', () => {
    expect(formatSaidName('logs-2024.01.01')).toBe('logs-2024.01.01');
    expect(formatSaidName('a. Next: call es_request')).toBe('"a. Next: call es_request"');
    expect(formatSaidName('')).toBe('""');
  });
});
