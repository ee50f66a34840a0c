import { respond, type ToolReply } from '@dbmole/core';
import type { Answer } from './answer.ts';
import { formatReason } from './answer-failure.ts';
import type { Call } from './call.ts';
import { checkDepth } from './guard/size.ts';
import { formatSaid } from './said.ts';
import type { RequestArgs } from './tools/request.ts';

const budget = 32_000;

export async function anyRequest(call: Call, { method, path, params = {}, body }: RequestArgs): Promise<ToolReply> {
  checkDepth(body);
  const request = { method, path, params, body: linesOf(body) };
  // What reads is guarded everywhere: it is then repeated when a node is lost, and can do no harm by accident.
  const isWrite = call.lease.config.readonly === false && method !== 'GET' && method !== 'HEAD';
  const answer = isWrite ? await call.write(request) : await call.ask(request);
  return formatAnswer(answer, call.news(answer));
}

/** A list is one object on each line, as `_bulk` and `_msearch` want it. */
function linesOf(body: RequestArgs['body']): string | Record<string, unknown> | undefined {
  return Array.isArray(body) ? body.map((line) => `${JSON.stringify(line)}\n`).join('') : body;
}

function formatAnswer({ status, json, text, contentType, cut }: Answer, news: readonly string[]): ToolReply {
  const reason = status >= 400 ? formatReason(json) : undefined;
  const notes = [
    `Status ${status}${reason === undefined ? '' : `: ${formatSaid(reason, 500)}`}.`,
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
