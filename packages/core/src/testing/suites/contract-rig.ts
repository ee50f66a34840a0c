import { type BaseConnection, resolveAddress } from '../../connection.ts';
import type { Backend, BackendTarget } from '../../manager/backend.ts';
import { createManager, type Manager, type ManagerOptions } from '../../manager/manager.ts';
import { type ManagedOptions, withManaged } from '../../tools/connections/managed.ts';
import type { DialledStream } from '../../tunnel/tunnel.ts';
import { createFakeRegistry, type FakeRegistry } from '../fakes/fake-registry.ts';
import { createFakeTunnel, type FakeTunnel } from '../fakes/fake-tunnel.ts';
import { createLazyStream } from '../fakes/lazy-stream.ts';

/** What an engine has, or the reason why it has not; the reason is shown with the skipped test. */
export type Able<T> = T | { missing: string };

/** How the contract suite drives one kind of backend and its server. */
export interface BackendHarness<C extends BaseConnection, B extends Backend>
  extends Pick<ManagerOptions<C, B>, 'createBackend' | 'resolvePort'>,
    Pick<ManagedOptions, 'isStaleError'> {
  /** A connection to the running server, host and port included, with these fields changed. */
  connection(changes: Partial<Pick<BaseConnection, 'name' | 'host' | 'port' | 'password' | 'ssh'>>): C;
  /** The cheapest call that really asks the server. */
  ping(backend: B, signal: AbortSignal): Promise<unknown>;
  /** A call that takes half a minute or more on the server unless the signal ends it. */
  slow: Able<(backend: B, signal: AbortSignal) => Promise<unknown>>;
  /** How many sessions `connection` has on the server; those of other clients do not count. */
  sessions: Able<() => Promise<number>>;
  /** Stops the server and starts it again under the same address; resolves when it answers. */
  restart: Able<() => Promise<void>>;
  /** Whether the server looks at passwords. */
  passwords: Able<true>;
  /** Given where a connection leads to a file, and to no host. */
  network?: { missing: string };
  /** The stream of a fake tunnel to the server; by default a TCP connection to the host and port of `connection`. */
  dial?(): DialledStream;
  stop(): Promise<void>;
}

/** A manager over one kind of backend, and what it was seen to do. */
export interface ContractRig<C extends BaseConnection, B extends Backend> {
  registry: FakeRegistry<C>;
  manager: Manager<B>;
  /** The target of every opening. */
  targets: BackendTarget<C>[];
  tunnels: FakeTunnel[];
  /** How many openings are not over. */
  readonly opening: number;
  use(call: BackendHarness<C, B>['ping'], signal: AbortSignal, name?: string): Promise<unknown>;
  ping(signal?: AbortSignal, name?: string): Promise<unknown>;
  failNextOpening(): void;
}

export function createContractRig<C extends BaseConnection, B extends Backend>(
  harness: BackendHarness<C, B>,
  configs: readonly C[],
): ContractRig<C, B> {
  const registry = createFakeRegistry(...configs);
  const targets: BackendTarget<C>[] = [];
  const tunnels: FakeTunnel[] = [];
  let failNext = false;
  let opening = 0;
  const create: BackendHarness<C, B>['createBackend'] = async (target, signal) => {
    opening += 1;
    try {
      return await harness.createBackend(target, signal);
    } finally {
      opening -= 1;
    }
  };
  const manager = createManager<C, B>(registry, {
    resolvePort: (config) => harness.resolvePort(config),
    async createTunnel() {
      const tunnel = createFakeTunnel({ dial: () => dialServer(harness) });
      tunnels.push(tunnel);
      return tunnel;
    },
    async createBackend(target, signal) {
      targets.push(target);
      if (!failNext) return await create(target, signal);
      failNext = false;
      throw new Error('this opening was made to fail');
    },
  });
  const use: ContractRig<C, B>['use'] = (call, signal, name = configs[0]?.name) =>
    withManaged(manager, name, (backend) => call(backend, signal), { isStaleError: harness.isStaleError, signal });
  return {
    registry,
    manager,
    targets,
    tunnels,
    get opening() {
      return opening;
    },
    use,
    ping: (signal = AbortSignal.timeout(30_000), name) => use(harness.ping, signal, name),
    failNextOpening: () => {
      failNext = true;
    },
  };
}

function dialServer<C extends BaseConnection, B extends Backend>(harness: BackendHarness<C, B>): DialledStream {
  if (harness.dial !== undefined) return harness.dial();
  const config = harness.connection({});
  const address = resolveAddress(config, harness.resolvePort);
  if (address.file !== undefined) throw new Error('a file has no address in the network');
  return createLazyStream(address.host, address.port);
}
