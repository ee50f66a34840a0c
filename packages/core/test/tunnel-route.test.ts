import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SshHop, type Topology, useTopology } from '@dbmole/engines';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { SshRoute } from '../src/connection.ts';
import { Failure } from '../src/failure.ts';
import type { TunnelContext } from '../src/tunnel/open-tunnel.ts';
import { createSharedTunnels } from '../src/tunnel/shared-tunnels.ts';
import type { Tunnel } from '../src/tunnel/tunnel.ts';
import { startTarget, type TestTarget } from './ssh-server.ts';

let target: TestTarget;
let directory: string;
const open: Tunnel[] = [];
const notes: string[] = [];

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

function tunnelsOf(topology: Topology, context: Partial<TunnelContext> = {}) {
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
async function configWith(topology: Topology, lines: string): Promise<string> {
  const file = join(directory, `config-${Math.random().toString(36).slice(2)}`);
  await writeFile(file, `${lines}\n${readFileSync(topology.sshConfigFile, 'utf8')}`);
  return file;
}

async function echo(tunnel: Tunnel, word = 'hello'): Promise<string> {
  const stream = tunnel.stream('127.0.0.1', target.port);
  stream.write(word);
  const [data] = await once(stream, 'data');
  stream.destroy();
  return String(data);
}

async function refusal(attempt: Promise<unknown>): Promise<Failure> {
  const failure = await attempt.then(
    () => expect.fail('it was not refused'),
    (error: unknown) => error,
  );
  if (failure instanceof Failure) return failure;
  throw failure;
}

function logins({ directory }: SshHop): number {
  return readFileSync(join(directory, 'log'), 'utf8').match(/Accepted publickey/g)?.length ?? 0;
}

/** One that has ended but was not reaped yet no longer runs. */
function isRunning(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

const described = ({ host, port, user }: SshHop, privateKey: string) => ({ host, port, user, privateKey });

describe('the way to a host of the configuration of ssh', () => {
  const topology = useTopology();

  test('is what ssh itself would take', async () => {
    const { bastion } = topology();
    const tunnel = await tunnelsOf(topology())('bastion');
    expect(await echo(tunnel)).toBe('hello');
    expect(tunnel.status()).toMatchObject({
      hops: [`${bastion.user}@${bastion.host}:${bastion.port}`],
      fingerprint: bastion.hostKeyFingerprint,
    });
  });

  test('leads over its jumps, each server checked by its own name', async () => {
    const { bastion, inner } = topology();
    const before = [bastion, inner].map(logins);
    const lines = `Host through\n  HostName ${inner.host}\n  Port ${inner.port}\n  User ${inner.user}\n  ProxyJump bastion\n  IdentityFile ${topology().privateKeyFile}\n  UserKnownHostsFile ${topology().knownHostsFile}\n`;
    const tunnel = await tunnelsOf(topology(), { sshConfig: await configWith(topology(), lines) })('through');
    expect(await echo(tunnel)).toBe('hello');
    expect(tunnel.status().hops).toEqual([bastion, inner].map(({ user, host, port }) => `${user}@${host}:${port}`));
    expect([bastion, inner].map(logins)).toEqual(before.map((count) => count + 1));
  });

  test('says what is wrong with a name that ssh does not know, a circle, and a way that is too long', async () => {
    const sshConfig = await configWith(
      topology(),
      `Host round
  ProxyJump about
Host about
  ProxyJump round
Host far
  ProxyJump bastion,bastion,bastion,bastion,bastion,bastion
Host *.invalid
  IdentityFile ${topology().privateKeyFile}
`,
    );
    const take = tunnelsOf(topology(), { sshConfig });
    expect(await refusal(take('no.such.host.invalid'))).toMatchObject({ code: 'E_SSH_DNS' });
    expect(await refusal(take('round'))).toMatchObject({ code: 'E_SSH_CONFIG', message: expect.stringContaining('form a loop') });
    expect(await refusal(take('far'))).toMatchObject({ code: 'E_SSH_CONFIG', message: expect.stringContaining('6 jumps') });
    const made = join(directory, 'made-by-a-name');
    const curious = tunnelsOf(topology(), { sshConfig: await configWith(topology(), 'Match exec "true %n"\n  Port 2') });
    for (const name of [`x;touch ${made}`, `x$(touch ${made})`, '-oProxyCommand=x', `a@x\`touch ${made}\``, "x'y"]) {
      expect(await refusal(curious(name))).toMatchObject({
        code: 'E_SSH_CONFIG',
        message: expect.stringMatching(/^invalid SSH (host|server) /),
      });
    }
    expect(existsSync(made)).toBe(false);
    const broken = tunnelsOf(topology(), { sshConfig: await configWith(topology(), 'NoSuchWord yes') });
    expect(await refusal(broken('bastion'))).toMatchObject({
      code: 'E_SSH_CONFIG',
      message: expect.stringMatching(/nosuchword/i),
    });
    const nothing = tunnelsOf(topology(), { env: { PATH: '/nonexistent' } });
    expect(await refusal(nothing('bastion'))).toMatchObject({ code: 'E_SSH_PROGRAM' });
  });

  test('finds keys and known hosts where variables, tokens and spaces lead', async () => {
    const { bastion, privateKeyFile, knownHostsFile } = topology();
    const folder = await mkdtemp(join(directory, 'of a person-'));
    await writeFile(join(folder, 'known hosts'), `the-alias ${bastion.hostKey}\n`);
    for (const name of ['the-alias', hostname(), hostname().split('.')[0]]) {
      await writeFile(join(folder, `key of ${name}`), readFileSync(privateKeyFile), { mode: 0o600 });
    }
    const lines = `Host named\n  HostName ${bastion.host}\n  Port ${bastion.port}\n  User ${bastion.user}\n  HostKeyAlias the-alias\n  UserKnownHostsFile ${knownHostsFile} "${folder}/known hosts"\n`;
    for (const token of ['%k', '%l', '%L']) {
      const key = `  IdentityFile "\${KEYS}/key of ${token}"\n`;
      const sshConfig = await configWith(topology(), lines + key);
      const take = tunnelsOf(topology(), { sshConfig, env: { PATH: process.env.PATH, KEYS: folder } });
      expect(await echo(await take('named'))).toBe('hello');
    }
  });

  test('takes the known name from HostKeyAlias', async () => {
    const { bastion } = topology();
    const known = join(directory, 'alias-known');
    await writeFile(known, `the-alias ${bastion.hostKey}\n`);
    const lines = `Host named\n  HostName ${bastion.host}\n  Port ${bastion.port}\n  User ${bastion.user}\n  UserKnownHostsFile ${known}\n  IdentityFile ${topology().privateKeyFile}\n`;
    const without = tunnelsOf(topology(), { sshConfig: await configWith(topology(), lines) });
    expect(await refusal(without('named'))).toMatchObject({ code: 'E_SSH_HOST_KEY_UNKNOWN' });
    const take = tunnelsOf(topology(), { sshConfig: await configWith(topology(), `${lines}  HostKeyAlias the-alias\n`) });
    expect(await echo(await take('named'))).toBe('hello');
  });
});

describe('jumps that the connection describes', () => {
  const topology = useTopology();

  test('are passed in order, with a credential of each', async () => {
    const { bastion, inner, privateKeyFile } = topology();
    const jump = [described(bastion, privateKeyFile)];
    const tunnel = await tunnelsOf(topology())({ ...described(inner, privateKeyFile), jump });
    expect(await echo(tunnel)).toBe('hello');
    expect(tunnel.status().fingerprint).toBe(inner.hostKeyFingerprint);
  });

  test('may be hosts of the configuration', async () => {
    const { inner, privateKeyFile } = topology();
    const tunnel = await tunnelsOf(topology())({ ...described(inner, privateKeyFile), jump: ['bastion'] });
    expect(await echo(tunnel)).toBe('hello');
  });

  test('name the server whose key is not the accepted one, and nothing stays open', async () => {
    const { bastion, inner, privateKeyFile } = topology();
    const wrong = `SHA256:${'A'.repeat(43)}`;
    const route = { ...described(inner, privateKeyFile), hostKeys: [wrong], jump: [described(bastion, privateKeyFile)] };
    const failure = await refusal(tunnelsOf(topology())(route));
    expect(failure).toMatchObject({
      code: 'E_SSH_HOST_KEY_CHANGED',
      message: expect.stringContaining(`${inner.host}:${inner.port}`),
    });
    await expect.poll(() => bastion.killSessions()).toBe(0);
  });

  test('say which server cannot be reached from the one before', async () => {
    const { bastion, privateKeyFile } = topology();
    const route = {
      host: '127.0.0.1',
      port: 1,
      user: 'me',
      privateKey: privateKeyFile,
      jump: [described(bastion, privateKeyFile)],
    };
    expect(await refusal(tunnelsOf(topology())(route))).toMatchObject({
      code: 'E_SSH_TARGET_UNREACHABLE',
      message: expect.stringContaining('127.0.0.1:1'),
    });
  });

  test('are all lost when the first one is', async () => {
    const { bastion, inner, privateKeyFile } = topology();
    const take = tunnelsOf(topology());
    const route = { ...described(inner, privateKeyFile), jump: [described(bastion, privateKeyFile)] };
    const tunnel = await take(route);
    const lost = new Promise((resolve) => tunnel.onClosed(resolve));
    await echo(tunnel);
    await bastion.killSessions();
    expect(await lost).toMatchObject({ kind: 'tunnel' });
    expect(await echo(await take(route))).toBe('hello');
  });
});

describe('what only ssh can do', () => {
  const topology = useTopology();

  test('is left to it: a ProxyCommand', async () => {
    const { bastion } = topology();
    const sshConfig = await configWith(
      topology(),
      `Host commanded\n  HostName ${bastion.host}\n  Port ${bastion.port}\n  ProxyCommand ssh -F ${topology().sshConfigFile} -W %h:%p inner\nHost commanded\n  User ${bastion.user}\n  IdentityFile ${topology().privateKeyFile}\n  UserKnownHostsFile ${topology().knownHostsFile}\n`,
    );
    const tunnel = await tunnelsOf(topology(), { sshConfig })('commanded');
    expect(await echo(tunnel)).toBe('hello');
    expect(tunnel.status().hops).toEqual([`${bastion.user}@${bastion.host}:${bastion.port} by ssh (ProxyCommand)`]);
    expect(notes.join()).toContain('ProxyCommand');
  });

  test('shows what a ProxyCommand says that cannot be run', async () => {
    const { bastion } = topology();
    const sshConfig = await configWith(
      topology(),
      `Host unwired\n  HostName ${bastion.host}\n  Port ${bastion.port}\n  ProxyCommand no-such-program %h %p\n  User ${bastion.user}\n`,
    );
    await expect(tunnelsOf(topology(), { sshConfig })('unwired')).rejects.toMatchObject({
      code: 'E_SSH_CONFIG',
      message: expect.stringMatching(/its ProxyCommand failed: .*no-such-program: not found$/),
    });
  });

  test('with one login for many channels, errors in our words, and nothing left at the end', async () => {
    const { bastion, privateKeyFile } = topology();
    const key = join(directory, 'certified');
    execFileSync('cp', [privateKeyFile, key]);
    execFileSync('cp', [`${privateKeyFile}.pub`, `${key}.pub`]);
    // Its content does not matter to the server: that there is one is what only ssh can use.
    execFileSync('ssh-keygen', ['-q', '-s', privateKeyFile, '-I', 'me', '-n', bastion.user, `${key}.pub`]);
    const sshConfig = await configWith(
      topology(),
      `Host certified\n  HostName ${bastion.host}\n  Port ${bastion.port}\n  User ${bastion.user}\n  IdentityFile ${key}\n  UserKnownHostsFile ${topology().knownHostsFile}\n`,
    );
    const folders = () => readdirSync(tmpdir()).filter((name) => name.startsWith('mole-')).length;
    const before = { logins: logins(bastion), folders: folders() };
    const tunnel = await tunnelsOf(topology(), { sshConfig })('certified');
    const words = await Promise.all(['a', 'b', 'c', 'd'].map((word) => echo(tunnel, word)));
    expect(words).toEqual(['a', 'b', 'c', 'd']);
    expect(logins(bastion) - before.logins).toBe(1);
    const nowhere = tunnel.stream('127.0.0.1', 1);
    nowhere.write('x');
    expect(await once(nowhere, 'error')).toMatchObject([{ code: 'E_SSH_TARGET_UNREACHABLE' }]);
    await tunnel.ensureFresh();
    await tunnel.close();
    expect(folders()).toBe(before.folders);
    await expect.poll(() => bastion.killSessions()).toBe(0);
  });

  test('is given up with all that ssh has started', async () => {
    const started = join(directory, 'started');
    const waits = `'echo $$ >> ${started}; exec sleep 60'`;
    const sshConfig = await configWith(
      topology(),
      `Host waiting\n  ProxyCommand sh -c ${waits}\nMatch originalhost asking exec "sh -c ${waits}"\n  Port 2\n`,
    );
    const temporary = await mkdtemp(join(directory, 'tmp-'));
    vi.stubEnv('TMPDIR', temporary);
    for (const name of ['waiting', 'asking']) {
      await rm(started, { force: true });
      const giveUp = new AbortController();
      const attempt = refusal(tunnelsOf(topology(), { sshConfig })(name, giveUp.signal));
      const pids = () => (existsSync(started) ? readFileSync(started, 'utf8').trim().split('\n').map(Number) : []);
      await expect.poll(pids, { timeout: 10_000 }).toHaveLength(1);
      giveUp.abort();
      expect(await attempt).toMatchObject({ kind: 'cancelled' });
      await expect.poll(() => pids().filter(isRunning)).toEqual([]);
    }
    expect(readdirSync(temporary)).toEqual([]);
  });

  test('is left to it: what decides about host keys beside known_hosts', async () => {
    const { bastion, privateKeyFile, knownHostsFile } = topology();
    const revoked = join(directory, 'revoked');
    await writeFile(revoked, `${bastion.hostKey}\n`);
    const lines = (name: string, more: string) =>
      `Host ${name}\n  HostName ${bastion.host}\n  Port ${bastion.port}\n  User ${bastion.user}\n  IdentityFile ${privateKeyFile}\n  ${more}\n`;
    const sshConfig = await configWith(
      topology(),
      lines('revoked', `UserKnownHostsFile ${knownHostsFile}\n  RevokedHostKeys ${revoked}`) +
        lines('commanded', `UserKnownHostsFile none\n  KnownHostsCommand /bin/cat ${knownHostsFile}`),
    );
    const take = tunnelsOf(topology(), { sshConfig });
    expect(await refusal(take('revoked'))).toMatchObject({ code: 'E_SSH_HOST_KEY_REVOKED' });
    expect(await echo(await take('commanded'))).toBe('hello');
  });

  test('is refused where its own configuration refuses', async () => {
    const { bastion } = topology();
    const line = (known: string, name: string) =>
      `Host ${name}\n  HostName ${bastion.host}\n  Port ${bastion.port}\n  ProxyCommand ssh -F ${topology().sshConfigFile} -W %h:%p inner\n  User ${bastion.user}\n  IdentityFile ${topology().privateKeyFile}\n  UserKnownHostsFile ${known}\n`;
    const sshConfig = await configWith(topology(), line(join(directory, 'empty-known-hosts'), 'unknown'));
    expect(await refusal(tunnelsOf(topology(), { sshConfig })('unknown'))).toMatchObject({ code: 'E_SSH_HOST_KEY_UNKNOWN' });
    const behind = { ...described(bastion, topology().privateKeyFile), jump: ['bastion', 'unknown'] };
    expect(await refusal(tunnelsOf(topology(), { sshConfig })(behind))).toMatchObject({
      code: 'E_SSH_CONFIG',
      message: expect.stringContaining('ProxyCommand'),
    });
  });
});

describe('algorithms that only ssh has', () => {
  describe('of a server that takes RSA keys with SHA-512 alone', () => {
    const topology = useTopology({ settings: { PubkeyAcceptedAlgorithms: 'rsa-sha2-512' } });

    async function authorizedKey(): Promise<string> {
      const key = join(await mkdtemp(join(directory, 'rsa-')), 'key');
      execFileSync('ssh-keygen', ['-q', '-t', 'rsa', '-b', '2048', '-N', '', '-f', key]);
      await writeFile(join(topology().bastion.directory, 'authorized_keys'), readFileSync(`${key}.pub`), { mode: 0o644 });
      return key;
    }

    test('are its business, and the status says so', async () => {
      const { bastion } = topology();
      const key = await authorizedKey();
      const tunnel = await tunnelsOf(topology())(described(bastion, key));
      expect(await echo(tunnel)).toBe('hello');
      expect(tunnel.status().hops[0]).toContain('by ssh');
    });

    test('are told which keys a person has accepted by `trust`', async () => {
      const { bastion, knownHostsFile } = topology();
      const key = await authorizedKey();
      const accepted = join(directory, 'accepted 100%');
      await writeFile(accepted, readFileSync(knownHostsFile));
      const config = `Host strange\n  HostName ${bastion.host}\n  Port ${bastion.port}\n  User ${bastion.user}\n  IdentityFile ${key}\n  UserKnownHostsFile none\n`;
      const context = { knownHostsFiles: [], sshConfig: await configWith(topology(), config) };
      for (const route of [described(bastion, key), 'strange']) {
        const failure = await refusal(tunnelsOf(topology(), context)(route));
        expect(failure).toMatchObject({ code: 'E_SSH_HOST_KEY_UNKNOWN' });
        const tunnel = await tunnelsOf(topology(), { ...context, acceptedKeysFile: accepted })(route);
        expect(await echo(tunnel)).toBe('hello');
        expect(tunnel.status().hops[0]).toContain('by ssh');
      }
    });
  });

  describe('of a server that exchanges keys in a way that is safe from quantum computers alone', () => {
    const topology = useTopology({ settings: { KexAlgorithms: 'sntrup761x25519-sha512@openssh.com' } });

    test('are its business, unless we have what it cannot be told', async () => {
      const { bastion, privateKeyFile } = topology();
      const take = tunnelsOf(topology());
      expect(await echo(await take(described(bastion, privateKeyFile)))).toBe('hello');
      expect(await echo(await take('bastion'))).toBe('hello');
      const pinned = { ...described(bastion, privateKeyFile), hostKeys: [bastion.hostKeyFingerprint] };
      expect(await refusal(take(pinned))).toMatchObject({ code: 'E_SSH_ALGORITHM_MISMATCH' });
    });
  });
});

describe('connections that take the same way', () => {
  const topology = useTopology();

  test('share one login, also when they come at the same time', async () => {
    const { bastion, privateKeyFile } = topology();
    const before = logins(bastion);
    const take = tunnelsOf(topology());
    const route = described(bastion, privateKeyFile);
    const tunnels = await Promise.all(Array.from({ length: 50 }, () => take(route)));
    tunnels.push(await take(route));
    await Promise.all(tunnels.map((tunnel) => echo(tunnel)));
    expect(logins(bastion) - before).toBe(1);
    expect(tunnels.map((tunnel) => tunnel.status().users)).toEqual(tunnels.map(() => 51));
    await tunnels[0]?.close();
    expect(tunnels.at(-1)?.status().users).toBe(50);
  });

  test('close their own streams, and the tunnel with the last of them', async () => {
    const { bastion, privateKeyFile } = topology();
    const take = tunnelsOf(topology());
    const [one, other] = [await take(described(bastion, privateKeyFile)), await take(described(bastion, privateKeyFile))];
    const stream = one.stream('127.0.0.1', target.port);
    stream.write('x');
    await once(stream, 'data');
    const ended = once(stream, 'close');
    await one.close();
    await ended;
    expect(await echo(other)).toBe('hello');
    expect(other.status()).toMatchObject({ state: 'ready' });
    await other.close();
    expect(other.status().state).toBe('closed');
    await expect.poll(() => bastion.killSessions()).toBe(0);
  });

  test('lose it together and log in once more', async () => {
    const { bastion, privateKeyFile } = topology();
    const take = tunnelsOf(topology());
    const route = described(bastion, privateKeyFile);
    const [one, other] = [await take(route), await take(route)];
    const losses = [one, other].map((tunnel) => new Promise((resolve) => tunnel.onClosed(resolve)));
    const before = logins(bastion);
    await bastion.killSessions();
    await Promise.all(losses);
    const again = await Promise.all(Array.from({ length: 20 }, () => take(route)));
    await Promise.all(again.map((tunnel) => echo(tunnel)));
    expect(logins(bastion) - before).toBe(1);
  });

  test('do not share with another credential, and one that gives up leaves the others waiting', async () => {
    const { bastion, privateKeyFile } = topology();
    const key = join(directory, 'other-key');
    execFileSync('cp', [privateKeyFile, key]);
    const take = tunnelsOf(topology());
    const before = logins(bastion);
    await take(described(bastion, privateKeyFile));
    await take(described(bastion, key));
    expect(logins(bastion) - before).toBe(2);
    const impatient = new AbortController();
    const third = { ...described(bastion, key), hostKeys: [bastion.hostKeyFingerprint] };
    const [given, kept] = [refusal(take(third, impatient.signal)), take(third)];
    impatient.abort();
    expect((await given).kind).toBe('cancelled');
    expect(await echo(await kept)).toBe('hello');
  });

  test('try again after a failure, and nothing of it stays', async () => {
    const { bastion, privateKeyFile } = topology();
    const take = tunnelsOf(topology());
    const route = described(bastion, privateKeyFile);
    await bastion.control.shutDown();
    expect(await refusal(take(route))).toMatchObject({ code: 'E_SSH_CONNECT_REFUSED' });
    await bastion.control.start();
    expect(await echo(await take(route))).toBe('hello');
  });
});
