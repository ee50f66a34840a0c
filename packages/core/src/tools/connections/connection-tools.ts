import * as z from 'zod';
import { respond, type ToolReply } from '../../answer/respond.ts';
import { type BaseConnection, connectionName } from '../../connection.ts';
import { Failure, formatHint, isLoss, type Step, type ToolDoor } from '../../failure.ts';
import type { Backend } from '../../manager/backend.ts';
import type { Manager } from '../../manager/manager.ts';
import type { Entry, Registry } from '../../registry/registry.ts';
import { isFields } from '../../registry/tree.ts';
import { cutVisible, formatVisible } from '../../text.ts';
import { documentedElsewhere } from '../compact-schema.ts';
import { defineTool, type Tool } from '../tool.ts';
import type { ToolServer } from '../tool-server.ts';
import { formatConnections } from './connection-list.ts';
import { toPatchSchema } from './connection-tool-schema.ts';
import { describeDestination, type PublicView } from './destinations.ts';
import { withManaged } from './managed.ts';
import { formatRoute } from './route-text.ts';

/** Characters of one line that a server says of itself. */
const maxAnsweredLength = 500;

/** The server's words for its own kind of database. */
export interface ConnectionDescriptions {
  list: string;
  add: string;
  update: string;
  remove: string;
  test: string;
}

export interface Audit {
  /** Plain sentences. */
  findings: readonly string[];
  /** Statements that make an account which only reads; for a person, as they would be pasted. */
  reader: readonly string[];
  /** Statements that take rights from every account; other programs may need them. */
  shared: readonly string[];
}

/** What the tools have to know of one kind of connection, in the words of its server. */
export interface ConnectionKind<C extends BaseConnection, B extends Backend> {
  descriptions: ConnectionDescriptions;
  publicView(config: C): PublicView;
  /** One cheap round trip; the lines say what answered, and are shown to the model. */
  ping(backend: B, signal: AbortSignal): Promise<string[]>;
  /** What this account could do beyond reading, and how to make one that cannot. Never throws for want of rights. */
  audit?(backend: B, signal: AbortSignal): Promise<Audit>;
  isStaleError(error: unknown): boolean;
}

interface ConnectionToolsOptions<C extends BaseConnection, B extends Backend> extends ConnectionKind<C, B> {
  manager: Manager<B>;
  registry: Registry<C>;
  /** What `add_connection` takes; `update_connection` takes the same, all of it optional but the name. */
  fullSchema: z.ZodObject;
}

type Options<C extends BaseConnection, B extends Backend> = ConnectionToolsOptions<C, B> & Pick<ToolServer, 'destinations'>;

/** The five tools over the named connections. Nothing here knows what kind of database they lead to. */
export function registerConnectionTools<C extends BaseConnection, B extends Backend>(
  server: Pick<ToolServer, 'register' | 'destinations'>,
  given: ConnectionToolsOptions<C, B>,
): void {
  const options = { ...given, destinations: server.destinations };
  for (const make of [listTool, addTool, updateTool, removeTool, testTool]) server.register(make(options));
}

function listTool<C extends BaseConnection, B extends Backend>(options: Options<C, B>): Tool {
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
    handler: async ({ limit, offset }, { door }) => {
      const snapshot = await registry.list();
      for (const entry of snapshot.entries) noteDestination(entry, 'show', options);
      return formatConnections(snapshot, {
        page: { limit: limit ?? 100, offset: offset ?? 0 },
        publicView: (config: C) => options.publicView(config),
        status: (name) => manager.status(name),
        door,
      });
    },
  });
}

function addTool<C extends BaseConnection, B extends Backend>(options: Options<C, B>): Tool {
  const { registry, descriptions, fullSchema } = options;
  return defineTool({
    name: 'add_connection',
    title: 'Add connection',
    description: descriptions.add,
    effect: 'createLocal',
    input: () => fullSchema,
    handler: async (fields, { signal, door }) => {
      const entry = await registry.add(fields, signal);
      noteDestination(entry, 'tell', options);
      return formatSaved('Added', entry, door);
    },
  });
}

