import { type Fields, isFields } from '@dbmole/core';

const scheme = 'molehub://';

export interface ServerUri {
  server: string;
  /** What its server wrote. */
  uri: string;
}

/**
 * The URI under which the hub offers a resource of a server, or a template of such URIs: what is put into the template comes after the
 * server's name, so the hub finds both again. A web address stays as it is, because a client may open it without any server.
 */
export function toHubUri(server: string, uri: string): string {
  return isWebAddress(uri) ? uri : `${scheme}${encodeURIComponent(server)}/${uri}`;
}

/** Undefined for a URI that the hub has not made. */
export function parseHubUri(text: string): ServerUri | undefined {
  const end = text.indexOf('/', scheme.length);
  if (!text.startsWith(scheme) || end < 0) return undefined;
  try {
    return { server: decodeURIComponent(text.slice(scheme.length, end)), uri: text.slice(end + 1) };
  } catch {
    return undefined;
  }
}

function isWebAddress(uri: string): boolean {
  return /^https?:/i.test(uri);
}

/** A result with the URIs of its links, embedded resources and contents as the hub offers them; everything else is left as it is. */
export function mapUris(result: Fields, server: string): Fields {
  const mapped: Fields = {};
  if (Array.isArray(result.content)) mapped.content = result.content.map((part) => mapContent(part, server));
  if (Array.isArray(result.contents)) mapped.contents = result.contents.map((part) => mapUri(part, server));
  if (Array.isArray(result.messages)) mapped.messages = result.messages.map((message) => mapMessage(message, server));
  return { ...result, ...mapped };
}

function mapMessage(message: unknown, server: string): unknown {
  if (!isFields(message)) return message;
  const { content } = message;
  const mapped = Array.isArray(content) ? content.map((part) => mapContent(part, server)) : mapContent(content, server);
  return { ...message, content: mapped };
}

function mapContent(part: unknown, server: string): unknown {
  if (!isFields(part)) return part;
  if (part.type === 'resource_link') return mapUri(part, server);
  return part.type === 'resource' ? { ...part, resource: mapUri(part.resource, server) } : part;
}

function mapUri(holder: unknown, server: string): unknown {
  return isFields(holder) && typeof holder.uri === 'string' ? { ...holder, uri: toHubUri(server, holder.uri) } : holder;
}
