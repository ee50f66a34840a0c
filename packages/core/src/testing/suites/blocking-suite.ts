import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readText, ServerProcess, type ServerProcessOptions } from '../server-process.ts';

export interface HeavyCall {
  title: string;
  tool: string;
  args: () => Record<string, unknown>;
  /** What the answer, or the error of the protocol, begins with or contains. */
  expected: RegExp;
  /** It is the first call of its process. */
  isFirst?: boolean;
  before?: () => void;
}

/** What is promised, on a quiet processor. Other programs empty its caches, which takes time that counts as ours. */
const promisedMs = 20;
const maxBlockedMs = 25;
const attempts = 5;

/** The built server answers each of these and lets others go first every few milliseconds. */
export function describeBlocking(options: () => ServerProcessOptions, calls: readonly HeavyCall[]): void {
  let server: MeasuredServer;
  let worst = { title: '', blockedMs: 0 };

  beforeAll(async () => {
    server = await MeasuredServer.open(options());
  });
  afterAll(async () => {
    await server.close();
    process.stderr.write(`blocked for ${worst.blockedMs.toFixed(0)} ms at most, by ${worst.title}\n`);
  });

  it.each(calls)('lets others go first: $title', async ({ title, tool, args, expected, isFirst = false, before }) => {
    let blockedMs = Number.POSITIVE_INFINITY;
    for (let attempt = 0; attempt < attempts && blockedMs > promisedMs; attempt += 1) {
      if (isFirst) {
        await server.close();
        server = await MeasuredServer.open(options());
      }
      before?.();
      const { text, blockedMs: taken } = await server.measure(tool, args());
      expect(text).toMatch(expected);
      blockedMs = Math.min(blockedMs, taken);
    }
    if (blockedMs > worst.blockedMs) worst = { title, blockedMs };
    expect(blockedMs).toBeLessThan(maxBlockedMs);
  });
}

const heartbeat = new URL('../heartbeat.mjs', import.meta.url).href;

class MeasuredServer {
  readonly #server: ServerProcess;

  constructor(server: ServerProcess) {
    this.#server = server;
  }

  static async open(options: ServerProcessOptions): Promise<MeasuredServer> {
    const server = new ServerProcess({ ...options, env: { ...options.env, NODE_OPTIONS: `--import ${heartbeat}` } });
    await server.initialize();
    return new MeasuredServer(server);
  }

  async measure(tool: string, args: Record<string, unknown>): Promise<{ text: string; blockedMs: number }> {
    const started = Date.now();
    const answer = await this.#server.callTool(tool, args);
    // What was done in the same turn is written down after it.
    await delay(20);
    return { text: answer.error?.message ?? readText(answer), blockedMs: this.#blockedSince(started) };
  }

  async close(): Promise<void> {
    await this.#server.stop();
  }

  #blockedSince(start: number): number {
    const file = join(this.#server.home, 'heartbeat');
    if (!existsSync(file)) return 0;
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    const times = lines.map((line) => line.split(' ').map(Number)).filter(([at = 0]) => at >= start);
    return Math.max(0, ...times.map(([, blockedMs = 0]) => blockedMs));
  }
}
