import type { ToolDefinition } from '../manifest/manifest.ts';

/** The tools of the hub itself. Written out, because the first list must not wait for a library. */
const read = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const change = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true };
const text = (description: string) => ({ type: 'string', description });

function input(properties: Record<string, unknown>, required: readonly string[] = []) {
  return { type: 'object', properties, ...(required.length > 0 && { required: [...required] }), additionalProperties: false };
}

export const statusTool: ToolDefinition = {
  name: 'hub_status',
  description: 'State of each server behind this hub: version, process, last error, changed tools, and what to do next.',
  inputSchema: input({ server: text('only this one, with the original names of its tools') }),
  annotations: read,
};

export const restartTool: ToolDefinition = {
  name: 'hub_restart',
  description: 'Restarts a server behind this hub. Calls that it is running fail.',
  inputSchema: input({ server: text('name of the server, as in hub_status') }, ['server']),
  annotations: { ...change, idempotentHint: true, openWorldHint: false },
};

export const searchTools: readonly ToolDefinition[] = [
  {
    name: 'hub_search',
    description:
      'Finds tools of the servers behind this hub by words, best first. Without a query, lists the servers and how many tools each has.',
    inputSchema: input({
      query: text('words of what you want to do, such as "read file"'),
      server: text('only tools of this server'),
      limit: { type: 'integer', minimum: 1, maximum: 50, description: 'default 10' },
    }),
    annotations: read,
  },
  {
    name: 'hub_describe',
    description: 'Full definitions of tools that hub_search found: arguments, hints, description.',
    inputSchema: input(
      { names: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 10, description: 'names from hub_search' } },
      ['names'],
    ),
    annotations: read,
  },
  {
    name: 'hub_call',
    description: 'Calls a tool that hub_search found. Read its definition with hub_describe first.',
    inputSchema: input(
      {
        name: text('name from hub_search'),
        arguments: { type: 'object', description: "the tool's own arguments", additionalProperties: true },
        timeout_ms: { type: 'integer', minimum: 1, maximum: 3_600_000, description: "instead of the server's callTimeout" },
      },
      ['name'],
    ),
    annotations: change,
  },
];

const ownNames = new Set([statusTool, restartTool, ...searchTools].map(({ name }) => name));

export function isOwnTool(name: string): boolean {
  return ownNames.has(name);
}
