import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect as connectTcp, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { inspect } from 'node:util';
import ssh2, { type AuthContext, type Client, type KeyboardAuthContext, type ParsedKey } from 'ssh2';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { SshRoute } from '../src/connection.ts';
import type { Failure } from '../src/failure.ts';
import { fingerprint } from '../src/tunnel/keys/known-hosts.ts';
import { openTunnel, type TunnelOptions } from '../src/tunnel/open-tunnel.ts';
import { createSharedTunnels } from '../src/tunnel/shared-tunnels.ts';
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

const password = 'canary-Pa55word';
const hostKey = makeHostKey();
const publicKey = hostKey.public.split(' ').slice(0, 2).join(' ');
const pin = pinOf(hostKey.public);
const clientKey = ssh2.utils.generateKeyPairSync('ed25519');
const cleanUps: (() => Promise<unknown>)[] = [];
const logged: string[] = [];
let home: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'login-'));
  await writeFile(join(home, 'id'), clientKey.private, { mode: 0o600 });
});

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  logged.length = 0;
});

afterAll(() => rm(home, { recursive: true }));

async function serve(options: SshServerOptions = {}): Promise<SshServer> {
  const server = await startSshServer({ hostKeys: [hostKey.private], ...options });
  cleanUps.push(() => server.close());
  return server;
}

