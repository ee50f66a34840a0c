import { getEventListeners } from 'node:events';
import type { Scheduler } from 'fast-check';
import type { Lease } from '../../manager/backend.ts';
import { createManager, type Manager } from '../../manager/manager.ts';
import { ScheduledSeams, type SeamBackend, toKey } from './scheduled-seams.ts';

/** One step that a history is made of; `pick` chooses among what there is at the time. */
export type Step =
  | { do: 'acquire' | 'remove' | 'close'; name: string }
  | { do: 'update'; name: string; pick: number }
  | { do: 'release' | 'invalidate' | 'abort' | 'loseTunnel' | 'proceed'; pick: number }
  | { do: 'failNext' | 'shutDown' };

interface Call {
  name: string;
  controller: AbortController;
  /** The versions that were current at some time since the call began. */
  allowed: Set<string>;
  lease?: Lease<SeamBackend>;
  over: boolean;
  failure?: unknown;
}

/** A manager, its callers, and everything that may happen to both in any order. */
export class ManagerWorld {
  readonly seams: ScheduledSeams;
  readonly #manager: Manager<SeamBackend>;
  readonly #scheduler: Scheduler;
  readonly #calls: Call[] = [];
  readonly #closings: Promise<void>[] = [];

  constructor(scheduler: Scheduler, graceMs: number) {
    this.#scheduler = scheduler;
    this.seams = new ScheduledSeams(scheduler);
    this.#manager = createManager(this.seams.slowRegistry(), {
      createBackend: (target, signal) => this.seams.createBackend(target.config, signal),
      createTunnel: (config, signal) => this.seams.createTunnel(config, signal),
      resolvePort: () => 1,
      idleMs: 0,
      limits: { graceMs, forceMs: 60_000, disposeMs: 60_000 },
    });
  }

  async run(step: Step): Promise<void> {
    switch (step.do) {
      case 'acquire':
        this.#acquire(step.name);
        break;
      case 'update':
        this.#update(step.name, step.pick);
        break;
      case 'remove':
        this.seams.registry.drop(step.name);
        break;
      case 'close':
        this.#closings.push(this.#manager.close(step.name));
        break;
      case 'failNext':
        this.seams.failNext = true;
        break;
      case 'shutDown':
        this.seams.shuttingDown = true;
        this.#closings.push(this.#manager.disposeAll());
        break;
      case 'proceed':
        await this.#proceed(1 + (step.pick % 4));
        break;
      default:
        this.#touch(step.do, step.pick);
    }
    await turn();
  }

  /** Lets everything end that is still going on, and notes what is left that should not be. */
  async end(): Promise<void> {
    await this.#drain();
    if (!this.seams.shuttingDown) await this.#checkRecovery();
    for (const name of new Set(this.#calls.map((call) => call.name))) this.#closings.push(this.#manager.close(name));
    await this.#drain();
    for (const { label, ended } of [...this.seams.backends, ...this.seams.tunnels]) {
      if (ended !== 1) this.seams.violate(`${label} ended ${ended} times`);
    }
    for (const { name, over, controller } of this.#calls) {
      if (!over) this.seams.violate(`a call of ${name} never ended`);
      if (getEventListeners(controller.signal, 'abort').length > 0)
        this.seams.violate(`a listener stayed on a signal of ${name}`);
    }
    this.#closings.push(this.#manager.disposeAll());
    await this.#drain();
    await Promise.all(this.#closings);
  }

  /** Whatever has happened: when nothing is wrong any more, a call gets what it asks for. */
  async #checkRecovery(): Promise<void> {
    this.seams.failNext = false;
    const { entries } = await this.seams.registry.list();
    const calls = entries.map(({ name }) => this.#acquire(name));
    await this.#drain();
    for (const { name, failure } of calls) if (failure !== undefined) this.seams.violate(`${name} did not recover: ${failure}`);
  }

  #acquire(name: string): Call {
    const call: Call = { name, controller: new AbortController(), allowed: new Set(), over: false };
    this.#calls.push(call);
    this.#allowCurrent(name);
    const onLease = (lease: Lease<SeamBackend>) => {
      call.lease = lease;
      call.over = true;
      this.#check(call, lease.backend);
    };
    const onFailure = (error: unknown) => {
      call.failure = error;
      call.over = true;
    };
    this.#manager.acquire(name, call.controller.signal).then(onLease, onFailure);
    return call;
  }

  #check(call: Call, backend: SeamBackend): void {
    backend.leases += 1;
    if (backend.begun > 0) this.seams.violate(`${backend.label} was lent after its end`);
    if (backend.dead || backend.tunnel?.dead) this.seams.violate(`${backend.label} was lent although known to be dead`);
    if (!call.allowed.has(backend.key)) this.seams.violate(`a call got ${backend.key}, which had been replaced before it began`);
    if (call.controller.signal.aborted) this.seams.violate('a call got a lease after it had left');
    if (this.seams.shuttingDown) this.seams.violate('a call got a lease after shutdown');
  }

  /** Versions come back: a connection that is changed and changed back is the same one again. */
  #update(name: string, pick: number): void {
    const ssh = pick % 2 === 0 ? { ssh: 'bastion' } : {};
    this.seams.registry.set({ name, type: 'seam', host: `host-${pick % 3}`, readonly: false, ...ssh });
    this.#allowCurrent(name);
  }

  #allowCurrent(name: string): void {
    const waiting = this.#calls.filter((call) => call.name === name && !call.over);
    const allow = (key: string) => {
      for (const call of waiting) call.allowed.add(key);
    };
    this.seams.registry.get(name).then(
      ({ config }) => allow(toKey(config)),
      () => undefined,
    );
  }

  #touch(what: 'release' | 'invalidate' | 'abort' | 'loseTunnel', pick: number): void {
    const holding = this.#calls.filter(({ lease }) => lease !== undefined);
    if (what === 'abort') createPick(this.#calls, pick)?.controller.abort();
    else if (what === 'loseTunnel') createPick(this.seams.tunnels, pick)?.lose();
    else if (what === 'release') this.#release(createPick(holding, pick));
    else this.#invalidate(createPick(holding, pick));
  }

  #invalidate(call: Call | undefined): void {
    if (call?.lease === undefined) return;
    call.lease.backend.dead = true;
    call.lease.invalidate();
  }

  /** Twice, because a lease that is given back twice must count once. */
  #release(call: Call | undefined): void {
    const lease = call?.lease;
    if (lease === undefined) return;
    delete call?.lease;
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
}

function createPick<T>(items: readonly T[], pick: number): T | undefined {
  return items[pick % Math.max(items.length, 1)];
}

/** Long enough for every promise that can settle to have settled. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
