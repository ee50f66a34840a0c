import { createApp } from '@dbmole/core';
import { createTempFolder } from '@dbmole/core/testing';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { definition } from '../../src/server.ts';
import { bin } from '../bin.ts';

export type Action = 'accept' | 'decline' | 'cancel';

/** A person: gets what the client shows, and answers. */
export type Answer = (message: string) => Promise<Action>;

export interface AskingClient {
  execute(args: Record<string, unknown>, tool?: string): Promise<string>;
  close(): Promise<void>;
}

type Calls = (request: { name: string; arguments: Record<string, unknown> }) => Promise<object>;

function toClient(callTool: Calls, close: () => Promise<void>): AskingClient {
  return {
    async execute(args, tool = 'execute') {
      const { content }: { content?: unknown } = await callTool({ name: tool, arguments: args });
      return (Array.isArray(content) ? content : []).map((part: { text?: string }) => part.text).join('\n');
    },
    close,
  };
}

/** The program in this process, for any number of clients. */
export function openProgramForMany(connections: readonly object[]) {
  const folder = createTempFolder();
  const env = { DBMOLE_CONNECTIONS: JSON.stringify(connections) };
  const app = createApp(definition, { env, cwd: folder.path, home: folder.path, log: () => undefined });
  return {
    folder,
    async connect(answer?: Answer): Promise<AskingClient> {
      const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
      await app.openView({}).connect().connect(serverSide);
      const client = createClient(answer, 'legacy');
      await client.connect(clientSide);
      return toClient(
        (request) => client.callTool(request),
        () => client.close(),
      );
    },
    async close() {
      await app.dispose();
      folder[Symbol.dispose]();
    },
  };
}

function createClient(answer: Answer | undefined, mode: 'legacy' | 'auto' | { pin: string }): Client {
  const capabilities = answer === undefined ? {} : { elicitation: {} };
  const client = new Client({ name: 'test', version: '1' }, { capabilities, versionNegotiation: { mode } });
  if (answer !== undefined)
    client.setRequestHandler('elicitation/create', async ({ params }) => ({ action: await answer(params.message), content: {} }));
  return client;
}

export const clientKinds = [
  'stdio, older era',
  'stdio, newer era',
  'stdio, version 1',
  'stdio, shared',
  'stdio, another project',
  'HTTP, newer era',
] as const;
export type ClientKind = (typeof clientKinds)[number];

interface Place {
  env: Record<string, string>;
  /** The URL and the token of `serve`. */
  url: string;
  token: string;
  /** The root of its project. */
  root: string;
}

/** A client as people use it, with the built server. */
export async function openAskingClient(
  kind: ClientKind,
  { env, url, token, root }: Place,
  answer?: Answer,
): Promise<AskingClient> {
  const flags: Partial<Record<ClientKind, string>> = { 'stdio, shared': '--shared', 'stdio, another project': '--projects' };
  const flag = flags[kind];
  const args = flag === undefined ? [bin] : [bin, flag];
  const server = { command: process.execPath, args, env };
  if (kind === 'stdio, version 1') return await openFirst(server, answer);
  const client = createClient(answer, kind.endsWith('newer era') ? { pin: '2026-07-28' } : 'legacy');
  const transport = kind.startsWith('HTTP')
    ? new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { authorization: `Bearer ${token}` } } })
    : new StdioClientTransport(server);
  await client.connect(transport);
  const project = flag === '--projects' ? { project: root } : {};
  return toClient(
    (request) => client.callTool({ ...request, arguments: { ...request.arguments, ...project } }),
    () => client.close(),
  );
}

async function openFirst(server: { command: string; args: string[]; env: Record<string, string> }, answer?: Answer) {
  const client = new FirstClient(
    { name: 'test', version: '1' },
    { capabilities: answer === undefined ? {} : { elicitation: {} } },
  );
  if (answer !== undefined)
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => ({ action: await answer(params.message), content: {} }));
  await client.connect(new FirstTransport(server));
  return toClient(
    (request) => client.callTool(request),
    () => client.close(),
  );
}