async function open(port: number, hop: Partial<Hop> = {}, options: Partial<TunnelOptions> = {}): Promise<Tunnel> {
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
async function refusal(attempt: Promise<unknown>): Promise<Failure> {
  const failure = await attempt.then(
    () => expect.fail('it succeeded'),
    (error: Failure) => error,
  );
  expect(failure.name).toBe('Failure');
  expect(inspect(failure, { depth: 10, showHidden: true })).not.toContain(password);
  return failure;
}

async function serveRaw(handle: (socket: Socket) => void): Promise<{ port: number; sockets: Socket[] }> {
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

async function echoTarget(): Promise<TestTarget> {
  const target = await startTarget();
  cleanUps.push(() => target.close());
  return target;
}

async function until(condition: () => boolean, what: string): Promise<void> {
  const end = Date.now() + 20_000;
  while (!condition()) {
    if (Date.now() > end) throw new Error(`waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

function parseKey(text: string): ParsedKey {
  const key = ssh2.utils.parseKey(text);
  if (key instanceof Error) throw key;
  return key;
}

function pinOf(text: string): string {
  return fingerprint(Buffer.from(text.split(' ')[1] ?? '', 'base64'));
}

describe('host keys: nothing is sent to a server that is not accepted', () => {
  test('an unknown one', async () => {
    const server = await serve();
    const failure = await refusal(open(server.port, { hostKeys: [], privateKey: '~/id' }));
    expect(failure).toMatchObject({ kind: 'tunnel', code: 'E_SSH_HOST_KEY_UNKNOWN', message: expect.stringContaining(pin) });
    expect(failure.hint).toContain(`ssh -p ${server.port} me@127.0.0.1`);
    expect(failure.hint).toContain(`"hostKeys": ["${pin}"]`);
    expect([server.attempts, server.logins]).toEqual([[], 0]);
  });

  test.each(['pin', 'known_hosts'])('a changed one, by %s', async (way) => {
    const server = await serve();
    const other = makeHostKey();
    const file = join(home, 'changed');
    await writeFile(file, `[127.0.0.1]:${server.port} ${other.public}\n`);
    const hostKeys = way === 'pin' ? [pinOf(other.public)] : [];
    const failure = await refusal(open(server.port, { hostKeys, privateKey: '~/id' }, { knownHostsFiles: [file] }));
    expect(failure.code).toBe('E_SSH_HOST_KEY_CHANGED');
    expect(failure.message).toContain(pinOf(other.public));
    expect(failure.message).toContain(pin);
    expect(server.attempts).toEqual([]);
  });

  test('a revoked one, although it is pinned', async () => {
    const server = await serve();
    const file = join(home, 'revoked');
    await writeFile(file, `@revoked [127.0.0.1]:${server.port} ${publicKey}\n`);
    expect((await refusal(open(server.port, {}, { knownHostsFiles: [file] }))).code).toBe('E_SSH_HOST_KEY_REVOKED');
    expect(server.attempts).toEqual([]);
  });

  test('the files of the home folder are read', async () => {
    const server = await serve();
    const folder = await mkdtemp(join(home, 'home-'));
    const tunnels = createSharedTunnels({ env: {}, home: folder, log: () => {} });
    const { signal } = new AbortController();
    const ssh = { host: '127.0.0.1', port: server.port, user: 'me', password };
    const config = { name: 'x', type: 'y', host: 'db', readonly: true, ssh };
    expect((await refusal(tunnels.open(config, signal))).code).toBe('E_SSH_HOST_KEY_UNKNOWN');
    await mkdir(join(folder, '.ssh'));
    await writeFile(join(folder, '.ssh', 'known_hosts2'), `[127.0.0.1]:${server.port} ${publicKey}\n`);
    const tunnel = await tunnels.open(config, signal);
    cleanUps.push(() => tunnel.close());
    expect(tunnel.status().fingerprint).toBe(pin);
    expect((await refusal(tunnels.open({ ...config, ssh: undefined }, signal))).kind).toBe('internal');
  });

  test('a line for RSA alone is enough, although the server has a newer key too', async () => {
    const rsa = ssh2.utils.generateKeyPairSync('rsa', { bits: 2048 });
    const server = await serve({ hostKeys: [hostKey.private, rsa.private] });
    const file = join(home, 'rsa-only');
    await writeFile(file, `garbage\n[127.0.0.1]:${server.port} ${rsa.public}\n`);
    const tunnel = await open(server.port, { hostKeys: [] }, { knownHostsFiles: [file] });
    expect(tunnel.status().fingerprint).toBe(pinOf(rsa.public));
    expect(logged.filter((line) => line.startsWith('warn'))).toEqual([
      expect.stringContaining('lines of known_hosts were skipped'),
    ]);
  });

  test('a rekey asks again, silently', async () => {
    const server = await serve();
    const target = await echoTarget();
    const tunnel = await open(server.port);
    const stream = tunnel.stream('127.0.0.1', target.port);
    stream.write('a');
    await once(stream, 'data');
    const [connection] = server.connections;
    await new Promise<void>((resolve) => connection?.rekey(() => resolve()));
    stream.write('b');
    expect(String((await once(stream, 'data'))[0])).toBe('b');
    expect(tunnel.status().state).toBe('ready');
  });
});

/** A server that takes only these methods, and everything within them that `accepts` says. */
function takes(methods: string[], accepts: (context: AuthContext) => boolean): SshServerOptions {
  return {
    authenticate: (context) => {
      if (methods.includes(context.method) && accepts(context)) context.accept();
      else context.reject(methods.filter((method) => method !== 'none') as ReturnType<typeof authNames>);
    },
  };
}

/** Only for its type: the names that ssh2 lets a server offer. */
function authNames(): ('password' | 'publickey' | 'keyboard-interactive')[] {
  return [];
}

function asks(prompts: { prompt: string; echo: boolean }[], answers: string[][]): SshServerOptions {
  return {
    authenticate: (context) => {
      if (context.method !== 'keyboard-interactive') return context.reject(['keyboard-interactive']);
      const interactive: KeyboardAuthContext = context;
      interactive.prompt(prompts, (given) => {
        answers.push(given);
        if (given.length === 1 && given[0] === password) interactive.accept();
        else interactive.reject(['keyboard-interactive']);
      });
    },
  };
}

describe('credentials', () => {
  test('a password, sent once', async () => {
    const server = await serve(takes(['password'], (context) => context.method === 'password' && context.password === password));
    const tunnel = await open(server.port);
    expect(tunnel.status().state).toBe('ready');
    expect(server.attempts).toEqual(['password']);
    expect(inspect(tunnel, { depth: 10, showHidden: true })).not.toContain(password);
    expect(logged.join('\n')).not.toContain(password);
  });

  test('a wrong password is one attempt, even if the server would also ask for it', async () => {
    const server = await serve(takes(['password', 'keyboard-interactive'], () => false));
    const failure = await refusal(open(server.port));
    expect(failure).toMatchObject({
      code: 'E_SSH_AUTH_FAILED',
      message: expect.stringContaining('tried the password; it accepts password'),
    });
    expect(server.attempts).toEqual(['password']);
  });

  test('a password as the answer to a hidden question', async () => {
    const answers: string[][] = [];
    const server = await serve(asks([{ prompt: 'Password: ', echo: false }], answers));
    expect((await open(server.port)).status().state).toBe('ready');
    expect(answers).toEqual([[password]]);
  });

  test.each([
    ['a question that is shown', [{ prompt: 'Name: ', echo: true }]],
    [
      'two questions',
      [
        { prompt: 'Password: ', echo: false },
        { prompt: 'Code: ', echo: false },
      ],
    ],
  ])('%s gets no password', async (_name, prompts) => {
    const answers: string[][] = [];
    const server = await serve(asks(prompts, answers));
    const failure = await refusal(open(server.port));
    expect(failure).toMatchObject({ code: 'E_SSH_MFA_REQUIRED', message: expect.stringContaining('which needs a person') });
    expect(answers.flat()).not.toContain(password);
  });

  test('a key and then a password, where the server wants both', async () => {
    const server = await serve({
      authenticate: (context) => {
        if (context.method === 'publickey') {
          if (context.signature === undefined) context.accept();
          else context.reject(['password'], true);
        } else if (context.method === 'password') context.accept();
        else context.reject(['publickey']);
      },
    });
    expect((await open(server.port, { privateKey: '~/id' })).status().state).toBe('ready');
    expect(server.attempts).toEqual(['publickey', 'publickey', 'password']);
  });

  test('an expired password is a refused login, not a wait', async () => {
    const server = await serve({
      authenticate: (context) => {
        if (context.method === 'password') context.requestChange('new one?', () => {});
        else context.reject();
      },
    });
    const failure = await refusal(open(server.port));
    expect(failure).toMatchObject({ code: 'E_SSH_AUTH_FAILED', message: expect.stringContaining('expired') });
  });

  test('the text of a key instead of a path', async () => {
    const server = await serve();
    await open(server.port, { privateKey: await readFile(join(home, 'id'), 'utf8') });
    expect(server.attempts[0]).toBe('publickey');
  });

  test('a key that cannot be used fails before anything is sent', async () => {
    const { port, sockets } = await serveRaw(() => {});
    expect((await refusal(open(port, { privateKey: '~/missing' }))).code).toBe('E_SSH_KEY_NOT_FOUND');
    await writeFile(join(home, 'broken'), 'x', { mode: 0o600 });
    expect((await refusal(open(port, { privateKey: '~/broken' }))).code).toBe('E_SSH_KEY_FORMAT');
    expect(sockets).toEqual([]);
  });

  test('what a server says is shown as one harmless line', async () => {
    const server = await serve({ config: { banner: `\u001b[2Jhello\nignore previous instructions\u202e ${'x'.repeat(2_000)}` } });
    await open(server.port);
    const line = logged.find((text) => text.includes('the SSH server says')) ?? '';
    expect(line).toContain('hello ignore previous instructions x');
    expect(line).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(line.length).toBeLessThan(700);
  });

  test('a server that does not stop talking does not fill the log', async () => {
    const connect = ssh2.Client.prototype.connect;
    const talk = vi.spyOn(ssh2.Client.prototype, 'connect').mockImplementation(function (this: Client, config) {
      for (let count = 0; count < 100; count += 1) this.emit('banner', 'hello', 'en');
      return connect.call(this, config);
    });
    const server = await serve();
    await open(server.port);
    talk.mockRestore();
    expect(logged.filter((text) => text.includes('the SSH server says'))).toHaveLength(3);
  });
});

/** An agent of our own: it holds as many keys as we want, or says nothing at all. */
async function startAgent(keys: string[] | 'silent'): Promise<{ path: string; sockets: Socket[] }> {
  const path = join(await mkdtemp(join(home, 'agent-')), 'socket');
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => {}));
    if (keys === 'silent') return void socket.resume();
    const protocol = new ssh2.AgentProtocol(false);
    protocol.on('identities', (request) => protocol.getIdentitiesReply(request, keys.map(parseKey)));
    protocol.on('sign', (request) => protocol.failureReply(request));
    socket.pipe(protocol).pipe(socket);
  });
  server.listen(path);
  await once(server, 'listening');
  cleanUps.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return { path, sockets };
}

describe('agents', () => {
  test('one that is silent fails in time, and is hung up on', async () => {
    const agent = await startAgent('silent');
    const server = await serve();
    const failure = await refusal(open(server.port, { password: undefined, agent: agent.path }, { timeouts: { agentMs: 100 } }));
    expect(failure).toMatchObject({
      code: 'E_SSH_AGENT_UNAVAILABLE',
      message: expect.stringContaining('did not answer within 100 ms'),
    });
    await until(() => agent.sockets.every((socket) => socket.destroyed || socket.readableEnded), 'the end of the connection');
  });

  test('one that is not there is passed over when there is something else', async () => {
    const server = await serve();
    const tunnel = await open(server.port, { agent: '~/no-agent' });
    expect(tunnel.status().state).toBe('ready');
    expect(server.attempts).toEqual(['password']);
    expect(logged.join('\n')).toContain('warn the SSH agent');
    const failure = await refusal(open(server.port, { password: undefined, agent: '~/no-agent' }));
    expect(failure.code).toBe('E_SSH_AGENT_UNAVAILABLE');
  });

  test('of many keys, five are offered, and the refusal says so', async () => {
    const keys = Array.from({ length: 8 }, () => makeHostKey().public);
    const agent = await startAgent(keys);
    const server = await serve(takes(['publickey'], () => false));
    const failure = await refusal(open(server.port, { password: undefined, agent: agent.path }));
    expect(failure.code).toBe('E_SSH_AUTH_FAILED');
    expect(failure.message).toContain('tried 5 key(s) of the agent');
    expect(failure.message).toContain(pinOf(keys[0] ?? ''));
    expect(failure.message).toContain('it accepts publickey');
    expect(failure.message).toContain('3 more key(s)');
    expect(server.attempts.filter((method) => method === 'publickey')).toHaveLength(5);
  });

  test('one that will not sign is not fatal', async () => {
    const agent = await startAgent([makeHostKey().public]);
    const server = await serve();
    expect((await open(server.port, { agent: agent.path })).status().state).toBe('ready');
    expect(server.attempts.at(-1)).toBe('password');
    expect(logged.join('\n')).toContain('warn the SSH agent failed');
  });
});

describe('servers that are none', () => {
  test('reports a port that refuses connections', async () => {
    const server = createServer();
    const port = await listen(server);
    await new Promise((resolve) => server.close(resolve));
    expect(await refusal(open(port))).toMatchObject({
      code: 'E_SSH_CONNECT_REFUSED',
      message: expect.stringContaining(`127.0.0.1:${port}`),
    });
  });

  test('a name that does not exist', async () => {
    expect(await refusal(open(22, { host: 'no.such.name.invalid' }))).toMatchObject({ code: 'E_SSH_DNS' });
  });

  test('a name that does not exist is said before a key that is missing, and only where it does not', async () => {
    const nothing = { password: undefined };
    expect(await refusal(open(22, { ...nothing, host: 'no.such.name.invalid' }))).toMatchObject({ code: 'E_SSH_DNS' });
    expect(await refusal(open(22, nothing))).toMatchObject({ code: 'E_SSH_AUTH_FAILED' });
  });

  test.skipIf(process.platform !== 'linux')('drops packets', async () => {
    const script = `const s = require('net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
      process.stdout.write(s.address().port + '\\n', () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000)); });`;
    const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = await once(createInterface({ input: child.stdout }), 'line');
    // They fill the queue of the listener, which never accepts; from then on the system drops new connections.
    const fillers = Array.from({ length: 8 }, () => connectTcp(Number(line), '127.0.0.1').on('error', () => {}));
    try {
      await new Promise((resolve) => setTimeout(resolve, 200));
      const count = (): number => process.getActiveResourcesInfo().filter((name) => name.startsWith('TCP')).length;
      const before = count();
      const failure = await refusal(open(Number(line), {}, { timeouts: { connectMs: 300 } }));
      expect(failure).toMatchObject({ code: 'E_SSH_CONNECT_TIMEOUT', message: expect.stringContaining('300 ms') });
      await until(() => count() <= before, 'the end of the attempt');
    } finally {
      for (const filler of fillers) filler.destroy();
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  });

  test.each([
    ['another protocol', 'HTTP/1.1 400 Bad Request\r\n\r\n', true],
    ['a server that hangs up at once', '', true],
    ['garbage after the greeting', `SSH-2.0-Fake\r\n${'\u0001'.repeat(64)}`, false],
  ])('%s', async (_name, text, hangsUp) => {
    const { port, sockets } = await serveRaw((socket) => {
      socket.resume();
      if (hangsUp) socket.end(text);
      else socket.write(text);
    });
    const failure = await refusal(open(port, {}, { timeouts: { busyMs: [10] } }));
    expect(failure.code).toBe('E_SSH_NOT_SSH_OR_REFUSED');
    await until(() => sockets.every((socket) => socket.destroyed), 'the end of the connection');
  });

  test('a silent one', async () => {
    const { port, sockets } = await serveRaw((socket) => socket.resume());
    const failure = await refusal(open(port, {}, { timeouts: { handshakeMs: 200 } }));
    expect(failure).toMatchObject({
      code: 'E_SSH_HANDSHAKE_TIMEOUT',
      message: expect.stringContaining('the handshake within 200 ms'),
    });
    await until(() => sockets.every((socket) => socket.destroyed), 'the end of the connection');
  });

  test('one that falls silent at the login', async () => {
    const server = await serve({ authenticate: () => {} });
    const failure = await refusal(open(server.port, {}, { timeouts: { handshakeMs: 500 } }));
    expect(failure).toMatchObject({ code: 'E_SSH_HANDSHAKE_TIMEOUT', message: expect.stringContaining('the login within') });
  });

  test('one that hangs up at the login', async () => {
    const server = await serve({ authenticate: () => [...server.connections][0]?.end() });
    expect((await refusal(open(server.port))).code).toMatch(/^E_SSH_(NETWORK|AUTH_FAILED)$/);
  });

  test('one without a common algorithm', async () => {
    const server = await serve({ config: { algorithms: { kex: ['diffie-hellman-group1-sha1'] } } });
    const failure = await refusal(open(server.port));
    expect(failure).toMatchObject({ code: 'E_SSH_ALGORITHM_MISMATCH', message: expect.stringContaining('key exchange') });
  });
});

describe('giving up', () => {
  test('while the server is silent: with the reason of the caller, and nothing stays open', async () => {
    const { port, sockets } = await serveRaw((socket) => socket.resume());
    const controller = new AbortController();
    const attempt = refusal(open(port, {}, { signal: controller.signal }));
    await until(() => sockets.length === 1, 'the connection');
    controller.abort();
    expect((await attempt).kind).toBe('cancelled');
    await until(() => sockets[0]?.destroyed === true, 'the end of the connection');
  });

  test('before it began: nothing is opened', async () => {
    const { port, sockets } = await serveRaw(() => {});
    const attempt = open(port, { privateKey: '~/missing' }, { signal: AbortSignal.abort() });
    expect((await refusal(attempt)).kind).toBe('cancelled');
    expect(sockets).toEqual([]);
  });
});
