import type { Duplex, Readable } from 'node:stream';
import type { Client, ClientChannel, ClientErrorExtensions } from 'ssh2';
import { waitFor } from '../../abort.ts';
import { Failure } from '../../failure.ts';
import type { Log } from '../../log.ts';
import { tunnelFailure } from '../failures.ts';
import { type Auth, createAuth } from '../keys/auth.ts';
import type { Credentials } from '../keys/credentials.ts';
import type { HostKeyPolicy } from '../keys/host-keys.ts';
import { fingerprint } from '../keys/known-hosts.ts';
import type { Hop } from '../route.ts';
import type { ByteChannel } from '../stream.ts';
import type { TunnelTimeouts } from '../timeouts.ts';
import { openChannel } from './channel.ts';
import { createLoss, explainHangUp, explainLinkError, type LinkErrorContext, type Loss, type Phase } from './link-failures.ts';
import { createPacer, createPromptAcks, joinWrites } from './pace-writes.ts';
import { cleanServerText } from './server-text.ts';
import type { Ssh2 } from './ssh2-library.ts';

interface LinkOptions {
  ssh2: Ssh2;
  hop: Hop;
  /** Connected, and with an error listener for life. From here on it is the link's to close. */
  socket: Duplex;
  credentials: Credentials;
  policy: HostKeyPolicy;
  timeouts: TunnelTimeouts;
  log: Log;
  signal?: AbortSignal | undefined;
}

/** One authenticated connection to one SSH server. It is used for one life: after a loss, a new one is opened. */
export interface Link {
  /** The server, for texts. */
  readonly label: string;
  /** The fingerprint of the server's key, if we saw it ourselves. */
  readonly fingerprint: string | undefined;
  readonly loss: Loss;
  /** When the server was last heard of, by the wall clock, for a machine that slept must notice it; 0 when that is in doubt. */
  lastHeard(): number;
  openChannel(host: string, port: number): Promise<ByteChannel>;
  /** Asks the server anything; silence means that the link is lost. */
  probe(): Promise<void>;
  /** Says goodbye, then hangs up, whether or not the server agrees. Pending requests fail with the cause. */
  close(cause: Failure): Promise<void>;
}

/** A server may send any number of these before the login; they must not fill the log. */
const maxBanners = 3;
/** The limit for quoting a greeting that is not SSH. */
const maxGreetingBytes = 120;
/** Unread bytes of one channel. The server may send 2 MiB before the window is extended; ssh2 does not enforce that. */
const maxUnread = 8 * 1024 * 1024;
/** What each packet counts in addition: in memory, the smallest takes nearly a kilobyte. */
const packetBytes = 256;
/**
 * Bytes that wait to be sent. Channels stop at 1 MiB, so the rest are answers to requests of a server that does not read them; each
 * takes about ten times its length in memory.
 */
const maxUnsent = 4 * 1024 * 1024;
/** Requests that the server has not answered yet. It can make us ask, for proofs of its other host keys. */
const maxUnanswered = 1_000;

function countUnread(stream: Readable): number {
  // The runtime keeps this list for itself.
  const { _readableState: state } = stream as Readable & { _readableState?: { buffer?: { length: number } } };
  return stream.readableLength + packetBytes * (state?.buffer?.length ?? 0);
}

export async function openLink(options: LinkOptions): Promise<Link> {
  const link = new SshLink(options);
  try {
    await link.login();
    return link;
  } catch (error) {
    link.abandon(error);
    throw error;
  } finally {
    options.credentials.close();
  }
}

class SshLink implements Link {
  readonly label: string;
  readonly loss = createLoss();
  fingerprint: string | undefined;
  readonly #options: LinkOptions;
  readonly #client: Client;
  readonly #auth: Auth;
  readonly #channels = new Set<ClientChannel>();
  readonly #pace: (channel: ClientChannel) => void;
  #acknowledge: (chunk: Buffer) => void = () => {};
  #phase: Phase = 'handshake';
  #lastHeard = Date.now();
  /** What ends a long silence may have waited in a buffer while the machine slept: only a new answer proves anything. */
  #isDoubtful = false;
  #said = '';
  #banners = 0;
  #refusal: Failure | undefined;

  constructor(options: LinkOptions) {
    this.#options = options;
    this.label = options.hop.label;
    this.#auth = createAuth(options.hop, options.credentials);
    this.#client = new options.ssh2.Client();
    this.#pace = createPacer(options.socket);
    this.loss.onLoss(() => {
      // `Client.destroy` does nothing on a socket that is half closed; only this always ends it.
      if (!this.loss.isClosing) options.socket.destroy();
    });
    this.#listen();
  }

