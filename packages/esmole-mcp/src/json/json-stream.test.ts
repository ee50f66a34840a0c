import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { CutString, LeftOut, RawNumber } from '@dbmole/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonStreamError } from './json-scalars.ts';
import { JsonStream, type JsonStreamLimits } from './json-stream.ts';

const wide: JsonStreamLimits = { string: 1e9, list: 1e9, total: 1e9 };

function read(text: string, limits: Partial<JsonStreamLimits> = {}, pieces = 1): unknown {
  const stream = new JsonStream({ ...wide, ...limits });
  const size = Math.max(1, Math.ceil(text.length / pieces));
  for (let at = 0; at < text.length; at += size) stream.push(text.slice(at, at + size));
  return stream.end();
}

describe('JSON that comes in pieces', () => {
  it('reads the same value however it is cut into chunks', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.boolean(), fc.integer({ min: 1, max: 60 }), (value, indented, pieces) => {
        const text = JSON.stringify(value, null, indented ? 2 : 0);
        expect(JSON.stringify(read(text, {}, pieces))).toBe(JSON.stringify(JSON.parse(text)));
      }),
    );
  });

  it.each([
    '"a\\u00e9\\ud83d\\ude00\\n\\/\\\\\\""',
    '[1e5,-0,1.5E-3,0]',
    ' {"__proto__":{"a":1},"constructor":2} ',
    '[[],{},"",null,true,false]',
    '12',
  ])('reads %s letter by letter', (text) => {
    const value = read(text, {}, text.length);
    expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text)));
    expect(Object.getPrototypeOf(value ?? {})).not.toHaveProperty('a');
  });

  it('keeps every digit of JSON in chunks', () => {
    const numbers = read('[9007199254740993, 1.10, 1e400, 12345678901234567890.5, 3.14, -9007199254740993]') as unknown[];
    expect(numbers.map((one) => (one instanceof RawNumber ? one.text : one))).toEqual([
      '9007199254740993',
      1.1,
      '1e400',
      '12345678901234567890.5',
      3.14,
      '-9007199254740993',
    ]);
  });

  it.each([
    '',
    '{',
    '[1',
    '[1,]',
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    '{a:1}',
    '1 2',
    '[}',
    ']',
    'nul',
    '01',
    '.5',
    '"a',
    '"\\x"',
    '"\\u12"',
    '[1 2]',
    ',',
    '"a":1',
    'NaN',
    '<html>',
  ])('refuses %s', (text) => {
    expect(() => read(text)).toThrow(JsonStreamError);
    expect(() => read(text, {}, text.length || 1)).toThrow(JsonStreamError);
  });

  it('cuts long texts and says how long they are', () => {
    const value = read(`{"a":"${'x'.repeat(1_000)}","b":"\\n${'y'.repeat(9)}"}`, { string: 10 }, 7);
    expect(value).toEqual({ a: new CutString('x'.repeat(10), 1_000), b: `\n${'y'.repeat(9)}` });
  });

  it('leaves out what does not fit into a list, and counts it; what comes after the list is there', () => {
    const items = Array.from({ length: 100 }, (_, id) => ({ id, text: 'x'.repeat(10) }));
    const value = read(JSON.stringify({ took: 1, hits: items, total: 100, more: [1, 2] }), { list: 1_500 }, 13) as {
      hits: unknown[];
      total: number;
      more: number[];
    };
    expect(value.total).toBe(100);
    expect(value.more).toEqual([1, 2]);
    const last = value.hits.at(-1);
    expect(last).toBeInstanceOf(LeftOut);
    expect(last).toMatchObject({ items: 100 - (value.hits.length - 1) });
    expect(value.hits.length).toBeGreaterThan(5);
    expect(value.hits.length).toBeLessThan(30);
    expect(value.hits[0]).toEqual(items[0]);
  });

  it('leaves out the same from text as from bytes', () => {
    const limits = fc.record({ string: fc.nat(20), list: fc.nat(60), innerList: fc.nat(30), total: fc.nat(200) });
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), limits, fc.integer({ min: 1, max: 40 }), (inner, given, size) => {
        const text = JSON.stringify({ a: [inner, [inner, 'é"\\', { b: [inner] }], inner], z: inner });
        const stream = new JsonStream(given);
        const bytes = Buffer.from(text, 'latin1').toString('latin1') === text ? Buffer.from(text, 'latin1') : undefined;
        // Bytes are characters here; halves of them are for the reader of an answer.
        fc.pre(bytes !== undefined);
        for (let at = 0; at < (bytes?.length ?? 0); at += size) {
          const chunk = bytes?.subarray(at, at + size) ?? Buffer.alloc(0);
          stream.push(chunk.subarray(stream.skip(chunk)).toString('latin1'));
        }
        expect(stream.end()).toEqual(read(text, given));
      }),
    );
  });

  it('limits inner lists separately', () => {
    const value = read(JSON.stringify({ hits: [{ tags: 'abcdefghij'.split('') }, { n: 1 }] }), { innerList: 30 }) as {
      hits: { tags: unknown[] }[];
    };
    expect(value.hits[0]?.tags).toEqual(['a', 'b', 'c', 'd', new LeftOut(6)]);
    expect(value.hits[1]).toEqual({ n: 1 });
  });

  it('asks for each item whether the watched list is full', () => {
    const text = JSON.stringify({
      other: [1, 2, 3],
      hits: { total: 9, hits: [{ a: [1, 2] }, { a: [3] }, { a: [4] }, 5, []] },
      last: 1,
    });
    const seen: unknown[] = [];
    const isFull = (item: unknown) => seen.push(item) === 2;
    const value = read(text, { watch: { path: 'hits.hits', isFull } }, 9);
    expect(seen).toEqual([{ a: [1, 2] }, { a: [3] }]);
    expect(value).toEqual({ other: [1, 2, 3], hits: { total: 9, hits: [{ a: [1, 2] }, { a: [3] }, new LeftOut(3)] }, last: 1 });
  });

  it('can stop in the middle, and says what was left out so far', () => {
    const stream = new JsonStream({ ...wide, list: 100 });
    stream.push('{"total":7,"hits":[[1],[2],[3],[4],[5');
    expect(stream.isSkipping).toBe(true);
    expect(stream.stop()).toEqual({ total: 7, hits: [[1], [2], new LeftOut(3)] });
  });

  it('keeps no more than the total, whatever it is given', () => {
    const value = read(JSON.stringify(Array.from({ length: 50 }, () => Array.from({ length: 50 }, () => 'abcdefghij'))), {
      total: 5_000,
    });
    expect(JSON.stringify(value).length).toBeLessThan(12_000);
  });

  it.each(['""', 'null', '0', '{}', '[]', '{"":""}', '[[]]'])('counts each %s toward the limit', (item) => {
    const list = read(`[${`${item},`.repeat(100_000)}0]`, { list: 80_000 }, 7) as unknown[];
    expect(list.at(-1)).toBeInstanceOf(LeftOut);
    expect(list.length).toBeGreaterThan(100);
    expect(list.length).toBeLessThan(10_010);
    const object = read(`{${Array.from({ length: 100_000 }, (_, at) => `"${at.toString(36)}":${item},`).join('')}"z z":0}`, {
      total: 80_000,
    });
    expect(Object.keys(object as object).length).toBeLessThan(4_000);
  });

  it.each(['1', 'a', '-', 'true'])('refuses a word of %s without an end, after 1,000 characters', (part) => {
    const stream = new JsonStream(wide);
    stream.push('{"a":');
    const pushed = Array.from({ length: 2_000 }).findIndex(() => {
      try {
        stream.push(part);
        return false;
      } catch (error) {
        return error instanceof JsonStreamError;
      }
    });
    expect(pushed * part.length).toBeGreaterThan(990);
    expect(pushed * part.length).toBeLessThan(1_010);
    expect(() => read(`[${part.repeat(1_001)}]`)).toThrow(JsonStreamError);
    expect(read(`[${'1'.repeat(1_000)}]`, {}, 99)).toEqual([new RawNumber('1'.repeat(1_000))]);
  });

  it('keeps only counted parts of a chunk', () => {
    setFlagsFromString('--expose-gc');
    const gc: () => void = runInNewContext('gc');
    gc();
    const before = process.memoryUsage().heapUsed;
    const stream = new JsonStream(wide);
    stream.push('[');
    for (let at = 0; at < 1_000; at++) stream.push(`"a text of some length ${at}",1234567890123456789,${' '.repeat(100_000)}`);
    stream.push(`{"a key of some length":1}${' '.repeat(100_000)}]`);
    gc();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(10_000_000);
    expect(stream.end()).toHaveLength(2_001);
  });

  it('refuses endless nesting, and accepts what a cluster accepts', () => {
    expect(() => read('['.repeat(100_000))).toThrow(JsonStreamError);
    expect(read(`${'['.repeat(900)}${']'.repeat(900)}`)).toEqual(expect.any(Array));
  });

  it('reads a long text in time that grows with its length alone', () => {
    const stream = new JsonStream({ string: 100, list: 1_000, total: 10_000 });
    stream.push('["');
    const chunk = 'x'.repeat(65_536);
    for (let i = 0; i < 500; i++) stream.push(chunk);
    stream.push('"]');
    expect(stream.end()).toEqual([new CutString('x'.repeat(100), 500 * 65_536)]);
  }, 20_000);
});
