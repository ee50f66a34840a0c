import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { Failure } from '../failure.ts';
import type { Log } from '../log.ts';
import { defineTool, type Tool } from '../tools/tool.ts';
import { createToolServer } from '../tools/tool-server.ts';
import { serve } from './serve.ts';
import { serveTools } from './serve-tools.ts';

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};
const callWait = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'wait', arguments: {} } };

interface Life {
  stdin: PassThrough;
  stdout: PassThrough;
  process: EventEmitter;
  /** Every line written so far, parsed. */
  written(): Record<string, unknown>[];
  log: string[];
  exitCode: Promise<number>;
  disposed(): number;
  send(message: unknown): void;
}

function waitTool(reasons: Failure[]): Tool {
  return defineTool({
    name: 'wait',
    title: 'Wait',
    description: 'Waits until it is stopped.',
    effect: 'read',
    input: () => z.strictObject({}),
    handler: (_args, { signal }) =>
      new Promise((_, reject) =>
        signal.addEventListener('abort', () => {
          reasons.push(signal.reason);
          reject(signal.reason);
        }),
      ),
  });
}

function live({ dispose = async () => undefined, tools = [] }: { dispose?: () => Promise<void>; tools?: Tool[] } = {}): Life {
  const log: string[] = [];
  const toolServer = createToolServer({ name: 'test', version: '1', instructions: '', log: () => undefined });
  for (const tool of tools) toolServer.register(tool);
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const process = new EventEmitter();
  let text = '';
  let disposed = 0;
  stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  const exitCode = new Promise<number>((exit) => {
    const write: Log = (level, message, fields) => log.push(`${level} ${message} ${fields?.stack ?? ''}`);
    serve({
      attach: serveTools(toolServer, write),
      calls: toolServer.calls,
      log: write,
      dispose: async () => {
        disposed += 1;
        await dispose();
      },
      stdin,
      stdout,
      exit,
      process,
    });
  });
  return {
    stdin,
    stdout,
    process,
    log,
    exitCode,
    disposed: () => disposed,
    written: () =>
      text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    send: (message) => void stdin.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`),
  };
}

describe('serve', () => {
  it.each(['{"id":"\\x"', '{"id":007,', '{"id":-'])(
    'reads on behind a line that only looks as if it had an id: %s',
    async (line) => {
      const life = live();
      life.send(`${line}\n${JSON.stringify(initialize)}`);
      await expect.poll(() => life.written().map(({ id }) => id)).toContain(1);
      expect(life.log.join()).not.toContain('uncaught');
      life.stdin.end();
      await life.exitCode;
    },
  );

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'])('%s ends it: calls are aborted, things are closed, once', async (signal) => {
    const reasons: Failure[] = [];
    const life = live({ tools: [waitTool(reasons)] });
    life.send(initialize);
    life.send(callWait);
    await expect.poll(() => life.written().length).toBe(1);
    life.process.emit(signal);
    life.process.emit(signal);
    expect(await life.exitCode).toBe(0);
    expect(reasons.map((reason) => reason.code)).toEqual(['E_SHUTTING_DOWN']);
    expect(JSON.stringify(life.written()[1])).toContain('E_SHUTTING_DOWN');
    expect(life.disposed()).toBe(1);
  });

  it('ends in time although closing hangs', async () => {
    const life = live({ dispose: () => new Promise(() => undefined) });
    const started = Date.now();
    life.stdin.end();
    expect(await life.exitCode).toBe(0);
    expect(Date.now() - started).toBeLessThan(3_000);
  });

  it('ends although closing fails, and says so', async () => {
    const life = live({ dispose: () => Promise.reject(new Error('pool is stuck')) });
    life.stdin.end();
    expect(await life.exitCode).toBe(0);
    expect(life.log.join('\n')).toContain('warn closing failed');
  });

  it('answers what was asked before the end of input', async () => {
    const quick: Tool = {
      ...waitTool([]),
      name: 'quick',
      handler: async () => ({ content: [{ type: 'text', text: 'quick answer' }] }),
    };
    const life = live({ tools: [quick] });
    life.send(initialize);
    life.send({ ...callWait, params: { name: 'quick', arguments: {} } });
    life.stdin.end();
    await life.exitCode;
    expect(JSON.stringify(life.written())).toContain('quick answer');
  });

  it('ends when the client closes our output', async () => {
    const life = live();
    life.send(initialize);
    life.stdout.destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    expect(await life.exitCode).toBe(0);
  });

  it('logs an uncaught error and keeps serving', async () => {
    const life = live();
    life.send(initialize);
    life.process.emit('uncaughtException', new Error('from a driver'));
    life.process.emit('unhandledRejection', 'a bare reason');
    life.send({ jsonrpc: '2.0', id: 5, method: 'tools/list' });
    await expect.poll(() => life.written().some(({ id }) => id === 5)).toBe(true);
    expect(life.log.join('\n')).toMatch(
      /error uncaught exception Error: from a driver[\s\S]*error unhandled rejection a bare reason/,
    );
    life.stdin.end();
    await life.exitCode;
  });

  it.each([
    ['no JSON', '{"id":3,"method":', -32700],
    ['no JSON-RPC', '{"id":3,"method":7}', -32600],
    ['too long', `{"id":3,"x":"${'y'.repeat(17_000_000)}"}`, -32600],
  ])('answers a line that is %s and goes on', async (_what, line, code) => {
    const life = live();
    life.send(initialize);
    life.send(line);
    life.send({ jsonrpc: '2.0', id: 4, method: 'tools/list' });
    await expect.poll(() => life.written().some(({ id }) => id === 4)).toBe(true);
    expect(life.written().find(({ id }) => id === 3)).toMatchObject({ error: { code } });
    life.stdin.end();
    await life.exitCode;
  });

  it.each(['9007199254740993', '90071992547409931', '7.5'])('does not answer another call when an id is %s', async (id) => {
    const life = live();
    life.send(initialize);
    await expect.poll(() => life.written().length).toBe(1);
    life.send(`{"jsonrpc":"2.0","id":${id},"method":"tools/list"}`);
    await expect.poll(() => life.log.some((line) => line.includes('not a JSON-RPC message'))).toBe(true);
    expect(life.written().map((message) => message.id)).toEqual([1]);
    life.stdin.end();
    await life.exitCode;
  });

  it('ignores a malformed line without an id', async () => {
    const life = live();
    life.send(initialize);
    await expect.poll(() => life.written().length).toBe(1);
    life.send('nonsense');
    await expect.poll(() => life.log.some((line) => line.includes('not a JSON-RPC message'))).toBe(true);
    expect(life.written()).toHaveLength(1);
    life.stdin.end();
    await life.exitCode;
  });
});
