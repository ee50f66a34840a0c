import * as z from 'zod';
import { absent, baseConnectionShape, fileConnectionShape, secretRef } from '../../connection.ts';
import type { Backend } from '../../manager/backend.ts';
import type {
  BackendDefinition,
  ConnectionDefinition,
  ProgramDefinition,
  ServerDefinition,
  ToolsDefinition,
} from '../../program/app.ts';
import { toolConnectionShape } from '../../tools/connections/connection-tool-schema.ts';
import { isFakeStaleError } from './fake-engine.ts';

const { host, user } = baseConnectionShape;
const { file, noLinks } = fileConnectionShape;
const own = { type: z.enum(['thing', 'box']).optional(), url: z.string().optional() };

/** A thing is a server, and a box is a file. */
const thing = z.strictObject({
  ...{ ...baseConnectionShape, ...own, type: z.literal('thing') },
  file: absent('this engine is a server and opens no file'),
});
const box = z.strictObject({ ...fileConnectionShape, type: z.literal('box'), password: secretRef.optional() });

export const fakeSchema = z
  .strictObject({ ...thing.shape, ...own, host: host.optional(), user: user.optional(), file: file.optional(), noLinks })
  .transform((fields): Record<string, unknown> => ({ type: fields.file === undefined ? 'thing' : 'box', ...fields }))
  .pipe(z.discriminatedUnion('type', [thing, box]));

export type FakeConnection = z.output<typeof fakeSchema>;

/** Members of any of the four groups. */
type Overrides<B extends Backend> = Partial<
  ProgramDefinition<B> &
    ConnectionDefinition<FakeConnection> &
    Omit<BackendDefinition<FakeConnection, B>, 'create'> &
    ToolsDefinition<FakeConnection, B>
> & { createBackend: BackendDefinition<FakeConnection, B>['create'] };

const { host: toolHost, user: toolUser, ...toolShape } = toolConnectionShape;

/** A server for things: everything that a definition must have, and as little as possible of it. */
export function createFakeDefinition<B extends Backend>(overrides: Overrides<B>): ServerDefinition<FakeConnection, B> {
  // Each group takes what it knows of the overrides.
  return {
    program: { name: 'thing-mcp', version: '1', app: 'thing', summary: 'a server for things', ...overrides },
    connections: {
      schema: fakeSchema,
      toolSchema: z.strictObject({
        ...toolShape,
        host: toolHost.optional(),
        user: toolUser.optional(),
        file: file.optional(),
        ...own,
      }),
      routeFields: [],
      resolvePort: ({ port }) => port ?? 1,
      publicView: ({ host, port, user, file }) => ({ host, port, user, file }),
      ...overrides,
    },
    backend: { create: overrides.createBackend, ping: async () => [], isStaleError: isFakeStaleError, ...overrides },
    tools: { instructions: '', descriptions: { list: '', add: '', update: '', remove: '', test: '' }, ...overrides },
  };
}
