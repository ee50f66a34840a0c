import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

interface HttpAddress {
  url: string;
  token?: string;
  /** Headers of every request. */
  headers?: Readonly<Record<string, string>>;
  /** Sends the requests. */
  fetch?: typeof fetch;
}

interface HttpClientReply {
  text: string;
  isError: boolean;
}

interface HttpCallOptions {
  signal?: AbortSignal;
  onprogress?: (progress: { progress: number; message?: string | undefined }) => void;
}

/** What the tests need of a client, whichever library it is of. */
export interface HttpClient {
  version(): string | undefined;
  names(): Promise<string[]>;
  call(name: string, args?: Record<string, unknown>, options?: HttpCallOptions): Promise<HttpClientReply>;
  close(): Promise<void>;
}

export const httpClientKinds = ['current, newer era', 'current, older era', 'version 1'] as const;
export type HttpClientKind = (typeof httpClientKinds)[number];

/** A client as people use it, connected. */
export async function openHttpClient(
  kind: HttpClientKind,
  { url, token, headers = {}, fetch }: HttpAddress,
): Promise<HttpClient> {
  const authorization: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {};
  const transport = { requestInit: { headers: { ...authorization, ...headers } }, ...(fetch && { fetch }) };
  return kind === 'version 1' ? await openFirst(url, transport) : await openCurrent(kind, url, transport);
}

interface TransportOptions {
  requestInit: RequestInit;
  fetch?: typeof fetch;
}

async function openCurrent(kind: HttpClientKind, url: string, options: TransportOptions): Promise<HttpClient> {
  const mode = kind === 'current, newer era' ? { pin: '2026-07-28' } : 'legacy';
  const client = new ModernClient({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(new ModernTransport(new URL(url), options));
  return {
    version: () => client.getNegotiatedProtocolVersion(),
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args = {}, options = {}) => toReply(await client.callTool({ name, arguments: args }, options)),
    close: () => client.close(),
  };
}

async function openFirst(url: string, options: TransportOptions): Promise<HttpClient> {
  const client = new FirstClient({ name: 'test', version: '1' });
  const transport = new FirstTransport(new URL(url), options);
  // Its types are older than the compiler's strictness about optional fields.
  await client.connect(transport as Parameters<FirstClient['connect']>[0]);
  return {
    version: () => transport.protocolVersion,
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args = {}, options = {}) => toReply(await client.callTool({ name, arguments: args }, undefined, options)),
    close: () => client.close(),
  };
}

function toReply(reply: object): HttpClientReply {
  const { content, isError }: { content?: unknown; isError?: unknown } = reply;
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  const texts = blocks.map((block) => String(Reflect.get(Object(block), 'text')));
  return { text: texts.join('\n'), isError: isError === true };
}
