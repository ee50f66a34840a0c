import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { isRoot } from '@dbmole/local-engine';
import { cachePath, withLock } from '../fetch/cache.ts';
import { makeKey, type SshHop, startHop } from '../servers/ssh-hop.ts';
import { openSshd } from '../servers/sshd.ts';
import { unavailable } from '../unavailable.ts';
import { runCommand } from './run-command.ts';
import { sweepLeftovers } from './run-directory.ts';

export interface TopologyOptions {
  /**
   * Lets a user log in to the bastion with a password. That user has to be made on this machine, so it is granted only to root in
   * a container or in CI; elsewhere it is unavailable, and a test takes an ssh server of its own process instead.
   */
  readonly passwordLogin?: boolean;
  /** Further lines for both servers, in sshd's own names; they win over ours. */
  readonly settings?: Readonly<Record<string, string>>;
}

export interface Topology {
  /** What a client reaches. */
  readonly bastion: SshHop;
  /** What is meant to be reached through the bastion. */
  readonly inner: SshHop;
  /** Opens both hops for `bastion.user` and `inner.user`. */
  readonly privateKeyFile: string;
  readonly knownHostsFile: string;
  /** A file for `ssh -F`: hosts `bastion` and `inner`, the second by way of the first. */
  readonly sshConfigFile: string;
  readonly passwordLogin: { readonly user: string; readonly password: string } | undefined;
  stop(): Promise<void>;
}

/** Two OpenSSH servers on loopback, one behind the other. */
export async function startTopology(options: TopologyOptions = {}): Promise<Topology> {
  await sweepLeftovers();
  const sshd = await openSshd();
  const passwordLogin = options.passwordLogin ? await makePasswordUser() : undefined;
  const wish = { sshd, user: userInfo().username, settings: options.settings ?? {} };
  const bastion = await startHop({ ...wish, host: '127.0.0.1', passwords: passwordLogin !== undefined });
  try {
    // All of 127/8 is this machine on Linux; elsewhere only the port distinguishes the two.
    const inner = await startHop({ ...wish, host: process.platform === 'linux' ? '127.0.0.2' : '127.0.0.1', passwords: false });
    const files = await writeClientFiles(bastion, inner);
    const stop = async () => {
      await Promise.all([inner.stop(), bastion.stop()]);
    };
    return { bastion, inner, passwordLogin, ...files, stop };
  } catch (error) {
    await bastion.stop();
    throw error;
  }
}

/** In the bastion's directory, so they go with it. */
async function writeClientFiles(bastion: SshHop, inner: SshHop) {
  const privateKeyFile = join(bastion.directory, 'id_ed25519');
  const knownHostsFile = join(bastion.directory, 'known_hosts');
  const sshConfigFile = join(bastion.directory, 'ssh_config');
  const key = await makeKey(privateKeyFile);
  const hops = [bastion, inner];
  // The server reads this file at every login.
  for (const hop of hops) await writeFile(join(hop.directory, 'authorized_keys'), `${key}\n`, { mode: 0o644 });
  await writeFile(knownHostsFile, hops.map((hop) => `[${hop.host}]:${hop.port} ${hop.hostKey}\n`).join(''));
  await writeFile(sshConfigFile, formatClientConfig({ bastion, inner, privateKeyFile, knownHostsFile, sshConfigFile }));
  return { privateKeyFile, knownHostsFile, sshConfigFile };
}

type ClientFiles = Omit<Topology, 'passwordLogin' | 'stop'>;

function formatClientConfig({ bastion, inner, privateKeyFile, knownHostsFile, sshConfigFile }: ClientFiles): string {
  return `Host bastion inner
  User ${bastion.user}
  IdentityFile ${privateKeyFile}
  IdentitiesOnly yes
  UserKnownHostsFile ${knownHostsFile}
  GlobalKnownHostsFile /dev/null
  StrictHostKeyChecking yes
  BatchMode yes
Host bastion
  HostName ${bastion.host}
  Port ${bastion.port}
Host inner
  HostName ${inner.host}
  Port ${inner.port}
  ProxyCommand ssh -F ${sshConfigFile} -W %h:%p bastion
`;
}

const passwordUser = 'dbmole-test';

/**
 * The user stays on the machine: another run may be using it. Its password is random, known to root alone, and its shell lets
 * no one in; forwarding works without one.
 */
async function makePasswordUser(): Promise<{ user: string; password: string }> {
  const throwaway = process.env.CI === 'true' || existsSync('/.dockerenv') || existsSync('/run/.containerenv');
  const allowed = throwaway || process.env.DBMOLE_ALLOW_USERADD === '1';
  if (!isRoot() || !allowed) {
    const advice = 'Run as root in a container or with CI=true, or set DBMOLE_ALLOW_USERADD=1 on a machine you can throw away.';
    throw unavailable('A password login needs a user of its own on this machine', advice);
  }
  return withLock('password-user', async () => {
    const exists = (await readFile('/etc/passwd', 'utf8')).includes(`\n${passwordUser}:`);
    const wish = ['--no-create-home', '--shell', '/usr/sbin/nologin', passwordUser];
    if (!exists) await runCommand({ command: 'useradd', args: wish });
    const password = await openPassword();
    await runCommand({ command: 'chpasswd', args: [], input: `${passwordUser}:${password}\n` });
    return { user: passwordUser, password };
  });
}

async function openPassword(): Promise<string> {
  const file = cachePath('password-user');
  const known = await readFile(file, 'utf8').catch(() => '');
  const password = known || randomBytes(12).toString('base64url');
  if (known === '') await writeFile(file, password, { mode: 0o600 });
  return password;
}
