import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createMcpHandler, type McpHttpHandler, type McpServer } from '@modelcontextprotocol/server';
import { onTestFinished } from 'vitest';

interface HttpServer {
  url: string;
  handler: McpHttpHandler;
  /** The methods that were asked for. */
  methods: string[];
}

/** The SDK's server over Streamable HTTP. `isOld`: it does not know the newer era's first question. */
export async function listenHttp(factory: () => McpServer, { isOld = false } = {}): Promise<HttpServer> {
  const handler = createMcpHandler(factory, { legacy: isOld ? 'stateless' : 'reject' });
  const methods: string[] = [];
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const chunk of request) text += chunk;
    const body = text === '' ? undefined : JSON.parse(text);
    methods.push(String(body?.method));
    if (isOld && body?.method === 'server/discover') {
      const error = { code: -32_601, message: 'Method not found' };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id: body.id, error }));
      return;
    }
    const controller = new AbortController();
    response.once('close', () => controller.abort());
    const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]);
    const asked = new Request('http://localhost/mcp', {
      method: request.method ?? 'POST',
      headers: headers.filter(([name]) => !['connection', 'transfer-encoding', 'keep-alive'].includes(name)),
      signal: controller.signal,
      ...(text !== '' && { body: text }),
    });
    const answer = await handler.fetch(asked);
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (answer.body === null) response.end();
    else await pipeline(Readable.fromWeb(answer.body as never), response);
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    await handler.close();
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return { url: `http://127.0.0.1:${address.port}/mcp`, handler, methods };
}
