import { Failure, type Fields, isFields, networkFailure, toFailure } from '@dbmole/core';
import { ProtocolError, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import * as z from 'zod';
import type { Launch } from '../config/launch.ts';
import type { OpenOptions, ServerConnection } from './connection.ts';
import { RpcError } from './direct-requests.ts';
import { createClient, envelope, readCapabilities, readIdentity, startFailure } from './sdk-client.ts';

export interface HttpOptions extends OpenOptions {
  launch: Extract<Launch, { kind: 'http' }>;
}

/** This is longer than any call: the hub has its own limit. */
const maxRequestMs = 2 ** 31 - 1;
const endMs = 1_000;
const anyResult = z.looseObject({});

/** Speaks to a server in the network. The SDK adds what each era wants in the headers. */
export async function openHttp(options: HttpOptions): Promise<ServerConnection> {
  const { name, launch, signal, startMs, events } = options;
  const transport = new StreamableHTTPClientTransport(launch.url, { requestInit: { headers: { ...launch.headers } } });
  const client = createClient(options.era, options);
  const state = { isOpen: false, isEnding: false };
  client.onerror = () => undefined;
  client.onclose = () => {
    if (state.isOpen && !state.isEnding) events.onLost('its connection');
  };
  try {
    await client.connect(transport, { timeout: startMs, signal });
  } catch (error) {
    await client.close().catch(() => undefined);
    throw describeStart(error, { name, url: launch.url });
  }
  state.isOpen = true;
  const identity = readIdentity(client);
  return {
    pid: undefined,
    identity,
    capabilities: readCapabilities(client),
    async request(method, params, { signal: cancelled, onProgress, capabilities }) {
      // The SDK would name our own capabilities, and not those of the client that calls.
      const meta = identity.era === 'modern' && {
        _meta: { ...(isFields(params._meta) && params._meta), ...envelope(client, capabilities) },
      };
      try {
        const result: unknown = await client.request({ method, params: { ...params, ...meta } }, anyResult, {
          signal: cancelled,
          timeout: maxRequestMs,
          allowInputRequired: true,
          ...(onProgress !== undefined && { onprogress: (progress: Fields) => onProgress(progress) }),
        });
        return isFields(result) ? result : {};
      } catch (error) {
        if (cancelled.aborted) throw cancelled.reason;
        if (error instanceof ProtocolError) throw new RpcError(error.code, error.message, error.data);
        throw new Failure('connection', `server "${name}" did not answer: ${toFailure(error).message}`, {
          code: 'E_SERVER_ENDED',
          hint: 'The call may have taken effect. Check before you repeat it.',
          cause: error,
        });
      }
    },
    async end() {
      state.isEnding = true;
      await Promise.race([client.close().catch(() => undefined), new Promise((resolve) => setTimeout(resolve, endMs).unref())]);
    },
    kill: () => undefined,
  };
}

function describeStart(error: unknown, { name, url }: { name: string; url: URL }): Failure {
  const cause = findCause(error);
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
  const what =
    networkFailure(cause, { host: url.hostname, port })?.message ??
    `cannot be reached at ${url.origin}: ${toFailure(cause).message}`;
  return startFailure(name, what.trim(), { cause: error, advice: 'Check its "url", and that it runs.' });
}

/** The SDK keeps what the network said inside of its own errors. */
function findCause(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const inside = 'data' in error && isFields(error.data) ? error.data.cause : undefined;
  const cause = error.cause ?? inside;
  return cause instanceof Error ? findCause(cause) : error;
}
