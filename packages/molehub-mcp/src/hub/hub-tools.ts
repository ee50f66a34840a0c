import { Failure, type Fields, respond, type ToolDoor, toFailure } from '@dbmole/core';
import type { HubCaller } from '../server/caller.ts';
import { RpcError } from '../server/direct-requests.ts';
import type { OpenHub } from '../session/hub-door.ts';
import type { Hub } from './hub.ts';
import { isOwnTool } from './own-tools.ts';
import { passRequest } from './passed-requests.ts';

/** The hub as a session meets it. */
export function openHubTools(hub: Hub): OpenHub {
  const door: ToolDoor = { offers: (name) => hub.listing.shown.tools.some((tool) => tool.name === name), readonly: false };
  return {
    offer() {
      hub.check();
      return hub.listing;
    },
    onListChanged: (listener) => hub.onListChanged(listener),
    leave: (session) => hub.leave(session),
    async call(name, args, caller) {
      try {
        return await follow(hub, { name, caller }, (followed) => callTool(hub, { name, args, caller: followed }));
      } catch (error) {
        if (error instanceof Failure) return { ...respond.failure(error, door) };
        throw error;
      }
    },
    async request(method, params, caller) {
      try {
        return await follow(hub, { name: method, caller }, (followed) => passRequest(hub, { method, params }, followed));
      } catch (error) {
        throw error instanceof Failure ? toRpcError(error, door) : error;
      }
    },
  };
}

interface Followed {
  /** What the log calls it. */
  name: string;
  caller: HubCaller;
}

/** Runs a call among those that the end of the hub waits for. Throws a Failure, or what a server answered as an error. */
async function follow(hub: Hub, { name, caller }: Followed, run: (caller: HubCaller) => Promise<Fields>): Promise<Fields> {
  const controller = hub.calls.begin();
  let failure: Failure | undefined;
  // One signal for both that may end the call: the client, and the end of the hub.
  const onAbort = () => controller.abort(caller.signal.reason);
  caller.signal.addEventListener('abort', onAbort, { once: true });
  if (caller.signal.aborted) onAbort();
  try {
    hub.calls.refuse();
    hub.check();
    return await run({ ...caller, signal: controller.signal });
  } catch (error) {
    if (error instanceof RpcError) throw error;
    failure = cleanAbort(toFailure(error), error);
    if (failure.kind === 'internal') hub.options.log('error', `${name} failed`, { error: String(error) });
    throw failure;
  } finally {
    caller.signal.removeEventListener('abort', onAbort);
    hub.calls.end(controller, { tool: name, failure, isError: failure !== undefined });
  }
}

/** A client that gives up is not a bug. */
function cleanAbort(failure: Failure, error: unknown): Failure {
  const isAbort = error instanceof Error && error.name === 'AbortError';
  return isAbort ? new Failure('cancelled', 'the call was cancelled') : failure;
}

const invalidParamsCode = -32_602;
const internalCode = -32_603;

/** What a result of a tool says with `isError`, as an error of the protocol. */
function toRpcError(failure: Failure, door: ToolDoor): RpcError {
  const { content, structuredContent } = respond.failure(failure, door);
  const isCallers = failure.kind === 'unknown' || failure.kind === 'input';
  return new RpcError(isCallers ? invalidParamsCode : internalCode, content[0]?.text ?? failure.message, structuredContent);
}

interface HubCall {
  name: string;
  args: Fields;
  caller: HubCaller;
}

async function callTool(hub: Hub, { name, args, caller }: HubCall): Promise<Fields> {
  const tool = hub.listing.tools.get(name);
  if (tool === undefined && isOwnTool(name)) {
    const { callOwnTool } = await import('./own-calls.ts');
    return await callOwnTool(hub, { name, args, caller });
  }
  return await hub.call(await hub.requireTool(name, caller.signal), { args }, caller);
}
