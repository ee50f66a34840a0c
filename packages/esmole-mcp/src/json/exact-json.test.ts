import { RawNumber } from '@dbmole/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatExact, parseExact } from './exact-json.ts';
import { JsonStreamError } from './json-scalars.ts';

describe('parseExact', () => {
  it('keeps numbers that JavaScript can hold', () => {
    const text = '{"a":1.5,"b":[0.1,1e21,-0.0,9007199254740991],"c":0.30000000000000004,"d":"9007199254740993","e":1.0}';
    expect(parseExact(text)).toEqual(JSON.parse(text));
  });

  it.each([
    '9007199254740993',
    '-9223372036854775808',
    '18446744073709551615',
    '0.1234567890123456789',
    '123456789012345678.25',
    '1e400',
    '-1E+400',
    '1e-400',
    '1.00000000000000000001',
  ])('keeps every digit of %s', (number) => {
    expect(parseExact(`{"n":[${number}, "x"]}`)).toEqual({ n: [new RawNumber(number), 'x'] });
  });

  it('keeps every number as it was written', () => {
    const digits = fc.stringMatching(/^-?(0|[1-9]\d{0,22})(\.\d{1,22})?([eE][+-]?\d{1,4})?$/);
    fc.assert(
      fc.property(digits, (text) => {
        const [value] = parseExact(`[${text}, 1111111111111111111]`) as [number | RawNumber];
        if (value instanceof RawNumber) expect(value.text).toBe(text);
        else expect(exact(String(value))).toBe(exact(text));
      }),
    );
  });

  it('reads unusual keys', () => {
    const text = '{"__proto__":{"a":9007199254740993},"a":1,"a":2}';
    const value = parseExact(text) as object;
    expect(Object.keys(value)).toEqual(['__proto__', 'a']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Reflect.get(value, 'a')).toBe(2);
  });

  it.each(['', 'not json', '{"a":9007199254740993', '[1] x 9007199254740993', 'index docs.count\n'])(
    'refuses the malformed text %j',
    (text) => {
      expect(() => parseExact(text)).toThrow(JsonStreamError);
    },
  );

  it.each(['9007199254740993', '1'])('refuses more than 1,000 levels around %s', (number) => {
    const nested = (levels: number) => `${'[{"a\\"[[":'.repeat(levels / 2)}${number}${'}]'.repeat(levels / 2)}`;
    for (const levels of [1_002, 20_000, 200_000]) expect(() => parseExact(nested(levels))).toThrow('more than 1000 levels');
    expect(parseExact(nested(1_000))).toEqual(expect.any(Array));
    expect(parseExact(JSON.stringify([`\\"${'['.repeat(2_000)}`, '{'.repeat(2_000)]))).toHaveLength(2);
  });
});

it('formatExact writes every digit that was read, as a number', () => {
  const text = '{"a":[9007199254740993,"9007199254740993",-9223372036854775808,1.5],"b":{"c":"x\\"y","d":null}}';
  expect(formatExact(parseExact(text) as object)).toBe(text);
});

/** A number as an integer and a power of ten, in the least digits. */
function exact(text: string): string {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  let digits = BigInt(whole.replace('-', '') + fraction);
  let power = Number(exponent) - fraction.length;
  if (digits === 0n) return '0';
  while (digits % 10n === 0n) {
    digits /= 10n;
    power += 1;
  }
  return `${whole.startsWith('-') ? '-' : ''}${digits}e${power}`;
}
