import {
  CLIENT_CAPABILITIES_META_KEY,
  inputRequired,
  Server,
  type ServerContext,
  type Tool as ToolDefinition,
} from '@modelcontextprotocol/server';
import type { ToolReply } from '../answer/respond.ts';
import { askInTime, canElicit, questionKey, readAction, toElicitation } from '../approval/elicitation.ts';
import { type Person, questionMs, type Round } from '../approval/person.ts';
import type { Caller } from './caller.ts';
import { describeRequest } from './request-facts.ts';

/** What a client meets of the tools. */
export interface Shown {
  readonly definitions: readonly ToolDefinition[];
  call(name: string, args: unknown, caller: Caller): Promise<ToolReply>;
}

interface EndpointOptions {
  name: string;
  version: string;
  instructions: string;
  principal?: string | undefined;
}

/** A protocol endpoint over these tools, for one client. */
export function createEndpoint({ name, version, instructions, principal }: EndpointOptions, shown: Shown): Server {
  const server = new Server(
    { name, version },
    {
      capabilities: { tools: { listChanged: false } },
      instructions,
      // The list never changes while the process lives, and is the same for all clients.
      cacheHints: { 'tools/list': { ttlMs: 3_600_000, cacheScope: 'private' } },
    },
  );
  server.setRequestHandler('tools/list', async () => ({ tools: [...shown.definitions] }));
  server.setRequestHandler('tools/call', async (request, context) => {
    const caller = { ...identifyCaller(context, server), ...readPerson(server, context), principal };
    const { question, ...reply } = await shown.call(request.params.name, request.params.arguments ?? {}, caller);
    if (question === undefined) return { ...reply };
    const inputRequests = { [questionKey]: inputRequired.elicit(toElicitation(question.message)) };
    return inputRequired({ inputRequests, requestState: question.state });
  });
  return server;
}

function identifyCaller({ mcpReq, http }: ServerContext, server: Server): Caller {
  return {
    about: describeRequest(mcpReq, { server, agent: http?.req?.headers.get('user-agent') }),
    signal: mcpReq.signal,
    progressToken: mcpReq._meta?.progressToken,
    notify: (method, params) => mcpReq.notify({ method, params }),
  };
}

/** In the newer era each call says what its client can show, and brings the answer; in the older one we ask in the middle of the call. */
function readPerson(server: Server, { mcpReq }: ServerContext): { person?: Person; round?: Round } {
  if (mcpReq.envelope !== undefined) {
    const state = mcpReq.requestState();
    const round = typeof state === 'string' ? { state, action: readAction(mcpReq.inputResponses?.[questionKey]) } : undefined;
    const isAble = canElicit(Reflect.get(mcpReq.envelope, CLIENT_CAPABILITIES_META_KEY));
    return { ...(isAble && { person: { place: 'client' } }), ...(round && { round }) };
  }
  if (!canElicit(server.getClientCapabilities())) return {};
  const ask: Person['ask'] = (message, signal) =>
    askInTime(signal, (limited) => mcpReq.elicitInput(toElicitation(message), { timeout: 2 * questionMs, signal: limited }));
  return { person: { place: 'client', ask } };
}
