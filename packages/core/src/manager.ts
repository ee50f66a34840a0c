import type { Duplex } from 'node:stream';
import type { BaseConnection } from './connection.ts';
import { Failure, toFailure } from './failure.ts';
import { LiveBackend } from './live-backend.ts';
import type { Log } from './log.ts';
import { Opening } from './opening.ts';
import type { Entry, Registry, Resolved } from './registry.ts';
import type { Tunnel } from './tunnel/tunnel.ts';
import { formatAbort, settlesWithin, untilAborted } from './waiting.ts';

/** What a backend is opened with. Certificates are checked against `serverName` also when the bytes go through a tunnel. */
export interface BackendTarget<C extends BaseConnection> {
  /** With secrets resolved. */
  config: C;
  connectHost: string;
  connectPort: number;
  /** The configured host. */
  serverName: string;
  /** Present when there is a tunnel: opens a new stream to `connectHost:connectPort`; use this instead of a socket. */
  dial?: () => Duplex;
}

/** All that the manager needs to know of a backend. */
export interface Backend {
  dispose(): Promise<void>;
}

export interface ManagerOptions<C extends BaseConnection, B extends Backend> {
  /** The signal is aborted when nobody waits for the backend any more. Half-open things are the callee's to close. */
  createBackend(target: BackendTarget<C>, signal: AbortSignal): Promise<B>;
  createTunnel(config: C, signal: AbortSignal): Promise<Tunnel>;
  resolvePort(config: C): number;
  log?: Log;
  /** A connection that nobody used for this long is closed; 0 keeps it. Ten minutes unless said otherwise. */
  idleMs?: number;
  limits?: Partial<ManagerLimits>;
}

/** Milliseconds; the defaults of the last two let `disposeAll` end within 1.1 s, whatever hangs. */
export interface ManagerLimits {
  /** For each of the two parts of one connection, backend and tunnel, to close in normal life. */
  disposeMs: number;
  /** At shutdown: for running calls to end by themselves. */
  graceMs: number;
  /** At shutdown: for each of the two parts to close after that. */
  forceMs: number;
}

/** A backend on loan. It is not disposed before every lease of it was released. */
export interface Lease<B extends Backend> {
  name: string;
  backend: B;
  /** As it was configured, with references to secrets still unresolved. */
  config: BaseConnection;
  release(): void;
  /** Says that this backend is dead: the next `acquire` opens a new one. Releasing is still owed. */
  invalidate(): void;
}

export interface ConnectionStatus {
  state: 'closed' | 'opening' | 'open';
  tunnel?: ReturnType<Tunnel['status']>;
}

export interface Manager<B extends Backend> {
  /** The live backend of this name, opening it when needed. Waiting ends with the signal; the opening goes on for others. */
  acquire(name: string | undefined, signal: AbortSignal): Promise<Lease<B>>;
  status(name: string): ConnectionStatus;
  /**
   * Closes one connection when its last call has ended, and resolves then: whoever holds a lease of it must not wait.
   * Used after `remove` and by a test of a connection.
   */
  close(name: string): Promise<void>;
  /** Closes everything and refuses new calls; used once, at shutdown. Running calls get a short grace. Never rejects. */
  disposeAll(): Promise<void>;
}

export function createManager<C extends BaseConnection, B extends Backend>(
  registry: Pick<Registry<C>, 'get' | 'list' | 'resolve'>,
  options: ManagerOptions<C, B>,
): Manager<B> {
  return new ConnectionManager(registry, options);
}

const defaultLimits: ManagerLimits = { disposeMs: 5_000, graceMs: 500, forceMs: 300 };
const defaultIdleMs = 10 * 60_000;

interface Loan<B extends Backend> {
  live: LiveBackend<B>;
  lease: Lease<B>;
}

/** What we know of one name. Names share nothing, so that one which is down cannot slow another. */
interface Slot<B extends Backend> {
  /** The version new calls get; a backend of another one only serves those who already have it. */
  version: string | undefined;
  live: LiveBackend<B> | undefined;
  /** By version: after a change the old opening goes on for those who wait for it. */
  openings: Map<string, Opening<LiveBackend<B>, Loan<B>>>;
}

type Usable<C extends BaseConnection> = Entry<C> & { config: C };

class ConnectionManager<C extends BaseConnection, B extends Backend> implements Manager<B> {
  readonly #registry: Pick<Registry<C>, 'get' | 'list' | 'resolve'>;
  readonly #options: ManagerOptions<C, B>;
  readonly #limits: ManagerLimits;
  readonly #log: Log;
  readonly #slots = new Map<string, Slot<B>>();
  /** Everything that is not over yet, also what no slot refers to any more; shutdown waits for it. */
  readonly #lives = new Set<LiveBackend<B>>();
  readonly #openings = new Set<Opening<LiveBackend<B>, Loan<B>>>();
  readonly #chores = new Set<Promise<void>>();
  #shutdown: Promise<void> | undefined;

