import { randomBytes } from 'node:crypto';
import { formatAbort, isLocalHost, untilAborted } from '@dbmole/core';
import type { Dispatcher } from 'undici';
import request from 'undici/lib/api/api-request.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import { type Answer, type AnswerBody, answerLimits, decompress, parseWarnings, readAnswer } from './answer.ts';
import type { SendOptions } from './backend.ts';
import type { Connector } from './connector.ts';
import type { Loss } from './failover.ts';
import { lostFailure } from './failure.ts';
import { formatNodeAddress, type NodeAddress } from './node-address.ts';
import type { Connection } from './schema.ts';
import type { WireRequest } from './wire.ts';

export interface NodeClientOptions {
  node: NodeAddress;
  config: Pick<Connection, 'scheme' | 'verifyTls' | 'ca' | 'caFingerprint'>;
  connector: Connector;
  /** Of every request. */
  headers: Readonly<Record<string, string>>;
}

/** One node with its kept connections. */
export interface NodeClient {
  /** Throws nothing but what is a bug. */
  attempt(wire: WireRequest, options: SendOptions): Promise<{ answer: Answer } | Loss>;
  dispose(): Promise<void>;
}

/** Shorter than what proxies in between allow an idle connection. */
const keepAliveTimeout = 30_000;
const connections = 50;

/** One for the whole process: a cluster folds its warnings by it, and a task list shows it. */
const opaqueId = `esmole-${randomBytes(4).toString('hex')}`;

export function openNodeClient({ node, config, connector, headers }: NodeClientOptions): NodeClient {
  const sent = new WeakSet<object>();
  // Within one machine there is no way to shorten, and packing costs both sides.
  const encoding = isLocalHost(node.host) ? {} : { 'accept-encoding': 'gzip' };
  const always = { ...encoding, ...headers };
  const pool = new Pool(`${config.scheme ?? 'https'}://${formatNodeAddress(node)}`, {
    connections,
    keepAliveTimeout,
    keepAliveMaxTimeout: keepAliveTimeout,
    // How long an answer may take is the caller's to say, by its signal.
    headersTimeout: 0,
    bodyTimeout: 0,
    // A cluster may send many warnings.
    maxHeaderSize: 64 * 1024,
    connect: (_options, callback) => {
      connector.connect(node).then(
        (socket) => process.nextTick(callback, null, socket),
        (error: Error) => process.nextTick(callback, error, null),
      );
    },
  });
  const marking = pool.compose(
    (dispatch) => (options, handler) =>
      dispatch(
        options,
        markSent(handler, () => sent.add(options)),
      ),
  );

  return {
    async attempt(wire, { signal, limits = answerLimits }) {
      const options = { ...requestOptions(wire, always), signal };
      try {
        // The client itself notices the signal only once there is a connection.
        const response = await untilAborted(request.call(marking, options), signal);
        const stream = decompress(response.body, headerOf(response, 'content-encoding').toLowerCase());
        return { answer: { ...headOf(response), ...(await readAnswer(stream, limits)) } };
      } catch (error) {
        const wasSent = sent.has(options);
        if (signal.aborted) return { failure: formatAbort(signal, error), wasSent };
        return { failure: lostFailure(error, node, config), wasSent };
      }
    },
    dispose: () => pool.destroy(),
  };
}

function requestOptions({ method, path, body, contentType }: WireRequest, headers: Readonly<Record<string, string>>) {
  return {
    method,
    path,
    ...(body === undefined ? {} : { body }),
    headers: {
      accept: 'application/json',
      'user-agent': 'esmole-mcp',
      'x-opaque-id': opaqueId,
      ...(contentType === undefined ? {} : { 'content-type': contentType }),
      ...headers,
    },
  };
}

/** The client says no other way whether a request has left. Calls what it was given, whatever that makes of `this`. */
function markSent(handler: Dispatcher.DispatchHandler, mark: () => void): Dispatcher.DispatchHandler {
  return {
    onRequestStart(controller, context) {
      mark();
      handler.onRequestStart?.(controller, context);
    },
    onRequestUpgrade: (...args) => handler.onRequestUpgrade?.(...args),
    onResponseStart: (...args) => handler.onResponseStart?.(...args),
    onResponseData: (...args) => handler.onResponseData?.(...args),
    onResponseEnd: (...args) => handler.onResponseEnd?.(...args),
    onResponseError: (...args) => handler.onResponseError?.(...args),
  };
}

function headOf(response: Dispatcher.ResponseData): Omit<Answer, keyof AnswerBody> {
  const product = headerOf(response, 'x-elastic-product');
  const warning = headerOf(response, 'warning');
  return {
    status: response.statusCode,
    contentType: (headerOf(response, 'content-type').split(';')[0] ?? '').trim().toLowerCase(),
    warnings: parseWarnings(warning),
    warnedBy: /^299 (\S+)/.exec(warning)?.[1],
    product: product === '' ? undefined : product,
  };
}

function headerOf({ headers }: Pick<Dispatcher.ResponseData, 'headers'>, name: string): string {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : (value ?? '');
}
