import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The built program; `npm test` builds it first. */
export const bin = fileURLToPath(new URL('../dist/main.js', import.meta.url));

export interface Message {
  jsonrpc: '2.0';
  id?: number | string;
  method?: string;
  result?: Record<string, unknown>;
  error?: { code: number; message: string };
  params?: Record<string, unknown>;
}

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** Milliseconds since `since`. */
  after: number;
}

/** A server process with nothing between it and the test: lines in, lines out. */
export interface RawServer {
  child: ChildProcessWithoutNullStreams;
  /** Every line of stdout so far that was no JSON-RPC message. */
  impure: string[];
  stderr(): string;
  send(message: unknown): void;
  request(method: string, params?: Record<string, unknown>): Promise<Message>;
  initialize(): Promise<Message>;
  callTool(name: string, args?: Record<string, unknown>): Promise<Message>;
  exited: Promise<Exit>;
  since(): void;
  rssBytes(): Promise<number>;
  stop(): Promise<void>;
}

export interface StartOptions {
  env?: Record<string, string>;
  args?: readonly string[];
  cwd?: string;
  node?: string;
  file?: string;
}

export function startRaw(options: StartOptions = {}): RawServer {
  if (!existsSync(bin)) throw new Error('dist/main.js is missing: run `npm run build` first');
  const home = mkdtempSync(join(tmpdir(), 'dbmole-home-'));
  const child = spawn(options.node ?? process.execPath, [options.file ?? bin, ...(options.args ?? [])], {
    cwd: options.cwd ?? home,
    // A server must not find anything of the developer's who runs the test.
    env: { PATH: process.env.PATH ?? '', HOME: home, XDG_CONFIG_HOME: join(home, '.config'), ...options.env },
  });
  const impure: string[] = [];
  const waiting = new Map<number | string, (message: Message) => void>();
  let stderr = '';
  let pending = '';
  let nextId = 1;
  let mark = Date.now();
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (pending + text).split('\n');
    pending = lines.pop() ?? '';
    for (const line of lines) receive(line);
  });
  child.stdin.on('error', () => undefined);

  function receive(line: string): void {
    let message: Message;
    try {
      message = JSON.parse(line) as Message;
    } catch {
      impure.push(line);
      return;
    }
    if (message.jsonrpc !== '2.0') impure.push(line);
    if (message.id !== undefined) waiting.get(message.id)?.(message);
  }

  const server: RawServer = {
    child,
    impure,
    stderr: () => stderr,
    send: (message) => void child.stdin.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`),
    request(method, params = {}) {
      const id = nextId++;
      return new Promise((resolve, reject) => {
        waiting.set(id, resolve);
        child.once('exit', () => reject(new Error(`the server ended before it answered ${method}; stderr:\n${stderr}`)));
        server.send({ jsonrpc: '2.0', id, method, params });
      });
    },
    async initialize() {
      const clientInfo = { name: 'raw', version: '1' };
      const answer = await server.request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
      server.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
      return answer;
    },
    callTool: (name, args = {}) => server.request('tools/call', { name, arguments: args }),
    exited: new Promise((resolve) => {
      child.once('exit', (code, signal) => resolve({ code, signal, after: Date.now() - mark }));
    }),
    since: () => {
      mark = Date.now();
    },
    rssBytes: () => rssOf(child.pid),
    async stop() {
      child.stdin.end();
      const kill = setTimeout(() => child.kill('SIGKILL'), 5_000);
      await server.exited;
      clearTimeout(kill);
      rmSync(home, { recursive: true, force: true });
    },
  };
  child.setMaxListeners(0);
  return server;
}

async function rssOf(pid: number | undefined): Promise<number> {
  const { readFile } = await import('node:fs/promises');
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024;
}

export function textOf(message: Message): string {
  const content: unknown = message.result?.content;
  const [first]: unknown[] = Array.isArray(content) ? content : [];
  const text: unknown = typeof first === 'object' && first !== null ? Reflect.get(first, 'text') : undefined;
  return typeof text === 'string' ? text : JSON.stringify(message);
}
