import type { BaseConnection } from '../connection.ts';
import { Failure, failureWith, joinHints } from '../failure.ts';
import type { SharedTunnels } from '../tunnel/shared-tunnels.ts';

type TunnelOptions = Parameters<typeof import('../tunnel/shared-tunnels.ts').createSharedTunnels>[0];

/** ssh2 is loaded when the first tunnel is opened. */
export function createTunnelOpener<C extends BaseConnection>({ program, ...options }: TunnelOptions & { program: string }) {
  let tunnels: SharedTunnels | undefined;
  return async (config: C, signal: AbortSignal) => {
    tunnels ??= (await import('../tunnel/shared-tunnels.ts')).createSharedTunnels(options);
    const opening = tunnels.open(config, signal);
    return await opening.catch((error: unknown) => Promise.reject(withTrustCommand(error, `${program} trust ${config.name}`)));
  };
}

/** The tunnel does not know which connection it is for. */
function withTrustCommand(error: unknown, command: string): unknown {
  if (!(error instanceof Failure) || error.detail.awaitsTrust !== true) return error;
  return failureWith(error, { hint: joinHints(error.next, `Then run \`${command}\` to accept the key.`) });
}
