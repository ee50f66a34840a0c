import { existsSync, statSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod';
import { respond } from '../../../answer/respond.ts';
import type { Narrowing } from '../../../program/narrowing.ts';
import { useTempFolder } from '../../../testing/use-temp-folder.ts';
import { RunningCalls } from '../../../tools/running-calls.ts';
import { defineTool } from '../../../tools/tool.ts';
import { createToolServer } from '../../../tools/tool-server.ts';
import { parseWelcome, readFirstLine } from '../hello.ts';
import { Clients } from './process-clients.ts';
import { serveClient } from './shared-client.ts';

const folder = useTempFolder();
const identity = { protocol: 1, version: '1.0.0', program: '/p', stamp: 's' };
const log = () => undefined;

/** Counts the calls that were told to stop. */
async function listen() {
  const calls = new RunningCalls();
  const seen: Narrowing[] = [];
  let stopped = 0;
  const wait = defineTool({
    ...{ name: 'wait', title: 'Wait', description: 'Waits.', effect: 'read', input: () => z.strictObject({}) },
    handler: async (_, { signal }) => {
      await delay(60_000, undefined, { signal }).catch(() => stopped++);
      return respond.text('stopped');
    },
  });
  const exit = vi.fn<(code: number) => void>();
  const clients = new Clients({
    ...{ socket: folder.at('s.sock'), identity, calls, log, exit, dispose: async () => undefined },
    async open(narrowing) {
      if (narrowing.tools === 'none') throw new Error('no such tool');
      seen.push(narrowing);
      const view = createToolServer({ name: 'test', version: '1', instructions: '', log, calls });
      view.register(wait);
      return (socket) => serveClient(socket, { toolServer: view, log });
    },
  });
  await clients.listen();
  onTestFinished(async () => await clients.stop('the test is over'));
  return { clients, exit, seen, calls, stopped: () => stopped };
}

async function connect(fields: object = {}) {
  const socket = createConnection({ path: folder.at('s.sock'), allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined);
  socket.write(`${JSON.stringify({ ...identity, want: 'serve', ...fields })}\n`);
  return { socket, welcome: parseWelcome((await readFirstLine(socket, 5_000)) ?? '') };
}

async function ask(socket: Socket, message: object): Promise<string | undefined> {
  socket.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  return await readFirstLine(socket, 5_000);
}

const clientInfo = { name: 'test', version: '1' };
const initialize = { id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } };

describe('Clients', () => {
  it('are welcomed and served, each with its own view', async () => {
    const { seen } = await listen();
    expect(statSync(folder.at('s.sock')).mode & 0o777).toBe(0o600);
    const { socket, welcome } = await connect({ readonly: true, timeout: '5s' });
    expect(welcome).toEqual({ ...identity, pid: process.pid });
    expect(await ask(socket, initialize)).toContain('"serverInfo"');
    await connect();
    expect(seen).toEqual([
      expect.objectContaining({ readonly: true, timeout: '5s' }),
      expect.not.objectContaining({ readonly: true }),
    ]);
  });

  it('learn why they are refused', async () => {
    await listen();
    expect((await connect({ tools: 'none' })).welcome?.refused).toContain('no such tool');
  });

  it('clients of another protocol are told ours and dropped', async () => {
    const { seen } = await listen();
    const { socket, welcome } = await connect({ protocol: 7 });
    expect(welcome?.protocol).toBe(1);
    await new Promise((resolve) => socket.once('end', resolve).resume());
    expect(seen).toEqual([]);
  });

  it('clients that send nonsense are dropped', async () => {
    await listen();
    const socket = createConnection(folder.at('s.sock'));
    socket.on('error', () => undefined);
    socket.write('GET / HTTP/1.1\n');
    await new Promise((resolve) => socket.once('close', resolve).resume());
  });

  it.each(['end', 'destroy'] as const)('stop their own calls when they %s', async (how) => {
    const { calls, stopped } = await listen();
    const [first, second] = await Promise.all([connect(), connect()]);
    for (const { socket } of [first, second]) {
      await ask(socket, initialize);
      socket.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
      socket.write('{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"wait","arguments":{}}}\n');
    }
    await expect.poll(() => calls.count).toBe(2);
    first.socket[how]();
    await expect.poll(() => [calls.count, stopped()], { timeout: 5_000 }).toEqual([1, 1]);
  });

  it('leave the process running for a time, which each of them may set', async () => {
    const { exit } = await listen();
    const first = await connect({ idleMs: 100 });
    const second = await connect();
    first.socket.destroy();
    await delay(300);
    expect(exit).not.toHaveBeenCalled();
    second.socket.destroy();
    await expect.poll(() => exit.mock.calls, { timeout: 5_000 }).toEqual([[0]]);
    expect(existsSync(folder.at('s.sock'))).toBe(false);
  });

  it('stay when the process drains, which then ends with the last of them', async () => {
    const { exit } = await listen();
    const { socket } = await connect();
    expect((await connect({ want: 'drain', protocol: 7 })).welcome?.pid).toBe(process.pid);
    await expect.poll(() => existsSync(folder.at('s.sock'))).toBe(false);
    expect(await ask(socket, initialize)).toContain('"serverInfo"');
    expect(exit).not.toHaveBeenCalled();
    socket.destroy();
    await expect.poll(() => exit.mock.calls, { timeout: 5_000 }).toEqual([[0]]);
  });
});
