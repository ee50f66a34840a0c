import { defineTool, type Tool } from '@dbmole/core';
import * as z from 'zod';
import { type ClusterTools, connectionArgument, indexArgument, timeoutArgument } from '../tool.ts';

const time = z.preprocess((given) => (typeof given === 'number' ? String(given) : given), z.string().min(1).max(100));
/** Lucene syntax, or query DSL as text or as an object. */
const query = z
  .preprocess(
    (given) => (typeof given === 'string' && !/^\s*\{/.test(given) ? { query_string: { query: given } } : given),
    z.looseObject({}).optional(),
  )
  .optional();

/** `FROM..TO`, or an object with these names. Without an end, it ends where the window begins. */
const baseline = z.preprocess(joinWindow, z.string().min(1).max(210).optional()).optional();

function joinWindow(given: unknown): unknown {
  const parsed = z.strictObject({ from: time, to: time.optional() }).safeParse(given);
  return parsed.success ? [parsed.data.from, parsed.data.to].filter((one) => one !== undefined).join('..') : given;
}

const input = () =>
  z.strictObject({
    connection: connectionArgument,
    index: indexArgument,
    from: time.default('now-1h'),
    to: time.optional(),
    baseline,
    query,
    field: z.string().min(1).max(500).optional(),
    time_field: z.string().min(1).max(500).optional(),
    seed: z.int().min(0).max(1_000_000_000).optional(),
    offset: z.int().min(0).optional(),
    timeout_ms: timeoutArgument,
  });

export type LogsArgs = z.output<ReturnType<typeof input>>;

export function logsTool(tools: ClusterTools): Tool {
  return defineTool({
    name: 'es_logs',
    title: 'Log patterns',
    description:
      'Patterns of log lines in a window (from: now-1h), with counts; those new or gone against baseline (FROM..TO) first. ' +
      'field: of the message.',
    effect: 'read',
    input,
    handler: (args, context) =>
      tools.use(args.connection, context, async (call) => (await import('../logs/logs-reply.ts')).findLogPatterns(call, args)),
  });
}