function updateTool<C extends BaseConnection, B extends Backend>(options: Options<C, B>): Tool {
  const { registry, manager, descriptions, fullSchema } = options;
  return defineTool({
    name: 'update_connection',
    title: 'Update connection',
    description: descriptions.update,
    effect: 'replaceLocal',
    input: () => toPatchSchema(fullSchema),
    handler: async ({ name, set, ...beside }, { signal, door }) => {
      const patch = { ...beside, ...(isFields(set) ? set : {}) };
      if (Object.keys(patch).length === 0) throw nothingToChange(String(name));
      const entry = await registry.update(String(name), patch, signal);
      closeSoon(manager, entry.name);
      noteDestination(entry, 'tell', options);
      return formatSaved('Updated', entry, door);
    },
  });
}

function nothingToChange(name: string): Failure {
  return new Failure('input', `no field to change in "${name}"`, {
    hint: 'Pass a field, or null to remove one.',
  });
}

function removeTool<C extends BaseConnection, B extends Backend>(options: Options<C, B>): Tool {
  const { registry, manager, descriptions } = options;
  return defineTool({
    name: 'remove_connection',
    title: 'Remove connection',
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

function noteDestination<C extends BaseConnection, B extends Backend>(
  { config, ...entry }: Entry<C>,
  how: 'show' | 'tell',
  { destinations, publicView }: Options<C, B>,
): void {
  if (config !== undefined) destinations[how](describeDestination({ ...entry, config }, publicView));
}

/** Ends the sessions of what the connection was. Not awaited: calls that still run on it may take as long as they like. */
function closeSoon<B extends Backend>(manager: Manager<B>, name: string): void {
  void manager.close(name).catch(() => undefined);
}

function testTool<C extends BaseConnection, B extends Backend>(options: Options<C, B>): Tool {
  const { manager, descriptions } = options;
  return defineTool({
    name: 'test_connection',
    title: 'Test connection',
    description: descriptions.test,
    effect: 'read',
    input: () =>
      z.strictObject({
        name: connectionName.optional(),
        timeout_ms: z.int().min(1).max(600_000).optional().meta(documentedElsewhere),
      }),
    handler: async ({ name }, { signal, timeLimit, onFound }) => {
      const started = performance.now();
      const use = async (backend: B, lease: { name: string }) => ({
        name: lease.name,
        lines: [...(await options.ping(backend, signal)), ...((await options.audit?.(backend, signal))?.findings ?? [])],
      });
      const tested = await withManaged(manager, name, use, {
        signal,
        timeLimit,
        onFound,
        // A ping does nothing that must not be done twice, so whatever was lost on the way to the answer is worth a second try.
        isStaleError: (error) => options.isStaleError(error) || isLoss(error),
      });
      const took = Math.round(performance.now() - started);
      const line = [`${tested.name} answers (${took} ms)`, ...formatRoute(manager.status(tested.name).tunnel)].join(', ');
      // A server may call itself anything, also something that reads like our own sentence.
      return respond.text(tested.lines.map(formatAnswered).join('\n'), { line: `${line}.` });
    },
  });
}

function formatAnswered(line: string): string {
  return cutVisible(formatVisible(line).replace(/\s+/g, ' '), maxAnsweredLength);
}

const forbidWrites: Step = { call: 'update_connection', to: 'set readonly, if no tool may change its data' };

function formatSaved<C extends BaseConnection>(what: 'Added' | 'Updated', entry: Entry<C>, door: ToolDoor): ToolReply {
  const { config } = entry;
  const mode = config === undefined ? '' : config.readonly ? ', readonly,' : ', writable,';
  const lines = [`${what} ${entry.name}${mode} in ${entry.origin.where}.`];
  const forbid = what === 'Added' && config?.readonly === false ? formatHint(forbidWrites, door) : undefined;
  if (forbid !== undefined) lines.push(forbid);
  if (entry.problem !== undefined) lines.push(`Saved, but not usable yet: ${entry.problem.message}.`);
  const hint = formatHint(entry.problem?.next, door);
  return respond.text([...lines, ...(hint === undefined ? [] : [hint])].join('\n'));
}
