import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SshHop, Topology } from '@dbmole/engines';
import { afterAll, afterEach, beforeAll, expect, vi } from 'vitest';
import type { SshRoute } from '../src/connection.ts';
import { Failure } from '../src/failure.ts';
import type { TunnelContext } from '../src/tunnel/open-tunnel.ts';
import { createSharedTunnels } from '../src/tunnel/shared-tunnels.ts';
import type { Tunnel } from '../src/tunnel/tunnel.ts';
import { startTarget, type TestTarget } from './ssh-server.ts';

export let target: TestTarget;
export let directory: string;
const open: Tunnel[] = [];
export const notes: string[] = [];

/** A server behind the tunnels and a folder, for the tests of this file; what a test opens is closed behind it. */
export function useRoutes(): void {
  beforeAll(async () => {
    target = await startTarget();
    directory = await mkdtemp(join(tmpdir(), 'route-'));
  });

  afterEach(async () => {
    vi.unstubAllEnvs();
    await Promise.all(open.splice(0).map((tunnel) => tunnel.close()));
    notes.length = 0;
  });

  afterAll(() => Promise.all([target.close(), rm(directory, { recursive: true })]));
}

export function tunnelsOf(topology: Topology, context: Partial<TunnelContext> = {}) {
  const tunnels = createSharedTunnels({
    env: { PATH: process.env.PATH },
    home: directory,
    log: (_level, text, fields) => notes.push(`${text} ${JSON.stringify(fields)}`),
    knownHostsFiles: [topology.knownHostsFile],
    sshConfig: topology.sshConfigFile,
    ...context,
  });
  return async (ssh: SshRoute, signal = new AbortController().signal): Promise<Tunnel> => {
    const config = { name: 'x', type: 'thing', host: '127.0.0.1', readonly: true, ssh };
    const tunnel = await tunnels.open(config, signal);
    open.push(tunnel);
    return tunnel;
  };
}

/** The topology's configuration, with more in front of it. */
export async function configWith(topology: Topology, lines: string): Promise<string> {
  const file = join(directory, `config-${Math.random().toString(36).slice(2)}`);
  await writeFile(file, `${lines}\n${readFileSync(topology.sshConfigFile, 'utf8')}`);
  return file;
}

export async function echo(tunnel: Tunnel, word = 'hello'): Promise<string> {
  const stream = tunnel.stream('127.0.0.1', target.port);
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

export function logins({ directory }: SshHop): number {
  return readFileSync(join(directory, 'log'), 'utf8').match(/Accepted publickey/g)?.length ?? 0;
}

/** One that has ended but was not reaped yet no longer runs. */
export function isRunning(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

export const described = ({ host, port, user }: SshHop, privateKey: string) => ({ host, port, user, privateKey });
