import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import type { BaseConnection } from '../../connection.ts';
import type { Backend } from '../../manager/backend.ts';
import { createApp, type ServerDefinition } from '../../program/app.ts';
import { createTempFolder } from '../temp-folder.ts';

export type PersonAnswer = 'accept' | 'decline' | 'cancel';

/** A person: gets what the client shows, and answers. */
export type AnswerQuestion = (message: string) => Promise<PersonAnswer>;

export interface AskingClient {
  /** Calls the tool that changes something. */
  execute(args: Record<string, unknown>, tool?: string): Promise<string>;
  close(): Promise<void>;
}

type Calls = (request: { name: string; arguments: Record<string, unknown> }) => Promise<object>;

function toClient(changing: string, callTool: Calls, close: () => Promise<void>): AskingClient {
  return {
    async execute(args, tool = changing) {
      const { content }: { content?: unknown } = await callTool({ name: tool, arguments: args });
      return (Array.isArray(content) ? content : []).map((part: { text?: string }) => part.text).join('\n');
    },
    close,
  };
}

/** The program in this process, for any number of clients. */
export function openProgramForMany<C extends BaseConnection, B extends Backend>(
  definition: ServerDefinition<C, B>,
  { connections, tool }: { connections: readonly object[]; tool: string },
) {
  const folder = createTempFolder();
  const env = { [`${definition.program.app.toUpperCase()}_CONNECTIONS`]: JSON.stringify(connections) };
  const app = createApp(definition, { env, cwd: folder.path, home: folder.path, log: () => undefined });
  return {
    folder,
    async connect(answer?: AnswerQuestion): Promise<AskingClient> {
      const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
      await app.openView({}).connect().connect(serverSide);
      const client = createClient(answer, 'legacy');
      await client.connect(clientSide);
      return toClient(
        tool,
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

function createClient(answer: AnswerQuestion | undefined, mode: 'legacy' | 'auto' | { pin: string }): Client {
  const capabilities = answer === undefined ? {} : { elicitation: {} };
  const client = new Client({ name: 'test', version: '1' }, { capabilities, versionNegotiation: { mode } });
  if (answer !== undefined)
    client.setRequestHandler('elicitation/create', async ({ params }) => ({ action: await answer(params.message), content: {} }));
  return client;
}

export type ProgramForMany = ReturnType<typeof openProgramForMany>;

export const askingClientKinds = [
  'stdio, older era',
  'stdio, newer era',
  'stdio, version 1',
  'stdio, shared',
  'stdio, another project',
  'HTTP, newer era',
] as const;
export type AskingClientKind = (typeof askingClientKinds)[number];

interface Place {
  /** The built program. */
  bin: string;
  /** The tool that changes something. */
  tool: string;
  env: Record<string, string>;
  /** The URL and the token of `serve`. */
  url: string;
  token: string;
  /** The root of its project. */
  root: string;
}

/** A client as people use it, with the built server. */
export async function openAskingClient(
  kind: AskingClientKind,
  { bin, tool, env, url, token, root }: Place,
  answer?: AnswerQuestion,
): Promise<AskingClient> {
  const flags: Partial<Record<AskingClientKind, string>> = {
    'stdio, shared': '--shared',
    'stdio, another project': '--projects',
  };
  const flag = flags[kind];
  const args = flag === undefined ? [bin] : [bin, flag];
  const server = { command: process.execPath, args, env };
  if (kind === 'stdio, version 1') return await openFirst({ ...server, tool }, answer);
  const client = createClient(answer, kind.endsWith('newer era') ? { pin: '2026-07-28' } : 'legacy');
  const transport = kind.startsWith('HTTP')
    ? new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { authorization: `Bearer ${token}` } } })
    : new StdioClientTransport(server);
  await client.connect(transport);
  const project = flag === '--projects' ? { project: root } : {};
  return toClient(
    tool,
    (request) => client.callTool({ ...request, arguments: { ...request.arguments, ...project } }),
    () => client.close(),
  );
}

async function openFirst(
  { tool, ...server }: { tool: string; command: string; args: string[]; env: Record<string, string> },
  answer?: AnswerQuestion,
) {
  const client = new FirstClient(
    { name: 'test', version: '1' },
    { capabilities: answer === undefined ? {} : { elicitation: {} } },
  );
  if (answer !== undefined)
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => ({ action: await answer(params.message), content: {} }));
  await client.connect(new FirstTransport(server));
  return toClient(
    tool,
    (request) => client.callTool(request),
    () => client.close(),
  );
}
