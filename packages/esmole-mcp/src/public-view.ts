import { type Connection, resolvePort } from './schema.ts';

type Shown = Pick<Connection, 'type' | 'scheme' | 'host' | 'port' | 'user' | 'apiKey' | 'nodes' | 'indices'>;

/** What a list shows of a connection. */
export function publicView({ type, scheme, host, port, user, apiKey, nodes, indices }: Partial<Shown>) {
  return {
    type,
    scheme: scheme ?? 'https',
    host,
    port: resolvePort({ port }),
    // Who connects, as far as it is no secret.
    user: user ?? (apiKey === undefined ? undefined : 'API key'),
    nodes: nodes?.join(' '),
    indices: indices?.join(' '),
  };
}
