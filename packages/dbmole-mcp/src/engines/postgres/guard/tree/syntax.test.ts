import { beforeAll, describe, expect, it } from 'vitest';
import { openParser, type Parser } from '../thread/parser.ts';
import { parseOne } from './syntax.ts';

let parser: Parser;
beforeAll(async () => {
  parser = await openParser();
});

const parse = (sql: string) => parseOne(sql, parser, async () => 18);

describe('the size of a statement', () => {
  it.each([
    ['a list of 100,000 numbers', `select 1 where 1 in (${Array.from({ length: 100_000 }, (_, i) => i).join(', ')})`],
    ['a list of 100,000 texts', `select 1 where 'a' in (${"'it''s', ".repeat(100_000)}'a')`],
    ['a long text', `select '${'a b '.repeat(245_000)}'`],
    ['a long name', `select "${'a b '.repeat(245_000)}"`],
    ['many spaces', `select 1${' '.repeat(900_000)}`],
  ])('can be %s', async (_what, sql) => {
    await expect(parse(sql)).resolves.toBeDefined();
  });

  it.each([
    ['numbers', `select ${'1,'.repeat(130_000)}1`],
    ['signs', `select ${'('.repeat(300_000)}`],
    ['calls', `select ${'f(),'.repeat(80_000)}1`],
    ['texts', `select ${"'a',".repeat(130_000)}1`],
  ])('cannot be more than we parse: %s', async (_what, sql) => {
    await expect(parse(sql)).rejects.toMatchObject({
      kind: 'input',
      message: expect.stringMatching(/^the statement has \d+ tokens/),
    });
  });
});
