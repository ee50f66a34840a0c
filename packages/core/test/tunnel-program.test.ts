import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { useTopology } from '@dbmole/engines';
import { describe, expect, test, vi } from 'vitest';
import { configWith, described, directory, echo, isRunning, logins, notes, refusal, tunnelsOf, useRoutes } from './route-rig.ts';

useRoutes();

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

  test('the program ssh serves many channels with one login, reports errors in our words, and leaves nothing at the end', async () => {
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
    const temporary = await mkdtemp(join(directory, 'tmp-'));
    vi.stubEnv('TMPDIR', temporary);
    const before = logins(bastion);
    const tunnel = await tunnelsOf(topology(), { sshConfig })('certified');
    const words = await Promise.all(['a', 'b', 'c', 'd'].map((word) => echo(tunnel, word)));
    expect(words).toEqual(['a', 'b', 'c', 'd']);
    expect(logins(bastion) - before).toBe(1);
    const nowhere = tunnel.stream('127.0.0.1', 1);
    nowhere.write('x');
    expect(await once(nowhere, 'error')).toMatchObject([{ code: 'E_SSH_TARGET_UNREACHABLE' }]);
    await tunnel.ensureFresh();
    await tunnel.close();
    expect(readdirSync(temporary)).toEqual([]);
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
