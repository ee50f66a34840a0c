import type { IncomingMessage } from 'node:http';

/** Meaningful for one connection only; the web's `Headers` would refuse some of them. */
const hopHeaders = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
  'te',
  'trailer',
  'expect',
]);

/** Those that a request may have once. Of two, a proxy might heed the other one. */
const singleHeaders = new Set([
  'host',
  'origin',
  'authorization',
  'content-type',
  'content-length',
  'transfer-encoding',
  'x-forwarded-host',
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
  'mcp-param-connection',
  'x-mole-readonly',
  'x-mole-connections',
]);

/** The name of a header that is there twice and must not be. */
export function findRepeatedHeader({ rawHeaders }: IncomingMessage): string | undefined {
  const names = rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
  return names.find((name, at) => singleHeaders.has(name) && names.indexOf(name) !== at);
}

/**
 * Whether its body could end elsewhere for a proxy: an encoding before the chunks, and chunks in a version that has none, are read
 * in different ways.
 */
export function hasUnclearLength({ headers, httpVersion }: IncomingMessage): boolean {
  const encoding = headers['transfer-encoding'];
  return encoding !== undefined && (encoding.toLowerCase() !== 'chunked' || httpVersion !== '1.1');
}

/** The request without its body, which is handed on as it was parsed. `signal` is aborted when the client goes away. */
export function toWebRequest({ method = '', headers }: IncomingMessage, signal: AbortSignal): Request {
  const copied = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !hopHeaders.has(name)) copied.set(name, String(value));
  }
  // No handler looks at the address: it was routed before.
  return new Request('http://localhost/mcp', { method, headers: copied, signal });
}
