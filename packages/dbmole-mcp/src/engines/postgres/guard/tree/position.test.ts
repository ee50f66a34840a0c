import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { positionAt, positionOfPoint } from './position.ts';

const text = "select 'ü€😀', x";

describe('positions', () => {
  it('count what JavaScript counts', () => {
    expect(positionAt(text, Buffer.byteLength("select 'ü€😀', "))).toBe(text.indexOf('x') + 1);
    expect(positionOfPoint(text, [..."select 'ü€😀', "].length)).toBe(text.indexOf('x') + 1);
  });

  it('do not leave the text', () => {
    expect(positionAt('ab', 99)).toBe(3);
    expect(positionOfPoint('ab', 99)).toBe(3);
    expect(positionAt('', 0)).toBe(1);
  });

  it('are right before every character of any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 30 }), fc.nat(30), (any, seed) => {
        const points = [...any];
        const before = points.slice(0, seed % (points.length + 1));
        const index = before.join('').length;
        expect(positionAt(any, Buffer.byteLength(before.join('')))).toBe(index + 1);
        expect(positionOfPoint(any, before.length)).toBe(index + 1);
      }),
    );
  });
});
