import { formatAbort, settlesWithin, untilAborted } from '../abort.ts';
import type { BaseConnection } from '../connection.ts';
import { Failure, toFailure } from '../failure.ts';
import type { Log } from '../log.ts';
import type { Registry } from '../registry/registry.ts';
import { maxAttempts } from '../retry.ts';
import type { Tunnel } from '../tunnel/tunnel.ts';
import type { Backend, ConnectionStatus, Destination, Lease } from './backend.ts';
import { type BackendOpening, ConnectionSlot, type Loan } from './connection-slot.ts';
import { LiveBackend } from './live-backend.ts';
import { type OpenOptions, openBackend, Superseded, type UsableEntry } from './open-backend.ts';

export interface ManagerOptions<C extends BaseConnection, B extends Backend> extends OpenOptions<C, B> {
  /** Tells callers where a name leads. */
  describe?(entry: UsableEntry<C>): Destination;
  log?: Log;
  /** A connection that was idle for this long is closed; 0 keeps it. Default: ten minutes. */
  idleMs?: number;
  limits?: Partial<ManagerLimits>;
}

/** Milliseconds; the defaults of the last two let `disposeAll` end within 1.1 s, whatever hangs. */
interface ManagerLimits {
  /** For each of the two parts of one connection, backend and tunnel, to close in normal life. */
  disposeMs: number;
  /** The time that running calls get to end by themselves at shutdown. */
  graceMs: number;
  /** The time that each of the two parts gets to close after that. */
  forceMs: number;
}

type OnFound = (destination: Destination) => void;

export interface Manager<B extends Backend> {
  /**
   * The live backend of this name, opening it when needed. Waiting ends with the signal; the opening goes on for others.
   * `onFound` is called before anything is sent, and may throw.
   */
  acquire(name: string | undefined, signal: AbortSignal, onFound?: OnFound): Promise<Lease<B>>;
  status(name: string): ConnectionStatus;
  /** The status of every name that was asked for since the start. */
  statuses(): ReadonlyMap<string, ConnectionStatus>;
  /**
   * Closes one connection when its last call has ended, and resolves then: the holder of a lease must not wait for it.
   * Used after a tool has changed or removed it.
   */
  close(name: string): Promise<void>;
  /** Closes everything and refuses new calls; used once, at shutdown. Running calls get a short grace. Never rejects. */
  disposeAll(): Promise<void>;
}

/** The part of a registry that is needed here. */
export type Connections<C extends BaseConnection> = Pick<Registry<C>, 'get' | 'list' | 'resolve'>;

export function createManager<C extends BaseConnection, B extends Backend>(
  registry: Connections<C>,
  options: ManagerOptions<C, B>,
): Manager<B> {
  return new ConnectionManager(registry, options);
}

const defaultLimits: ManagerLimits = { disposeMs: 5_000, graceMs: 500, forceMs: 300 };
const defaultIdleMs = 10 * 60_000;

class ConnectionManager<C extends BaseConnection, B extends Backend> implements Manager<B> {
  readonly #registry: Connections<C>;
  readonly #options: ManagerOptions<C, B>;
  readonly #limits: ManagerLimits;
  readonly #log: Log;
  readonly #slots = new Map<string, ConnectionSlot<B>>();
  /** Everything that is not over yet, also what no slot refers to any more; shutdown waits for it. */
  readonly #lives = new Set<LiveBackend<B>>();
  readonly #openings = new Set<BackendOpening<B>>();
  readonly #chores = new Set<Promise<void>>();
  #shutdown: Promise<void> | undefined;
  readonly #slotEvents = {
    onOpening: (opening: BackendOpening<B>) => {
      this.#openings.add(opening);
      void opening.settled.then(() => this.#openings.delete(opening));
    },
    onOpened: () => this.#chore(() => this.#sweep()),
  };

  constructor(registry: Connections<C>, options: ManagerOptions<C, B>) {
    this.#registry = registry;
    this.#options = options;
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#log = options.log ?? (() => undefined);
  }

  async acquire(name: string | undefined, signal: AbortSignal, onFound?: OnFound): Promise<Lease<B>> {
    for (let attempt = 1; ; attempt += 1) {
      const found = await this.#tryAcquire(name, signal, onFound);
      if (!(found instanceof Failure)) return found;
      if (attempt === maxAttempts.backend) throw found;
    }
  }

  status(name: string): ConnectionStatus {
    return this.#slots.get(name)?.status() ?? { state: 'closed' };
  }

