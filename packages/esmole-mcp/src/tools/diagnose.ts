import { defineTool, type Tool } from '@dbmole/core';
import * as z from 'zod';
import { checkNames } from '../diagnosis/diagnosis.ts';
import { type ClusterTools, connectionArgument, indexArgument, timeoutArgument } from '../tool.ts';

const input = () =>
  z.strictObject({
    connection: connectionArgument,
    check: z.enum(checkNames).optional().describe('details; default: overview of all'),
    index: indexArgument,
    limit: z.int().min(1).max(200).default(20),
    offset: z.int().min(0).max(1_000_000).default(0),
    timeout_ms: timeoutArgument,
  });

export function diagnoseTool(tools: ClusterTools): Tool {
  return defineTool({
    name: 'diagnose',
    title: 'Diagnose',
    description: 'What is wrong with the cluster, worst first: evidence, consequence, next step.',
    effect: 'read',
    input,
    handler: (args, context) =>
      tools.use(args.connection, context, async (call) => (await import('../diagnosis/diagnose-reply.ts')).diagnose(call, args)),
  });
}
