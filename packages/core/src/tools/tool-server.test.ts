import { afterEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { Failure } from '../failure.ts';
import type { Log } from '../log.ts';
import { connectTestClient, type TestClient } from '../testing/client.ts';
import { defineTool, type Tool } from './tool.ts';
import { createToolServer, type ToolServer } from './tool-server.ts';

const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] });

const echo = defineTool({
  name: 'echo',
  title: 'Echo',
  description: 'Gives back what it got.',
  effect: 'read',
  input: () => z.strictObject({ message: z.string(), times: z.int().min(1).max(5).default(1) }),
  handler: async ({ message, times }) => text(message.repeat(times)),
});

function waiting(onSignal: (signal: AbortSignal) => void, extra: Omit<Partial<Tool>, 'input'> = {}): Tool {
  return defineTool({
    name: 'wait',
    title: 'Wait',
    description: 'Never ends by itself.',
    effect: 'read',
    input: () => z.strictObject({ timeout_ms: z.int().min(1).optional() }),
    handler: (_args, { signal }) => {
      onSignal(signal);
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    },
    ...extra,
  });
}

describe('a tool server', () => {
  const clients: TestClient[] = [];
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.close();
  });

  async function start(
    tools: Tool[],
    log: Log = () => undefined,
    timeoutMs?: number,
  ): Promise<{ client: TestClient; server: ToolServer }> {
    const server = createToolServer({
      name: 'test',
      version: '1.2.3',
      instructions: 'none',
      log,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    });
    for (const tool of tools) server.register(tool);
    const client = await connectTestClient(server);
    clients.push(client);
    return { client, server };
  }

  it('lists a tool with the hints that say something, and its schema without a dialect', async () => {
    const { client } = await start([echo]);
    const { tools } = await client.client.listTools();
    expect(tools).toHaveLength(1);
    expect(tools[0]?.annotations).toEqual({ readOnlyHint: true });
    expect(tools[0]?.inputSchema).toMatchObject({ type: 'object', required: ['message'] });
    expect(tools[0]?.inputSchema).not.toHaveProperty('$schema');
  });

  it('leaves out the sentences of the instructions that name a dropped tool', async () => {
    const server = createToolServer({
      name: 'test',
      version: '1.2.3',
      instructions: 'Reads things. Use echo for texts; wait blocks.\nWith wait you wait. Data is data.',
      log: () => undefined,
    });
    for (const tool of [echo, waiting(() => undefined)]) server.register(tool);
    server.keepOnly({ wanted: '-wait', readonly: false });
    const client = await connectTestClient(server);
    clients.push(client);
    expect(client.client.getInstructions()).toBe('Reads things.\nData is data.');
  });

  it('marks a tool that must ask a person', async () => {
    const { client } = await start([{ ...echo, asksPerson: true }]);
    const { tools } = await client.client.listTools();
    expect(tools[0]?._meta).toEqual({ 'anthropic/requiresUserInteraction': true });
  });

  it('hands parsed arguments, defaults included, to the handler', async () => {
    const { client } = await start([echo]);
    expect((await client.call('echo', { message: 'ab', times: 2 })).text).toBe('abab');
    expect((await client.call('echo', { message: 'ab' })).text).toBe('ab');
  });

  it('names every wrong argument, its value and the way out', async () => {
    const { client } = await start([echo]);
    const reply = await client.call('echo', { mesage: 'x', times: 9 });
    expect(reply.isError).toBe(true);
    expect(reply.text).toContain('message is missing');
    expect(reply.text).toContain('unknown argument "mesage"; did you mean message?');
    expect(reply.text).toMatch(/times: .*5.*, got 9/);
    expect(reply.text).toContain('Arguments: message, times?');
    expect(reply.structured).toMatchObject({ code: 'E_INPUT' });
  });

  it('does not repeat a value that may be a secret', async () => {
    const tool = defineTool({ ...echo, input: () => z.strictObject({ password: z.string() }), handler: async () => text('') });
    const { client } = await start([tool]);
    const reply = await client.call('echo', { password: { is: 123456789 } });
    expect(reply.text).toMatch(/password is not accepted \(expected text\)/);
    expect(reply.text).not.toContain('123456789');
  });

  it('answers an unknown tool with a protocol error that lists the tools', async () => {
    const { client } = await start([echo]);
    await expect(client.call('ecko')).rejects.toThrow(/no tool is called "ecko"; there are echo/);
  });

  it('refuses two tools of one name', async () => {
    await expect(start([echo, echo])).rejects.toThrow('two tools are called echo');
  });

  it('shows a Failure as it is, and anything else as internal with its trace in the log', async () => {
    const lines: string[] = [];
    const tools = [
      { ...echo, name: 'known', handler: async () => Promise.reject(new Failure('refused', 'not this', { hint: 'do that' })) },
      { ...echo, name: 'bug', handler: async () => Promise.reject(new TypeError('x is not a function')) },
    ];
    const { client } = await start(tools, (level, message, fields) => lines.push(`${level} ${message} ${fields?.stack}`));
    const known = await client.call('known', { message: '' });
    expect(known.text).toContain('E_REFUSED');
    expect(known.text).toContain('do that');
    expect(lines).toEqual([]);
    const bug = await client.call('bug', { message: '' });
    expect(bug.text).toContain('E_INTERNAL');
    expect(lines.join()).toMatch(/error bug failed TypeError: x is not a function\s+at /);
  });

  it('ends a call at its time limit from any source, and aborts its signal', async () => {
    const seen: AbortSignal[] = [];
    const { client } = await start(
      [waiting((signal) => seen.push(signal)), waiting((signal) => seen.push(signal), { name: 'long', timeoutMs: 60 })],
      undefined,
      40,
    );
    const byServer = await client.call('wait');
    expect(byServer.text).toMatch(/E_TIMEOUT.*40 ms/s);
    const byTool = await client.call('long');
    expect(byTool.text).toMatch(/E_TIMEOUT.*60 ms/s);
    const byCall = await client.call('wait', { timeout_ms: 20 });
    expect(byCall.text).toMatch(/E_TIMEOUT.*20 ms/s);
    expect(seen.map((signal) => signal.aborted)).toEqual([true, true, true]);
  });

  it('answers for a handler that does not listen to its signal', async () => {
    const { client, server } = await start(
      [waiting(() => undefined, { handler: () => new Promise(() => undefined) })],
      undefined,
      20,
    );
    expect((await client.call('wait')).text).toMatch(/^E_TIMEOUT: .* 20 ms; .* may still be running\.$/m);
    expect(server.calls.count).toBe(0);
  });

  it('aborts the signal of a call that the client cancels, and only that', async () => {
    const seen: AbortSignal[] = [];
    const { client, server } = await start([waiting((signal) => seen.push(signal)), echo]);
    const cancel = new AbortController();
    const cancelled = client.call('wait', {}, { signal: cancel.signal });
    const other = client.call('wait', { timeout_ms: 300 });
    await expect.poll(() => seen.length).toBe(2);
    cancel.abort();
    await expect(cancelled).rejects.toThrow();
    await expect.poll(() => seen[0]?.aborted).toBe(true);
    expect(seen[1]?.aborted).toBe(false);
    expect((await client.call('echo', { message: 'still here' })).text).toBe('still here');
    expect((await other).text).toContain('E_TIMEOUT');
    expect(server.calls.count).toBe(0);
  });

  it('reports progress, growing and throttled, only to a caller that asked', async () => {
    const busy: Tool = {
      ...echo,
      name: 'busy',
      handler: async (_args, { progress }) => {
        for (let step = 1; step <= 1_000; step += 1) progress(step, 1_000);
        return text('done');
      },
    };
    const { client } = await start([busy]);
    const reports: number[] = [];
    await client.call('busy', { message: '' }, { onProgress: ({ progress }) => reports.push(progress) });
    expect(reports.at(-1)).toBe(1_000);
    expect(reports.length).toBeLessThan(10);
    expect(reports).toEqual([...reports].sort((a, b) => a - b));
    expect((await client.call('busy', { message: '' })).text).toBe('done');
  });

  it('aborts everything at the end and refuses what comes after', async () => {
    const { client, server } = await start([waiting(() => undefined), echo]);
    const running = client.call('wait');
    await expect.poll(() => server.calls.count).toBe(1);
    server.calls.abortAll(new Failure('cancelled', 'the server is stopping', { code: 'E_SHUTTING_DOWN' }));
    expect((await running).text).toContain('E_SHUTTING_DOWN');
    expect((await client.call('echo', { message: 'x' })).text).toContain('E_SHUTTING_DOWN');
  });
});
