import { PassThrough } from 'node:stream';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { afterEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { Failure } from '../failure.ts';
import { defineTool } from '../tools/tool.ts';
import { createToolServer } from '../tools/tool-server.ts';
import { StdioTransport } from './stdio-transport.ts';

type Written = Record<string, unknown>;

const hello = {
  jsonrpc: '2.0',
  id: 'hello',
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

interface World {
  send(...messages: object[]): void;
  /** Waits for the answer without sending anything before it, as every client does. */
  shakeHands(): Promise<void>;
  /** All that was written, but the answer to the handshake. */
  written(): Written[];
  calls: string[];
  aborted: unknown[];
  close(): Promise<void>;
}

const worlds: World[] = [];

/** A server whose transport answers calls itself, or one that leaves all of them to the SDK. */
function open(isDirect: boolean): World {
  const calls: string[] = [];
  const aborted: unknown[] = [];
  const toolServer = createToolServer({ name: 'test', version: '1', instructions: '', log: () => undefined });
  const common = { title: 'T', description: 'D', effect: 'read' as const };
  const text = (content: string) => ({ content: [{ type: 'text' as const, text: content }] });
  toolServer.register(
    defineTool({
      ...common,
      name: 'echo',
      input: () => z.strictObject({ word: z.string().default('none') }),
      handler: async ({ word }, { progress }) => {
        progress(1, 2, 'half');
        if (word === 'bad') throw new Failure('input', 'that is no word', { hint: 'Give another.' });
        return text(word);
      },
    }),
  );
  toolServer.register(
    defineTool({
      ...common,
      name: 'wait',
      input: () => z.strictObject({}),
      handler: (_args, { signal }) =>
        new Promise((_, reject) =>
          signal.addEventListener('abort', () => {
            aborted.push(signal.reason);
            reject(signal.reason);
          }),
        ),
    }),
  );
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  let output = '';
  stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const call: typeof toolServer.call = (name, args, caller) => {
    calls.push(name);
    return toolServer.call(name, args, caller);
  };
  const transport = new StdioTransport({ stdin, stdout, ...(isDirect && { call }) });
  serveStdio(() => toolServer.connect(), { transport });
  const lines = () => output.split('\n').filter(Boolean);
  const world: World = {
    send: (...messages) => void stdin.write(messages.map((message) => `${JSON.stringify(message)}\n`).join('')),
    written: () =>
      lines()
        .map((line): Written => JSON.parse(line))
        .filter(({ id }) => id !== 'hello'),
    async shakeHands() {
      world.send(hello);
      await expect.poll(() => lines().length).toBe(1);
      world.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    },
    calls,
    aborted,
    close: () => transport.close(),
  };
  worlds.push(world);
  return world;
}

afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

const getCall = (params: unknown, id: unknown = 1) => ({ jsonrpc: '2.0', id, method: 'tools/call', params });

/** Each of these is answered, by us or by the SDK. */
const plain: readonly [what: string, params: Record<string, unknown>][] = [
  ['a result', { name: 'echo', arguments: { word: 'hello' } }],
  ['no arguments', { name: 'echo' }],
  ['a failure', { name: 'echo', arguments: { word: 'bad' } }],
  ['wrong arguments', { name: 'echo', arguments: { wrod: 1 } }],
  ['a tool that is not there', { name: 'nothing', arguments: {} }],
  ['progress', { name: 'echo', arguments: {}, _meta: { progressToken: 'p' } }],
];

describe('calls without the SDK', () => {
  it.each(plain)('write what the SDK would write: %s', async (_what, params) => {
    const [direct, whole] = [open(true), open(false)];
    for (const world of [direct, whole]) {
      await world.shakeHands();
      world.send(getCall(params));
      await expect.poll(() => world.written().some(({ id }) => id === 1)).toBe(true);
    }
    expect(direct.calls).toHaveLength(1);
    expect(direct.written()).toEqual(whole.written());
  });

  it.each<[string, object]>([
    ['another field of the call', getCall({ name: 'echo', task: {} })],
    ['another field of _meta', getCall({ name: 'echo', _meta: { trace: 1 } })],
    ['arguments that are a list', getCall({ name: 'echo', arguments: [] })],
    ['a name that is not a string', getCall({ name: 7 })],
    ['another field of the message', { ...getCall({ name: 'echo' }), more: 1 }],
  ])('are left to the SDK with %s', async (_what, message) => {
    const [direct, whole] = [open(true), open(false)];
    for (const world of [direct, whole]) {
      await world.shakeHands();
      world.send(message);
      await expect.poll(() => world.written().length).toBeGreaterThan(0);
    }
    expect(direct.calls).toEqual([]);
    expect(direct.written()).toEqual(whole.written());
  });

  it('are left to the SDK before the handshake is over', async () => {
    const world = open(true);
    world.send(hello, getCall({ name: 'echo' }));
    await expect.poll(() => world.written().length).toBe(1);
    expect(world.calls).toEqual([]);
  });

  it('end without an answer when the client gives them up, and the others go on', async () => {
    const world = open(true);
    await world.shakeHands();
    world.send(getCall({ name: 'wait' }, 'a'), getCall({ name: 'wait' }, 'b'));
    await expect.poll(() => world.calls).toEqual(['wait', 'wait']);
    world.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'a' } });
    await expect.poll(() => world.aborted).toMatchObject([{ kind: 'cancelled' }]);
    world.send(getCall({ name: 'echo' }, 'c'));
    await expect.poll(() => world.written().map(({ id }) => id)).toEqual(['c']);
  });

  it('are given up when the transport closes', async () => {
    const world = open(true);
    await world.shakeHands();
    world.send(getCall({ name: 'wait' }));
    await expect.poll(() => world.calls).toEqual(['wait']);
    await world.close();
    await expect.poll(() => world.aborted).toHaveLength(1);
    expect(world.written()).toEqual([]);
  });
});
