import { getEventListeners } from 'node:events';
import { PassThrough } from 'node:stream';
import type { Scheduler } from 'fast-check';
import type { BaseConnection } from '../connection.ts';
import { type Backend, type Connections, createManager, type Lease, type Manager } from '../manager.ts';
import type { TunnelState } from '../tunnel/tunnel.ts';
import { createFakeRegistry } from './fake-registry.ts';

/** One step that a history is made of; `pick` chooses among what there is at the time. */
export type Step =
  | { do: 'acquire' | 'update' | 'remove' | 'close'; name: string; pick: number }
  | { do: 'release' | 'invalidate' | 'abort' | 'loseTunnel' | 'proceed'; pick: number }
  | { do: 'failNext' | 'shutDown' };

interface Instance {
  label: string;
  /** Ended calls of dispose or close, and those that began. */
  ended: number;
  begun: number;
  dead: boolean;
}

interface WorldBackend extends Instance, Backend {
  key: string;
  /** Of callers, not of the manager. */
  leases: number;
  tunnel: WorldTunnel | undefined;
}

interface WorldTunnel extends Instance {
  state: TunnelState;
  lose(): void;
}

interface Call {
  name: string;
  controller: AbortController;
  /** The versions that were current at some time since the call began. */
  allowed: Set<string>;
  lease?: Lease<WorldBackend>;
  over: boolean;
}

/**
 * A manager whose seams are all in the hands of a scheduler, and a witness of what must never happen. Violations are
 * noted, not thrown: inside a seam the manager would take them for an ordinary failure.
 */
export class ManagerWorld {
  readonly violations: string[] = [];
  readonly manager: Manager<WorldBackend>;
  readonly #scheduler: Scheduler;
  readonly #registry = createFakeRegistry<BaseConnection>();
  readonly #backends: WorldBackend[] = [];
  readonly #tunnels: WorldTunnel[] = [];
  readonly #calls: Call[] = [];
  readonly #inFlight = new Map<AbortSignal, string>();
  readonly #tunnelOf = new Map<AbortSignal, WorldTunnel>();
  readonly #closings: Promise<void>[] = [];
  #failNext = false;
  #shutdown: Promise<void> | undefined;

