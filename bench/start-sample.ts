import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { processorTime, residentMemory } from './process-usage.ts';

export type Era = 'legacy' | 'modern';

export interface Sample {
  /** The time from the start of the process to the whole first answer. */
  ms: number;
  /** Processor time until then; null where it cannot be read. */
  cpu: number | null;
  /** Resident memory after `tools/list`. */
  rss: number | null;
  /** Length of the answer to `tools/list`. */
  listBytes: number;
}

const client = { name: 'bench', version: '1' };
const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': client,
};
const conversations = {
  legacy: [
    { method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: client } },
    { method: 'tools/list', params: {} },
  ],
  modern: [
    { method: 'server/discover', params: { _meta: envelope } },
    { method: 'tools/list', params: { _meta: envelope } },
  ],
} as const;

const patienceMs = 20_000;

/** Users with many databases must not pay for them at the start, nor in the definitions of the tools. */
const twentyConnections = {
  DBMOLE_CONNECTIONS: connectionsOf({ type: 'postgres', user: 'reader' }),
  ESMOLE_CONNECTIONS: connectionsOf({ type: 'elasticsearch', user: 'reader', password: 'not used' }),
};

function connectionsOf(fields: Record<string, string>): string {
  return JSON.stringify(
    Array.from({ length: 20 }, (_, index) => ({ ...fields, name: `db${index}`, host: `db${index}.invalid` })),
  );
}

/** Starts a server, asks it who it is and what it can do, and ends it. */
export async function sampleStart(node: string, program: string, era: Era, args: readonly string[] = []): Promise<Sample> {
  const [hello, list] = conversations[era];
  const started = performance.now();
  const child = spawn(node, [program, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...twentyConnections },
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const timer = setTimeout(() => child.kill('SIGKILL'), patienceMs);
  try {
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const ask = (id: number, request: object) => answer(child, lines, { jsonrpc: '2.0', id, ...request });
    await ask(1, hello);
    const ms = performance.now() - started;
    const pid = child.pid ?? 0;
    const cpu = processorTime(pid);
    const listing = await ask(2, list);
    return { ms, cpu, rss: residentMemory(pid), listBytes: Buffer.byteLength(listing) };
  } finally {
    clearTimeout(timer);
    child.kill('SIGKILL');
    await ended;
  }
}

async function answer(
  child: ChildProcessByStdio<Writable, Readable, null>,
  lines: AsyncIterator<string>,
  request: { jsonrpc: '2.0'; id: number },
): Promise<string> {
  child.stdin.write(`${JSON.stringify(request)}\n`);
  const { value, done } = await lines.next();
  if (done) throw new Error(`${child.spawnargs.join(' ')} ended without an answer to ${JSON.stringify(request)}`);
  // Everything a server writes is JSON-RPC, so the answer has one of the two.
  const { result, error } = JSON.parse(value) as { result?: { tools?: unknown }; error?: unknown };
  if (result === undefined) throw new Error(`${child.spawnargs.join(' ')} answered ${JSON.stringify(error)}`);
  return JSON.stringify(result.tools ?? result);
}
