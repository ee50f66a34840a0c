import { defineTool, respond, type Tool, type ToolReply } from '@dbmole/core';
import * as z from 'zod';
import type { Answer } from '../answer.ts';
import { formatReason } from '../answer-failure.ts';
import { methods } from '../request.ts';
import { type ClusterTools, connectionArgument, timeoutArgument } from '../tool.ts';

const budget = 32_000;

const input = z.strictObject({
  connection: connectionArgument,
  method: z.enum(methods).default('GET'),
  path: z.string().min(1).max(8_000),
  params: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  body: z.union([z.string(), z.record(z.string(), z.unknown()), z.array(z.unknown())]).optional(),
  timeout_ms: timeoutArgument,
});

/** `closed`: no connection may be written to, so it can only ever read. */
export function requestTool(tools: ClusterTools, { closed }: { closed: boolean }): Tool {
  return defineTool({
    name: 'es_request',
    title: 'Request',
    description:
      'Any request of the REST API: status first, then the body. GET, HEAD and readonly connections: only what reads is let through. ' +
      'A list, or a text with newlines, is sent as NDJSON.',
    effect: closed ? 'read' : 'destroy',
    ...(closed ? {} : { asksPerson: true }),
    input,
    handler: (args, context) =>
      tools.use(args.connection, context, async (call) => {
        const { method, path, params = {}, body } = args;
        const request = { method, path, params, body: linesOf(body) };
        // What reads is guarded everywhere: it is then repeated when a node is lost, and can do no harm by accident.
        const isWrite = call.lease.config.readonly === false && method !== 'GET' && method !== 'HEAD';
        const answer = isWrite ? await call.write(request) : await call.ask(request);
        return formatAnswer(answer, call.news(answer));
      }),
  });
}

/** A list is one object on each line, as `_bulk` and `_msearch` want it. */
function linesOf(body: z.output<typeof input>['body']): string | Record<string, unknown> | undefined {
  return Array.isArray(body) ? body.map((line) => `${JSON.stringify(line)}\n`).join('') : body;
}

function formatAnswer({ status, json, text, contentType, cut }: Answer, news: readonly string[]): ToolReply {
  const reason = status >= 400 ? formatReason(json) : undefined;
  const notes = [
    `Status ${status}${reason === undefined ? '' : `: ${reason}`}.`,
    cut === undefined || json !== undefined ? '' : `Cut: the first ${cut.bytes} bytes were read.`,
    ...news,
  ];
  const line = notes.filter((note) => note !== '').join(' ');
  if (json !== undefined && contentType.includes('json')) {
    return respond.json(withoutTraces(json), { line, readOn: 'Ask for less with filter_path, size or _source.', budget });
  }
  return respond.text(text === '' ? '(no body)' : text, { line, budget });
}

/** A stack trace is long, and says nothing to whoever asked. */
function withoutTraces(json: unknown): unknown {
  if (typeof json !== 'object' || json === null || !('error' in json)) return json;
  return JSON.parse(JSON.stringify(json, (key, value) => (key === 'stack_trace' ? undefined : value)));
}
