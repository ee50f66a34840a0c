import { describe, expect, it } from 'vitest';
import { openParser, ParserError } from './parser.ts';

const deep = `select ${'1+'.repeat(100_000)}1`;

describe('the parser', () => {
  it('is loaded once', async () => {
    const [first, second] = await Promise.all([openParser(), openParser()]);
    expect(first).toBe(second);
  });

  it('says what is wrong and where, in characters', async () => {
    const parser = await openParser();
    const wrong = () => parser.parse("select 'ü😀', slct 1");
    expect(wrong).toThrow(ParserError);
    expect(wrong).toThrow(expect.objectContaining({ message: 'syntax error at or near "1"', at: 18 }));
  });

  it('stays after a syntax error', async () => {
    const parser = await openParser();
    expect(() => parser.parse('select select')).toThrow(ParserError);
    expect(await openParser()).toBe(parser);
  });

  it('is reloaded after it ran out of stack, since its memory cannot be trusted any more', async () => {
    const parser = await openParser();
    expect(() => parser.parse(deep)).toThrow(RangeError);
    const next = await openParser();
    expect(next).not.toBe(parser);
    expect(next.parse('select 1; select 2')).toHaveLength(2);
  });

  it('gives back memory that it took for a very long statement', async () => {
    const parser = await openParser();
    expect(parser.parse(`select '${'x'.repeat(40_000_000)}'`)).toHaveLength(1);
    expect(await openParser()).not.toBe(parser);
  });

  it('scans, and knows comments', async () => {
    const tokens = (await openParser()).scan("/* ü */ select 'x'");
    expect(tokens.map(({ start, text, tokenName }) => [start, text, tokenName.endsWith('_COMMENT')])).toEqual([
      [0, '/* ü */', true],
      [9, 'select', false],
      [16, "'x'", false],
    ]);
  });
});
