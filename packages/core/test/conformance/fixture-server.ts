import { setTimeout as delay } from 'node:timers/promises';
import {
  type CallToolResult,
  type ContentBlock,
  type GetPromptResult,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type ServerContext,
  type Tool,
} from '@modelcontextprotocol/server';
import { askForPrompt, inputTools, stateCodec } from './fixture-inputs.ts';

/** What the suite looks for on a server: tools, prompts and resources under its names, with its texts. */

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const silence = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=';

const text = (words: string): ContentBlock => ({ type: 'text', text: words });
const image: ContentBlock = { type: 'image', data: pixel, mimeType: 'image/png' };
const embedded = (uri: string): ContentBlock => ({
  type: 'resource',
  resource: { uri, mimeType: 'text/plain', text: 'An embedded resource.' },
});

type FixtureTool = (context: ServerContext) => Promise<readonly ContentBlock[]>;

async function reportProgress({ mcpReq }: ServerContext): Promise<readonly ContentBlock[]> {
  const progressToken = mcpReq._meta?.progressToken ?? 0;
  for (const progress of [0, 50, 100]) {
    await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
    await delay(20);
  }
  return [text(String(progressToken))];
}

async function log({ mcpReq }: ServerContext): Promise<readonly ContentBlock[]> {
  for (const words of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
    await mcpReq.log('info', words);
    await delay(20);
  }
  return [text('logged')];
}

const plainTools: Readonly<Record<string, FixtureTool>> = {
  test_simple_text: async () => [text('This is a simple text response for testing.')],
  test_image_content: async () => [image],
  test_audio_content: async () => [{ type: 'audio', data: silence, mimeType: 'audio/wav' }],
  test_embedded_resource: async () => [embedded('test://embedded-resource')],
  test_multiple_content_types: async () => [text('Several kinds:'), image, embedded('test://mixed-content-resource')],
  test_tool_with_logging: log,
  test_logging_tool: log,
  test_tool_with_progress: reportProgress,
  test_streaming_elicitation: reportProgress,
};

export const fixtureDefinitions: readonly Tool[] = [
  ...Object.keys(plainTools),
  ...Object.keys(inputTools),
  'test_error_handling',
].map((name) => ({ name, description: name, inputSchema: { type: 'object', properties: {} } }));

const prompts: Readonly<Record<string, readonly string[]>> = {
  test_simple_prompt: [],
  test_prompt_with_arguments: ['arg1', 'arg2'],
  test_prompt_with_embedded_resource: ['resourceUri'],
  test_prompt_with_image: [],
  test_input_required_result_prompt: [],
};

function answerPrompt(name: string, args: Readonly<Record<string, string>>): GetPromptResult {
  const user = (content: ContentBlock) => ({ role: 'user' as const, content });
  if (name === 'test_prompt_with_arguments') return { messages: [user(text(`arg1='${args.arg1}', arg2='${args.arg2}'`))] };
  if (name === 'test_prompt_with_image') return { messages: [user(image), user(text('Look at it.'))] };
  if (name === 'test_simple_prompt') return { messages: [user(text('This is a simple prompt for testing.'))] };
  return { messages: [user(embedded(args.resourceUri ?? '')), user(text('Read it.'))] };
}

const textFile = { uri: 'test://static-text', mimeType: 'text/plain', text: 'A text that stays the same.' };
const binaryFile = { uri: 'test://static-binary', mimeType: 'image/png', blob: pixel };

function readResource(uri: string) {
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  const found = [textFile, binaryFile].find((one) => one.uri === uri);
  if (id !== undefined) return { uri, mimeType: 'application/json', text: JSON.stringify({ id, templateTest: true, data: id }) };
  if (found === undefined) throw new ResourceNotFoundError(uri);
  return found;
}

export function createFixtureServer(): Server {
  const hint = { ttlMs: 60_000, cacheScope: 'private' } as const;
  const lists = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list', 'resources/read'] as const;
  const server = new Server(
    { name: 'fixture', version: '1.0.0' },
    {
      capabilities: { tools: {}, prompts: {}, resources: { subscribe: true }, logging: {}, completions: {} },
      cacheHints: Object.fromEntries(lists.map((method) => [method, hint])),
      requestState: { verify: stateCodec.verify },
    },
  );
  server.setRequestHandler('tools/list', async () => ({ tools: [...fixtureDefinitions] }));
  server.setRequestHandler('tools/call', async ({ params }, context) => await callTool(params.name, context));
  server.setRequestHandler('prompts/list', async () => ({
    prompts: Object.entries(prompts).map(([name, args]) => ({
      name,
      description: name,
      arguments: args.map((argument) => ({ name: argument, required: true })),
    })),
  }));
  server.setRequestHandler('prompts/get', async ({ params }, context) =>
    params.name === 'test_input_required_result_prompt'
      ? askForPrompt(context)
      : answerPrompt(params.name, params.arguments ?? {}),
  );
  server.setRequestHandler('resources/list', async () => ({
    resources: [textFile, binaryFile].map(({ uri, mimeType }) => ({ uri, name: uri, mimeType })),
  }));
  server.setRequestHandler('resources/templates/list', async () => ({
    resourceTemplates: [{ name: 'template', uriTemplate: 'test://template/{id}/data' }],
  }));
  server.setRequestHandler('resources/read', async ({ params }) => ({ contents: [readResource(params.uri)] }));
  for (const method of ['resources/subscribe', 'resources/unsubscribe'] as const)
    server.setRequestHandler(method, async () => ({}));
  server.setRequestHandler('completion/complete', async () => ({ completion: { values: [], total: 0, hasMore: false } }));
  return server;
}

async function callTool(name: string, context: ServerContext): Promise<CallToolResult> {
  const content = await plainTools[name]?.(context);
  if (content !== undefined) return { content: [...content] };
  if (name === 'test_error_handling') return { content: [text('This tool fails.')], isError: true };
  const answer = await inputTools[name]?.(context);
  if (answer === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `no tool is called ${name}`);
  // The SDK takes a request for input in the place of any result.
  return typeof answer === 'string' ? { content: [text(answer)] } : (answer as unknown as CallToolResult);
}
