import { Failure, type ToolReply } from '@dbmole/core';
import type { Answer } from '../answer/answer.ts';
import { formatAnswer } from '../answer/format-answer.ts';
import { checkDepth } from '../guard/request-size.ts';
import { watchFailures } from '../http/watch-failures.ts';
import { isObject } from '../search/hit-table.ts';
import type { RequestArgs } from '../tools/request.ts';
import type { ClusterCall } from './cluster-call.ts';
import type { ClusterRequest } from './cluster-request.ts';
import { methods } from './methods.ts';

export async function sendRequest(call: ClusterCall, args: RequestArgs): Promise<ToolReply> {
  checkDepth(args.body);
  const watched = watchFailures(readRequest(args), call.identity);
  const { method } = watched.request;
  // Reads are guarded on every connection: they can be retried when a node is lost, and cannot write by accident.
  const isWrite = call.lease.config.readonly === false && method !== 'GET' && method !== 'HEAD';
  const answer = isWrite ? await call.write(watched.request) : await call.ask(watched.request);
  const failure = isError(answer, method) ? await call.failureOf(answer) : undefined;
  if (failure !== undefined) throw failure;
  return formatAnswer(answer, watched, call.news(answer));
}

/** A missing document or index alone is not an error, nor is an answer that reports its own outcome. */
function isError({ status, json }: Answer, method: ClusterRequest['method']): boolean {
  if (status < 300 || (status === 404 && method === 'HEAD')) return false;
  return status < 400 || !isObject(json) || json.error !== undefined;
}

function readRequest({ method, path, params = {}, body }: RequestArgs): ClusterRequest {
  return { method, path: withoutMethod(path, method), params, body: formatLines(body) };
}

/** Accepts requests as documentation writes them: `GET /index/_search`. */
function withoutMethod(path: string, method: ClusterRequest['method']): string {
  const [, word = '', rest = ''] = /^([A-Za-z]{3,7}) +(\S.*)$/s.exec(path) ?? [];
  const found = methods.find((one) => one === word.toUpperCase());
  if (found === undefined) return path;
  if (found === method) return rest;
  throw new Failure('input', `the path ${JSON.stringify(path.slice(0, 200))} begins with another method than ${method}`, {
    code: 'E_PATH',
    hint: `Pass "method": "${found}" and "path": ${JSON.stringify(rest.slice(0, 200))}.`,
  });
}

/** A list is one object on each line, as `_bulk` and `_msearch` want it. */
function formatLines(body: RequestArgs['body']): ClusterRequest['body'] {
  return Array.isArray(body) ? body.map((line) => `${JSON.stringify(line)}\n`).join('') : body;
}
