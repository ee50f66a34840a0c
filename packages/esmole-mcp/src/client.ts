import type { BackendTarget } from '@dbmole/core';
import type { Send } from './backend.ts';
import { createConnector } from './connector.ts';
import { authorization } from './credentials.ts';
import { withFailover } from './failover.ts';
import { type NodeAddress, parseNodeAddress } from './node-address.ts';
import { type NodeClient, openNodeClient } from './node-client.ts';
import { createNodes } from './nodes.ts';
import { formatPath, parsePath } from './path.ts';
import type { Connection } from './schema.ts';
import { formatWire } from './wire.ts';

export interface Client {
  send: Send;
  dispose(): Promise<void>;
}

const connectTimeoutMs = 10_000;
/** Where another node waits for its turn. */
const shortTimeoutMs = 3_000;

/** One cluster of one or several nodes. Reaches for none of them before the first request. */
export function openClient(target: BackendTarget<Connection>): Client {
  const { config } = target;
  const addresses = nodesOf(target);
  const timeoutMs = addresses.length > 1 ? shortTimeoutMs : connectTimeoutMs;
  const { dial } = target;
  const through = dial && ((node: NodeAddress) => dial(node.host, node.port));
  const connector = createConnector({ config, dial: through, timeoutMs });
  const headers = authorization(config);
  const clients = addresses.map((node) => openNodeClient({ node, config, connector, headers }));
  const nodes = createNodes<NodeClient>(clients);
  const prefix = config.pathPrefix === undefined ? '' : formatPath(parsePath(config.pathPrefix));

  return {
    send(request, options) {
      const wire = formatWire(request, prefix);
      const attempt = (client: NodeClient) => client.attempt(wire, options);
      return withFailover({ nodes, isRead: request.kind === 'read', signal: options.signal, attempt });
    },
    async dispose() {
      connector.close();
      await Promise.all(clients.map((client) => client.dispose()));
    },
  };
}

/** The connection's own host comes first. */
function nodesOf({ config, connectHost, connectPort }: BackendTarget<Connection>): readonly NodeAddress[] {
  const first = { host: connectHost, port: connectPort };
  const all = [first, ...(config.nodes ?? []).map((text) => parseNodeAddress(text, connectPort))];
  return all.filter((node, index) => all.findIndex(({ host, port }) => host === node.host && port === node.port) === index);
}
