import type { IncomingHttpHeaders } from 'node:http';
import type { Tool as ToolDefinition } from '@modelcontextprotocol/server';
import { type Fields, isFields } from '../../../registry/tree.ts';
import { readArgument } from '../../../tools/coerce-arguments.ts';
import { HttpRefusal } from '../refusal.ts';
import { isMarkable, markedArgument } from './connection-header.ts';

/** The protocol's code for headers that contradict the body. */
const mismatchCode = -32_020;

/**
 * Throws an HttpRefusal when a header that repeats a part of the message says something else: what a proxy has decided by it must
 * hold. Only clients of the newer era have to send these headers, but one that came with a message of the older era was seen by the
 * proxy too. That a header of the newer era is missing is noticed by the SDK, which does not know our argument.
 */
export function checkRepeatedHeaders(
  message: Fields,
  headers: IncomingHttpHeaders,
  definitions: readonly ToolDefinition[],
): void {
  const isModern = headers['mcp-method'] !== undefined;
  check(headers, 'Mcp-Method', { name: 'the method', value: message.method });
  if (message.method !== 'tools/call' || !isFields(message.params)) return;
  const { name, arguments: args } = message.params;
  check(headers, 'Mcp-Name', { name: 'the tool', value: name });
  if (!isModern && headers['mcp-param-connection'] === undefined) return;
  const definition = definitions.find((one) => one.name === name);
  if (definition === undefined || !isMarkable(definition.inputSchema.properties?.[markedArgument])) return;
  const value = isFields(args) ? readArgument(args, markedArgument, definition.inputSchema.properties) : undefined;
  check(headers, 'Mcp-Param-Connection', { name: `the argument ${markedArgument}`, value, isRequired: true });
}

interface Repeated {
  /** What the header repeats, for the message of an error. */
  name: string;
  value: unknown;
  /** A header that is absent contradicts a value that is there. */
  isRequired?: boolean;
}

function check(headers: IncomingHttpHeaders, header: string, { name, value, isRequired = false }: Repeated): void {
  // A header that is there more than once was refused before.
  const given = headers[header.toLowerCase()]?.toString();
  if (given === undefined && !isRequired) return;
  if (isSame(given, value)) return;
  const said = given === undefined ? 'is absent' : `is ${JSON.stringify(given.slice(0, 100))}`;
  throw new HttpRefusal(400, `the header ${header} ${said}, and ${name} is ${format(value)}`, { code: mismatchCode });
}

/** The tool refuses a value that is not text, but clients mirror numbers and booleans as well. */
function isSame(given: string | undefined, wanted: unknown): boolean {
  if (typeof wanted === 'string') return given !== undefined && decode(given) === wanted;
  return given === undefined || (typeof wanted === 'boolean' && given === String(wanted));
}

/** Names beyond ASCII are sent as `=?base64?…?=`. Undefined when that is not the canonical form: a proxy may read another one differently. */
function decode(value: string): string | undefined {
  const encoded = /^=\?base64\?(.*)\?=$/.exec(value)?.[1];
  if (encoded === undefined) return value;
  const bytes = Buffer.from(encoded, 'base64');
  return bytes.toString('base64') === encoded ? bytes.toString('utf8') : undefined;
}

function format(value: unknown): string {
  return value === undefined ? 'absent' : JSON.stringify(value).slice(0, 100);
}
