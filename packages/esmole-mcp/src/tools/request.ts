import { defineTool, type Tool } from '@dbmole/core';
import * as z from 'zod';
import { methods } from '../call/path.ts';
import { type ClusterTools, connectionArgument, timeoutArgument } from '../tool.ts';

const input = () =>
  z.strictObject({
    connection: connectionArgument,
    method: z.enum(methods).default('GET'),
    path: z.string().min(1).max(8_000),
    params: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
    body: z.union([z.string(), z.record(z.string(), z.unknown()), z.array(z.unknown())]).optional(),
    timeout_ms: timeoutArgument,
  });

export type RequestArgs = z.output<ReturnType<typeof input>>;

/** `closed`: no connection may be written to, so it can only ever read. */
export function requestTool(tools: ClusterTools, { closed }: { closed: boolean }): Tool {
  return defineTool({
    name: 'es_request',
    title: 'Request',
    description:
      'Any request of the REST API: status first, then the body. GET, HEAD and readonly connections: only reads are accepted. ' +
      'A list, or a text with newlines, is sent as NDJSON.',
    effect: closed ? 'read' : 'destroy',
    ...(closed ? {} : { asksPerson: true }),
    input,
    handler: (args, context) =>
      tools.use(args.connection, context, async (call) => (await import('../call/request-reply.ts')).sendRequest(call, args)),
  });
}
