import { createHash } from 'node:crypto';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findFreePort, type LaunchPlan, supervise, waitUntilReady } from '@dbmole/local-engine';
import type { EngineControl } from '../engine.ts';
import { readGreeting } from '../run/ports.ts';
import { runCommand } from '../run/run-command.ts';
import { createRunDirectory } from '../run/run-directory.ts';
import { createControl } from '../run/start-binary.ts';
import type { SshProgram } from './sshd.ts';

export interface SshHop {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  /** The fingerprint that clients show: SHA256 and base64. */
  readonly hostKeyFingerprint: string;
  /** The line for a known_hosts file. */
  readonly hostKey: string;
  readonly directory: string;
  /** Stops the listener and every session, and starts it again on the same port with the same key. */
  readonly control: EngineControl;
  /** Cuts the connections that are open; the listener stays. Answers how many processes that were. */
  killSessions(): Promise<number>;
  stop(): Promise<void>;
}

interface HopWish {
  readonly sshd: SshProgram;
  readonly host: string;
  readonly user: string;
  readonly passwords: boolean;
  readonly settings: Readonly<Record<string, string>>;
}

export async function startHop(wish: HopWish): Promise<SshHop> {
  // The server reads the keys as the user who logs in, so others must be able to look into the directory.
  const directory = await createRunDirectory(0o755);
  const port = await findFreePort(wish.host);
  const hostKey = await makeKey(join(directory, 'host_ed25519'));
  const config = join(directory, 'sshd_config');
  await writeFile(config, formatConfig(wish, directory, port));
  await allowMistakes(wish.sshd, config);
  const launch = {
    plan: planFor(wish.sshd, config, directory),
    isReady: async () => (await readGreeting(port, wish.host))?.toString('latin1').startsWith('SSH-2.0-') === true,
    readyWithin: 30_000,
  };
  const server = await supervise(launch.plan);
  await waitUntilReady(server, launch).catch(async (error: unknown) => {
    await server.stop();
    throw error;
  });
  return {
    host: wish.host,
    port,
    user: wish.user,
    hostKeyFingerprint: fingerprint(hostKey),
    hostKey,
    directory,
    control: createControl(server, launch),
    killSessions: () => server.killChildren(),
    stop: () => server.stop(),
  };
}

/** The public half, as `type base64`. */
export async function makeKey(path: string): Promise<string> {
  await runCommand({ command: 'ssh-keygen', args: ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', path] });
  return (await readFile(`${path}.pub`, 'utf8')).split(' ').slice(0, 2).join(' ').trim();
}

function fingerprint(publicKey: string): string {
  const blob = Buffer.from(publicKey.split(' ')[1] ?? '', 'base64');
  return `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`;
}

/** Newer servers shut out an address for a while after wrong logins; older ones refuse to start when told not to. */
async function allowMistakes(sshd: SshProgram, config: string): Promise<void> {
  const line = 'PerSourcePenalties no';
  const check = { command: sshd.command, args: [...sshd.args, '-t', '-f', config, '-o', line.replace(' ', '=')] };
  const isKnown = await runCommand(check).then(
    () => true,
    () => false,
  );
  if (isKnown) await appendFile(config, `${line}\n`);
}

function planFor(sshd: SshProgram, config: string, directory: string): LaunchPlan {
  return {
    command: sshd.command,
    args: [...sshd.args, '-D', '-e', '-f', config],
    cwd: directory,
    env: { PATH: process.env.PATH ?? '' },
    log: join(directory, 'log'),
    directory,
    stopSignal: 'SIGTERM',
    stopWithin: 3_000,
    asOurselves: true,
  };
}

/** The first word on a setting counts, so the wishes of the test come before our own. */
function formatConfig(wish: HopWish, directory: string, port: number): string {
  const settings = {
    ...wish.settings,
    Port: String(port),
    ListenAddress: wish.host,
    HostKey: join(directory, 'host_ed25519'),
    PidFile: join(directory, 'pid'),
    AuthorizedKeysFile: join(directory, 'authorized_keys'),
    UsePAM: 'no',
    StrictModes: 'no',
    UseDNS: 'no',
    PermitRootLogin: 'yes',
    PasswordAuthentication: wish.passwords ? 'yes' : 'no',
    KbdInteractiveAuthentication: 'no',
    AllowTcpForwarding: 'yes',
    // The default drops logins that come at the same time.
    MaxStartups: '100:30:200',
    LogLevel: 'VERBOSE',
    ...wish.settings,
  };
  return Object.entries(settings)
    .map(([name, value]) => `${name} ${value}\n`)
    .join('');
}
