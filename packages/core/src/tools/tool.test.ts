import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { respond } from '../answer/respond.ts';
import { defineTool, type Effect, selectTools } from './tool.ts';

const made: Readonly<Record<string, Effect>> = {
  look: 'read',
  list_connections: 'readLocal',
  add_connection: 'createLocal',
  save: 'create',
  change: 'destroy',
};

const tools = Object.entries(made).map(([name, effect]) =>
  defineTool({
    name,
    title: name,
    description: name,
    effect,
    input: () => z.strictObject({}),
    handler: async () => respond.text(name),
  }),
);

const names = (wanted: string | undefined, readonly = false) => selectTools(tools, { wanted, readonly }).map(({ name }) => name);

describe('the tools that a server offers', () => {
  it.each([
    [undefined, ['look', 'list_connections', 'add_connection', 'save', 'change']],
    ['read', ['look', 'list_connections']],
    ['save, read', ['look', 'list_connections', 'save']],
    ['change,look', ['look', 'change']],
    ['-add_connection,-change', ['look', 'list_connections', 'save']],
    ['read,-look', ['list_connections']],
  ])('are, with --tools %s, %j', (wanted, expected) => {
    expect(names(wanted)).toEqual(expected);
  });

  it('do not include with --readonly what changes data', () => {
    expect(names(undefined, true)).not.toContain('change');
    expect(names('-change', true)).not.toContain('change');
  });

  it('name the nearest one when a word is unknown, and --readonly when it leaves one out', () => {
    expect(() => names('lok')).toThrow(expect.objectContaining({ kind: 'input', nearest: ['look'] }));
    expect(() => names('-chnge')).toThrow(expect.objectContaining({ nearest: ['change'] }));
    expect(() => names('change', true)).toThrow(/--tools asks for "change", which --readonly leaves out/);
  });
});
