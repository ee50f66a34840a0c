import {
  type Approval,
  type CellValue,
  type Change,
  confirmations,
  Failure,
  LeftOut,
  type PersonPlace,
  respond,
  type ToolReply,
  truncateRows,
} from '@dbmole/core';
import type { Answer } from '../answer/answer.ts';
import { formatIncomplete } from '../answer/incomplete.ts';
import { checkDepth } from '../guard/request-size.ts';
import { type WatchedRequest, watchFailures } from '../http/watch-failures.ts';
import { formatCell, isObject } from '../search/hit-table.ts';
import type { RequestArgs } from '../tools/request.ts';
import type { ClusterCall } from './cluster-call.ts';
import type { ClusterRequest, RequestTarget } from './cluster-request.ts';
import { methods } from './path.ts';

/** Sends what only reads. */
export async function sendRead(call: ClusterCall, args: RequestArgs): Promise<ToolReply> {
  checkDepth(args.body);
  const watched = watchFailures(readRequest(args), call.identity);
  return await toReply(call, watched, await call.ask(watched.request));
}

/** The same for what may write, where the connection may be written to. The result may be what a person is to be asked first. */
export async function sendRequest(
  call: ClusterCall,
  args: RequestArgs,
  approval: Approval,
): Promise<ToolReply | { change: Change }> {
  // Reads are guarded on every connection: they can be retried when a node is lost, and cannot write by accident.
  if (call.lease.config.readonly !== false || args.method === 'GET' || args.method === 'HEAD') return await sendRead(call, args);
  checkDepth(args.body);
  const watched = watchFailures(readRequest(args), call.identity);
  const sent = await call.write(watched.request, approval);
  return 'change' in sent ? sent : await toReply(call, watched, sent, approval.confirmedBy);
}

async function toReply(
  call: ClusterCall,
  watched: WatchedRequest,
  answer: Answer,
  confirmedBy?: PersonPlace,
): Promise<ToolReply> {
  const failure = isError(answer, watched.request.method) ? await call.failureOf(answer) : undefined;
  if (failure !== undefined) throw failure;
  const confirmed = confirmedBy === undefined ? [] : [confirmations[confirmedBy]];
  return formatAnswer(answer, watched, [...confirmed, ...call.news(answer)]);
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

const budget = 32_000;
/** Characters of one value, where not all of an answer fits. */
const maxStringLength = 2_000;

/** The answer to a request of any kind: status first, then what it lacks, then the body. */
function formatAnswer(answer: Answer, watched: WatchedRequest, news: readonly string[]): ToolReply {
  const { status, json, text, contentType, cut } = answer;
  const asked = { terminateAfter: watched.isTerminated, filtered: watched.isFiltered };
  const notes = [`Status ${status}.`, ...formatIncomplete(json, asked), ...news];
  const readOn = formatReadOn(watched);
  if (json === undefined || !contentType.includes('json')) {
    if (cut !== undefined && json === undefined) notes.push(`Cut: the first ${cut.bytes} bytes were read.`);
    const plain = contentType === 'text/csv' ? withPlainLineEnds(text) : text;
    return respond.text(plain, { line: notes.join(' '), readOn, budget });
  }
  if (isTable(watched) && Array.isArray(json)) return formatTable(json, notes, readOn);
  const { value, dropped } = withoutEmptyColumns(watched.hide(json));
  if (dropped > 0) notes.push(`${dropped} columns without a value are left out.`);
  return respond.json(value, { line: notes.join(' '), readOn, budget, maxStringLength });
}

/** Names the parameters of this request. */
function formatReadOn({ segments }: RequestTarget): string {
  const has = (...words: string[]) => segments.some((segment) => words.includes(segment));
  if (has('_query')) return 'Ask for less with KEEP and LIMIT.';
  if (has('_sql')) return 'Ask for less with fewer columns and LIMIT.';
  if (has('_cat')) return 'Ask for less with a pattern in the path, or with columns as in h=index,health.';
  if (has('_search', '_msearch', 'scroll')) return 'Ask for less with filter_path, size or _source.';
  return `Ask for less with filter_path${has('_mget', '_doc', '_source') ? ' or _source' : ''}.`;
}

/** A table of `_cat`, unless another format was requested. */
function isTable({ segments, params }: RequestTarget): boolean {
  return segments[0] === '_cat' && !params.has('format');
}

/** A table names its columns once, and not in each row. */
function formatTable(list: readonly unknown[], notes: readonly string[], readOn: string): ToolReply {
  const rows = list.filter(isObject);
  const columns = Object.keys(rows[0] ?? {});
  const writer = truncateRows({ columns, budget, rowLimit: list.length, once: true });
  for (const row of rows) if (!writer.add(columns.map((column): CellValue => formatCell(row[column])))) break;
  const { line, body, more } = writer.finish(list.at(-1) instanceof LeftOut ? 'yes' : 'no');
  return respond.text(body, { line: [...notes, line, ...(more === 'no' ? [] : [readOn])].join(' '), budget });
}

/** For a pattern over many indices, ES|QL shows every field that one of them has. */
function withoutEmptyColumns(json: unknown): { value: unknown; dropped: number } {
  if (!isObject(json)) return { value: json, dropped: 0 };
  const { columns, values } = json;
  if (!Array.isArray(columns) || !Array.isArray(values) || values.length === 0) return { value: json, dropped: 0 };
  const rows = values.filter((row) => Array.isArray(row) && row.length === columns.length);
  const isKept = columns.map((_, at) => rows.some((row) => row[at] !== null));
  const dropped = isKept.filter((kept) => !kept).length;
  if (dropped === 0 || dropped === columns.length || rows.length < values.length) return { value: json, dropped: 0 };
  const pick = (list: readonly unknown[]) => list.filter((_, at) => isKept[at]);
  return { value: { ...json, columns: pick(columns), values: rows.map(pick) }, dropped };
}

/** Clusters end the lines of CSV with two characters; inside of quotes they are a part of the value. */
function withPlainLineEnds(csv: string): string {
  return csv
    .split('"')
    .map((part, at) => (at % 2 === 0 ? part.replaceAll('\r\n', '\n') : part))
    .join('"');
}