  async login(): Promise<void> {
    const { timeouts, signal, socket } = this.#options;
    const onTimeout = (): Failure =>
      tunnelFailure(
        'E_SSH_HANDSHAKE_TIMEOUT',
        `the SSH server ${this.label} did not finish the ${this.#phase} within ${timeouts.handshakeMs} ms`,
      );
    await waitFor<void>({ timeoutMs: timeouts.handshakeMs, onTimeout, loss: this.loss, signal }, (resolve) => {
      this.#client.once('ready', () => {
        this.#phase = 'ready';
        resolve();
      });
      // A listener makes the data flow, and ssh2 begins to listen a moment later; it is ssh2 that lets it flow.
      socket.pause();
      socket.on('data', (chunk: Buffer) => this.#heard(chunk));
      this.#connect();
    });
    this.#refuseSessions(() => {});
    // A repeated request without a reply changes nothing and is a small packet.
    this.#acknowledge = createPromptAcks(socket, () => this.#refuseSessions());
  }

  #heard(chunk: Buffer): void {
    const now = Date.now();
    if (this.#channels.size > 0) this.#acknowledge(chunk);
    if (now - this.#lastHeard >= this.#options.timeouts.staleMs) this.#isDoubtful = true;
    this.#lastHeard = now;
    if (this.#said.length < maxGreetingBytes) this.#said += chunk.toString('latin1', 0, maxGreetingBytes);
    if (this.#isFlooded()) {
      this.loss.declare(
        tunnelFailure(
          'E_SSH_NETWORK',
          `the SSH server ${this.label} sent more than the protocol allows; the connection was closed`,
        ),
      );
    }
  }

  #watch(channel: ClientChannel): void {
    this.#pace(channel);
    this.#channels.add(channel);
    channel.once('close', () => this.#channels.delete(channel));
  }

  /** A server that sends without being asked would fill the memory; nothing reads `stderr`, because forwarding has none. */
  #isFlooded(): boolean {
    // ssh2 keeps this list for itself.
    const { _callbacks } = this.#client as Client & { _callbacks?: readonly unknown[] };
    if (this.#options.socket.writableLength > maxUnsent || (_callbacks?.length ?? 0) > maxUnanswered) return true;
    for (const channel of this.#channels) if (countUnread(channel) + countUnread(channel.stderr) > maxUnread) return true;
    return false;
  }

  /** Whatever the reason, nothing of it stays open. */
  abandon(error: unknown): void {
    this.loss.declare(error instanceof Failure ? error : explainHangUp(this.#context()));
  }

  lastHeard(): number {
    return this.#isDoubtful ? 0 : this.#lastHeard;
  }

  openChannel(host: string, port: number): Promise<ClientChannel> {
    const { timeouts } = this.#options;
    return openChannel({
      client: this.#client,
      loss: this.loss,
      label: this.label,
      host,
      port,
      timeoutMs: timeouts.channelMs,
      onOpened: (channel) => this.#watch(channel),
    });
  }

  async probe(): Promise<void> {
    const { probeMs } = this.#options.timeouts;
    const onTimeout = (): Failure =>
      tunnelFailure('E_SSH_KEEPALIVE_TIMEOUT', `the SSH server ${this.label} does not answer (waited ${probeMs} ms)`);
    try {
      // To withdraw a forwarding that never was changes nothing, and every server answers it, most with a refusal.
      await waitFor<void>({ timeoutMs: probeMs, onTimeout, loss: this.loss }, (resolve) => {
        this.#client.unforwardIn('127.0.0.1', 1, () => resolve());
      });
      this.#isDoubtful = false;
    } catch (error) {
      this.abandon(error);
    }
    this.loss.throwIfLost();
  }

  close(cause: Failure): Promise<void> {
    return this.loss.close(cause, () => this.#hangUp());
  }

  async #hangUp(): Promise<void> {
    const { socket, timeouts } = this.#options;
    if (socket.destroyed) return;
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    const timer = setTimeout(() => socket.destroy(), timeouts.closeMs);
    this.#client.end();
    await closed;
    clearTimeout(timer);
  }

  #context(): LinkErrorContext {
    const said = this.#said.startsWith('SSH-') ? '' : this.#said;
    return { phase: this.#phase, label: this.label, said, refused: this.#auth.refused };
  }

  #listen(): void {
    const hungUp = (): void => this.loss.declare(this.#refusal ?? explainHangUp(this.#context()));
    const { log } = this.#options;
    this.#client
      .on('error', (error: Error & ClientErrorExtensions) => {
        if (error.level === 'agent')
          log('warn', 'the SSH agent failed', { hop: this.label, why: cleanServerText(error.message) });
        else this.loss.declare(this.#refusal ?? explainLinkError(error, this.#context()));
      })
      .on('end', hungUp)
      .on('close', hungUp)
      .on('handshake', () => {
        if (this.#phase === 'handshake') this.#phase = 'login';
      })
      .on('banner', (text) => {
        this.#banners += 1;
        if (this.#banners <= maxBanners) log('info', 'the SSH server says', { hop: this.label, text: cleanServerText(text) });
      })
      .on('change password', () => this.loss.declare(this.#auth.refused('the password has expired')));
  }

  #connect(): void {
    const { socket, timeouts, policy, hop } = this.#options;
    joinWrites(socket);
    this.#client.connect({
      sock: socket,
      username: hop.user,
      // Ours covers it, and knows how far we came.
      readyTimeout: 0,
      keepaliveInterval: timeouts.keepaliveMs,
      keepaliveCountMax: timeouts.keepaliveCount,
      algorithms: { serverHostKey: policy.algorithms() },
      hostVerifier: (key: Buffer, verify: (accept: boolean) => void): void => verify(this.#isAccepted(key)),
      authHandler: this.#auth.handler,
    });
  }

  /** ssh2 calls this at the handshake and again at every rekey. The answer must be a plain boolean: a promise would mean yes. */
  #isAccepted(key: Buffer): boolean {
    this.#refusal = this.#options.policy.judge(key);
    if (this.#refusal !== undefined) return false;
    this.fingerprint = fingerprint(key);
    return true;
  }

  /** Makes sure that this connection cannot open a shell; servers other than OpenSSH do not know the request. */
  #refuseSessions(onReply?: () => void): void {
    // The types of the library leave out that there need not be a reply.
    const client: { openssh_noMoreSessions(onReply?: () => void): unknown } = this.#client;
    try {
      client.openssh_noMoreSessions(onReply);
    } catch {
      // The connection is already gone, which its listeners report.
    }
  }
}
