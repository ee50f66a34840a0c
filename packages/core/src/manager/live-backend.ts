import { type Limit, settlesWithin } from '../abort.ts';
import type { BaseConnection } from '../connection.ts';
import { Failure, toFailure } from '../failure.ts';
import type { Log } from '../log.ts';
import type { Tunnel } from '../tunnel/tunnel.ts';
import type { Backend, Lease, PoolStatus } from './backend.ts';

interface LiveBackendOptions<B extends Backend> {
  backend: B;
  tunnel: Tunnel | undefined;
  name: string;
  config: BaseConnection;
  version: string;
  /** How long it may be idle before it closes; 0 keeps it open. */
  idleMs: number;
  /** How long its end may take before we go on to the tunnel without it. */
  disposeMs: number;
  log: Log;
  /** It died or was idle too long: do not hand it out any more. */
  onUnfit(live: LiveBackend<B>): void;
}

/**
 * An open backend, the tunnel it goes through, and who uses it. It ends once: when it was retired and its last lease
 * came back, or at shutdown. The backend goes first, so that it can still take its leave through the tunnel.
 */
export class LiveBackend<B extends Backend> {
  readonly name: string;
  readonly version: string;
  readonly tunnel: Tunnel | undefined;
  /** Resolves when the backend and the tunnel are closed, or were given up. */
  readonly gone: Promise<void>;
  readonly #options: LiveBackendOptions<B>;
  /** The server could be reached by the call that ended last. */
  isReached = true;
  #leases = 0;
  #retired = false;
  #death: Failure | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #backendClosed: Promise<void> | undefined;
  #tunnelClosed: Promise<void> | undefined;
  #markGone: () => void = () => undefined;

  constructor(options: LiveBackendOptions<B>) {
    this.#options = options;
    this.name = options.name;
    this.version = options.version;
    this.tunnel = options.tunnel;
    this.gone = new Promise((resolve) => {
      this.#markGone = resolve;
    });
    options.tunnel?.onClosed((cause) => this.kill(tunnelClosed(this.name, cause)));
  }

  /** Why it must not be used, if so. */
  get death(): Failure | undefined {
    return this.#death;
  }

  get retired(): boolean {
    return this.#retired;
  }

  get unconfirmed(): number {
    return this.#options.backend.unconfirmed?.() ?? 0;
  }

  get pool(): PoolStatus | undefined {
    return this.#options.backend.pool?.();
  }

  lease(): Lease<B> {
    clearTimeout(this.#idleTimer);
    this.#leases += 1;
    let held = true;
    return {
      name: this.name,
      backend: this.#options.backend,
      config: this.#options.config,
      release: () => {
        if (held) this.#takeBack();
        held = false;
      },
      reached: (isSo) => {
        this.isReached = isSo;
      },
      invalidate: () => this.kill(broken(this.name)),
    };
  }

  /** Remembers the cause for those who hold a lease and have not begun to use it. */
  kill(cause: Failure): void {
    this.#death ??= cause;
    this.#leaveService();
  }

  /** Ends when the last lease is back. */
  retire(): Promise<void> {
    if (!this.#retired && this.#leases === 0) void this.#endQuietly();
    this.#retired = true;
    clearTimeout(this.#idleTimer);
    return this.gone;
  }

  /** Closes now, even while it is in use. */
  async end(limit: Limit): Promise<void> {
    this.#retired = true;
    clearTimeout(this.#idleTimer);
    this.#backendClosed ??= this.#attempt('the backend', () => this.#options.backend.dispose());
    if (!(await settlesWithin(this.#backendClosed, limit))) this.#complain('the backend', `no end within ${limit.ms} ms`);
    if (this.tunnel !== undefined) await this.#endTunnel(this.tunnel, limit);
    this.#markGone();
  }

  async #endTunnel(tunnel: Tunnel, limit: Limit): Promise<void> {
    this.#tunnelClosed ??= this.#attempt('the tunnel', () => tunnel.close());
    if (!(await settlesWithin(this.#tunnelClosed, limit))) this.#complain('the tunnel', `no end within ${limit.ms} ms`);
  }

  #endQuietly(): Promise<void> {
    return this.end({ ms: this.#options.disposeMs, keepsAlive: false });
  }

  #takeBack(): void {
    this.#leases -= 1;
    if (this.#leases > 0 || this.#backendClosed !== undefined) return;
    if (this.#retired) void this.#endQuietly();
    else if (this.#options.idleMs > 0) this.#watchIdle();
  }

  /** What may still be running keeps it in service, or the next call would open sessions beside it. */
  #watchIdle(): void {
    const expire = () => (this.unconfirmed > 0 ? this.#watchIdle() : this.#leaveService());
    this.#idleTimer = setTimeout(expire, this.#options.idleMs).unref();
  }

  #leaveService(): void {
    this.#options.onUnfit(this);
    void this.retire();
  }

  /** The end of one backend is no other call's business: what goes wrong is only logged. */
  async #attempt(what: string, close: () => Promise<void>): Promise<void> {
    try {
      await close();
    } catch (error) {
      this.#complain(what, toFailure(error).message);
    }
  }

  #complain(what: string, error: string): void {
    this.#options.log('warn', `${what} did not close cleanly`, { connection: this.name, error });
  }
}

function broken(name: string): Failure {
  return new Failure('connection', `the connection "${name}" broke`, { hint: 'Retry: a new connection is opened.' });
}

function tunnelClosed(name: string, cause: unknown): Failure {
  return new Failure('tunnel', `the SSH tunnel of "${name}" closed`, { hint: 'Retry: a new tunnel is opened.', cause });
}
