import * as z from 'zod';
import { respond, type ToolReply } from '../answer/respond.ts';
import { type BaseConnection, connectionName } from '../connection.ts';
import { Failure } from '../failure.ts';
import type { Backend } from '../manager/backend.ts';
import type { Manager } from '../manager/manager.ts';
import type { Entry, Registry } from '../registry/registry.ts';
import { cutVisible, formatVisible } from '../text.ts';
import { formatConnections } from './connection-list.ts';
import { patchSchemaOf } from './connection-tool-schema.ts';
import { withManaged } from './managed.ts';
import { formatRoute } from './route-text.ts';
import { defineTool, type Tool } from './tool.ts';
import type { ToolServer } from './tool-server.ts';

/** Characters of one line that a server says of itself. */
const longestAnswered = 500;

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

/** What the tools have to know of one kind of connection, in the words of its leaf. */
export interface ConnectionKind<C extends BaseConnection, B extends Backend> {
  descriptions: ConnectionDescriptions;
  publicView(config: C): PublicView;
  /** One cheap round trip; the lines say what answered, and are shown to the model. */
  ping(backend: B, signal: AbortSignal): Promise<string[]>;
  /** What this account could do beyond reading, in plain words, and how to make one that cannot. Never throws for want of rights. */
  audit?(backend: B, signal: AbortSignal): Promise<string[]>;
  isStaleError(error: unknown): boolean;
  formatError(error: unknown): Failure | undefined;
}

export interface ConnectionToolsOptions<C extends BaseConnection, B extends Backend> extends ConnectionKind<C, B> {
  manager: Manager<B>;
  registry: Registry<C>;
  /** What `add_connection` takes; `update_connection` takes the same, all of it optional but the name. */
  fullSchema: z.ZodObject;
}

/** The five tools over the named connections. Nothing here knows what kind of database they lead to. */
export function registerConnectionTools<C extends BaseConnection, B extends Backend>(
  server: Pick<ToolServer, 'register'>,
  options: ConnectionToolsOptions<C, B>,
): void {
  for (const make of [listTool, addTool, updateTool, removeTool, testTool]) server.register(make(options));
}

function listTool<C extends BaseConnection, B extends Backend>(options: ConnectionToolsOptions<C, B>): Tool {
  const { registry, manager, descriptions } = options;
  return defineTool({
    name: 'list_connections',
    title: 'List connections',
    description: descriptions.list,
    effect: 'readLocal',
    input: () =>
      z.strictObject({
        limit: z.int().min(1).max(1_000).optional(),
        offset: z.int().min(0).max(1_000_000).optional(),
      }),
    handler: async ({ limit, offset }) =>
      formatConnections(await registry.list(), {
        page: { limit: limit ?? 100, offset: offset ?? 0 },
        publicView: (config: C) => options.publicView(config),
        status: (name) => manager.status(name),
      }),
  });
}

function addTool<C extends BaseConnection, B extends Backend>(options: ConnectionToolsOptions<C, B>): Tool {
  const { registry, descriptions, fullSchema } = options;
  return defineTool({
    name: 'add_connection',
    title: 'Add a connection',
    description: descriptions.add,
    effect: 'createLocal',
    input: () => fullSchema,
    handler: async (fields, { signal }) => formatSaved('Added', await registry.add(fields, signal)),
  });
}

function updateTool<C extends BaseConnection, B extends Backend>(options: ConnectionToolsOptions<C, B>): Tool {
  const { registry, manager, descriptions, fullSchema } = options;
  return defineTool({
    name: 'update_connection',
    title: 'Update a connection',
    description: descriptions.update,
    effect: 'replaceLocal',
    input: () => patchSchemaOf(fullSchema),
    handler: async ({ name, ...patch }, { signal }) => {
      const entry = await registry.update(String(name), patch, signal);
      closeSoon(manager, entry.name);
      return formatSaved('Updated', entry);
    },
  });
}

function removeTool<C extends BaseConnection, B extends Backend>(options: ConnectionToolsOptions<C, B>): Tool {
  const { registry, manager, descriptions } = options;
  return defineTool({
    name: 'remove_connection',
    title: 'Remove a connection',
    description: descriptions.remove,
    effect: 'replaceLocal',
    input: () => z.strictObject({ name: connectionName }),
    handler: async ({ name }, { signal }) => {
      await registry.remove(name, signal);
      closeSoon(manager, name);
      return respond.text(`Removed ${name}.`);
    },
  });
}

/** Ends the sessions of what the connection was. Not awaited: calls that still run on it may take as long as they like. */
function closeSoon<B extends Backend>(manager: Manager<B>, name: string): void {
  void manager.close(name).catch(() => undefined);
}

function testTool<C extends BaseConnection, B extends Backend>(options: ConnectionToolsOptions<C, B>): Tool {
  const { manager, descriptions } = options;
  return defineTool({
    name: 'test_connection',
    title: 'Test a connection',
    description: descriptions.test,
    effect: 'read',
    input: () => z.strictObject({ name: connectionName.optional(), timeout_ms: z.int().min(1).max(600_000).optional() }),
    handler: async ({ name }, { signal, timeLimit }) => {
      const started = performance.now();
      const use = async (backend: B, lease: { name: string }) => ({
        name: lease.name,
        lines: [...(await options.ping(backend, signal)), ...((await options.audit?.(backend, signal)) ?? [])],
      });
      const tested = await withManaged(manager, name, use, {
        signal,
        timeLimit,
        isStaleError: (error) => options.isStaleError(error) || isLoss(error),
        formatError: (error) => options.formatError(error),
      });
      const took = Math.round(performance.now() - started);
      const line = [`${tested.name} answers (${took} ms)`, ...formatRoute(manager.status(tested.name).tunnel)].join(', ');
      // A server may call itself anything, also what reads like a sentence of ours.
      return respond.text(tested.lines.map(formatAnswered).join('\n'), { line: `${line}.` });
    },
  });
}

/** A ping does nothing that must not be done twice, so whatever was lost on the way to the answer is worth a second try. */
function isLoss(error: unknown): boolean {
  return error instanceof Failure && (error.kind === 'connection' || error.kind === 'tunnel');
}

function formatAnswered(line: string): string {
  return cutVisible(formatVisible(line).replace(/\s+/g, ' '), longestAnswered);
}

function formatSaved<C extends BaseConnection>(what: string, entry: Entry<C>): ToolReply {
  const readonly = entry.config?.readonly === true ? ', readonly' : '';
  const lines = [`${what} ${entry.name}${readonly} in ${entry.origin.where}.`];
  if (entry.problem !== undefined) lines.push(`It cannot be used yet: ${entry.problem.message}.`);
  if (entry.problem?.hint !== undefined) lines.push(entry.problem.hint);
  return respond.text(lines.join('\n'));
}
