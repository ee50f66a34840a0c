import type { ReadRequest, RequestBody, WriteRequest } from '../call/cluster-request.ts';
import { formatPath, type Method } from '../call/path.ts';

export interface WireRequest {
  method: Method;
  /** The request target: path and query, never resolved against anything. */
  path: string;
  body: string | undefined;
  contentType: string | undefined;
}

/** Their body is one JSON text on each line. */
const lineEndings: readonly RegExp[] = [
  /\/_bulk$/,
  /\/_msearch$/,
  /\/_msearch\/template$/,
  /\/_fleet_msearch$/,
  /\/_monitoring\/bulk$/,
];
/** This includes `/{index}/{type}/_bulk`, but not a document with such an id. */
const documents = new Set(['_doc', '_create', '_source', '_update', '_explain', '_termvectors']);

export function formatWire({ method, segments, params, body }: ReadRequest | WriteRequest, prefix = ''): WireRequest {
  const query = [...params].map(([name, value]) => `${encodeURIComponent(name)}=${encodeValue(value)}`).join('&');
  const path = `${prefix}${formatPath(segments)}${query === '' ? '' : `?${query}`}`;
  if (body === undefined) return { method, path, body, contentType: undefined };
  const isLines = takesLines(segments);
  const contentType = isLines ? 'application/x-ndjson' : 'application/json';
  return { method, path, body: isLines ? formatLines(body) : formatJson(body), contentType };
}

function takesLines(segments: readonly string[]): boolean {
  const path = formatPath(segments);
  return lineEndings.some((ending) => ending.test(path)) && !documents.has(segments.at(-2) ?? '');
}

/** A list is one line for each element; the last line has to end as well. */
function formatLines(body: RequestBody): string {
  if (typeof body === 'string') return body.endsWith('\n') ? body : `${body}\n`;
  const lines: readonly unknown[] = Array.isArray(body) ? body : [body];
  return lines.map((line) => `${formatJson(line)}\n`).join('');
}

function formatJson(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Characters that separate nothing in a query stay readable; clusters refuse lines that are too long. */
function encodeValue(value: string): string {
  return encodeURIComponent(value).replace(/%(?:2C|3A|2F|40)/g, decodeURIComponent);
}
