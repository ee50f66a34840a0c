import * as z from 'zod';
import { respond } from '../answer/respond.ts';
import { type BaseConnection, connectionName } from '../connection.ts';
import { Failure } from '../failure.ts';
import type { Backend, Manager } from '../manager/manager.ts';
import type { Entry, Registry } from '../registry/registry.ts';
import { formatConnections } from './connection-list.ts';
import { withManaged } from './managed.ts';
import { defineTool, type Tool } from './tool.ts';
import type { ToolServer } from './tool-server.ts';

/** What may be shown of a connection, in the order it is shown. Never a secret. */
export type PublicView = Readonly<Record<string, string | number | boolean | undefined>>;

/** The leaf's words for its own kind of database. */
export interface ConnectionDescriptions {
  list: string;
  add: string;
  update: string;
  remove: string;
  test: string;
}

export interface ConnectionToolsOptions<C extends BaseConnection, B extends Backend> {
  manager: Manager<B>;
  registry: Registry<C>;
  /** What `add_connection` takes. */
  fullSchema: z.ZodObject;
  /** What `update_connection` takes: `name`, and everything else optional. */
  patchSchema: z.ZodObject;
  publicView(config: C): PublicView;
  descriptions: ConnectionDescriptions;
  /** One cheap round trip; the lines say what answered. */
  ping(backend: B, signal: AbortSignal): Promise<string[]>;
  isStaleError(error: unknown): boolean;
  formatError(error: unknown): Failure | undefined;
}

/** The five tools over the named connections. Nothing here knows what kind of database they lead to. */
export function registerConnectionTools<C extends BaseConnection, B extends Backend>(
  server: Pick<ToolServer, 'register'>,
  options: ConnectionToolsOptions<C, B>,
): void {
  for (const make of [listTool, addTool, updateTool, removeTool, testTool]) server.register(make(options));
}

const byName = z.strictObject({ name: connectionName });

function listTool<C extends BaseConnection, B extends Backend>(options: ConnectionToolsOptions<C, B>): Tool {
  const { registry, manager, descriptions, publicView } = options;
  return defineTool({
    name: 'list_connections',
    title: 'List connections',
    description: descriptions.list,
    effect: 'readLocal',
    input: z.strictObject({
      limit: z.int().min(1).max(1_000).optional(),
      offset: z.int().min(0).max(1_000_000).optional(),
    }),
    handler: async ({ limit, offset }) => {
      const page = { limit: limit ?? 100, offset: offset ?? 0 };
      return formatConnections(await registry.list(), { page, publicView, status: (name) => manager.status(name) });
    },
  });
}

function addTool<C extends BaseConnection, B extends Backend>(options: ConnectionToolsOptions<C, B>): Tool {
  const { registry, fullSchema, descriptions } = options;
  return defineTool({
    name: 'add_connection',
    title: 'Add a connection',
    description: descriptions.add,
    effect: 'createLocal',
    input: fullSchema,
    handler: async (fields) => saved('Added', await registry.add(given(fields))),
  });
}

function updateTool<C extends BaseConnection, B extends Backend>(options: ConnectionToolsOptions<C, B>): Tool {
  const { registry, patchSchema, descriptions } = options;
  return defineTool({
    name: 'update_connection',
    title: 'Update a connection',
    description: descriptions.update,
    effect: 'replaceLocal',
    input: patchSchema,
    handler: async ({ name, ...patch }) => saved('Updated', await registry.update(String(name), given(patch))),
  });
}

function removeTool<C extends BaseConnection, B extends Backend>({
  registry,
  manager,
  descriptions,
}: ConnectionToolsOptions<C, B>): Tool {
  return defineTool({
    name: 'remove_connection',
    title: 'Remove a connection',
    description: descriptions.remove,
    effect: 'replaceLocal',
    input: byName,
    handler: async ({ name }) => {
      await registry.remove(name);
      // Not awaited: calls that still run on it may take as long as they like.
      void manager.close(name).catch(() => undefined);
      return respond.text(`Removed ${name}.`);
    },
  });
}

function testTool<C extends BaseConnection, B extends Backend>(options: ConnectionToolsOptions<C, B>): Tool {
  const { manager, descriptions, ping, isStaleError, formatError } = options;
  return defineTool({
    name: 'test_connection',
    title: 'Test a connection',
    description: descriptions.test,
    effect: 'read',
    input: z.strictObject({ name: connectionName.optional(), timeout_ms: z.int().min(1).max(600_000).optional() }),
    handler: async ({ name }, { signal }) => {
      const started = performance.now();
      const use = async (backend: B, lease: { name: string }) => ({ name: lease.name, lines: await ping(backend, signal) });
      const tested = await withManaged(manager, name, use, {
        signal,
        formatError,
        isStaleError: (error) => isStaleError(error) || isLoss(error),
      });
      const took = Math.round(performance.now() - started);
      const { tunnel } = manager.status(tested.name);
      const through = tunnel === undefined ? [] : [`through ${tunnel.hops.join(' → ')}${fingerprintOf(tunnel)}`];
      return respond.text([`${tested.name} answers (${took} ms).`, ...tested.lines, ...through].join('\n'));
    },
  });
}

/** A ping does nothing that must not be done twice, so whatever was lost on the way to the answer is worth a second try. */
function isLoss(error: unknown): boolean {
  return error instanceof Failure && (error.kind === 'connection' || error.kind === 'tunnel');
}

function fingerprintOf({ fingerprint }: { fingerprint?: string }): string {
  return fingerprint === undefined ? '' : `, host key ${fingerprint}`;
}

/** Only what the caller said: zod leaves out absent keys, and an explicit undefined must not delete anything. */
function given(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function saved<C extends BaseConnection>(what: string, entry: Entry<C>) {
  const readonly = entry.config?.readonly === true ? ', readonly' : '';
  const lines = [`${what} ${entry.name}${readonly} in ${entry.origin.where}.`];
  if (entry.problem !== undefined) lines.push(`It cannot be used yet: ${entry.problem.message}.`);
  if (entry.problem?.hint !== undefined) lines.push(entry.problem.hint);
  return respond.text(lines.join('\n'));
}
