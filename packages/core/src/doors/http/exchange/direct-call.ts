import type { IncomingHttpHeaders } from 'node:http';
import { answerPlainCall, readPlainCall } from '../../../program/direct-calls.ts';
import type { Fields } from '../../../registry/tree.ts';
import { readAgent, readText } from '../../../tools/request-facts.ts';
import type { ToolServer } from '../../../tools/tool-server.ts';

/** The versions of the older era that have this transport; a client of the first of them does not name it. */
const versions: readonly unknown[] = [undefined, '2025-03-26', '2025-06-18', '2025-11-25'];
const accepted = ['application/json', 'text/event-stream'] as const;

/** Runs the call, and answers the message to send. */
type DirectCall = (signal: AbortSignal) => Promise<object>;

/**
 * A call that needs nothing of the SDK, which takes longer for a request than a small read in the database: of the older era, without
 * progress, and with headers that leave nothing to judge.
 */
export function readDirectCall(message: Fields, headers: IncomingHttpHeaders, call: ToolServer['call']): DirectCall | undefined {
  const { accept = '', 'mcp-protocol-version': version, 'mcp-method': method, 'user-agent': agent } = headers;
  if (message.jsonrpc !== '2.0' || message.method !== 'tools/call') return undefined;
  if (method !== undefined || !versions.includes(version) || accepted.some((type) => !accept.includes(type))) return undefined;
  const plain = readPlainCall(message);
  if (plain === undefined || plain.progressToken !== undefined) return undefined;
  const about = { client: readAgent(agent), protocol: readText(version) };
  return (signal) => answerPlainCall(plain, call, { signal, notify: async () => undefined, about });
}
