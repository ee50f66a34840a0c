import { defineTool, type Tool } from '@dbmole/core';
import * as z from 'zod';
import { type ClusterTools, connectionArgument, indexArgument, timeoutArgument } from '../tool.ts';

const input = () => z.strictObject({ connection: connectionArgument, index: indexArgument, timeout_ms: timeoutArgument });

export function clusterHealthTool(tools: ClusterTools): Tool {
  return defineTool({
    name: 'es_cluster_health',
    title: 'Cluster health',
    description: 'Status, nodes and shards; which shards are missing, and why.',
    effect: 'read',
    input,
    handler: ({ connection, index }, context) =>
      tools.use(connection, context, async (call) => (await import('../health/health-reply.ts')).replyHealth(call, index)),
  });
}
