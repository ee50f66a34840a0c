import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { BaseConnection } from '../../connection.ts';
import { Failure } from '../../failure.ts';
import type { Backend } from '../../manager/backend.ts';
import { createApp, type ServerDefinition } from '../../program/app.ts';
import { type Fields, isFields } from '../../registry/tree.ts';
import { createTempFolder } from '../temp-folder.ts';

export interface PersonFields<C extends BaseConnection, B extends Backend> {
  definition: ServerDefinition<C, B>;
  /** A connection that a tool may add. */
  connection: Readonly<Record<string, unknown>>;
  /** What the tools take of the server's own fields, as dotted paths with `*` for the elements of a list. */
  taken: readonly string[];
  /** Those of them whose value is checked on this machine, so that one made up is refused. */
  checked?: readonly string[];
  /** What files may hold as well, and tools would do no harm with. */
  harmless: readonly string[];
}

const takenEverywhere = ['name', 'type', 'host', 'port', 'user', 'password', 'url', 'readonly'];
const takenOfSsh = ['ssh', 'ssh.host', 'ssh.port', 'ssh.user', 'ssh.password'];
const ofJump = ['', '.host', '.port', '.user', '.password', '.passphrase'];
const harmlessEverywhere = ['timeoutMs', 'ssh.passphrase', ...ofJump.map((field) => `ssh.jump.*${field}`)];

/**
 * Checks which fields a model can set. A new field has to be put into one of the lists, or be one that only a person may set: a
 * file, a command or a variable of this machine, a key to accept, what narrows a connection.
 */
export function describePersonFields<C extends BaseConnection, B extends Backend>(options: PersonFields<C, B>): void {
  const { definition, connection } = options;
  const taken = [...takenEverywhere, ...takenOfSsh, ...options.taken];
  const harmless = [...harmlessEverywhere, ...options.harmless];
  describe(`what a tool may say of a connection of ${definition.program.name}`, () => {
    it('is what its schema takes, and no more', () => {
      expect(listPaths(definition.connections.toolSchema)).toEqual(taken.toSorted());
    });

    it('is all that the registry takes of it, but for what does no harm', async () => {
      const open: string[] = [];
      for (const path of listPaths(definition.connections.schema)) {
        if (!(await isRefused(definition, { ...connection, ...valueFor(path.split('.')) }))) open.push(path);
      }
      const checked = options.checked ?? [];
      expect(open).toEqual([...new Set([...taken, ...harmless])].filter((path) => !checked.includes(path)).toSorted());
    });

    it.each(['/etc', '/var/run/some.sock', 'C:\\file', '../here', '\\\\.\\pipe\\x'])(
      'is not the path %s as a host',
      async (host) => {
        expect(await isRefused(definition, { ...connection, host })).toBe(true);
      },
    );
  });
}

/** Whether the rules for tools refuse it, and not a value that does not fit. */
async function isRefused<C extends BaseConnection, B extends Backend>(
  definition: ServerDefinition<C, B>,
  fields: Fields,
): Promise<boolean> {
  using folder = createTempFolder();
  const app = createApp(definition, { env: {}, cwd: folder.path, home: folder.path, log: () => {} });
  try {
    await app.registry.add(fields);
    return false;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return error.kind === 'refused';
  } finally {
    await app.dispose();
  }
}

function listPaths(schema: z.core.$ZodType): string[] {
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return [...new Set(pathsIn(json, json, []))].sort();
}

/** The ends of a JSON schema. */
function pathsIn(schema: unknown, root: unknown, path: readonly string[]): string[] {
  if (!isFields(schema)) return [];
  if (typeof schema.$ref === 'string') return pathsIn(getDefinition(schema.$ref, root), root, path);
  const choices = [schema.anyOf, schema.oneOf, schema.allOf].flatMap((list) => (Array.isArray(list) ? list : []));
  if (choices.length > 0) return choices.flatMap((choice) => pathsIn(choice, root, path));
  if (isFields(schema.properties))
    return Object.entries(schema.properties).flatMap(([key, child]) => pathsIn(child, root, [...path, key]));
  if (isFields(schema.items)) return pathsIn(schema.items, root, [...path, '*']);
  return [path.join('.')];
}

function getDefinition(reference: string, root: unknown): unknown {
  return reference
    .split('/')
    .slice(1)
    .reduce<unknown>((at, key) => (isFields(at) ? at[key] : undefined), root);
}

function valueFor(path: readonly string[]): Fields {
  const build = (rest: readonly string[]): unknown => {
    const [key, ...more] = rest;
    if (key === undefined) return 'x';
    return key === '*' ? [build(more)] : { [key]: build(more) };
  };
  // The first key of a path is never that of a list.
  return build(path) as Fields;
}
