import { defineTool, objectElsewhere, type Tool } from '@dbmole/core';
import * as z from 'zod';
import { type ClusterTools, connectionArgument, timeoutArgument } from '../tool.ts';
import { bodyArgument, paramsArgument, pathArgument } from './request.ts';

const input = () =>
  z.strictObject({
    connection: connectionArgument,
    path: pathArgument,
    params: paramsArgument,
    body: bodyArgument.meta(objectElsewhere),
    timeout_ms: timeoutArgument,
  });

export function getTool(tools: ClusterTools): Tool {
  return defineTool({
    name: 'es_get',
    title: 'Get',
    description: 'Any request that reads, such as /_cat/shards: status first, then the body.',
    effect: 'read',
    input,
    handler: (args, context) =>
      tools.use(args.connection, context, async (call) => {
        const [{ chooseReadMethod }, { sendRead }] = await Promise.all([
          import('../guard/read-method.ts'),
          import('../call/request-reply.ts'),
        ]);
        return await sendRead(call, { ...args, ...chooseReadMethod(args, call.identity) });
      }),
  });
}
