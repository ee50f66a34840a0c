import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

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
  /** Milliseconds since `markTime`. */
  after: number;
}

export interface ServerProcessOptions {
  /** The built program. */
  file: string;
  args?: readonly string[];
  env?: Record<string, string>;
  cwd?: string;
  /** The executable of another Node. */
  node?: string;
}

const recentLength = 100_000;

interface Waiting {
  method: string;
  resolve(message: Message): void;
  reject(error: Error): void;
}

/**
 * A server in a process of its own, with nothing between it and the test: lines in, lines out. It gets an empty home folder
 * and no variable of mole, so that no setting of the developer can help it.
 */
export class ServerProcess {
  readonly child: ChildProcessWithoutNullStreams;
  readonly home = mkdtempSync(join(tmpdir(), 'mole-home-'));
  readonly exited: Promise<Exit>;
  /** Lines of stdout that were no JSON-RPC message. */
  readonly impure: string[] = [];
  stderr = '';
  readonly #waiting = new Map<number | string, Waiting>();
  /** The parts of the incomplete line; an answer may be many megabytes long. */
  #pending: string[] = [];
  #recent: string[] = [];
  #nextId = 1;
  #mark = Date.now();

  constructor({ file, args = [], env = {}, cwd, node = process.execPath }: ServerProcessOptions) {
    if (!existsSync(file)) throw new Error(`${file} is missing: run \`npm run build\` first`);
    const own = { PATH: process.env.PATH ?? '', HOME: this.home, XDG_CONFIG_HOME: join(this.home, '.config') };
    this.child = spawn(node, [file, ...args], { cwd: cwd ?? this.home, env: { ...own, ...env } });
    this.child.setMaxListeners(0);
    this.child.stdin.on('error', () => undefined);
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    this.child.stdout.setEncoding('utf8').on('data', (text: string) => this.#receive(text));
    this.exited = new Promise((resolve) => {
      this.child.once('exit', (code, signal) => {
        resolve({ code, signal, after: Date.now() - this.#mark });
        for (const { method, reject } of this.#waiting.values()) {
          reject(new Error(`the server ended before it answered ${method}; its log:\n${this.stderr}`));
        }
      });
    });
  }

  /** The last of it: enough for a test to look at; ten thousand answers need not all be kept. */
  get stdout(): string {
    return this.#recent.join('').slice(-recentLength);
  }

  send(message: unknown): void {
    this.child.stdin.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
  }

  request(method: string, params: Record<string, unknown> = {}): Promise<Message> {
    return this.start(method, params).answer;
  }

  /** A request that can be given up. There is no answer then. */
  start(method: string, params: Record<string, unknown>): { answer: Promise<Message>; cancel(): void } {
    const id = this.#nextId++;
    const answer = new Promise<Message>((resolve, reject) => {
      this.#waiting.set(id, { method, resolve, reject });
      this.send({ jsonrpc: '2.0', id, method, params });
    });
    const cancel = () => {
      this.#waiting.delete(id);
      this.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
    };
    return { answer, cancel };
  }

  async initialize(): Promise<Message> {
    const clientInfo = { name: 'raw', version: '1' };
    const answer = await this.request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
    this.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return answer;
  }

  callTool(name: string, args: Record<string, unknown> = {}): Promise<Message> {
    return this.request('tools/call', { name, arguments: args });
  }

  /** Starts the clock of `Exit.after`. */
  markTime(): void {
    this.#mark = Date.now();
  }

  rssBytes(): number {
    const status = readFileSync(`/proc/${this.child.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024;
  }

  async stop(): Promise<Exit> {
    this.child.stdin.end();
    const kill = setTimeout(() => this.child.kill('SIGKILL'), 5_000);
    const exit = await this.exited;
    clearTimeout(kill);
    rmSync(this.home, { recursive: true, force: true });
    return exit;
  }

  #receive(text: string): void {
    this.#recent.push(text);
    if (this.#recent.length > 1_000) this.#recent = [this.stdout];
    const lines = text.split('\n');
    const last = lines.pop() ?? '';
    for (const line of lines) {
      this.#receiveLine(this.#pending.join('') + line);
      this.#pending = [];
    }
    this.#pending.push(last);
  }

  #receiveLine(line: string): void {
    let message: Message;
    try {
      // Whatever it is, the next line looks at what makes it a message.
      message = JSON.parse(line) as Message;
    } catch {
      this.impure.push(line);
      return;
    }
    if (message.jsonrpc !== '2.0') this.impure.push(line);
    if (message.id === undefined) return;
    this.#waiting.get(message.id)?.resolve(message);
    this.#waiting.delete(message.id);
  }
}

/** The text of a tool's answer. */
export function readText(message: Message): string {
  const content: unknown = message.result?.content;
  const [first]: unknown[] = Array.isArray(content) ? content : [];
  const text: unknown = typeof first === 'object' && first !== null ? Reflect.get(first, 'text') : undefined;
  return typeof text === 'string' ? text : JSON.stringify(message);
}
