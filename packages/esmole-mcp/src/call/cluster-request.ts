import { Failure, readonlyFailure } from '@dbmole/core';
import { type Method, methods, parsePath } from './path.ts';

/** A text is sent as it is; everything else as JSON. */
export type RequestBody = string | object | readonly unknown[];
type ParamValue = string | number | boolean;

/** A request as the caller of a tool says it. Nothing of it is trusted. */
export interface ClusterRequest {
  method: Method;
  /** The path may begin with a slash or not, and may end with a query. */
  path: string;
  params: Readonly<Record<string, ParamValue>>;
  body: RequestBody | undefined;
}

/** The method defaults to `GET`, without parameters and body. */
export type AskedRequest = Pick<ClusterRequest, 'path'> & Partial<ClusterRequest>;

/** A parsed path: its decoded parts, and all parameters from the path and from `params`. */
export interface RequestTarget {
  readonly segments: readonly string[];
  readonly params: ReadonlyMap<string, string>;
}

export interface CheckedRequest extends RequestTarget {
  readonly method: Method;
  readonly body: RequestBody | undefined;
}

/** What a read shows of documents. */
export interface DocumentRead {
  /** The fixed words of its path: `_search/scroll`. */
  readonly words: string;
  /** The indices in its path, as they are sent. */
  readonly names: string | undefined;
}

declare const guarded: unique symbol;
declare const writable: unique symbol;

/** A request that went through the guard, as it will be sent. Only these and `WriteRequest` reach the wire. */
export interface ReadRequest extends CheckedRequest {
  readonly kind: 'read';
  /** Undefined for a request that shows no document. */
  readonly reads?: DocumentRead | undefined;
  readonly [guarded]: true;
}

/** Any request, on a connection that is not readonly. It is never repeated: it may have taken effect. */
export interface WriteRequest extends CheckedRequest {
  readonly kind: 'write';
  readonly [writable]: true;
}

/** The identity of a cluster. Everything may be unknown: a role need not be allowed to see it. */
export interface ClusterIdentity {
  product: 'elasticsearch' | 'opensearch' | 'unknown';
  /** The version as the cluster reports it, for example `8.19.21`. */
  version: string | undefined;
  major: number | undefined;
  minor: number | undefined;
  /** `default`, `oss`, `serverless`, … */
  flavour: string | undefined;
  clusterName: string | undefined;
}

/** Splits the path and reads the parameters in it. Throws `E_PATH` or `E_PARAMS`. */
export function parseTarget({ path, params }: Pick<ClusterRequest, 'path' | 'params'>): RequestTarget {
  const mark = path.indexOf('?');
  const segments = parsePath(mark === -1 ? path : path.slice(0, mark));
  const joined = new Map<string, string>();
  if (mark !== -1) for (const [name, value] of parseQuery(path.slice(mark + 1))) addParam(joined, name, value);
  for (const [name, value] of Object.entries(params)) addParam(joined, name, String(value));
  return { segments, params: joined };
}

/** Only for the guard, when it has found a template for exactly this request. */
export function acceptRead(request: CheckedRequest & Pick<ReadRequest, 'reads'>): ReadRequest {
  // The one place where a request becomes a read.
  return { ...request, kind: 'read' } as ReadRequest;
}

/** A read that we wrote. Nothing of a caller's may be in it. */
export function ownRead(path: string): ReadRequest {
  return acceptRead({ method: 'GET', body: undefined, ...parseTarget({ path, params: {} }) });
}

/** Anything but a plain false counts as read-only. */
export function acceptWrite(request: ClusterRequest, connection: { name: string; readonly: boolean }): WriteRequest {
  if (connection.readonly !== false) throw readonlyFailure(connection.name);
  const { method, body } = request;
  if (!methods.includes(method)) throw new Failure('input', `unknown method: expected one of ${methods.join(', ')}`);
  // The one place where a request becomes a write.
  return { kind: 'write', method, body, ...parseTarget(request) } as WriteRequest;
}

function* parseQuery(query: string): Generator<[name: string, value: string]> {
  if (query.includes('#')) throw paramFailure('the query of the path has a #; write it in `params`');
  for (const part of query.split('&')) {
    if (part === '') continue;
    const [name = '', ...rest] = part.split('=');
    yield [decodeParam(name), decodeParam(rest.join('='))];
  }
}

function addParam(params: Map<string, string>, name: string, value: string): void {
  if (!/^[A-Za-z_][A-Za-z0-9_.]{0,63}$/.test(name)) throw paramFailure(`${JSON.stringify(name)} is not a valid parameter name`);
  if (/\p{Cc}/u.test(value)) throw paramFailure(`the parameter ${name} has a control character`);
  if (!isWellFormed(value)) throw paramFailure(`the parameter ${name} has an invalid character`);
  const before = params.get(name);
  if (before !== undefined) throw paramFailure(`the parameter ${name} is given twice`);
  params.set(name, value);
}

function decodeParam(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw paramFailure('the query of the path has an invalid % escape');
  }
}

function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}

function paramFailure(message: string): Failure {
  return new Failure('input', message, {
    code: 'E_PARAMS',
    hint: { tool: 'Pass each parameter once, in `params`.', cli: 'Write each parameter once, in the path.' },
  });
}
