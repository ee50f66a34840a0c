import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'ssh2';
import { describe, expect, it } from 'vitest';
import { isUnavailable, startTopology, useTopology } from '../src/index.ts';
import { readGreeting } from '../src/run/ports.ts';
import { findTraces } from './traces.ts';

const run = promisify(execFile);

describe('startTopology', () => {
  const topology = useTopology();
  const ssh = (host: string, command: string) => run('ssh', ['-F', topology().sshConfigFile, host, command]);

  it('lets a client in to both, to the second by way of the first', async () => {
    expect((await ssh('bastion', 'echo $SSH_CONNECTION')).stdout).toContain(` ${topology().bastion.port}`);
    const { host, port } = topology().inner;
    expect((await ssh('inner', 'echo $SSH_CONNECTION')).stdout).toContain(`${host} ${port}`);
  });

  it('tells the host keys that the servers show', async () => {
    for (const hop of [topology().bastion, topology().inner]) {
      const { stdout } = await run('ssh-keygen', ['-lf', join(hop.directory, 'host_ed25519.pub')]);
      expect(stdout).toContain(` ${hop.hostKeyFingerprint} `);
    }
    expect(topology().inner.hostKeyFingerprint).not.toBe(topology().bastion.hostKeyFingerprint);
  });

  it('refuses who has another key', async () => {
    const other = await startTopology();
    const args = ['-F', topology().sshConfigFile, '-i', other.privateKeyFile, '-o', `IdentityFile=${other.privateKeyFile}`];
    const foreign = run('ssh', [...args, '-F', other.sshConfigFile, '-o', `Port=${topology().bastion.port}`, 'bastion', 'true']);
    await expect(foreign).rejects.toThrow(/Host key verification failed|Permission denied/);
    await other.stop();
    expect(findTraces(other.bastion.directory)).toEqual([]);
    expect(findTraces(other.inner.directory)).toEqual([]);
  });

  it('can cut the sessions while the listener stays', async () => {
    const { bastion, sshConfigFile } = topology();
    const session = spawn('ssh', ['-F', sshConfigFile, 'bastion', 'echo in; sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] });
    await once(session.stdout, 'data');
    const ended = once(session, 'exit');
    expect(await bastion.killSessions()).toBeGreaterThan(0);
    expect((await ended)[0]).not.toBe(0);
    expect((await ssh('bastion', 'echo again')).stdout).toBe('again\n');
  });

  it('can be taken down, and come back with the same key on the same port', async () => {
    const { bastion } = topology();
    await bastion.control.kill();
    expect(await readGreeting(bastion.port)).toBeUndefined();
    await bastion.control.start();
    expect((await ssh('inner', 'echo back')).stdout).toBe('back\n');
  });
});

describe('a password login', () => {
  it('is granted where a user may be made, and says so where not', async () => {
    const outcome = await startTopology({ passwordLogin: true }).catch((error: unknown) => error);
    if (outcome instanceof Error) {
      expect(isUnavailable(outcome)).toBe(true);
      expect(outcome).toMatchObject({ hint: expect.stringContaining('DBMOLE_ALLOW_USERADD') });
      return;
    }
    // What is not an error is the topology.
    const topology = outcome as Awaited<ReturnType<typeof startTopology>>;
    const { user, password } = topology.passwordLogin ?? { user: '', password: '' };
    const login = (secret: string) =>
      new Promise((resolve, reject) => {
        const client = new Client();
        client.on('ready', () => resolve(client.end()));
        client.on('error', reject);
        client.connect({ host: topology.bastion.host, port: topology.bastion.port, username: user, password: secret });
      });
    try {
      await login(password);
      await expect(login(`${password}x`)).rejects.toThrow(/authentication methods failed/);
    } finally {
      await topology.stop();
    }
  });
});
