import { isLoss } from '../failure.ts';
import { SharedOpen } from '../single-flight.ts';
import type { Backend, ConnectionStatus, Lease } from './backend.ts';
import type { LiveBackend } from './live-backend.ts';

/** A lease, and its backend for the checks that are due before it is used. */
export interface Loan<B extends Backend> {
  live: LiveBackend<B>;
  lease: Lease<B>;
}

export type BackendOpening<B extends Backend> = SharedOpen<LiveBackend<B>, Loan<B>>;

interface SlotRequest<B extends Backend> {
  version: string;
  /** Runs only when there is neither a backend nor an opening of this version. */
  open(signal: AbortSignal): Promise<LiveBackend<B>>;
}

interface SlotEvents<B extends Backend> {
  onOpening(opening: BackendOpening<B>): void;
  onOpened(): void;
}

/** What is open or opening under one name. Names share nothing, so that one which is down cannot slow another. */
export class ConnectionSlot<B extends Backend> {
  readonly #events: SlotEvents<B>;
  /** The version new calls get; a backend of another one only serves those who already have it. */
  #version: string | undefined;
  #live: LiveBackend<B> | undefined;
  /** The last call could not reach the server, and nothing is open any more. */
  #isLost = false;
  /** Openings by version: after a change, the old one goes on for those who wait for it. */
  readonly #openings = new Map<string, BackendOpening<B>>();

  constructor(events: SlotEvents<B>) {
    this.#events = events;
  }

  lend(request: SlotRequest<B>, signal: AbortSignal): Promise<Loan<B>> {
    if (this.#version !== request.version) {
      this.retire();
      this.#version = request.version;
    }
    if (this.#live !== undefined) return Promise.resolve(lendOut(this.#live));
    const opening = this.#openings.get(request.version) ?? this.#startOpening(request);
    return opening.join(signal);
  }

  /** New calls get nothing that is open or opening now; those who have it, or wait for it, keep it. */
  retire(): void {
    void this.#live?.retire();
    this.#live = undefined;
    this.#version = undefined;
    this.#isLost = false;
  }

  /** This backend died or was idle; the name is as it was. */
  drop(live: LiveBackend<B>): void {
    if (this.#live !== live) return;
    this.#live = undefined;
    this.#isLost = !live.isReached;
  }

  /** Resolves when nothing is opening that was opening now. */
  async settled(): Promise<void> {
    await Promise.all([...this.#openings.values()].map((opening) => opening.settled));
  }

  status(): ConnectionStatus {
    if (this.#live !== undefined) {
      const { tunnel, unconfirmed, pool, isReached } = this.#live;
      return {
        state: isReached ? 'open' : 'failed',
        ...(unconfirmed === 0 ? {} : { unconfirmed }),
        ...(pool === undefined ? {} : { pool }),
        ...(tunnel === undefined ? {} : { tunnel: tunnel.status() }),
      };
    }
    if (this.#version !== undefined && this.#openings.has(this.#version)) return { state: 'opening' };
    return { state: this.#isLost ? 'failed' : 'closed' };
  }

  #startOpening({ version, open }: SlotRequest<B>): BackendOpening<B> {
    const opening: BackendOpening<B> = new SharedOpen({
      open: async (signal) =>
        await open(signal).catch((error: unknown) => {
          this.#isLost = isLoss(error);
          throw error;
        }),
      share: lendOut,
      onOpened: (live, wanted) => this.#settle(live, wanted),
      onOver: () => this.#openings.delete(version),
    });
    this.#openings.set(version, opening);
    this.#events.onOpening(opening);
    return opening;
  }

  /** Those who waited have their leases. The backend stays for later calls if it is what they would get. */
  #settle(live: LiveBackend<B>, wanted: boolean): void {
    if (wanted && this.#version === live.version && live.death === undefined) this.#live = live;
    else void live.retire();
    this.#events.onOpened();
  }
}

function lendOut<B extends Backend>(live: LiveBackend<B>): Loan<B> {
  return { live, lease: live.lease() };
}
