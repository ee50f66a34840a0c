import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HostRules } from '../host-check.ts';

/** What a client of MCP sends. */
const requestHeaders = [
  'accept',
  'authorization',
  'content-type',
  'last-event-id',
  'mcp-method',
  'mcp-name',
  'mcp-param-connection',
  'mcp-protocol-version',
  'mcp-session-id',
  'x-mole-connections',
  'x-mole-readonly',
].join(', ');
/** How long a browser may remember this, in seconds. */
const maxAge = '600';

/**
 * Lets a page of an origin that a person named with `--allow-origin` read the answer, which browsers else keep from it (CORS). Pages of
 * other origins get nothing of the kind, also where their requests are accepted.
 */
export function admitPage({ headers }: IncomingMessage, response: ServerResponse, { origins }: HostRules): boolean {
  const { origin } = headers;
  if (origin === undefined || !origins.has(origin.toLowerCase())) return false;
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('access-control-expose-headers', 'retry-after, www-authenticate');
  response.setHeader('vary', 'Origin');
  return true;
}

/** The answer to the question of a browser whether a page may send a request; it comes without a token. */
export function answerPreflight(response: ServerResponse): void {
  response
    .writeHead(204, {
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': requestHeaders,
      'access-control-max-age': maxAge,
    })
    .end();
}
