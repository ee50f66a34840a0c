import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { readText } from '../packages/core/src/testing/server-process.ts';

interface StdioServerOptions {
  /** The built program. */
  file: string;
  args?: readonly string[];
  env?: Record<string, string>;
  node: string;
  /** A home folder that the caller keeps; one of its own otherwise. */
  home?: string;
}

type Answer = Parameters<typeof readText>[0];

const clientInfo = { name: 'bench', version: '1' };

/**
 * A server and the smallest client that can talk to it. The one of the tests keeps what it receives for them to look at, which takes
 * as long as the server needs for a small read.
 */
export class StdioServer {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #home: string;
  readonly #ownsHome: boolean;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  readonly #exited: Promise<void>;
  /** The parts of the incomplete line; an answer may be many megabytes long. */
  #pending: string[] = [];
  #nextId = 1;

  constructor({ file, args = [], env = {}, node, home }: StdioServerOptions) {
    if (!existsSync(file)) throw new Error(`${file} is missing: run \`npm run build\` first`);
    this.#home = home ?? mkdtempSync(join(tmpdir(), 'mole-bench-home-'));
    this.#ownsHome = home === undefined;
    const own = { PATH: process.env.PATH ?? '', HOME: this.#home, XDG_CONFIG_HOME: join(this.#home, '.config') };
    this.#child = spawn(node, [file, ...args], {
      cwd: this.#home,
      env: { ...own, ...env },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    this.#exited = new Promise((resolve) => this.#child.once('close', () => resolve()));
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => this.#receive(text));
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async initialize(): Promise<void> {
    await this.#request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
    this.#send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }

  async ping(): Promise<void> {
    await this.#request('ping', {});
  }

  /** The size of the answer to `tools/list`. */
  async listBytes(): Promise<number> {
    return Buffer.byteLength(JSON.stringify((await this.#request('tools/list', {})).result));
  }

  /** The text of the answer, which may come in several parts. */
  async callTool(name: string, args: Record<string, unknown>): Promise<string> {
    const answer = await this.#request('tools/call', { name, arguments: args });
    const parts: unknown = answer.result?.content;
    return Array.isArray(parts) && parts.length > 1 ? parts.map((part: unknown) => partText(part)).join('\n') : readText(answer);
  }

  /** A request whose answer is not awaited. */
  start(method: string, params: object): { cancel(): void } {
    const id = this.#nextId++;
    this.#send({ jsonrpc: '2.0', id, method, params });
    return { cancel: () => this.#send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } }) };
  }

  async stop(): Promise<void> {
    this.#child.stdin.end();
    const kill = setTimeout(() => this.#child.kill('SIGKILL'), 5_000);
    await this.#exited;
    clearTimeout(kill);
    if (this.#ownsHome) rmSync(this.#home, { recursive: true, force: true });
  }

  #request(method: string, params: object): Promise<Answer> {
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, resolve);
      void this.#exited.then(() => reject(new Error(`the server ended before it answered ${method}`)));
      this.#send({ jsonrpc: '2.0', id, method, params });
    });
  }

  #send(message: object): void {
    this.#child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  #receive(text: string): void {
    const lines = text.split('\n');
    const last = lines.pop() ?? '';
    for (const line of lines) {
      this.#answer(this.#pending.join('') + line);
      this.#pending = [];
    }
    this.#pending.push(last);
  }

  #answer(line: string): void {
    // Other servers write notes of their own between the messages.
    if (!line.startsWith('{')) return;
    const answer = JSON.parse(line) as Answer;
    if (typeof answer.id !== 'number') return;
    this.#waiting.get(answer.id)?.(answer);
    this.#waiting.delete(answer.id);
  }
}

function partText(part: unknown): string {
  return typeof part === 'object' && part !== null ? String(Reflect.get(part, 'text') ?? '') : '';
}
