import { defineTool, Failure, type Fields, nearestNames, parseArguments, respond, type Tool } from '@dbmole/core';
import * as z from 'zod';
import type { HubCaller } from '../server/caller.ts';
import type { Hub } from './hub.ts';
import { restartTool, searchTools, statusTool } from './own-tools.ts';
import { formatCatalog, formatFound, searchIn } from './search.ts';
import { formatStatus, modelDoor } from './status.ts';

const maxDescribed = 10;
const defaultLimit = 10;

/** What the hub's own tools take; own-tools.ts has the same as the JSON that clients see, and a test compares the two. */
export const ownInputs = {
  hub_status: z.strictObject({ server: z.string().optional() }),
  hub_restart: z.strictObject({ server: z.string() }),
  hub_search: z.strictObject({
    query: z.string().optional(),
    server: z.string().optional(),
    limit: z.int().min(1).max(50).optional(),
  }),
  hub_describe: z.strictObject({ names: z.array(z.string()).min(1).max(maxDescribed) }),
  hub_call: z.strictObject({
    name: z.string(),
    arguments: z.record(z.string(), z.unknown()).optional(),
    timeout_ms: z.int().min(1).max(3_600_000).optional(),
  }),
} as const;

type OwnName = keyof typeof ownInputs;
type Input<N extends OwnName> = z.infer<(typeof ownInputs)[N]>;

interface OwnCall {
  name: string;
  args: Fields;
  caller: HubCaller;
}

type Handlers = { [N in OwnName]: (hub: Hub, args: Input<N>, caller: HubCaller) => Promise<Fields> };

const handlers: Handlers = {
  async hub_status(hub, { server }) {
    if (server !== undefined) requireServer(hub, server);
    return { ...respond.text(formatStatus(hub, { only: server, door: modelDoor })) };
  },
  async hub_restart(hub, { server }, { session, signal }) {
    await hub.restart(server, session, signal);
    return { ...respond.text(`Restarted.\n${formatStatus(hub, { only: server, door: modelDoor })}`) };
  },
  async hub_search(hub, { query, server, limit = defaultLimit }) {
    if (server !== undefined) requireServer(hub, server);
    const words = query?.trim() ?? '';
    if (words === '' && server === undefined) return { ...respond.text(formatCatalog(hub)) };
    return { ...respond.text(formatFound(searchIn(hub.listing, { query: words, server }), limit)) };
  },
  async hub_describe(hub, { names }) {
    const tools = names.map((name) => hub.findTool(name).definition);
    return { ...respond.json(tools, { line: `${tools.length} tool${tools.length === 1 ? '' : 's'}.` }) };
  },
  async hub_call(hub, { name, arguments: args = {}, timeout_ms: timeoutMs }, caller) {
    return await hub.call(await hub.requireTool(name, caller.signal), { args, timeoutMs }, caller);
  },
};

const definitions = [statusTool, restartTool, ...searchTools];
const tools = new Map<string, Tool>();

export async function callOwnTool(hub: Hub, { name, args, caller }: OwnCall): Promise<Fields> {
  const own = name === 'hub_call' ? nestArguments(hub, toTool(name), args.name) : toTool(name);
  const parsed = parseArguments(own, args);
  // Parsed by the schema of the same name.
  const handler = handlers[name as OwnName] as (hub: Hub, args: unknown, caller: HubCaller) => Promise<Fields>;
  return await handler(hub, parsed, caller);
}

/** Arguments of the called tool that were written beside its name belong into `arguments`. */
function nestArguments({ listing }: Hub, own: Tool, name: unknown): Tool {
  const { definition } = listing.tools.get(String(name)) ?? {};
  const keys = new Set(Object.keys(Object(definition?.inputSchema.properties)));
  return { ...own, nested: { argument: 'arguments', keys } };
}

function toTool(name: string): Tool {
  const found = tools.get(name);
  if (found !== undefined) return found;
  const definition = definitions.find((one) => one.name === name);
  const input = new Map<string, z.ZodObject>(Object.entries(ownInputs)).get(name);
  if (definition === undefined || input === undefined) throw new Failure('unknown', `no tool is called ${name}`);
  const tool = defineTool({
    ...{ name, title: name, description: definition.description ?? '', effect: 'readLocal' },
    input: () => input,
    handler: async () => respond.text(''),
  });
  tools.set(name, tool);
  return tool;
}

function requireServer(hub: Hub, name: string): void {
  const names = hub.config.servers.map((one) => one.name);
  if (names.includes(name)) return;
  throw new Failure('unknown', `server ${JSON.stringify(name.slice(0, 100))} is not configured`, {
    nearest: nearestNames(name, names),
  });
}
