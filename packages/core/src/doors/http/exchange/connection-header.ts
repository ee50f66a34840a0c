import type { Tool as ToolDefinition } from '@modelcontextprotocol/server';
import { type Fields, isFields } from '../../../registry/tree.ts';

/** The argument that clients repeat in the header `Mcp-Param-Connection`. */
export const markedArgument = 'connection';
const headerName = 'Connection';

/**
 * The definitions with a mark on the argument that names the connection: clients repeat it in a header, by which a proxy can route,
 * limit or log requests for each connection without reading bodies.
 */
export function markConnection(definitions: readonly ToolDefinition[]): ToolDefinition[] {
  return definitions.map((definition) => {
    const { properties } = definition.inputSchema;
    const schema: unknown = properties?.[markedArgument];
    if (!isMarkable(schema)) return definition;
    const marked = { ...properties, [markedArgument]: { ...schema, 'x-mcp-header': headerName } };
    return { ...definition, inputSchema: { ...definition.inputSchema, properties: marked } };
  });
}

export function isMarkable(schema: unknown): schema is Fields {
  return isFields(schema) && schema.type === 'string';
}
