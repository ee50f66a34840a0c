import { createHash } from 'node:crypto';
import { checkAborted } from '../abort.ts';
import type { BaseConnection } from '../connection.ts';
import { Failure } from '../failure.ts';
import { SharedOpen } from '../single-flight.ts';
import { openSteps, planSteps, type TunnelContext } from './open-tunnel.ts';
import type { Step } from './plan.ts';
import type { DialledStream, Tunnel, TunnelStatus } from './tunnel.ts';

/** The tunnels of one process. Connections that take the same way as the same user share one. */
export interface SharedTunnels {
  open(config: BaseConnection, signal: AbortSignal): Promise<Tunnel>;
}

export function createSharedTunnels(context: TunnelContext): SharedTunnels {
  /** What makes it the same way is the key: servers, users and credentials. */
  const ways = new Map<string, SharedOpen<Shared, Tunnel> | Shared>();

  const begin = (key: string, steps: readonly Step[]): SharedOpen<Shared, Tunnel> => {
    const forget = (way: unknown) => {
      if (ways.get(key) === way) ways.delete(key);
    };
    const opening = new SharedOpen<Shared, Tunnel>({
      open: async (signal) => new Shared(await openSteps(steps, context, signal), forget),
      share: (shared) => shared.handOut(),
      onOpened: (shared, wanted) => {
        if (wanted) ways.set(key, shared);
        else void shared.closeUnlessUsed();
      },
      onOver: () => forget(opening),
    });
    ways.set(key, opening);
    return opening;
  };

  return {
    async open(config, signal) {
      if (config.ssh === undefined) throw new Failure('internal', `the connection "${config.name}" has no "ssh"`);
      const steps = await planSteps(config.ssh, context, signal);
      checkAborted(signal);
      const key = createHash('sha256').update(JSON.stringify(steps)).digest('base64');
      const way = ways.get(key) ?? begin(key, steps);
      return way instanceof Shared ? way.handOut() : await way.join(signal);
    },
  };
}

/** An open tunnel and how many use it. It is closed when the last of them is done, or is lost for all of them at once. */
class Shared {
  readonly #tunnel: Tunnel;
  readonly #forget: (shared: Shared) => void;
  #users = 0;

  constructor(tunnel: Tunnel, forget: (shared: Shared) => void) {
    this.#tunnel = tunnel;
    this.#forget = forget;
    tunnel.onClosed(() => forget(this));
  }

  handOut(): Tunnel {
    this.#users++;
    return new Share(this.#tunnel, { status: () => this.#status(), takeBack: () => this.#takeBack() });
  }

  closeUnlessUsed(): Promise<void> {
    if (this.#users > 0) return Promise.resolve();
    this.#forget(this);
    return this.#tunnel.close();
  }

  #status(): TunnelStatus {
    return { ...this.#tunnel.status(), users: this.#users };
  }

  #takeBack(): Promise<void> {
    this.#users--;
    return this.closeUnlessUsed();
  }
}

/** What a user's part needs of the whole. */
interface Whole {
  status(): TunnelStatus;
  takeBack(): Promise<void>;
}

/** One user's part of a shared tunnel: closing it ends the user's own streams, and the tunnel with the last user. */
class Share implements Tunnel {
  readonly #tunnel: Tunnel;
  readonly #whole: Whole;
  readonly #streams = new Set<DialledStream>();
  #closed: Promise<void> | undefined;

  constructor(tunnel: Tunnel, whole: Whole) {
    this.#tunnel = tunnel;
    this.#whole = whole;
  }

  ensureFresh(signal?: AbortSignal): Promise<void> {
    return this.#tunnel.ensureFresh(signal);
  }

  stream(host: string, port: number): DialledStream {
    const stream = this.#tunnel.stream(host, port);
    this.#streams.add(stream);
    stream.once('close', () => this.#streams.delete(stream));
    return stream;
  }

  status(): TunnelStatus {
    return this.#whole.status();
  }

  onClosed(listener: (cause: unknown) => void): void {
    this.#tunnel.onClosed(listener);
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  #close(): Promise<void> {
    for (const stream of this.#streams) stream.destroy();
    return this.#whole.takeBack();
  }
}