  constructor(registry: Pick<Registry<C>, 'get' | 'list' | 'resolve'>, options: ManagerOptions<C, B>) {
    this.#registry = registry;
    this.#options = options;
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#log = options.log ?? (() => undefined);
  }

  async acquire(name: string | undefined, signal: AbortSignal): Promise<Lease<B>> {
    const first = await this.#tryAcquire(name, signal);
    if (!(first instanceof Failure)) return first;
    const second = await this.#tryAcquire(name, signal);
    if (!(second instanceof Failure)) return second;
    throw second;
  }

  status(name: string): ConnectionStatus {
    const slot = this.#slots.get(name);
    if (slot?.live !== undefined) {
      const { tunnel } = slot.live;
      return { state: 'open', ...(tunnel === undefined ? {} : { tunnel: tunnel.status() }) };
    }
    return { state: slot?.version !== undefined && slot.openings.has(slot.version) ? 'opening' : 'closed' };
  }

  async close(name: string): Promise<void> {
    const openings = [...(this.#slots.get(name)?.openings.values() ?? [])];
    this.#retire(name);
    await Promise.all(openings.map((opening) => opening.settled));
    const leaving = [...this.#lives].filter((live) => live.name === name && live.retired);
    await Promise.all(leaving.map((live) => live.gone));
  }

  disposeAll(): Promise<void> {
    this.#shutdown ??= this.#shutDown();
    return this.#shutdown;
  }

  /** A lease, or the reason why what we got is already no good; a second try then opens anew. */
  async #tryAcquire(name: string | undefined, signal: AbortSignal): Promise<Lease<B> | Failure> {
    const entry = await this.#find(name, signal);
    if (this.#shutdown !== undefined) throw shuttingDown();
    const loan = await this.#lend(entry, signal);
    if (loan instanceof Failure) return loan;
    try {
      const death = await this.#probe(loan.live, signal);
      if (death === undefined) return loan.lease;
      loan.lease.release();
      return death;
    } catch (error) {
      loan.lease.release();
      throw error;
    }
  }

  async #find(name: string | undefined, signal: AbortSignal): Promise<Usable<C>> {
    if (this.#shutdown !== undefined) throw shuttingDown();
    if (signal.aborted) throw formatAbort(signal);
    try {
      return await untilAborted(this.#registry.get(name), signal);
    } catch (error) {
      // Removed or unusable now, perhaps by a person with an editor: nothing of it may stay open.
      if (name !== undefined && !signal.aborted) this.#retire(name);
      throw error;
    }
  }

  async #lend(entry: Usable<C>, signal: AbortSignal): Promise<Loan<B> | Failure> {
    const slot = this.#slotOf(entry.name);
    if (slot.version !== entry.version) {
      this.#retire(entry.name);
      slot.version = entry.version;
    }
    if (slot.live !== undefined) return { live: slot.live, lease: slot.live.lease() };
    const opening = slot.openings.get(entry.version) ?? this.#startOpening(slot, entry);
    try {
      return await opening.join(signal);
    } catch (error) {
      if (error instanceof Superseded) return error.failure;
      throw error;
    }
  }

  /** Whether what was lent can be used right now. Throws when the caller, not the connection, is at its end. */
  async #probe(live: LiveBackend<B>, signal: AbortSignal): Promise<Failure | undefined> {
    try {
      if (live.tunnel !== undefined) await untilAborted(live.tunnel.ensureFresh(signal), signal);
    } catch (error) {
      if (!signal.aborted) live.kill(toFailure(error));
    }
    if (this.#shutdown !== undefined) throw shuttingDown();
    if (signal.aborted) throw formatAbort(signal);
    return live.death;
  }

  #startOpening(slot: Slot<B>, entry: Usable<C>): Opening<LiveBackend<B>, Loan<B>> {
    const opening: Opening<LiveBackend<B>, Loan<B>> = new Opening({
      open: (signal) => this.#open(entry, signal),
      share: (live) => ({ live, lease: live.lease() }),
      onOpened: (live, wanted) => this.#settle(slot, live, wanted),
      onOver: () => slot.openings.delete(entry.version),
    });
    slot.openings.set(entry.version, opening);
    this.#openings.add(opening);
    void opening.settled.then(() => this.#openings.delete(opening));
    return opening;
  }

  async #open(entry: Usable<C>, signal: AbortSignal): Promise<LiveBackend<B>> {
    const resolved = await this.#registry.resolve(entry.name, signal);
    if (resolved.version !== entry.version) throw new Superseded(entry.name);
    signal.throwIfAborted();
    const { ssh } = resolved.config;
    const tunnel = ssh === undefined ? undefined : await this.#options.createTunnel(resolved.config, signal);
    try {
      signal.throwIfAborted();
      const backend = await this.#options.createBackend(this.#target(resolved, tunnel), signal);
      return this.#createLive(entry, backend, tunnel);
    } catch (error) {
      if (tunnel !== undefined) this.#closeUnusedTunnel(entry.name, tunnel);
      throw error;
    }
  }

  #target({ config }: Resolved<C>, tunnel: Tunnel | undefined): BackendTarget<C> {
    const { host } = config;
    const port = this.#options.resolvePort(config);
    const target = { config, connectHost: host, connectPort: port, serverName: host };
    return tunnel === undefined ? target : { ...target, dial: () => tunnel.stream(host, port) };
  }

  #createLive({ config, version }: Usable<C>, backend: B, tunnel: Tunnel | undefined): LiveBackend<B> {
    const live = new LiveBackend({
      backend,
      tunnel,
      config,
      version,
      idleMs: this.#options.idleMs ?? defaultIdleMs,
      disposeMs: this.#limits.disposeMs,
      log: this.#log,
      onUnfit: (unfit) => this.#takeOut(unfit),
    });
    this.#lives.add(live);
    void live.gone.then(() => this.#lives.delete(live));
    tunnel?.onClosed((cause) => live.kill(tunnelClosed(config.name, cause)));
    // It may have closed while the backend was being opened, before there was anybody to tell.
    const state = tunnel?.status().state;
    if (state === 'lost' || state === 'closed') live.kill(tunnelClosed(config.name, tunnel?.status().lastError));
    return live;
  }

  /** A backend has opened and those who waited have their leases: it stays for later calls if it is what they would get. */
  #settle(slot: Slot<B>, live: LiveBackend<B>, wanted: boolean): void {
    const current = wanted && slot.version === live.version && live.death === undefined;
    if (current) slot.live = live;
    else void live.retire();
    this.#chore(this.#sweep());
  }

