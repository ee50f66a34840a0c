import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { respond } from '../answer/respond.ts';
import { defineTool } from './tool.ts';
import { parseArguments } from './tool-arguments.ts';

const tool = defineTool({
  name: 'look',
  title: 'Look',
  description: 'Looks.',
  effect: 'read',
  input: () =>
    z.strictObject({
      connection: z.string().optional(),
      database: z.string().optional(),
      limit: z.int().max(1_000).default(100),
      share: z.number().optional(),
      analyze: z.boolean().optional(),
      tables: z.array(z.string()).optional(),
      text: z.union([z.string(), z.array(z.string()).min(1).max(20)]).optional(),
      params: z.array(z.unknown()).optional(),
      body: z.record(z.string(), z.unknown()).optional(),
      ssh: z.nullable(z.strictObject({ host: z.string(), port: z.int().optional() })).optional(),
      cell_limit: z.int().optional(),
      method: z.enum(['GET', 'POST']).optional(),
    }),
  nested: { argument: 'body', keys: new Set(['profile', 'timeout']) },
  handler: async () => respond.text(''),
});

const named = defineTool({
  name: 'test',
  title: 'Test',
  description: 'Tests.',
  effect: 'read',
  input: () => z.strictObject({ name: z.string() }),
  handler: async () => respond.text(''),
});

describe('arguments of a tool', () => {
  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['drop null where it is not a value', { limit: null, tables: null }, { limit: 100 }],
    ['move parts of the body into it', { profile: true, body: '{"a":1}' }, { limit: 100, body: { profile: true, a: 1 } }],
    ['keep null where it is a value', { ssh: null, params: [null] }, { limit: 100, ssh: null, params: [null] }],
    [
      'read numbers and booleans that are text',
      { limit: '5', analyze: 'True', share: ' 0.5' },
      { limit: 5, analyze: true, share: 0.5 },
    ],
    ['read a list that is text', { tables: '["a", "b"]', limit: '1' }, { tables: ['a', 'b'], limit: 1 }],
    ['take one item for a list', { tables: 'hosts' }, { limit: 100, tables: ['hosts'] }],
    ['take a list of one for an item', { connection: ['shop'] }, { limit: 100, connection: 'shop' }],
    ['take a number for a name', { connection: 5 }, { limit: 100, connection: '5' }],
    ['read an object that is text', { body: '{"a":"1"}' }, { limit: 100, body: { a: '1' } }],
    ['read the fields of an object', { ssh: { host: 'b', port: '22' } }, { limit: 100, ssh: { host: 'b', port: 22 } }],
    ['take a word in another case', { method: ' get' }, { limit: 100, method: 'GET' }],
    ['take `size` for `limit`', { size: '7' }, { limit: 7 }],
    ['take camel case for snake case', { cellLimit: 7 }, { limit: 100, cell_limit: 7 }],
    ['leave a text or a list alone where both are accepted', { text: '5', limit: '1' }, { text: '5', limit: 1 }],
    [
      'leave the items of a list of anything alone',
      { params: ['1', null, 'true'], limit: '1' },
      { params: ['1', null, 'true'], limit: 1 },
    ],
  ])('%s', (_title, given, expected) => {
    expect(parseArguments(tool, given)).toEqual(expected);
  });

  it('take `connection` for `name` and `name` for `connection`', () => {
    expect(parseArguments(named, { connection: 'shop' })).toEqual({ name: 'shop' });
    expect(parseArguments(tool, { name: 'shop' })).toEqual({ limit: 100, connection: 'shop' });
  });

  it.each<[Record<string, unknown>, string]>([
    [{ limit: 'many' }, 'limit: expected a number, got "many"'],
    [{ limit: '99999999999999999999' }, 'limit: '],
    [{ limit: '5000' }, 'limit: expected at most 1000, got 5000'],
    [{ limit: [1, 2] }, 'limit: expected a number, got a list'],
    [{ text: true }, 'text: expected text at 0'],
    [{ text: { a: 'x' } }, 'text: expected text at 0'],
    [{ text: Array(21).fill('x') }, 'text: expected at most 20 items, got 21'],
    [{ text: [] }, 'text: expected at least 1 item, got 0'],
    [{ tabels: 'x' }, 'unknown argument "tabels"; did you mean tables?'],
    [{ dbname: 'x' }, 'unknown argument "dbname"; did you mean database?'],
    [{ name: 'a', connection: 'b' }, 'unknown argument "name"'],
    [{ body: '[1]' }, 'body: '],
  ])('refuse %j', (given, message) => {
    expect(() => parseArguments(tool, given)).toThrow(message);
  });

  it('name the argument that is missing when it was null', () => {
    expect(() => parseArguments(named, { name: null })).toThrow('name is missing');
  });
});

it('refuses thousands of arguments before it looks at each', () => {
  const args = Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`a${index}`, index]));
  expect(() => parseArguments(tool, args)).toThrow('look: more than 1000 arguments');
});
