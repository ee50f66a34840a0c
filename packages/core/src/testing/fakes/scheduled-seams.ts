import { PassThrough } from 'node:stream';
import type { Scheduler } from 'fast-check';
import type { BaseConnection } from '../../connection.ts';
import type { Backend } from '../../manager/backend.ts';
import type { Connections } from '../../manager/manager.ts';
import type { Tunnel, TunnelState } from '../../tunnel/tunnel.ts';
import { createFakeRegistry } from './fake-registry.ts';

/** Something that must end exactly once. */
interface Instance {
  label: string;
  begun: number;
  ended: number;
  /** The manager was told that it must not be used any more. */
  dead: boolean;
}

interface SeamTunnel extends Instance {
  state: TunnelState;
  lose(): void;
}

export interface SeamBackend extends Instance, Backend {
  key: string;
  tunnel: SeamTunnel | undefined;
  /** Those of callers, as opposed to those the manager holds for them while it checks. */
  leases: number;
}

/**
 * What a manager is made of, with every wait in the hands of a scheduler, and a witness of what must never happen.
 * Violations are noted, not thrown: inside a seam the manager would take them for an ordinary failure.
 */
export class ScheduledSeams {
  readonly violations: string[] = [];
  readonly backends: SeamBackend[] = [];
  readonly tunnels: SeamTunnel[] = [];
  readonly registry = createFakeRegistry<BaseConnection>();
  failNext = false;
  /** The manager may end backends in use at shutdown. */
  shuttingDown = false;
  readonly #scheduler: Scheduler;
  readonly #inFlight = new Map<AbortSignal, string>();
  readonly #tunnelOf = new Map<AbortSignal, SeamTunnel>();

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  violate(what: string): void {
    this.violations.push(what);
  }

  /** Answers with what was true when it was asked, however long the answer takes. */
  slowRegistry(): Connections<BaseConnection> {
    const after = async <T>(answer: Promise<T>, label: string): Promise<T> => {
      answer.catch(() => undefined);
      await this.#pause(label);
      return await answer;
    };
    return {
      get: (name) => after(this.registry.get(name), `get ${name}`),
      resolve: (name) => after(this.registry.resolve(name), `resolve ${name}`),
      list: () => after(this.registry.list(), 'list'),
    };
  }

  async createTunnel(config: BaseConnection, signal: AbortSignal): Promise<Tunnel> {
    this.#noteOpening(config, signal);
    const label = `tunnel ${this.tunnels.length} of ${toKey(config)}`;
    await this.#pause(label);
    const listeners: ((cause: unknown) => void)[] = [];
    const instance: SeamTunnel = {
      ...{ label, begun: 0, ended: 0, dead: false, state: 'ready' },
      lose: () => {
        if (instance.state !== 'ready') return;
        instance.state = 'lost';
        instance.dead = true;
        for (const listener of listeners) listener('lost');
      },
    };
    this.tunnels.push(instance);
    this.#tunnelOf.set(signal, instance);
    return {
      ensureFresh: async () => {
        await this.#pause(`probe of ${label}`);
        if (instance.dead) throw new Error('the tunnel is lost');
      },
      stream: () => Object.assign(new PassThrough(), { connect: () => undefined }),
      status: () => ({ state: instance.state, hops: [], channels: 0 }),
      onClosed: (listener) => void listeners.push(listener),
      close: () => this.#end(instance),
    };
  }

  async createBackend(config: BaseConnection, signal: AbortSignal): Promise<SeamBackend> {
    this.#noteOpening(config, signal);
    const label = `backend ${this.backends.length} of ${toKey(config)}`;
    // Every other one does not heed its signal.
    const heeds = this.backends.length % 2 === 0;
    try {
      await this.#pause(label);
      if (this.failNext) throw new Error('made to fail');
      if (heeds) signal.throwIfAborted();
    } finally {
      this.failNext = false;
      this.#inFlight.delete(signal);
    }
    const parts = { label, key: toKey(config), tunnel: this.#tunnelOf.get(signal) };
    const dispose = () => this.#end(backend);
    const backend: SeamBackend = { ...parts, begun: 0, ended: 0, dead: false, leases: 0, dispose };
    this.backends.push(backend);
    return backend;
  }

  #pause(label: string): Promise<void> {
    return this.#scheduler.schedule(Promise.resolve(), label);
  }

  #noteOpening(config: BaseConnection, signal: AbortSignal): void {
    const key = toKey(config);
    for (const [other, otherKey] of this.#inFlight) {
      if (other !== signal && !other.aborted && otherKey === key) this.violate(`two openings of ${key} at once`);
    }
    this.#inFlight.set(signal, key);
  }

  async #end(instance: SeamBackend | SeamTunnel): Promise<void> {
    instance.begun += 1;
    if ('leases' in instance && instance.leases > 0 && !this.shuttingDown) this.violate(`${instance.label} ended in use`);
    const alive = this.backends.find((backend) => backend.tunnel === instance && backend.ended === 0);
    if (alive !== undefined) this.violate(`${instance.label} closed before ${alive.label}`);
    await this.#pause(`end of ${instance.label}`);
    instance.ended += 1;
  }
}

export function toKey({ name, host, ssh }: BaseConnection): string {
  return `${name}@${host}${ssh === undefined ? '' : '+ssh'}`;
}