  constructor(scheduler: Scheduler, graceMs: number) {
    this.#scheduler = scheduler;
    this.manager = createManager<BaseConnection, WorldBackend>(this.#slowRegistry(), {
      createBackend: (target, signal) => this.#createBackend(target.config, signal),
      createTunnel: (config, signal) => this.#createTunnel(config, signal),
      resolvePort: () => 1,
      idleMs: 0,
      limits: { graceMs, forceMs: 60_000, disposeMs: 60_000 },
    });
  }

  async run(step: Step): Promise<void> {
    if (step.do === 'acquire') this.#acquire(step.name);
    else if (step.do === 'update') this.#update(step.name, step.pick);
    else if (step.do === 'remove') this.#registry.drop(step.name);
    else if (step.do === 'close') this.#closings.push(this.manager.close(step.name));
    else if (step.do === 'failNext') this.#failNext = true;
    else if (step.do === 'shutDown') this.#shutdown = this.manager.disposeAll();
    else if (step.do === 'proceed') await this.#proceed(1 + (step.pick % 4));
    else this.#touch(step.do, step.pick);
    await turn();
  }

  /** Lets everything end that is still going on, and says what is left that should not be. */
  async end(): Promise<void> {
    await this.#drain();
    if (this.#shutdown === undefined) {
      for (const name of new Set(this.#calls.map((call) => call.name))) this.#closings.push(this.manager.close(name));
      await this.#drain();
      await Promise.all(this.#closings);
    }
    for (const instance of [...this.#backends, ...this.#tunnels]) {
      if (instance.ended !== 1) this.#violate(`${instance.label} ended ${instance.ended} times`);
    }
    for (const { name, over, controller } of this.#calls) {
      if (!over) this.#violate(`a call of ${name} never ended`);
      if (getEventListeners(controller.signal, 'abort').length > 0) this.#violate(`a listener stayed on a signal of ${name}`);
    }
    const done = this.manager.disposeAll();
    await this.#drain();
    await done;
  }

  #acquire(name: string): void {
    const call: Call = { name, controller: new AbortController(), allowed: new Set(), over: false };
    this.#calls.push(call);
    this.#allowCurrent(name);
    const onLease = (lease: Lease<WorldBackend>) => {
      call.lease = lease;
      this.#checkLease(call, lease.backend);
    };
    const settled = this.manager.acquire(name, call.controller.signal).then(onLease, () => undefined);
    void settled.then(() => {
      call.over = true;
    });
  }

  #checkLease(call: Call, backend: WorldBackend): void {
    backend.leases += 1;
    if (backend.begun > 0 && this.#shutdown === undefined) this.#violate(`${backend.label} was lent after its end`);
    if (backend.dead || backend.tunnel?.dead) this.#violate(`${backend.label} was lent although known to be dead`);
    if (!call.allowed.has(backend.key)) this.#violate(`a call got ${backend.key}, which had been replaced before it began`);
    if (call.controller.signal.aborted) this.#violate('a call got a lease after it had left');
  }

  /** Versions come back: a connection that is changed and changed back is the same one again. */
  #update(name: string, pick: number): void {
    const ssh = pick % 2 === 0 ? { ssh: 'bastion' } : {};
    this.#registry.set({ name, type: 'world', host: `host-${pick % 3}`, readonly: false, ...ssh });
    this.#allowCurrent(name);
  }

  #allowCurrent(name: string): void {
    void this.#registry.get(name).then(
      ({ config }) => {
        for (const call of this.#calls) if (call.name === name && !call.over) call.allowed.add(keyOf(config));
      },
      () => undefined,
    );
  }

  #touch(what: 'release' | 'invalidate' | 'abort' | 'loseTunnel', pick: number): void {
    if (what === 'abort') pickOf(this.#calls, pick)?.controller.abort();
    else if (what === 'loseTunnel') pickOf(this.#tunnels, pick)?.lose();
    else {
      const call = pickOf(
        this.#calls.filter(({ lease }) => lease !== undefined),
        pick,
      );
      if (call?.lease === undefined) return;
      if (what === 'release') return this.#release(call);
      call.lease.backend.dead = true;
      call.lease.invalidate();
    }
  }

  #release(call: Call): void {
    if (call.lease === undefined) return;
    const { lease } = call;
    delete call.lease;
    lease.backend.leases -= 1;
    lease.release();
    lease.release();
  }

  async #proceed(count: number): Promise<void> {
    await this.#scheduler.waitNext(Math.min(count, this.#scheduler.count()));
  }

  async #drain(): Promise<void> {
    for (let calm = 0; calm < 3; calm += 1) {
      for (const call of this.#calls) this.#release(call);
      if (this.#scheduler.count() > 0) calm = 0;
      await this.#proceed(this.#scheduler.count());
      await turn();
    }
  }

  #pause(label: string): Promise<void> {
    return this.#scheduler.schedule(Promise.resolve(), label);
  }

  /** Answers with what was true when it was asked, however long the answer takes. */
  #slowRegistry(): Connections<BaseConnection> {
    const after = async <T>(answer: Promise<T>, label: string): Promise<T> => {
      answer.catch(() => undefined);
      await this.#pause(label);
      return await answer;
    };
    return {
      get: (name) => after(this.#registry.get(name), `get ${name}`),
      resolve: (name) => after(this.#registry.resolve(name), `resolve ${name}`),
      list: () => after(this.#registry.list(), 'list'),
    };
  }

  async #createTunnel(config: BaseConnection, signal: AbortSignal) {
    this.#noteOpening(config, signal);
    await this.#pause(`tunnel ${keyOf(config)}`);
    const label = `tunnel ${this.#tunnels.length} of ${keyOf(config)}`;
    const listeners: ((cause: unknown) => void)[] = [];
    const tunnel: WorldTunnel = {
      ...{ label, ended: 0, begun: 0, dead: false, state: 'ready' },
      lose: () => {
        if (tunnel.state !== 'ready') return;
        tunnel.state = 'lost';
        tunnel.dead = true;
        for (const listener of listeners) listener('lost');
      },
    };
    this.#tunnels.push(tunnel);
    this.#tunnelOf.set(signal, tunnel);
    return {
      ensureFresh: async () => {
        await this.#pause(`probe ${label}`);
        if (tunnel.dead) throw new Error('the tunnel is lost');
      },
      stream: () => new PassThrough(),
      status: () => ({ state: tunnel.state, hops: [], channels: 0 }),
      onClosed: (listener: (cause: unknown) => void) => void listeners.push(listener),
      close: () => this.#endInstance(tunnel),
    };
  }

  async #createBackend(config: BaseConnection, signal: AbortSignal): Promise<WorldBackend> {
    this.#noteOpening(config, signal);
    const key = keyOf(config);
    const label = `backend ${this.#backends.length} of ${key}`;
    // Every other one does not heed its signal.
    const heeds = this.#backends.length % 2 === 0;
    try {
      await this.#pause(label);
      if (this.#failNext) throw new Error('made to fail');
      if (heeds) signal.throwIfAborted();
    } finally {
      this.#failNext = false;
      this.#inFlight.delete(signal);
    }
    const tunnel = this.#tunnelOf.get(signal);
    const instance: Instance = { label, ended: 0, begun: 0, dead: false };
    const backend: WorldBackend = { ...instance, key, leases: 0, tunnel, dispose: () => this.#endInstance(backend) };
    this.#backends.push(backend);
    return backend;
  }

  #noteOpening(config: BaseConnection, signal: AbortSignal): void {
    const key = keyOf(config);
    for (const [other, otherKey] of this.#inFlight) {
      if (other !== signal && !other.aborted && otherKey === key) this.#violate(`two openings of ${key} at once`);
    }
    this.#inFlight.set(signal, key);
  }

  async #endInstance(instance: WorldBackend | WorldTunnel): Promise<void> {
    instance.begun += 1;
    if ('leases' in instance && instance.leases > 0 && this.#shutdown === undefined)
      this.#violate(`${instance.label} ended in use`);
    const alive = this.#backends.find((backend) => backend.tunnel === instance && backend.ended === 0);
    if (alive !== undefined) this.#violate(`${instance.label} closed before ${alive.label}`);
    await this.#pause(`end ${instance.label}`);
    instance.ended += 1;
  }

  #violate(what: string): void {
    this.violations.push(what);
  }
}

function keyOf({ name, host, ssh }: BaseConnection): string {
  return `${name}@${host}${ssh === undefined ? '' : '+ssh'}`;
}

function pickOf<T>(items: readonly T[], pick: number): T | undefined {
  return items[pick % Math.max(items.length, 1)];
}

/** Long enough for every promise that can settle to have settled. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
