import type { SshHop, SshRoute } from '../../connection.ts';
import { cutVisible, formatVisible } from '../../text.ts';
import type { TunnelState, TunnelStatus } from '../../tunnel/tunnel.ts';

/** The name of one server may hold any text. */
const maxHopLength = 64;

const stateWords: Readonly<Record<TunnelState, string>> = { connecting: 'opening', ready: 'up', lost: 'lost', closed: 'closed' };

/** The SSH servers as the connection names them, and the tunnel when there is one now: `bastion → inner (up, shared by 3)`. */
export function formatWay(route: SshRoute, tunnel: TunnelStatus | undefined): string {
  const way = listHops(route).map(formatHop).join(' → ');
  return tunnel === undefined ? way : `${way} (${[stateWords[tunnel.state], ...formatUsers(tunnel)].join(', ')})`;
}

/** What a test found: the servers as they were reached, who else goes that way, and whose key the last one showed. */
export function formatRoute(tunnel: TunnelStatus | undefined): string[] {
  if (tunnel === undefined) return [];
  const shared = formatUsers(tunnel).map((text) => ` (${text})`);
  const key = tunnel.fingerprint === undefined ? '' : `, host key ${tunnel.fingerprint}`;
  return [`through ${tunnel.hops.join(' → ')}${shared}${key}`];
}

function formatUsers({ users = 1 }: TunnelStatus): string[] {
  return users > 1 ? [`shared by ${users}`] : [];
}

function listHops(route: SshRoute): readonly SshHop[] {
  return typeof route === 'string' ? [route] : [...(route.jump ?? []), route];
}

function formatHop(hop: SshHop): string {
  return cutVisible(formatVisible(typeof hop === 'string' ? hop : hop.host), maxHopLength);
}
