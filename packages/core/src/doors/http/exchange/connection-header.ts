import type { Tool as ToolDefinition } from '@modelcontextprotocol/server';
import { type Fields, isFields } from '../../../registry/tree.ts';
import { readArgument } from '../../../tools/coerce-arguments.ts';
import { HttpRefusal } from '../refusal.ts';

const argument = 'connection';
const headerName = 'Connection';
const header = `mcp-param-${headerName.toLowerCase()}`;
/** The protocol's code for headers that contradict the body. */
const mismatchCode = -32_020;

/**
 * The definitions with a mark on the argument that names the connection: clients repeat it in a header, by which a proxy can route,
 * limit or log requests for each connection without reading bodies.
 */
export function markConnection(definitions: readonly ToolDefinition[]): ToolDefinition[] {
  return definitions.map((definition) => {
    const { properties } = definition.inputSchema;
    const schema: unknown = properties?.[argument];
    if (!isMarkable(schema)) return definition;
    const marked = { ...properties, [argument]: { ...schema, 'x-mcp-header': headerName } };
    return { ...definition, inputSchema: { ...definition.inputSchema, properties: marked } };
  });
}

/** Throws an HttpRefusal when the header and the argument differ; what a proxy has decided by the header must hold. */
export function checkConnectionHeader(message: Fields, headers: Headers, definitions: readonly ToolDefinition[]): void {
  if (message.method !== 'tools/call' || !isFields(message.params)) return;
  const { name, arguments: args } = message.params;
  const definition = definitions.find((one) => one.name === name);
  if (definition === undefined || !isMarkable(definition.inputSchema.properties?.[argument])) return;
  const given = headers.get(header);
  const wanted = isFields(args) ? readArgument(args, argument, definition.inputSchema.properties) : undefined;
  if (isSame(given, wanted)) return;
  const said = given === null ? 'is absent' : `is ${JSON.stringify(given.slice(0, 100))}`;
  const text = `the header Mcp-Param-${headerName} ${said}, and the argument ${argument} is ${formatArgument(wanted)}`;
  throw new HttpRefusal(400, text, { code: mismatchCode });
}

/** The tool refuses a value that is not text, but clients mirror numbers and booleans all the same. */
function isSame(given: string | null, wanted: unknown): boolean {
  if (typeof wanted === 'string') return given !== null && decode(given) === wanted;
  return given === null || (typeof wanted === 'boolean' && given === String(wanted));
}

function isMarkable(schema: unknown): schema is Fields {
  return isFields(schema) && schema.type === 'string';
}

/** Names beyond ASCII are sent as `=?base64?…?=`. Undefined when that is not the canonical form: a proxy may read another one differently. */
function decode(value: string): string | undefined {
  const encoded = /^=\?base64\?(.*)\?=$/.exec(value)?.[1];
  if (encoded === undefined) return value;
  const bytes = Buffer.from(encoded, 'base64');
  return bytes.toString('base64') === encoded ? bytes.toString('utf8') : undefined;
}

function formatArgument(value: unknown): string {
  return value === undefined ? 'absent' : JSON.stringify(value).slice(0, 100);
}
