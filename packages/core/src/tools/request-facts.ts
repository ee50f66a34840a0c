import type { Server, ServerContext } from '@modelcontextprotocol/server';
import { type Fields, isFields } from '../registry/tree.ts';
import type { RequestFacts } from './call-record.ts';

const clientInfoKey = 'io.modelcontextprotocol/clientInfo';
const versionKey = 'io.modelcontextprotocol/protocolVersion';

interface Session {
  server: Pick<Server, 'getClientVersion' | 'getNegotiatedProtocolVersion'>;
  /** The header `User-Agent`, for a client that says nothing else of itself. */
  agent: string | null | undefined;
}

/** A request of the newer era has in itself what one of the older era said at the beginning of its session. */
export function describeRequest({ id, _meta, envelope }: ServerContext['mcpReq'], { server, agent }: Session): RequestFacts {
  const { [clientInfoKey]: info, [versionKey]: version }: Fields = { ...envelope };
  const { traceparent }: Fields = { ..._meta };
  return {
    id,
    client: readClient(info) ?? readClient(server.getClientVersion()) ?? readAgent(agent),
    protocol: typeof version === 'string' ? version : server.getNegotiatedProtocolVersion(),
    traceparent: readText(traceparent),
  };
}

/** Who a client says it is. */
export function readClient(info: unknown): RequestFacts['client'] {
  if (!isFields(info) || typeof info.name !== 'string') return undefined;
  return { name: info.name, version: readText(info.version) };
}

/** `name/1.2 (…)` */
export function readAgent(agent: string | null | undefined): RequestFacts['client'] {
  const [name = '', version] = (agent ?? '').split(' ', 1)[0]?.split('/') ?? [];
  return name === '' ? undefined : { name, version };
}

export function readText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
