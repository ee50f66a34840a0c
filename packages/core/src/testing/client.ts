import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import type { ToolServer } from '../tools/tool-server.ts';

export interface TestReply {
  text: string;
  isError: boolean;
  structured: Record<string, unknown> | undefined;
}

export interface CallOptions {
  signal?: AbortSignal;
  onProgress?: (progress: { progress: number; total?: number | undefined; message?: string | undefined }) => void;
}

export interface TestClient {
  client: Client;
  call(name: string, args?: Record<string, unknown>, options?: CallOptions): Promise<TestReply>;
  close(): Promise<void>;
}

/** A real client that talks to these tools through memory: everything but the pipe is as in use. */
export async function connectTestClient(toolServer: ToolServer): Promise<TestClient> {
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  const server = toolServer.connect();
  await server.connect(serverSide);
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(clientSide);
  return {
    client,
    async call(name, args = {}, options = {}) {
      const { onProgress, signal } = options;
      const reply = await client.callTool(
        { name, arguments: args },
        { ...(signal === undefined ? {} : { signal }), ...(onProgress === undefined ? {} : { onprogress: onProgress }) },
      );
      const content: readonly unknown[] = Array.isArray(reply.content) ? reply.content : [];
      const structured = reply.structuredContent;
      return {
        text: content.map(readText).join('\n'),
        isError: reply.isError === true,
        structured: typeof structured === 'object' && structured !== null ? { ...structured } : undefined,
      };
    },
    close: () => client.close(),
  };
}

function readText(block: unknown): string {
  const text: unknown = typeof block === 'object' && block !== null ? Reflect.get(block, 'text') : undefined;
  return typeof text === 'string' ? text : '';
}
