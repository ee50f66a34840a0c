import type { Tool as ToolDefinition } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { compactSchema } from './compact-schema.ts';
import { effects, type Tool } from './tool.ts';

/** What a client is shown of a tool. */
export function defineFor(tool: Tool): ToolDefinition {
  const { $schema: _dialect, ...inputSchema } = z.toJSONSchema(tool.input, { io: 'input' });
  return {
    name: tool.name,
    ...(repeatsName(tool) ? {} : { title: tool.title }),
    description: tool.description,
    // zod writes a schema of type "object" for every z.ZodObject; its return type cannot say so.
    inputSchema: compactSchema(inputSchema) as ToolDefinition['inputSchema'],
    annotations: describeEffect(tool),
    ...(tool.asksPerson ? { _meta: { 'anthropic/requiresUserInteraction': true } } : {}),
  };
}

/**
 * Defines a tool for people who want few tools in the model's context: no titles, and limits that are named when they are broken. The
 * instructions name the argument `timeout_ms`, and so does the failure of a call that took too long.
 */
export function defineBriefly(tool: Tool): ToolDefinition {
  const { title: _title, inputSchema, ...definition } = defineFor(tool);
  const isLeftOut = (key: string, value: unknown) => key === 'timeout_ms' || (key === 'maximum' && typeof value === 'number');
  return {
    ...definition,
    inputSchema: JSON.parse(JSON.stringify(inputSchema, (key, value) => (isLeftOut(key, value) ? undefined : value))),
  };
}

/** Only what differs from what the protocol takes for granted: that a tool which only reads destroys nothing, and reaches outside. */
function describeEffect({ effect }: Tool): ToolDefinition['annotations'] {
  const { readOnlyHint, destructiveHint, openWorldHint } = effects[effect];
  return {
    readOnlyHint,
    ...(readOnlyHint ? {} : { destructiveHint }),
    ...(openWorldHint ? {} : { openWorldHint }),
  };
}

/** A client shows the name of a tool that has no title. */
function repeatsName({ name, title }: Tool): boolean {
  return title.toLowerCase() === name.replaceAll('_', ' ');
}
