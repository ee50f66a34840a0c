import { type BaseConnection, type Networked, resolveAddress } from '../connection.ts';
import { Failure } from '../failure.ts';
import type { Entry, Registry } from '../registry/registry.ts';
import type { Tunnel } from '../tunnel/tunnel.ts';
import type { Backend, BackendTarget } from './backend.ts';

/** An entry that is ready for use. */
export type UsableEntry<C extends BaseConnection> = Entry<C> & { config: C };

export interface OpenOptions<C extends BaseConnection, B extends Backend> {
  /** The signal is aborted when the last caller gives up. Half-open things are the callee's to close. */
  createBackend(target: BackendTarget<C>, signal: AbortSignal): Promise<B>;
  createTunnel(config: C, signal: AbortSignal): Promise<Tunnel>;
  resolvePort(config: Networked<C>): number;
}

interface OpenRequest<C extends BaseConnection, B extends Backend> {
  entry: UsableEntry<C>;
  registry: Pick<Registry<C>, 'resolve'>;
  options: OpenOptions<C, B>;
  signal: AbortSignal;
  /** Takes over a tunnel whose backend did not open, so that the error need not wait until it is closed. */
  onUnusedTunnel(tunnel: Tunnel): void;
}

/** The configuration changed between lookup and opening: the caller looks it up again. */
export class Superseded extends Error {
  readonly failure: Failure;

  constructor(name: string) {
    super('superseded');
    this.failure = new Failure('config', `the configuration of "${name}" changed while the connection was being opened`, {
      hint: 'Retry.',
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
    const backend = await options.createBackend(createTarget(config, options, tunnel), signal);
    return { backend, tunnel };
  } catch (error) {
    if (tunnel !== undefined) request.onUnusedTunnel(tunnel);
    throw error;
  }
}

function createTarget<C extends BaseConnection>(
  config: C,
  { resolvePort }: Pick<OpenOptions<C, Backend>, 'resolvePort'>,
  tunnel: Tunnel | undefined,
): BackendTarget<C> {
  const address = resolveAddress(config, resolvePort);
  // The type of a connection says which of the two targets is its own.
  if (address.file !== undefined) return { config, file: address.file } as BackendTarget<C>;
  const { host, port } = address;
  const target = { config, connectHost: host, connectPort: port, serverName: host };
  const dial = tunnel && ((toHost = host, toPort = port) => tunnel.stream(toHost, toPort));
  return { ...target, ...(dial && { dial }) } as BackendTarget<C>;
}
