import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { respond } from '../answer/respond.ts';
import { defineTool } from '../tools/tool.ts';
import { parseArguments } from '../tools/tool-arguments.ts';
import { parseParamLine, type QueryParam } from './param-line.ts';
import { createParamShape, readParams, sampleParams } from './params-schema.ts';

const rules = { hasNativeTypes: true, hasPatterns: true, reserved: [] };
function declare(...lines: string[]): QueryParam[] {
  return lines.map((line) => {
    const param = parseParamLine(line, rules);
    return typeof param === 'string' ? expect.fail(param) : param;
  });
}

/** What is bound for these arguments of a tool, as a call has them. */
function bind(params: readonly QueryParam[], args: unknown): Record<string, unknown> {
  const input = () => z.strictObject(createParamShape(params));
  const tool = defineTool({
    name: 't',
    title: 't',
    description: 't',
    effect: 'read',
    input,
    handler: async () => respond.text(''),
  });
  return Object.fromEntries(readParams(params, parseArguments(tool, args)));
}

describe('the arguments of a saved query', () => {
  it.each([
    ['a integer', '42', 42],
    ['a integer', 42, 42],
    ['a integer', '9007199254740993', '9007199254740993'],
    ['a number', '19.90', '19.90'],
    ['a number', 0.5, 0.5],
    ['a text', "'; drop table x; --", "'; drop table x; --"],
    ['a text', 5, '5'],
    ['a boolean', 'TRUE', true],
    ['a date', '2024-02-29', '2024-02-29'],
    ['a timestamp', '2025-01-31T13:45:00.5+02:00', '2025-01-31T13:45:00.5+02:00'],
    ['a uuid', '6F9619FF-8b86-4011-b42d-00c04fc964ff', '6F9619FF-8b86-4011-b42d-00c04fc964ff'],
    ['a json', { b: [1] }, { b: [1] }],
    ['a json', '{"b": 1}', { b: 1 }],
    ['a integer[]', [1, '2'], [1, 2]],
    ['a text[]', 'one', ['one']],
    ['a one of x, y', 'y', 'y'],
    ['a order_status[]', ['paid'], ['paid']],
    ['a text matching /[a-z]+/', 'abc', 'abc'],
  ])('of type %s take %j', (line, given, bound) => {
    expect(bind(declare(`${line}: x`), { a: given })).toEqual({ a: bound });
  });

  it.each([
    ['a integer', 1.5, 'a: expected a whole number such as 42, got 1.5'],
    ['a integer', 'many', 'a: expected a whole number such as 42, got "many"'],
    ['a text', 'a\u0000b', 'a: expected text of at most'],
    ['a date', 'yesterday', 'a: expected a date such as 2025-01-31, got "yesterday"'],
    ['a date', '2025-02-29', 'a: expected a date'],
    ['a timestamp', '2025-01-31T25:00', 'a: expected a timestamp such as'],
    ['a uuid', 'x', 'a: expected a UUID'],
    ['a json', '{', 'a: expected JSON such as {"a": 1}'],
    ['a integer[]', [1, 'x'], 'a: expected a list of at most 1000 items, each a whole number such as 42, got a list'],
    ['a one of x, y', 'z', 'a: expected one of "x", "y", got "z"'],
    ['a text matching /[a-z]+/', '../etc', 'a: expected text that matches /[a-z]+/, got "../etc"'],
    ['a integer', undefined, 'a is missing'],
    ['a integer', null, 'a is missing'],
  ])('of type %s do not take %j', (line, given, message) => {
    expect(() => bind(declare(`${line}: x`), given === undefined ? {} : { a: given })).toThrow(message);
  });

  it('name every wrong argument, and what there is', () => {
    const params = declare('id integer: x', 'since date optional: y');
    expect(() => bind(params, { idd: 1, since: 'x' })).toThrow(
      /since: expected a date.*id is missing|id is missing.*since: expected a date/s,
    );
    expect(() => bind(params, { id: 1, sinse: 'x' })).toThrow('unknown argument "sinse"; did you mean since?');
  });

  it('have defaults, and null where nothing is passed for an optional one', () => {
    const params = declare('a date = 2025-01-01: x', 'b text optional: y');
    expect(bind(params, {})).toEqual({ a: '2025-01-01', b: null });
    expect(bind(params, { a: null, b: null })).toEqual({ a: '2025-01-01', b: null });
  });

  it('are shown with types, choices, defaults and examples', () => {
    const params = declare(
      'id integer: Which. Example: 42',
      'since date optional: first day',
      'kind one of a, b = b: x',
      'ids uuid[]',
      'status order_status[] optional: some of them',
    );
    const { properties, required } = z.toJSONSchema(z.strictObject(createParamShape(params)), { io: 'input' });
    expect({ properties, required }).toEqual({
      properties: {
        id: { type: 'integer', description: 'Which.', examples: [42] },
        since: { type: 'string', description: 'first day (YYYY-MM-DD)' },
        kind: { type: 'string', enum: ['a', 'b'], description: 'x', default: 'b' },
        ids: { type: 'array', items: { type: 'string' } },
        status: { type: 'array', items: { type: 'string' }, description: 'some of them (order_status[])' },
      },
      required: ['id', 'ids'],
    });
  });

  it('have sample values that their types accept', () => {
    const lines = 'integer number text boolean date timestamp uuid json integer[] text[]'
      .split(' ')
      .map((type, i) => `p${i} ${type}: x`);
    const params = declare(...lines, 'q one of a, b: x', 'r thing[]: x');
    const samples = Object.fromEntries(sampleParams(params));
    expect(Object.keys(bind(params, samples))).toHaveLength(12);
  });
});
