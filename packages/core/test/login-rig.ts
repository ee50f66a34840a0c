import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import ssh2, { type ParsedKey } from 'ssh2';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import type { SshRoute } from '../src/connection.ts';
import type { Failure } from '../src/failure.ts';
import { fingerprint } from '../src/tunnel/keys/known-hosts.ts';
import { openTunnel, type TunnelOptions } from '../src/tunnel/open-tunnel.ts';
import type { Tunnel } from '../src/tunnel/tunnel.ts';
import {
  listen,
  makeHostKey,
  type SshServer,
  type SshServerOptions,
  startSshServer,
  startTarget,
  type TestTarget,
} from './ssh-server.ts';

type Hop = Exclude<SshRoute, string>;

export const password = 'canary-Pa55word';
export const hostKey = makeHostKey();
export const publicKey = hostKey.public.split(' ').slice(0, 2).join(' ');
export const pin = pinOf(hostKey.public);
const clientKey = ssh2.utils.generateKeyPairSync('ed25519');
export const cleanUps: (() => Promise<unknown>)[] = [];
export const logged: string[] = [];
export let home: string;

/** A home folder for the tests of this file; what a test opens is closed behind it. */
export function useLogins(): void {
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'login-'));
    await writeFile(join(home, 'id'), clientKey.private, { mode: 0o600 });
  });

  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
    logged.length = 0;
  });

  afterAll(() => rm(home, { recursive: true }));
}

export async function serve(options: SshServerOptions = {}): Promise<SshServer> {
  const server = await startSshServer({ hostKeys: [hostKey.private], ...options });
  cleanUps.push(() => server.close());
  return server;
}

export async function open(port: number, hop: Partial<Hop> = {}, options: Partial<TunnelOptions> = {}): Promise<Tunnel> {
  const tunnel = await openTunnel({
    route: { host: '127.0.0.1', port, user: 'me', password, hostKeys: [pin], ...hop },
    env: {},
    home,
    knownHostsFiles: [],
    log: (level, text, fields) => logged.push(`${level} ${text} ${JSON.stringify(fields)}`),
    ...options,
  });
  cleanUps.push(() => tunnel.close());
  return tunnel;
}

/** Whatever fails must neither be anything but a Failure nor hold the password. */
export async function refusal(attempt: Promise<unknown>): Promise<Failure> {
  const failure = await attempt.then(
    () => expect.fail('it succeeded'),
    (error: Failure) => error,
  );
  expect(failure.name).toBe('Failure');
  expect(inspect(failure, { depth: 10, showHidden: true })).not.toContain(password);
  return failure;
}

export async function serveRaw(handle: (socket: Socket) => void): Promise<{ port: number; sockets: Socket[] }> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => {}));
    handle(socket);
  });
  cleanUps.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return { port: await listen(server), sockets };
}

export async function echoTarget(): Promise<TestTarget> {
  const target = await startTarget();
  cleanUps.push(() => target.close());
  return target;
}

export async function until(condition: () => boolean, what: string): Promise<void> {
  const end = Date.now() + 20_000;
  while (!condition()) {
    if (Date.now() > end) throw new Error(`waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

export function parseKey(text: string): ParsedKey {
  const key = ssh2.utils.parseKey(text);
  if (key instanceof Error) throw key;
  return key;
}

export function pinOf(text: string): string {
  return fingerprint(Buffer.from(text.split(' ')[1] ?? '', 'base64'));
}
