import type { BaseConnection } from '../connection.ts';
import { Failure } from '../failure.ts';
import type { Entry, Registry } from '../registry/registry.ts';
import type { Tunnel } from '../tunnel/tunnel.ts';
import type { Backend, BackendTarget } from './backend.ts';
import type { ManagerOptions } from './manager.ts';

/** An entry that can be used as it stands. */
export type UsableEntry<C extends BaseConnection> = Entry<C> & { config: C };

export interface OpenRequest<C extends BaseConnection, B extends Backend> {
  entry: UsableEntry<C>;
  registry: Pick<Registry<C>, 'resolve'>;
  options: ManagerOptions<C, B>;
  signal: AbortSignal;
  /** Takes over a tunnel whose backend did not open, so that the error need not wait until it is closed. */
  onUnusedTunnel(tunnel: Tunnel): void;
}

/** The configuration changed between being looked up and being opened: whoever waits for it looks again. */
export class Superseded extends Error {
  readonly failure: Failure;

  constructor(name: string) {
    super('superseded');
    this.failure = new Failure('config', `the configuration of "${name}" changed while it was being opened`, {
      hint: 'Call again.',
    });
  }
}

/** Reads the secrets, opens the tunnel if there is one, and the backend through it. */
export async function openBackend<C extends BaseConnection, B extends Backend>(
  request: OpenRequest<C, B>,
): Promise<{ backend: B; tunnel: Tunnel | undefined }> {
  const { entry, registry, options, signal } = request;
  const { config, version } = await registry.resolve(entry.name, signal);
  if (version !== entry.version) throw new Superseded(entry.name);
  signal.throwIfAborted();
  const tunnel = config.ssh === undefined ? undefined : await options.createTunnel(config, signal);
  try {
    signal.throwIfAborted();
    const backend = await options.createBackend(targetOf(config, options.resolvePort(config), tunnel), signal);
    return { backend, tunnel };
  } catch (error) {
    if (tunnel !== undefined) request.onUnusedTunnel(tunnel);
    throw error;
  }
}

function targetOf<C extends BaseConnection>(config: C, port: number, tunnel: Tunnel | undefined): BackendTarget<C> {
  const { host } = config;
  const target = { config, connectHost: host, connectPort: port, serverName: host };
  return tunnel === undefined ? target : { ...target, dial: (toHost = host, toPort = port) => tunnel.stream(toHost, toPort) };
}
