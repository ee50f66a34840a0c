import { defineTool, type Tool } from '@dbmole/core';
import * as z from 'zod';
import { withQuestion } from '../approval/with-question.ts';
import { methods } from '../call/path.ts';
import { type ClusterTools, connectionArgument, timeoutArgument } from '../tool.ts';

export const pathArgument = z.string().min(1).max(8_000);
export const paramsArgument = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional();
export const bodyArgument = z.union([z.string(), z.record(z.string(), z.unknown()), z.array(z.unknown())]).optional();

const input = () =>
  z.strictObject({
    connection: connectionArgument,
    method: z.enum(methods).default('GET'),
    path: pathArgument,
    params: paramsArgument,
    body: bodyArgument,
    timeout_ms: timeoutArgument,
  });

export type RequestArgs = z.output<ReturnType<typeof input>>;

export function requestTool(tools: ClusterTools): Tool {
  return defineTool({
    name: 'es_request',
    title: 'Request',
    description:
      'Any request, also one that changes data; es_get reads without asking the user. Refuses changes on readonly connections. ' +
      'A list is sent as NDJSON.',
    effect: 'destroy',
    asksPerson: true,
    input,
    handler: (args, context) =>
      withQuestion(
        context.approval,
        tools.use(args.connection, context, async (call) =>
          (await import('../call/request-reply.ts')).sendRequest(call, args, context.approval),
        ),
      ),
  });
}
