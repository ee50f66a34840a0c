import { once } from 'node:events';
import { request as sendRequest } from 'node:http';
import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string;
}

interface PostOptions {
  headers?: Readonly<Record<string, string>>;
  path?: string;
  method?: string;
  signal?: AbortSignal;
}

/** Sends these bytes over a connection of their own, and reads until the server ends it. */
export async function sendRaw(port: number, text: string | Buffer): Promise<RawAnswer> {
  const socket = openSocket(port);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.write(text);
  await once(socket, 'close');
  return parseAnswer(Buffer.concat(chunks).toString('utf8'));
}

/** A connection that never throws. */
export function openSocket(port: number): Socket {
  return connect(port, '127.0.0.1').on('error', () => undefined);
}

/** A message as a client of MCP sends it; the body may also be a text. */
export function post(port: number, message: unknown, options: PostOptions = {}): Promise<RawAnswer> {
  const { headers = {}, path = '/mcp', method = 'POST', signal } = options;
  const body = typeof message === 'string' ? message : JSON.stringify(message);
  return new Promise((resolve, reject) => {
    const request = sendRequest({
      port,
      host: '127.0.0.1',
      path,
      method,
      agent: false,
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      ...(signal !== undefined && { signal }),
    });
    request.on('error', reject).on('response', (response) => {
      const chunks: Buffer[] = [];
      response
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .on('error', reject)
        .on('end', () => {
          const given = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
          const text = Buffer.concat(chunks).toString('utf8');
          resolve({ status: response.statusCode ?? 0, headers: Object.fromEntries(given), body: text });
        });
    });
    request.end(method === 'GET' ? undefined : body);
  });
}

/** A call of the older era. */
export function callMessage(id: number | string, name: string, args: Record<string, unknown> = {}) {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } };
}

/** The same in the newer era, with the headers that belong to it. */
export function modernCall(id: number | string, name: string, args: Record<string, unknown> = {}) {
  const version = '2026-07-28';
  const meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const call = callMessage(id, name, args);
  return {
    message: { ...call, params: { ...call.params, _meta: meta } },
    headers: { 'mcp-protocol-version': version, 'mcp-method': 'tools/call', 'mcp-name': name },
  };
}

interface AskingCall {
  server: { url: string; token: string };
  tool: string;
  args: Record<string, unknown>;
  /** What comes beside the arguments: the state of a question, and its answer. */
  params: Record<string, unknown>;
}

/** One call of a client that can ask its user, in the newer era; the result is that of the protocol. */
export async function sendAsking({ server, tool, args, params }: AskingCall) {
  const { message, headers } = modernCall(1, tool, args);
  const capabilities = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } };
  const body = { ...message, params: { ...message.params, ...params, _meta: { ...message.params._meta, ...capabilities } } };
  const more = { ...headers, authorization: `Bearer ${server.token}` };
  const { body: text } = await post(Number(new URL(server.url).port), body, { headers: more });
  return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text).result;
}

function parseAnswer(text: string): RawAnswer {
  const end = text.indexOf('\r\n\r\n');
  const [first = '', ...lines] = text.slice(0, end < 0 ? 0 : end).split('\r\n');
  const headers = lines.map((line) => [line.split(':')[0]?.toLowerCase() ?? '', line.slice(line.indexOf(':') + 1).trim()]);
  return { status: Number(first.split(' ')[1] ?? 0), headers: Object.fromEntries(headers), body: text.slice(end + 4) };
}