  /** A renamed or removed connection is never asked for again, so nobody would notice that it is still open. */
  async #sweep(): Promise<void> {
    const { entries } = await this.#registry.list();
    const usable = new Set(entries.filter(({ config }) => config !== undefined).map(({ name }) => name));
    for (const name of this.#slots.keys()) if (!usable.has(name)) this.#retire(name);
  }

  #slotOf(name: string): Slot<B> {
    const slot = this.#slots.get(name) ?? { version: undefined, live: undefined, openings: new Map() };
    this.#slots.set(name, slot);
    return slot;
  }

  /** New calls get nothing that is open or opening now; those who have it, or wait for it, keep it. */
  #retire(name: string): void {
    const slot = this.#slots.get(name);
    if (slot === undefined) return;
    slot.version = undefined;
    void slot.live?.retire();
    slot.live = undefined;
  }

  #takeOut(live: LiveBackend<B>): void {
    const slot = this.#slots.get(live.name);
    if (slot?.live === live) slot.live = undefined;
  }

  #closeUnusedTunnel(name: string, tunnel: Tunnel): void {
    const closed = tunnel.close().catch((error: unknown) => {
      this.#log('warn', 'the tunnel did not close cleanly', { connection: name, error: toFailure(error).message });
    });
    this.#chore(closed);
  }

  /** Work that nobody waits for, except shutdown. */
  #chore(work: Promise<void>): void {
    const chore = work.catch(() => undefined).finally(() => this.#chores.delete(chore));
    this.#chores.add(chore);
  }

  async #shutDown(): Promise<void> {
    for (const opening of this.#openings) opening.giveUp(shuttingDown());
    for (const name of this.#slots.keys()) this.#retire(name);
    const { graceMs, forceMs } = this.#limits;
    const leaving = [...this.#lives].map((live) => live.retire());
    const settling = [...this.#openings].map((opening) => opening.settled);
    await settlesWithin(Promise.all([...leaving, ...settling, ...this.#chores]), { ms: graceMs, keepsAlive: true });
    // What is still used now, and what an opening yielded although it was told to stop.
    await Promise.all([...this.#lives].map((live) => live.end({ ms: forceMs, keepsAlive: true })));
  }
}

/** The configuration changed between being looked up and being opened: whoever waits looks again. */
class Superseded extends Error {
  readonly failure: Failure;

  constructor(name: string) {
    super('superseded');
    this.failure = new Failure('config', `the configuration of "${name}" changed while it was being opened`, {
      hint: 'Call again.',
    });
  }
}

function shuttingDown(): Failure {
  return new Failure('cancelled', 'the server is shutting down', { code: 'E_SHUTTING_DOWN' });
}

function tunnelClosed(name: string, cause: unknown): Failure {
  return new Failure('tunnel', `the SSH tunnel of "${name}" closed`, { hint: 'Call again: a new tunnel is opened.', cause });
}
