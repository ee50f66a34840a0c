import { randomBytes } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { formatAbort, isLocalHost } from '@dbmole/core';
import Pool from 'undici/lib/dispatcher/pool.js';
import { type Answer, answerLimits } from '../answer/answer.ts';
import type { SendOptions } from '../backend.ts';
import type { Connection } from '../connection/schema.ts';
import { lostFailure } from '../failure.ts';
import type { Connector } from './connector.ts';
import { exchange } from './exchange.ts';
import type { Loss } from './failover.ts';
import { formatNodeAddress, type NodeAddress } from './node-address.ts';
import type { WireRequest } from './wire.ts';

interface NodeClientOptions {
  node: NodeAddress;
  config: Pick<Connection, 'scheme' | 'verifyTls' | 'ca' | 'caFingerprint'>;
  connector: Connector;
  /** Headers of every request. */
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

/** One id for the whole process: a cluster groups its warnings by it, and a task list shows it. */
const opaqueId = `esmole-${randomBytes(4).toString('hex')}`;

export function openNodeClient({ node, config, connector, headers }: NodeClientOptions): NodeClient {
  // Within one machine there is no way to shorten, and packing costs both sides.
  const encoding = isLocalHost(node.host) ? {} : { 'accept-encoding': 'gzip' };
  const always = { ...encoding, ...headers };
  keepParserSmall();
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

  return {
    async attempt(wire, { signal, limits = answerLimits, headers: more }) {
      const outcome = await exchange(pool, requestOptions(wire, { ...always, ...more }), { signal, limits });
      if ('answer' in outcome) return outcome;
      const { error, wasSent } = outcome;
      return { failure: signal.aborted ? formatAbort(signal, error) : lostFailure(error, node, config), wasSent };
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

/**
 * The HTTP client reads the heads of answers by WebAssembly. After some tens of them the engine would compile it again, for speed,
 * and take 30 MB while it does. Nothing becomes slower without that: bodies only pass by. Call it before the first connection is
 * opened; this process has no other WebAssembly.
 */
export function keepParserSmall(): void {
  for (const flag of ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering']) setFlagsFromString(flag);
}
