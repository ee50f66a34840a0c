import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { compactSchema, documentedElsewhere } from './compact-schema.ts';

const shownOf = (schema: z.ZodType) => {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, { io: 'input' });
  return compactSchema(json);
};

describe('a schema as it is shown', () => {
  it('keeps types, choices, defaults and words', () => {
    const schema = z.strictObject({ a: z.enum(['x', 'y']).describe('which'), b: z.int().default(100), c: z.string() });
    expect(shownOf(schema)).toEqual({
      type: 'object',
      properties: {
        a: { type: 'string', enum: ['x', 'y'], description: 'which' },
        b: { type: 'integer', default: 100 },
        c: { type: 'string' },
      },
      required: ['a', 'c'],
    });
  });

  it('leaves out most limits, and defaults that say "none"', () => {
    const schema = z.strictObject({
      a: z.string().min(1).max(9).regex(/x/).default('x'),
      b: z.int().min(0).max(5).default(0),
      c: z.array(z.int()).min(1).max(4).default([]),
      d: z.boolean().default(false),
      e: z.boolean().default(true),
    });
    expect(shownOf(schema)).toMatchObject({
      properties: {
        a: { type: 'string', default: 'x' },
        b: { type: 'integer', maximum: 5 },
        c: { type: 'array', items: { type: 'integer' } },
        d: { type: 'boolean' },
        e: { type: 'boolean', default: true },
      },
    });
    expect(JSON.stringify(shownOf(schema))).not.toMatch(/min|max[A-Z]|pattern|"default":(0|false|\[)/);
  });

  it('keeps an argument that is called like a limit', () => {
    expect(shownOf(z.strictObject({ minimum: z.int(), pattern: z.string(), default: z.boolean() }))).toMatchObject({
      properties: { minimum: { type: 'integer' }, pattern: { type: 'string' }, default: { type: 'boolean' } },
    });
  });

  it('tells alternatives by their types, and the fields of an object by their names', () => {
    const host = z.strictObject({ host: z.string(), port: z.int().optional() });
    const schema = z.strictObject({
      a: z.union([z.string().min(1), z.null()]),
      b: z.nullable(z.enum(['x', 'y'])),
      c: z.nullable(z.union([z.string(), host])).describe('where'),
      d: z.union([z.string(), z.number(), z.null()]),
      e: z.nullable(z.boolean()),
    });
    expect(shownOf(schema)).toMatchObject({
      properties: {
        a: { type: 'string' },
        b: { type: 'string', enum: ['x', 'y'] },
        c: { anyOf: [{ type: 'string' }, { type: 'object' }], description: 'where; {host, port?}' },
        d: { anyOf: [{ type: 'string' }, { type: 'number' }] },
        e: { type: 'boolean' },
      },
    });
  });

  it('shows a list of anything as one of texts, numbers and objects', () => {
    expect(shownOf(z.strictObject({ a: z.array(z.unknown()) }))).toMatchObject({
      properties: { a: { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'object' }] } } },
    });
  });

  it('leaves alternatives alone of which only one has choices', () => {
    const shown = shownOf(z.strictObject({ a: z.union([z.enum(['x']), z.int()]) }));
    expect(shown).toMatchObject({ properties: { a: { anyOf: [{ enum: ['x'] }, { type: 'integer' }] } } });
  });

  it('shows only the type of what another tool describes', () => {
    expect(shownOf(z.strictObject({ a: z.string().describe('long').optional().meta(documentedElsewhere) }))).toMatchObject({
      properties: { a: { type: 'string' } },
    });
  });
});
