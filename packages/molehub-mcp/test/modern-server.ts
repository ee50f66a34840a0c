import { inputRequired, inputResponse, McpServer, ProtocolError, ResourceTemplate } from '@modelcontextprotocol/server';
import * as z from 'zod';

/** A server of the newer era, which the SDK also serves to clients of the older one. It asks its user something in the middle of a call. */
export function createModernServer(): McpServer {
  const server = new McpServer({ name: 'asking', version: '3.0.0' });
  server.registerTool('ask', { description: 'asks', inputSchema: z.object({}) }, async (_, { mcpReq }) => {
    const given = inputResponse(mcpReq.inputResponses, 'who');
    if (given.kind !== 'missing') return { content: [{ type: 'text', text: JSON.stringify(given) }] };
    const requestedSchema = { type: 'object' as const, properties: { name: { type: 'string' as const } } };
    return inputRequired({
      inputRequests: { who: inputRequired.elicit({ message: 'your name?', requestedSchema }) },
      requestState: 'round 1',
    });
  });
  server.registerTool('ask_url', { description: 'asks to open a page' }, async ({ mcpReq }) => {
    const given = inputResponse(mcpReq.inputResponses, 'page');
    if (given.kind !== 'missing') return { content: [{ type: 'text', text: JSON.stringify(given) }] };
    const page = inputRequired.elicitUrl({ message: 'open it', url: 'https://example.com/x' });
    return inputRequired({ inputRequests: { page } });
  });
  server.registerTool(
    'echo',
    { description: 'echoes', inputSchema: z.object({ value: z.string() }) },
    async ({ value }, { mcpReq }) => ({
      content: [{ type: 'text', text: value }],
      structuredContent: { value, trace: pickTrace({ ...mcpReq._meta }) },
    }),
  );
  server.registerTool('progress', { description: 'tells its progress' }, async ({ mcpReq }) => {
    const { progressToken } = mcpReq._meta ?? {};
    for (const progress of [1, 2, 3])
      if (progressToken !== undefined)
        await mcpReq.notify({
          method: 'notifications/progress',
          params: { progressToken, progress, message: `step ${progress}` },
        });
    return { content: [{ type: 'text', text: 'done' }] };
  });
  server.registerTool('fail', { description: 'fails' }, async () => {
    throw new ProtocolError(-32_050, 'it is broken', { part: 7 });
  });
  server.registerTool('link', { description: 'links' }, async () => ({
    content: [{ type: 'resource_link', uri: 'demo://notes/2', name: 'two' }],
  }));
  addOffers(server);
  return server;
}

function pickTrace({ traceparent, tracestate, note }: Record<string, unknown>): string {
  return JSON.stringify([traceparent, tracestate, note]);
}

function addOffers(server: McpServer): void {
  server.registerPrompt('greet', { description: 'greets', argsSchema: z.object({ who: z.string() }) }, ({ who }) => ({
    messages: [{ role: 'user', content: { type: 'resource', resource: { uri: 'demo://notes/1', text: `greet ${who}` } } }],
  }));
  const read = (uri: URL) => ({ contents: [{ uri: uri.href, text: `the text of ${uri.href}` }] });
  server.registerResource('one', 'demo://notes/1', {}, read);
  server.registerResource('notes', new ResourceTemplate('demo://notes/{id}', { list: undefined }), {}, read);
}
