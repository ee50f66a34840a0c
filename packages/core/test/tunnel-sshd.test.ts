import { execFile, execFileSync, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { promisify } from 'node:util';
import { type SshHop, type Topology, useTopology } from '@dbmole/engines';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { SshRoute } from '../src/connection.ts';
import { openTunnel, type TunnelOptions } from '../src/tunnel/open-tunnel.ts';
import type { Tunnel } from '../src/tunnel/tunnel.ts';
import { listen, startTarget, type TestTarget } from './ssh-server.ts';
import { startProxy } from './tcp-proxy.ts';

type Hop = Exclude<SshRoute, string>;

let target: TestTarget;
let directory: string;
const open: Tunnel[] = [];
const warnings: string[] = [];

beforeAll(async () => {
  target = await startTarget();
  directory = await mkdtemp(join(tmpdir(), 'tunnel-'));
});

afterEach(async () => {
  await Promise.all(open.splice(0).map((tunnel) => tunnel.close()));
  warnings.length = 0;
});

afterAll(() => Promise.all([target.close(), rm(directory, { recursive: true })]));

/** Through the bastion, with its key; what the test gives replaces that. */
async function tunnelTo(topology: Topology, hop?: Partial<Hop>, options: Partial<TunnelOptions> = {}): Promise<Tunnel> {
  const { host, port, user } = topology.bastion;
  const tunnel = await openTunnel({
    route: { host, port, user, ...(hop ?? { privateKey: topology.privateKeyFile }) },
    env: {},
    home: directory,
    log: (level, text) => level === 'warn' && warnings.push(text),
    knownHostsFiles: [topology.knownHostsFile],
    ...options,
  });
  open.push(tunnel);
  return tunnel;
}

function readLog(hop: SshHop): string {
  return readFileSync(join(hop.directory, 'log'), 'utf8');
}

async function echo(tunnel: Tunnel, word = 'hello'): Promise<string> {
  const stream = tunnel.stream('127.0.0.1', target.port);
  stream.write(word);
  const [data] = await once(stream, 'data');
  stream.destroy();
  return String(data);
}

async function echoing(tunnel: Tunnel): Promise<Duplex> {
  const stream = tunnel.stream('127.0.0.1', target.port);
  stream.write('x');
  await once(stream, 'data');
  return stream;
}

async function until(condition: () => boolean, what: string): Promise<void> {
  const end = Date.now() + 20_000;
  while (!condition()) {
    if (Date.now() > end) throw new Error(`waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Polls until the value is stable, and returns it. */
async function settled(value: () => number): Promise<number> {
  let last = -1;
  while (value() !== last) {
    last = value();
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  return last;
}

function failed(stream: Duplex): Promise<unknown> {
  return new Promise((resolve) => stream.once('error', resolve));
}

describe('logging in', () => {
  const topology = useTopology();

  test('logs in with a key file, the server known by a line of known_hosts', async () => {
    const { bastion } = topology();
    const tunnel = await tunnelTo(topology());
    expect(await echo(tunnel)).toBe('hello');
    const hops = [`${bastion.user}@127.0.0.1:${bastion.port}`];
    expect(tunnel.status()).toMatchObject({ state: 'ready', hops, fingerprint: bastion.hostKeyFingerprint });
    expect(warnings).toEqual([]);
  });

  test('logs in with an encrypted key and its passphrase', async () => {
    const privateKey = join(directory, 'encrypted');
    await writeFile(privateKey, readFileSync(topology().privateKeyFile), { mode: 0o600 });
    execFileSync('ssh-keygen', ['-q', '-p', '-a', '4', '-N', 'correct horse', '-f', privateKey]);
    const tunnel = await tunnelTo(topology(), { privateKey: '~/encrypted', passphrase: 'correct horse' });
    expect(await echo(tunnel)).toBe('hello');
    await expect(tunnelTo(topology(), { privateKey })).rejects.toMatchObject({ code: 'E_SSH_KEY_PASSPHRASE' });
    await expect(tunnelTo(topology(), { privateKey, passphrase: 'x' })).rejects.toMatchObject({ code: 'E_SSH_KEY_PASSPHRASE' });
  });

  test('logs in with the key of an agent, named or from the environment', async () => {
    const socket = join(directory, 'agent');
    const agent = spawn('ssh-agent', ['-D', '-a', socket], { stdio: 'ignore' });
    try {
      await until(() => readdirSync(directory).includes('agent'), 'the agent');
      const env = { ...process.env, SSH_AUTH_SOCK: socket };
      await expect(tunnelTo(topology(), { agent: socket })).rejects.toMatchObject({ code: 'E_SSH_AGENT_UNAVAILABLE' });
      execFileSync('ssh-add', ['-q', topology().privateKeyFile], { env, stdio: 'ignore' });
      expect(await echo(await tunnelTo(topology(), { agent: socket }))).toBe('hello');
      expect(await echo(await tunnelTo(topology(), {}, { env }))).toBe('hello');
    } finally {
      agent.kill();
      await once(agent, 'exit');
    }
  });

  test('logs in with the default key when nothing is configured', async () => {
    const home = await mkdtemp(join(directory, 'home-'));
    await mkdir(join(home, '.ssh'));
    await expect(tunnelTo(topology(), {}, { home })).rejects.toMatchObject({ code: 'E_SSH_AUTH_FAILED' });
    await writeFile(join(home, '.ssh', 'id_ed25519'), readFileSync(topology().privateKeyFile), { mode: 0o600 });
    await writeFile(join(home, '.ssh', 'id_rsa'), 'broken', { mode: 0o600 });
    expect(await echo(await tunnelTo(topology(), {}, { home }))).toBe('hello');
  });

  test('a wrong key is one refused login, which names the key and what the server accepts', async () => {
    const privateKey = join(directory, 'other');
    execFileSync('ssh-keygen', ['-q', '-t', 'ecdsa', '-N', '', '-f', privateKey]);
    await expect(tunnelTo(topology(), { privateKey })).rejects.toMatchObject({
      code: 'E_SSH_AUTH_FAILED',
      message: expect.stringMatching(/tried .*other \(ecdsa-sha2-nistp256 SHA256:.*; it accepts publickey$/),
    });
  });

  test('accepts lines of known_hosts that ssh-keygen has hashed', async () => {
    const hashed = join(directory, 'hashed');
    await writeFile(hashed, readFileSync(topology().knownHostsFile));
    execFileSync('ssh-keygen', ['-q', '-H', '-f', hashed], { stdio: 'ignore' });
    expect(readFileSync(hashed, 'utf8')).toContain('|1|');
    expect(await echo(await tunnelTo(topology(), undefined, { knownHostsFiles: [hashed] }))).toBe('hello');
  });

  test('refuses an unknown key and a revoked one, and accepts a pinned one', async () => {
    const { bastion, privateKeyFile: privateKey } = topology();
    const pin = bastion.hostKeyFingerprint;
    const attempt = tunnelTo(topology(), undefined, { knownHostsFiles: [] });
    await expect(attempt).rejects.toMatchObject({ code: 'E_SSH_HOST_KEY_UNKNOWN', message: expect.stringContaining(pin) });
    const tunnel = await tunnelTo(topology(), { privateKey, hostKeys: [pin] }, { knownHostsFiles: [] });
    expect(await echo(tunnel)).toBe('hello');
    const revoked = join(directory, 'revoked');
    await writeFile(revoked, `@revoked * ${bastion.hostKey}\n`);
    const refused = tunnelTo(topology(), { privateKey, hostKeys: [pin] }, { knownHostsFiles: [revoked] });
    await expect(refused).rejects.toMatchObject({ code: 'E_SSH_HOST_KEY_REVOKED' });
  });
});

describe('channels', () => {
  const topology = useTopology();

  test('fifty at once over one login, and none is left', async () => {
    const count = (): number => readLog(topology().bastion).match(/^Accepted publickey for /gm)?.length ?? 0;
    const before = count();
    const tunnel = await tunnelTo(topology());
    const words = Array.from({ length: 50 }, (_, index) => `word ${index}`);
    expect(await Promise.all(words.map((word) => echo(tunnel, word)))).toEqual(words);
    expect(count() - before).toBe(1);
    await until(() => tunnel.status().channels === 0, 'the channels to close');
  });

  test('fifty megabytes, there and back, intact', async () => {
    const tunnel = await tunnelTo(topology());
    const stream = tunnel.stream('127.0.0.1', target.port);
    const block = randomBytes(1024 * 1024);
    const [sent, received] = [createHash('sha256'), createHash('sha256')];
    let total = 0;
    stream.on('data', (chunk: Buffer) => {
      received.update(chunk);
      total += chunk.length;
      if (total === 50 * block.length) stream.end();
    });
    for (let index = 0; index < 50; index++) {
      block.writeUInt32BE(index);
      sent.update(block);
      if (!stream.write(Buffer.from(block))) await once(stream, 'drain');
    }
    await once(stream, 'close');
    expect(total).toBe(50 * block.length);
    expect(received.digest('hex')).toBe(sent.digest('hex'));
  });

  test('a reader that stops stops the sender, in a bounded amount of memory', async () => {
    let sent = 0;
    const flood = await startTarget((socket) => {
      const block = Buffer.alloc(256 * 1024);
      const send = (): void => {
        while (!socket.destroyed && sent < 200_000_000) {
          sent += block.length;
          if (!socket.write(block)) return void socket.once('drain', send);
        }
      };
      send();
    });
    try {
      const stream = (await tunnelTo(topology())).stream('127.0.0.1', flood.port);
      stream.write('go');
      await once(stream, 'readable');
      // The kernels' buffers and the window of the channel; without back pressure it would be all of it.
      expect(await settled(() => sent)).toBeLessThan(40_000_000);
      expect(stream.readableLength).toBeLessThan(256 * 1024);
      stream.destroy();
    } finally {
      await flood.close();
    }
  });

  test('a target that stops reading stops the writer', async () => {
    const deaf = await startTarget((socket) => socket.pause());
    try {
      const stream = (await tunnelTo(topology())).stream('127.0.0.1', deaf.port);
      let accepted = 0;
      const block = Buffer.alloc(256 * 1024);
      const send = (): void => {
        if (accepted > 200_000_000) return;
        stream.write(block, (error) => {
          if (error) return;
          accepted += block.length;
          send();
        });
      };
      send();
      await until(() => accepted > 0, 'the first block');
      expect(await settled(() => accepted)).toBeLessThan(40_000_000);
      stream.destroy();
    } finally {
      await deaf.close();
    }
  });

  test('a target that refuses, or that no name leads to, fails the stream and leaves the tunnel', async () => {
    const server = createServer();
    const port = await listen(server);
    await new Promise<void>((resolve) => server.close(() => resolve()));
    const tunnel = await tunnelTo(topology());
    for (const host of ['127.0.0.1', 'no.such.name.invalid']) {
      const stream = tunnel.stream(host, port);
      stream.write('x');
      const message = expect.stringContaining(`${host}:${port}`);
      expect(await failed(stream)).toMatchObject({ kind: 'tunnel', code: 'E_SSH_TARGET_UNREACHABLE', message });
    }
    expect(tunnel.status()).toMatchObject({ state: 'ready', channels: 0 });
    expect(await echo(tunnel)).toBe('hello');
  });
});

describe('a server that changes its session keys all the time', () => {
  const topology = useTopology({ settings: { RekeyLimit: '1M' } });

  test('is asked for its host key each time, without a visible effect', async () => {
    const tunnel = await tunnelTo(topology());
    const stream = tunnel.stream('127.0.0.1', target.port);
    const data = randomBytes(8 * 1024 * 1024);
    stream.write(data);
    const parts: Buffer[] = [];
    let total = 0;
    for await (const part of stream) {
      parts.push(part);
      total += part.length;
      if (total === data.length) break;
    }
    expect(Buffer.concat(parts).equals(data)).toBe(true);
    expect(tunnel.status().state).toBe('ready');
  });
});

describe('a server that forbids forwarding', () => {
  const topology = useTopology({ settings: { AllowTcpForwarding: 'no' } });

  test('is distinguished from a target that is down', async () => {
    const stream = (await tunnelTo(topology())).stream('127.0.0.1', target.port);
    stream.write('x');
    const hint = expect.stringContaining('AllowTcpForwarding');
    expect(await failed(stream)).toMatchObject({ kind: 'tunnel', code: 'E_SSH_FORWARD_PROHIBITED', hint });
  });
});

describe('the end', () => {
  const topology = useTopology();

  test('a killed session is reported to the streams and to the owner, with one cause', async () => {
    const tunnel = await tunnelTo(topology());
    const stream = await echoing(tunnel);
    const causes: unknown[] = [];
    tunnel.onClosed((cause) => causes.push(cause));
    const error = failed(stream);
    expect(await topology().bastion.killSessions()).toBeGreaterThan(0);
    expect(await error).toMatchObject({ kind: 'tunnel', code: 'E_SSH_NETWORK' });
    expect(causes).toEqual([await error]);
    // A killed server's kernel may end the connection in order, or reset it.
    const lastError = expect.stringMatching(/closed the connection|broke: read ECONNRESET/);
    expect(tunnel.status()).toMatchObject({ state: 'lost', lastError });
    await expect(tunnel.ensureFresh()).rejects.toBe(await error);
    const late = tunnel.stream('127.0.0.1', target.port);
    late.write('x');
    expect(await failed(late)).toBe(await error);
    expect(await new Promise((resolve) => tunnel.onClosed(resolve))).toBe(await error);
    await tunnel.close();
    expect(causes).toHaveLength(1);
    expect(tunnel.status()).toMatchObject({ state: 'closed', channels: 0 });
  });

  /** A tunnel whose server can fall silent. */
  async function viaProxy(timeouts: TunnelOptions['timeouts'] = {}) {
    const { bastion, privateKeyFile: privateKey } = topology();
    const proxy = await startProxy(bastion.port);
    const tunnel = await tunnelTo(
      topology(),
      { port: proxy.port, privateKey, hostKeys: [bastion.hostKeyFingerprint] },
      { timeouts },
    );
    return { proxy, tunnel };
  }

  test.each([
    ['keepalive', { keepaliveMs: 300, keepaliveCount: 2 }],
    ['probe', { staleMs: 0, probeMs: 500 }],
  ])('a server that falls silent is found by the %s', async (way, timeouts) => {
    const { proxy, tunnel } = await viaProxy(timeouts);
    try {
      await tunnel.ensureFresh();
      const error = failed(await echoing(tunnel));
      proxy.freeze();
      if (way === 'probe') {
        const calls = await Promise.allSettled([tunnel.ensureFresh(), tunnel.ensureFresh()]);
        expect(calls.map((call) => call.status)).toEqual(['rejected', 'rejected']);
      }
      expect(await error).toMatchObject({ kind: 'tunnel', code: 'E_SSH_KEEPALIVE_TIMEOUT' });
      expect(tunnel.status().state).toBe('lost');
    } finally {
      await proxy.close();
    }
  });

  test('close fails what is pending, also with a silent server, and can be called again', async () => {
    const { proxy, tunnel } = await viaProxy({ staleMs: 0 });
    try {
      const stream = await echoing(tunnel);
      proxy.freeze();
      const pending = tunnel.stream('127.0.0.1', target.port);
      pending.write('x');
      const probe = tunnel.ensureFresh().catch((error: unknown) => error);
      const errors = Promise.all([failed(stream), failed(pending), probe]);
      const causes: unknown[] = [];
      tunnel.onClosed((cause) => causes.push(cause));
      await Promise.all([tunnel.close(), tunnel.close()]);
      const closed = expect.objectContaining({ kind: 'tunnel', code: 'E_SSH_TUNNEL_CLOSED' });
      expect(await errors).toEqual([closed, closed, closed]);
      expect(causes).toEqual([closed]);
      expect(tunnel.status()).toMatchObject({ state: 'closed' });
      expect(tunnel.status().lastError).toBeUndefined();
      await expect(tunnel.ensureFresh()).rejects.toMatchObject({ code: 'E_SSH_TUNNEL_CLOSED' });
    } finally {
      await proxy.close();
    }
  });

  test('the server gets a disconnect message', async () => {
    const tunnel = await tunnelTo(topology());
    await echo(tunnel);
    const goodbyes = (): number => readLog(topology().bastion).match(/^Received disconnect from /gm)?.length ?? 0;
    const before = goodbyes();
    await tunnel.close();
    await until(() => goodbyes() > before, 'the goodbye in the log of the server');
  });
});

describe('the process', () => {
  const topology = useTopology();

  test.skipIf(process.platform !== 'linux')('listens nowhere', async () => {
    const before = listeningSockets();
    await echoing(await tunnelTo(topology()));
    expect(before).not.toEqual([]);
    expect(listeningSockets()).toEqual(before);
  });

  const command = (): string[] => {
    const { bastion, privateKeyFile: privateKey } = topology();
    const { host, port, user, hostKeyFingerprint } = bastion;
    const route = JSON.stringify({ host, port, user, privateKey, hostKeys: [hostKeyFingerprint] });
    return ['--import', 'tsx', join(import.meta.dirname, 'tunnel-client.ts'), route, String(target.port)];
  };

  test('ends after close', async () => {
    const run = await promisify(execFile)(process.execPath, command(), { timeout: 20_000 });
    expect(run.stdout).toBe('word');
  });

  test('ends after a loss', async () => {
    const child = spawn(process.execPath, [...command(), 'idle'], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      let output = '';
      child.stdout.on('data', (chunk) => {
        output += String(chunk);
      });
      await until(() => output === 'word', 'the word');
      await topology().bastion.killSessions();
      await until(() => child.exitCode !== null, 'the process to end');
      expect(output).toBe('word lost');
    } finally {
      child.kill('SIGKILL');
    }
  });
});

/** The listening sockets of this process. */
function listeningSockets(): string[] {
  const listening = new Set<string>();
  for (const file of ['/proc/self/net/tcp', '/proc/self/net/tcp6']) {
    for (const line of readFileSync(file, 'utf8').split('\n').slice(1)) {
      const fields = line.trim().split(/\s+/);
      if (fields[3] === '0A') listening.add(`socket:[${fields[9]}]`);
    }
  }
  return readdirSync('/proc/self/fd')
    .map((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`);
      } catch {
        return '';
      }
    })
    .filter((link) => listening.has(link))
    .sort();
}
