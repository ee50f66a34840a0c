import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import type { SshHop, Topology } from '@dbmole/engines';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import type { BaseConnection, SshRoute } from '../src/connection.ts';
import { Failure } from '../src/failure.ts';
import { createManager, type Manager } from '../src/manager/manager.ts';
import { createFakeRegistry } from '../src/testing/fakes/fake-registry.ts';
import { listDescendants } from '../src/testing/process-tree.ts';
import type { TunnelContext } from '../src/tunnel/open-tunnel.ts';
import { createSharedTunnels } from '../src/tunnel/shared-tunnels.ts';
import type { DialledStream, Tunnel } from '../src/tunnel/tunnel.ts';
import { startTarget, type TestTarget } from './ssh-server.ts';
import { startProxy, type TcpProxy } from './tcp-proxy.ts';

type Take = (ssh: SshRoute, signal?: AbortSignal) => Promise<Tunnel>;

/** What a call of a tool does, as far as the tunnel sees it: one session of its own through the tunnel. */
interface EchoBackend {
  echo(word: string): Promise<string>;
  dispose(): Promise<void>;
}

/** What all tests of faults share: a target that echoes, a folder, and the end of everything they opened. */
export function useFaultRig(): FaultRig {
  const rig = new FaultRig();
  beforeAll(() => rig.start());
  afterEach(() => rig.cleanUp());
  afterAll(() => rig.stop());
  return rig;
}

class FaultRig {
  /** What the tunnels of this test logged. */
  readonly notes: string[] = [];
  readonly #cleanUps: (() => Promise<unknown>)[] = [];
  #target: TestTarget | undefined;
  #folder = '';

  async start(): Promise<void> {
    this.#target = await startTarget();
    this.#folder = await mkdtemp(join(tmpdir(), 'fault-'));
  }

  async cleanUp(): Promise<void> {
    for (const cleanUp of this.#cleanUps.splice(0).reverse()) await cleanUp();
    this.notes.length = 0;
  }

  async stop(): Promise<void> {
    await Promise.all([this.#target?.close(), rm(this.#folder, { recursive: true })]);
  }

  onEnd(cleanUp: () => Promise<unknown>): void {
    this.#cleanUps.push(cleanUp);
  }

  file(name: string): string {
    return join(this.#folder, name);
  }

  targetPort(): number {
    return this.#target?.port ?? 0;
  }

  targetConnections(): number {
    return this.#target?.connections ?? 0;
  }

  /** One set of shared tunnels; each call of the result is a connection that uses them. */
  take(topology: Topology | undefined, context: Partial<TunnelContext> = {}): Take {
    const tunnels = this.#tunnelsOf(topology, context);
    return async (ssh, signal = new AbortController().signal) => {
      const tunnel = await tunnels.open(connectionOf(ssh, this.targetPort()), signal);
      this.onEnd(() => tunnel.close());
      return tunnel;
    };
  }

  /** Uses a connection like the server: through the manager, which reopens what was lost. */
  calls(topology: Topology | undefined, ssh: SshRoute, context: Partial<TunnelContext> = {}) {
    const tunnels = this.#tunnelsOf(topology, context);
    const manager: Manager<EchoBackend> = createManager(createFakeRegistry(connectionOf(ssh, this.targetPort())), {
      createBackend: async ({ dial }) => echoBackend(dial),
      createTunnel: (config, signal) => tunnels.open(config, signal),
      resolvePort: () => this.targetPort(),
      idleMs: 0,
    });
    this.onEnd(() => manager.disposeAll());
    return async (word = 'hello', signal = AbortSignal.timeout(60_000)): Promise<string> => {
      const lease = await manager.acquire(undefined, signal);
      try {
        return await lease.backend.echo(word);
      } finally {
        lease.release();
      }
    };
  }

  async proxy(hop: { port: number; host?: string }): Promise<TcpProxy> {
    const proxy = await startProxy(hop.port, hop.host);
    this.onEnd(() => proxy.close());
    return proxy;
  }

  echo(tunnel: Tunnel, word = 'hello'): Promise<string> {
    return echoThrough(tunnel.stream('127.0.0.1', this.targetPort()), word);
  }

  /** A stream with a channel that is in use. */
  async echoing(tunnel: Tunnel): Promise<Duplex> {
    const stream = tunnel.stream('127.0.0.1', this.targetPort());
    stream.write('x');
    await once(stream, 'data');
    return stream;
  }

  #tunnelsOf(topology: Topology | undefined, context: Partial<TunnelContext>) {
    return createSharedTunnels({
      env: { PATH: process.env.PATH },
      home: this.#folder,
      log: (_level, text, fields) => this.notes.push(`${text} ${JSON.stringify(fields)}`),
      knownHostsFiles: topology === undefined ? [] : [topology.knownHostsFile],
      ...(topology === undefined ? {} : { sshConfig: topology.sshConfigFile }),
      ...context,
    });
  }
}

export const described = ({ host, port, user }: SshHop, privateKey: string) => ({ host, port, user, privateKey });

function connectionOf(ssh: SshRoute, port: number): BaseConnection & { port: number } {
  return { name: 'x', type: 'thing', host: '127.0.0.1', port, readonly: true, ssh };
}

/** Each word needs a channel of its own. */
function echoBackend(dial: (() => DialledStream) | undefined): EchoBackend {
  if (dial === undefined) throw new TypeError('there is no tunnel');
  return { echo: (word) => echoThrough(dial(), word), dispose: async () => undefined };
}

async function echoThrough(stream: Duplex, word: string): Promise<string> {
  stream.write(word);
  const [data] = await once(stream, 'data');
  stream.destroy();
  return String(data);
}

export async function refusal(attempt: Promise<unknown>): Promise<Failure> {
  const failure = await attempt.then(
    () => expect.fail('it was not refused'),
    (error: unknown) => error,
  );
  if (failure instanceof Failure) return failure;
  throw failure;
}

export function failed(stream: Duplex): Promise<unknown> {
  return new Promise((resolve) => stream.once('error', resolve));
}

function readLog({ directory }: SshHop): string {
  return readFileSync(join(directory, 'log'), 'utf8');
}

export function countLines(hop: SshHop, pattern: RegExp): number {
  return readLog(hop)
    .split('\n')
    .filter((line) => pattern.test(line)).length;
}

export const logins = (hop: SshHop): number => countLines(hop, /Accepted (publickey|password)/);

/** The processes of the sessions that are open on a server. */
export function sessionsOf(hop: SshHop): number[] {
  const { pid } = hop.control;
  return pid === undefined ? [] : listDescendants(pid);
}

export function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) process.kill(pid, signal);
}

export async function until(condition: () => boolean, what: string, withinMs = 20_000): Promise<void> {
  const end = Date.now() + withinMs;
  while (!condition()) {
    if (Date.now() > end) throw new Error(`waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
