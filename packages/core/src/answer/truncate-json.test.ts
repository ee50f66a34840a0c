import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { forgetSecrets, rememberSecret } from '../redact/redact.ts';
import { hasUnseen, isWellFormed, oddText } from '../testing/odd-text.ts';
import { RawNumber } from './json-writer.ts';
import { formatJsonCuts, smallestJsonRoom, truncateJsonBudget } from './truncate-json.ts';

const wide = 1_000_000;
const readText = (value: unknown, room = wide) => truncateJsonBudget(value, room).text;

afterEach(forgetSecrets);

describe('what fits', () => {
  test.each<[string, unknown, string]>([
    ['scalars', [null, true, 1.5, 'a"b\\', -0, 1e21], '[null,true,1.5,"a\\"b\\\\",-0,1e+21]'],
    ['empty', [{}, [], ''], '[{},[],""]'],
    [
      'big numbers',
      [12345678901234567890n, new RawNumber('0.10000000000000000555')],
      '[12345678901234567890,0.10000000000000000555]',
    ],
    ['a raw number that is invalid', new RawNumber('1,2'), '"1,2"'],
    ['a number of many digits', new RawNumber('9'.repeat(2_000)), '9'.repeat(2_000)],
    ['no form', { a: undefined, b: [undefined, () => 1], c: Number.NaN }, '{"b":[null,null],"c":null}'],
    [
      'order and odd names',
      JSON.parse('{"b":1,"__proto__":{"x":2},"":3,"length":4}'),
      '{"b":1,"__proto__":{"x":2},"":3,"length":4}',
    ],
    ['unseen', { '\u202e': '⟦\u{e0041}\ud83d' }, '{"\\u202e":"\\u27e6\\udb40\\udc41\\ud83d"}'],
  ])('%s', (_, value, text) => {
    const part = truncateJsonBudget(value, wide);
    expect(part.text).toBe(text);
    expect(part.cut).toBe(false);
    expect(formatJsonCuts(part)).toBe('');
  });
});

describe('what does not', () => {
  test('long strings shrink, the shape stays', () => {
    const part = truncateJsonBudget({ took: 3, hits: [{ text: 'x'.repeat(5_000) }, { text: 'y' }], last: 1 }, 2_000);
    const { limits } = part;
    expect(part.text).toBe(
      `{"took":3,"hits":[{"text":"${'x'.repeat(limits.string)}⟦1-${limits.string} of 5000⟧"},{"text":"y"}],"last":1}`,
    );
    expect(limits.string).toBeGreaterThan(1_000);
    expect(formatJsonCuts(part)).toBe(`Cut to fit: strings at ${limits.string} characters.`);
  });

  test('a string is never cut inside a pair', () => {
    for (const before of ['', 'a']) {
      const text = readText(before + '😀'.repeat(5_000), 600);
      // A half would be written as an escape, and only show once it is parsed.
      expect(isWellFormed(String(JSON.parse(text)))).toBe(true);
    }
  });

  test('lists and objects say how much more there is', () => {
    const list = truncateJsonBudget(
      Array.from({ length: 9_999 }, (_, n) => n),
      2_000,
    );
    const shown: unknown[] = JSON.parse(list.text);
    expect(shown.at(-1)).toBe(`⟦${9_999 - shown.length + 1} more items⟧`);
    expect(shown.length).toBeGreaterThan(100);
    expect(formatJsonCuts(list)).toBe(`Cut to fit: lists at ${shown.length - 1} items.`);
    const object = truncateJsonBudget(Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`k${n}`, n])), 2_000);
    const { keys } = object.limits;
    expect(object.text).toContain(`"k${keys - 1}":${keys - 1},"⟦${5_000 - keys} more keys⟧":null}`);
    expect(formatJsonCuts(object)).toBe(`Cut to fit: objects at ${keys} keys.`);
  });

  test('what follows a large part is still there', () => {
    const text = readText(
      { hits: Array.from({ length: 5_000 }, () => ({ text: 'x'.repeat(900) })), aggregations: { by_day: 7 } },
      4_000,
    );
    expect(JSON.parse(text)).toMatchObject({ aggregations: { by_day: 7 } });
  });

  test('a hundred thousand levels', () => {
    let deep: unknown = 'bottom';
    for (let level = 0; level < 100_000; level += 1) deep = level % 2 === 0 ? [deep] : { a: deep };
    const part = truncateJsonBudget(deep, 2_000);
    expect(part.text).toContain('["⟦object, 1 key⟧"]');
    expect(formatJsonCuts(part)).toBe(`Cut to fit: depth at ${part.limits.depth} levels.`);
    expect(truncateJsonBudget(deep, wide).cut).toBe(false);
  });

  test('only the kind and size are left where nothing fits', () => {
    const bush = (depth: number): unknown =>
      depth === 0
        ? 'leaf'
        : Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`${'\u202e'.repeat(40)}${n}`, bush(depth - 1)]));
    expect(readText(bush(4), smallestJsonRoom)).toBe('"⟦object, 9 keys⟧"');
    expect(readText('\u202e'.repeat(500), smallestJsonRoom).length).toBeLessThanOrEqual(smallestJsonRoom);
    expect(() => readText(1, smallestJsonRoom - 1)).toThrow('room for JSON');
  });

  test('a huge value is hardly touched', () => {
    let touched = 0;
    const read = () => {
      touched += 1;
      return 'x'.repeat(100);
    };
    const item = Object.defineProperty({}, 'text', { enumerable: true, get: read });
    readText({ list: new Array(2_000_000).fill(item) }, 30_000);
    expect(touched).toBeLessThan(5_000);
    expect(readText(['x'.repeat(200_000_000)], 30_000)).toContain('of 200000000⟧"]');
  });
});