  statuses(): ReadonlyMap<string, ConnectionStatus> {
    return new Map([...this.#slots].map(([name, slot]) => [name, slot.status()]));
  }

  async close(name: string): Promise<void> {
    const slot = this.#slots.get(name);
    slot?.retire();
    await slot?.settled();
    const leaving = [...this.#lives].filter((live) => live.name === name && live.retired);
    await Promise.all(leaving.map((live) => live.gone));
  }

  disposeAll(): Promise<void> {
    this.#shutdown ??= this.#shutDown();
    return this.#shutdown;
  }

  /** A lease, or the reason why it is unusable already; a second attempt then reopens. */
  async #tryAcquire(name: string | undefined, signal: AbortSignal, onFound?: OnFound): Promise<Lease<B> | Failure> {
    const entry = await this.#find(name, signal);
    if (onFound && this.#options.describe) onFound(this.#options.describe(entry));
    const loan = await this.#borrow(entry, signal);
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

  async #find(name: string | undefined, signal: AbortSignal): Promise<UsableEntry<C>> {
    this.#refuse(signal);
    try {
      return await untilAborted(this.#registry.get(name), signal);
    } catch (error) {
      // Removed or unusable now, perhaps by a person with an editor: nothing of it may stay open.
      if (name !== undefined && !signal.aborted) this.#slots.get(name)?.retire();
      throw error;
    }
  }

  async #borrow(entry: UsableEntry<C>, signal: AbortSignal): Promise<Loan<B> | Failure> {
    this.#refuse(signal);
    const open = (opening: AbortSignal) => this.#open(entry, opening);
    try {
      return await this.#getSlot(entry.name).lend({ version: entry.version, open }, signal);
    } catch (error) {
      if (error instanceof Superseded) return error.failure;
      throw error;
    }
  }

  /** Why what was lent cannot be used, if so. */
  async #probe(live: LiveBackend<B>, signal: AbortSignal): Promise<Failure | undefined> {
    try {
      if (live.tunnel !== undefined) await untilAborted(live.tunnel.ensureFresh(signal), signal);
    } catch (error) {
      if (!signal.aborted) live.kill(toFailure(error));
    }
    this.#refuse(signal);
    return live.death;
  }

  /** Throws when the caller or the server, not the connection, is at its end. */
  #refuse(signal: AbortSignal): void {
    if (this.#shutdown !== undefined) throw shuttingDown();
    if (signal.aborted) throw formatAbort(signal);
  }

  async #open(entry: UsableEntry<C>, signal: AbortSignal): Promise<LiveBackend<B>> {
    const onUnusedTunnel = (tunnel: Tunnel) => this.#chore(() => tunnel.close());
    const opened = await openBackend({ entry, registry: this.#registry, options: this.#options, signal, onUnusedTunnel });
    const live = new LiveBackend({
      ...opened,
      name: entry.name,
      config: entry.config,
      version: entry.version,
      idleMs: this.#options.idleMs ?? defaultIdleMs,
      disposeMs: this.#limits.disposeMs,
      log: this.#log,
      onUnfit: (unfit) => this.#slots.get(unfit.name)?.drop(unfit),
    });
    this.#lives.add(live);
    void live.gone.then(() => this.#lives.delete(live));
    return live;
  }

  #getSlot(name: string): ConnectionSlot<B> {
    const slot = this.#slots.get(name) ?? new ConnectionSlot<B>(this.#slotEvents);
    this.#slots.set(name, slot);
    return slot;
  }

  /** A connection that was renamed or removed is never asked for again, so it must be found and closed here. */
  async #sweep(): Promise<void> {
    const { entries } = await this.#registry.list();
    const usable = new Set(entries.filter(({ config }) => config !== undefined).map(({ name }) => name));
    for (const [name, slot] of this.#slots) if (!usable.has(name)) slot.retire();
  }

  /** Background work; only shutdown waits for it. */
  #chore(work: () => Promise<void>): void {
    const chore = this.#tidy(work).finally(() => this.#chores.delete(chore));
    this.#chores.add(chore);
  }

  async #tidy(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#log('warn', 'tidying up failed', { error: toFailure(error).message });
    }
  }

  async #shutDown(): Promise<void> {
    for (const opening of this.#openings) opening.giveUp(shuttingDown());
    for (const slot of this.#slots.values()) slot.retire();
    const { graceMs, forceMs } = this.#limits;
    const leaving = [...this.#lives].map((live) => live.retire());
    const settling = [...this.#openings].map((opening) => opening.settled);
    await settlesWithin(Promise.all([...leaving, ...settling, ...this.#chores]), { ms: graceMs, keepsAlive: true });
    // What is in use even now, and backends that opened after their opening was aborted.
    await Promise.all([...this.#lives].map((live) => live.end({ ms: forceMs, keepsAlive: true })));
  }
}

function shuttingDown(): Failure {
  return new Failure('cancelled', 'the server is shutting down', { code: 'E_SHUTTING_DOWN' });
}
