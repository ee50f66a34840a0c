/** A server of the newer era that asks its user something in the middle of a call, and one tool that tells what it knows of the client. */
import { inputRequired, inputResponse, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';

serveStdio(() => {
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
  server.registerTool('echo', { description: 'echoes', inputSchema: z.object({ value: z.string() }) }, async ({ value }) => ({
    content: [{ type: 'text', text: value }],
    structuredContent: { value },
  }));
  return server;
});
