import * as z from 'zod';
import { type BaseConnection, baseConnectionShape } from '../connection.ts';
import type { Backend } from '../manager/backend.ts';
import type { Leaf } from '../program/app.ts';
import { toolConnectionShape } from '../tools/connection-tool-schema.ts';
import { formatFakeError, isFakeStaleError } from './fake-engine.ts';

const own = { type: z.literal('thing').default('thing'), url: z.string().optional() };

type Overrides<B extends Backend> = Partial<Leaf<BaseConnection, B>> & Pick<Leaf<BaseConnection, B>, 'createBackend'>;

/** A server for things: everything that a leaf must have, and as little as possible of it. */
export function createFakeLeaf<B extends Backend>(overrides: Overrides<B>): Leaf<BaseConnection, B> {
  return {
    name: 'thing-mcp',
    version: '1',
    app: 'thing',
    summary: 'a server for things',
    instructions: '',
    schema: z.strictObject({ ...baseConnectionShape, ...own }),
    toolSchema: z.strictObject({ ...toolConnectionShape, ...own }),
    routeFields: [],
    descriptions: { list: '', add: '', update: '', remove: '', test: '' },
    resolvePort: ({ port }) => port ?? 1,
    ping: async () => [],
    publicView: ({ host, port, user }) => ({ host, port, user }),
    isStaleError: isFakeStaleError,
    formatError: formatFakeError,
    ...overrides,
  };
}