describe('secrets', () => {
  test('are removed inside strings only, so that JSON stays JSON', () => {
    rememberSecret('hunter"22');
    const part = truncateJsonBudget({ password: 'of the row', note: 'it is hunter"22', 'hunter"22': 'pwd=data' }, wide);
    expect(JSON.parse(part.text)).toEqual({ password: 'of the row', note: 'it is [secret]', '[secret]': 'pwd=data' });
    expect(formatJsonCuts(part)).toBe('2 strings shown without secrets.');
    expect(part.cut).toBe(false);
  });

  test('secrets that are ordinary words are removed as whole values, and names stay', () => {
    rememberSecret('orders');
    const value = { orders: 'orders', customer_orders: 'my orders', list: ['orders', 'pass=orders', 'a\norders\nb'] };
    const shown = { orders: '[secret]', customer_orders: 'my orders', list: ['[secret]', 'pass=[secret]', 'a\n[secret]\nb'] };
    expect(JSON.parse(truncateJsonBudget(value, wide).text)).toEqual(shown);
  });
});

const key = oddText(12);
const { small } = fc.letrec<{ small: unknown }>((tie) => ({
  small: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    oddText(20),
    fc.constantFrom(null, true, 12.5, -0),
    oddText(20).map((text) => text.repeat(200)),
    fc.array(tie('small'), { maxLength: 5 }),
    fc.array(fc.tuple(key, tie('small')), { maxLength: 5 }).map((entries) => Object.fromEntries(entries)),
  ),
}));
/** Long lists only here: inside the recursion they would multiply. */
const tree = fc.oneof(
  small,
  fc
    .array(small, { maxLength: 4 })
    .map((items) => ({ took: 1, hits: Array.from({ length: 40 }, () => items).flat(), last: items })),
);

describe('for every value', () => {
  test('what fits is read back exactly, and shows nothing unseen', () => {
    fc.assert(
      fc.property(tree, (value) => {
        const part = truncateJsonBudget(value, 50_000_000);
        expect(part.cut).toBe(false);
        expect(JSON.parse(part.text)).toEqual(value);
        expect(hasUnseen(part.text)).toBe(false);
        expect(part.text).not.toContain('⟦');
      }),
      { numRuns: 50 },
    );
  });

  test('the room is never exceeded, the text is JSON, and every cut is marked and counted', () => {
    fc.assert(
      fc.property(tree, fc.integer({ min: smallestJsonRoom, max: 4_000 }), (value, room) => {
        const part = truncateJsonBudget(value, room);
        expect(part.text.length).toBeLessThanOrEqual(room);
        const read: unknown = JSON.parse(part.text);
        expect(hasUnseen(part.text)).toBe(false);
        expect(part.text.includes('⟦')).toBe(part.cut);
        expect(formatJsonCuts(part) !== '').toBe(part.cut);
        if (!part.cut) expect(read).toEqual(value);
      }),
      { numRuns: 150 },
    );
  });
});
