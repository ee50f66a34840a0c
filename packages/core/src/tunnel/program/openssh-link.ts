import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Failure } from '../../failure.ts';
import type { Log } from '../../log.ts';
import { errorText, tunnelFailure } from '../failures.ts';
import type { Link } from '../library/link.ts';
import { createLoss } from '../library/link-failures.ts';
import type { SshStep } from '../plan.ts';
import type { ByteChannel } from '../stream.ts';
import type { TunnelTimeouts } from '../timeouts.ts';
import { ChildChannel } from './child-channel.ts';
import { explainChannel, explainLogin, isProxyLoss } from './openssh-failures.ts';
import { runSsh, type SshProgram, startSsh } from './ssh-program.ts';

interface OpenSshOptions {
  program: SshProgram;
  timeouts: TunnelTimeouts;
  log: Log;
  signal: AbortSignal;
}

/** Overrides the user's configuration: no prompts, no other forwarding, and only accepted host keys. */
const strict = [
  'BatchMode=yes',
  'StrictHostKeyChecking=yes',
  'ForwardAgent=no',
  'ForwardX11=no',
  'ClearAllForwardings=yes',
  'PermitLocalCommand=no',
  'RequestTTY=no',
];

/** How long the master lives without channels. If this process is killed, nothing else ends it. */
const persistSeconds = 120;
/** The user may have to touch a security key. */
const loginMs = 60_000;
/** The time to wait for the error text of a ProxyCommand. */
const proxyWordsMs = 5_000;

/** One login by the machine's own ssh; each channel is a `ssh -W` over it. */
export async function openSshLink(step: SshStep, options: OpenSshOptions): Promise<Link> {
  options.log('info', 'this way is opened by the program ssh', { hop: step.label, why: step.why });
  const link = new OpenSshLink(step, options);
  try {
    await link.login();
    return link;
  } catch (error) {
    await link.close(tunnelFailure('E_SSH_TUNNEL_CLOSED', `the tunnel through ${step.label} was not opened`));
    throw error;
  }
}

class OpenSshLink implements Link {
  readonly label: string;
  readonly loss = createLoss();
  readonly fingerprint = undefined;
  readonly #step: SshStep;
  readonly #options: OpenSshOptions;
  readonly #channels = new Set<ChildChannel>();
  /** Holds the socket over which channels reach the master. Undefined where ssh knows no masters. */
  #folder: string | undefined;
  #lastHeard = Date.now();

  constructor(step: SshStep, options: OpenSshOptions) {
    this.#step = step;
    this.#options = options;
    this.label = `${step.label} by ssh (${step.why})`;
    this.loss.onLoss(() => {
      for (const channel of this.#channels) channel.destroy();
    });
  }

  async login(): Promise<void> {
    // Each channel logs in by itself there.
    if (process.platform === 'win32') return;
    this.#folder = await mkdtemp(join(tmpdir(), 'mole-'));
    const master = ['-f', '-N', '-M', '-S', this.#socket(), ...settings([`ControlPersist=${persistSeconds}`])];
    const { signal } = this.#options;
    const { code, stderr } = await runSsh(this.#options.program, {
      args: [...master, ...this.#target()],
      timeoutMs: loginMs,
      signal,
    });
    if (code !== 0) this.#forgetFolder();
    signal.throwIfAborted();
    if (code === null) {
      throw tunnelFailure('E_SSH_HANDSHAKE_TIMEOUT', `ssh did not connect to ${this.#step.label} within ${loginMs / 1000} s`);
    }
    if (code !== 0) throw explainLogin(this.#step.label, await this.#withProxyWords(stderr));
  }

  /** ssh discards what a ProxyCommand says where ControlPersist is set, so that has to be asked again without it. */
  async #withProxyWords(stderr: string): Promise<string> {
    if (!isProxyLoss(stderr)) return stderr;
    const { signal, program } = this.#options;
    const args = ['-N', '-S', 'none', ...settings(['ControlPersist=no']), ...this.#target()];
    const { code, stderr: words } = await runSsh(program, { args, timeoutMs: proxyWordsMs, signal });
    return code === null || !isProxyLoss(words) ? stderr : words;
  }

  /** No master was left in it. Synchronous, because the process is about to exit. */
  #forgetFolder(): void {
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
    this.#folder = undefined;
  }

  lastHeard(): number {
    return this.#lastHeard;
  }

  /** The program does not say when the target is reached, so an error comes out of the channel. */
  async openChannel(host: string, port: number): Promise<ByteChannel> {
    this.loss.throwIfLost();
    const way = ['-W', `${host.includes(':') ? `[${host}]` : host}:${port}`];
    const child = startSsh(this.#options.program, [...this.#reuse(), ...way, ...this.#target()]);
    const channel = new ChildChannel({ child, explain: (stderr) => this.#explain({ host, port }, stderr) });
    this.#channels.add(channel);
    channel.on('data', () => {
      this.#lastHeard = Date.now();
    });
    channel.pause();
    channel.once('close', () => this.#channels.delete(channel));
    return channel;
  }

  /** Asks the master, which has its own way to notice that the server fell silent. */
  async probe(): Promise<void> {
    this.loss.throwIfLost();
    if (this.#folder === undefined) return;
    const { code } = await this.#command('check');
    if (code !== 0)
      this.loss.declare(tunnelFailure('E_SSH_NETWORK', `the connection to the SSH server ${this.#step.label} ended`));
    this.#lastHeard = Date.now();
    this.loss.throwIfLost();
  }

  close(cause: Failure): Promise<void> {
    return this.loss.close(cause, () => this.#hangUp());
  }

  async #hangUp(): Promise<void> {
    if (this.#folder === undefined) return;
    try {
      await this.#command('exit');
    } catch (error) {
      this.#options.log('debug', 'the ssh master could not be told to end', { error: errorText(error) });
    }
    await rm(this.#folder, { recursive: true, force: true });
  }

  #command(word: 'check' | 'exit') {
    const args = ['-O', word, '-S', this.#socket(), '--', this.#step.name];
    return runSsh(this.#options.program, { args, timeoutMs: this.#options.timeouts.probeMs });
  }

  #explain({ host, port }: { host: string; port: number }, stderr: string): Failure {
    const failure =
      this.#folder === undefined
        ? explainLogin(this.#step.label, stderr)
        : explainChannel({ label: this.#step.label, host, port }, stderr);
    // The master may be gone, and the next channel would fail as well.
    if (failure.code === 'E_SSH_NETWORK') void this.probe().catch(() => undefined);
    return failure;
  }

  #reuse(): string[] {
    return this.#folder === undefined ? [] : ['-S', this.#socket(), ...settings(['ControlMaster=no'])];
  }

  #target(): string[] {
    const { timeouts } = this.#options;
    const alive = [`ServerAliveInterval=${timeouts.keepaliveMs / 1000}`, `ServerAliveCountMax=${timeouts.keepaliveCount}`];
    const limits = [`ConnectTimeout=${Math.ceil(timeouts.connectMs / 1000)}`, ...alive];
    return [...settings([...strict, ...limits]), ...this.#step.wish, '--', this.#step.name];
  }

  #socket(): string {
    return join(this.#folder ?? '', 's');
  }
}

function settings(words: readonly string[]): string[] {
  return words.flatMap((word) => ['-o', word]);
}
