import { type Connection, resolvePort } from './schema.ts';

type Shown = Pick<
  Connection,
  'type' | 'scheme' | 'host' | 'port' | 'user' | 'apiKey' | 'nodes' | 'indices' | 'systemIndices' | 'sensitive' | 'models'
>;

/** Fields of a connection that a list shows. */
export function publicView({ type, scheme, host, port, user, apiKey, nodes, indices, ...allowed }: Partial<Shown>) {
  return {
    type,
    scheme: scheme ?? 'https',
    host,
    port: resolvePort({ port }),
    // The user or kind of key, without secrets.
    user: user ?? (apiKey === undefined ? undefined : 'API key'),
    nodes: nodes?.join(' '),
    indices: indices?.join(' '),
    // Permissions that a person has added.
    systemIndices: allowed.systemIndices === true ? true : undefined,
    sensitive: allowed.sensitive === true ? true : undefined,
    models: allowed.models === true ? true : undefined,
  };
}
