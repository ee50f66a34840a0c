import { type BackendTarget, Failure } from '@dbmole/core';
import type { Send } from '../backend.ts';
import { formatPath, parsePath } from '../call/path.ts';
import type { Connection } from '../connection/schema.ts';
import { createConnector } from './connector.ts';
import { createNodes, withFailover } from './failover.ts';
import { formatBase, kibanaHeaders, unwrapAnswer, wrapRequest } from './kibana.ts';
import { type NodeAddress, parseNodeAddress } from './node-address.ts';
import { type NodeClient, openNodeClient } from './node-client.ts';
import { formatWire } from './wire.ts';

export interface Client {
  send: Send;
  dispose(): Promise<void>;
}

const connectTimeoutMs = 10_000;
/** A shorter limit applies while another node can be tried. */
const shortTimeoutMs = 3_000;

/** Opens a client for one cluster of one or several nodes. It connects to none of them before the first request. */
export function openClient(target: BackendTarget<Connection>): Client {
  const { config } = target;
  const addresses = readNodes(target);
  const timeoutMs = addresses.length > 1 ? shortTimeoutMs : connectTimeoutMs;
  const { dial } = target;
  const through = dial && ((node: NodeAddress) => dial(node.host, node.port));
  const connector = createConnector({ config, dial: through, timeoutMs });
  const { kibana } = config;
  const headers = { ...authorization(config), ...(kibana !== undefined && kibanaHeaders) };
  const clients = addresses.map((node) => openNodeClient({ node, config, connector, headers }));
  const nodes = createNodes<NodeClient>(clients);
  const prefix = config.pathPrefix === undefined ? '' : formatPath(parsePath(config.pathPrefix));

  return {
    async send(request, options) {
      const wire = formatWire(request, kibana === undefined ? prefix : '');
      const sent = kibana === undefined ? wire : wrapRequest(wire, formatBase(prefix, kibana.space));
      const attempt = (client: NodeClient) => client.attempt(sent, options);
      const isRead = request.kind === 'read';
      const answer = await withFailover({ nodes, isRead, signal: options.signal, attempt });
      return kibana === undefined ? answer : unwrapAnswer(answer, { method: wire.method, isRead });
    },
    async dispose() {
      connector.close();
      await Promise.all(clients.map((client) => client.dispose()));
    },
  };
}

/** The connection's own host comes first. */
function readNodes({ config, connectHost, connectPort }: BackendTarget<Connection>): readonly NodeAddress[] {
  const first = { host: connectHost, port: connectPort };
  const all = [first, ...(config.nodes ?? []).map((text) => parseNodeAddress(text, connectPort))];
  return all.filter((node, index) => all.findIndex(({ host, port }) => host === node.host && port === node.port) === index);
}

/** The one header that says who we are, or none for a cluster without security. */
export function authorization({
  user,
  password,
  apiKey,
}: Pick<Connection, 'user' | 'password' | 'apiKey'>): Record<string, string> {
  // Secrets are resolved before a backend is opened, so they are texts.
  if (typeof apiKey === 'string') return { authorization: `ApiKey ${encodeApiKey(apiKey)}` };
  if (user === undefined || typeof password !== 'string') return {};
  return { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` };
}

/** An API key is `id:key`, or the form that Kibana and the API call `encoded`, which has no colon. */
function encodeApiKey(text: string): string {
  const key = text.trim().replace(/^ApiKey\s+/i, '');
  if (key.includes(':')) return Buffer.from(key).toString('base64');
  if (/^[A-Za-z0-9+/_-]+={0,2}$/.test(key)) return key;
  throw new Failure('secret', 'apiKey is not a valid API key: expected id:key, or its `encoded` form', {
    code: 'E_API_KEY',
    hint: 'Copy it again, or create a new API key.',
  });
}
