import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseStrict } from './strict-json.ts';

describe('a strict JSON text', () => {
  it('reads what JSON.parse reads, with numbers as their digits', () => {
    const asDigits = (_key: string, value: unknown) => (typeof value === 'number' ? JSON.stringify(value) : value);
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), fc.constantFrom('', ' ', '\n\t'), (text, space) => {
        expect(parseStrict(space + text + space)).toEqual(JSON.parse(text, asDigits));
      }),
    );
  });

  it('refuses what JSON.parse refuses', () => {
    fc.assert(
      fc.property(
        fc.json(),
        fc.nat(),
        fc.constantFrom('', ',', '}', '"', '\\', '/*x*/', '//', '\u2028', '0', '#'),
        (text, at, put) => {
          const broken = text.slice(0, at % (text.length + 1)) + put + text.slice((at % (text.length + 1)) + 1);
          try {
            parseStrict(broken);
          } catch {
            return;
          }
          expect(() => JSON.parse(broken)).not.toThrow();
        },
      ),
    );
  });

  it.each([
    ['{"a":1,"a":1}', 'the key "a" is repeated'],
    ['{"a":1,"\\u0061":2}', 'the key "a" is repeated'],
    ['{"a":{"b":1,"b":2}}', 'the key "b" is repeated'],
    ['{"a":1} {"a":2}', 'unexpected text'],
    ['{"a":1,}', 'double quotes'],
    ['[1,]', 'a value is missing'],
    ["{'a':1}", 'double quotes'],
    ['/**/{}', 'a value is missing'],
    ['{"a":01}', 'a } is missing'],
    ['{"a":NaN}', 'a value is missing'],
    ['"a\nb"', 'double quotes'],
    ['', 'a value is missing'],
    ['\ufeff{}', 'a value is missing'],
    [`${'['.repeat(400)}${']'.repeat(400)}`, 'nested more than'],
  ])('refuses %j', (text, why) => {
    expect(() => parseStrict(text)).toThrow(why);
  });

  it('reads a long text', () => {
    const long = 'x'.repeat(5_000_000);
    expect(parseStrict(JSON.stringify([long]))).toEqual([long]);
  });

  it('keeps a key that has a meaning of its own in JavaScript', () => {
    expect(Object.keys(Object(parseStrict('{"__proto__":{"index":"x"}}')))).toEqual(['__proto__']);
  });
});
