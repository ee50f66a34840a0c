import { randomBytes } from 'node:crypto';
import { type Fields, isFields, onAbort } from '@dbmole/core';

/** An answer of a server that is an error of the protocol. It is passed on as it is. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.name = 'RpcError';
    this.code = code;
    this.data = data;
  }
}

const unknownMethodCode = -32_601;

export function isUnknownMethod(error: unknown): boolean {
  return error instanceof RpcError && error.code === unknownMethodCode;
}

export interface RequestHooks {
  /** Cancels the request at the server; it rejects at once. */
  signal: AbortSignal;
  /** Asks the server for its progress. */
  onProgress?: ((params: Fields) => void) | undefined;
}

/** An id that one of these requests has; which one, the list of those that are pending says. */
const idPattern = /"id"\s{0,9}:\s{0,9}"(mole-[0-9a-f]{6}-\d{1,16})"/;

interface Pending {
  resolve(result: Fields): void;
  reject(error: unknown): void;
  onProgress: RequestHooks['onProgress'];
}

/**
 * Requests to a server, beside those of the SDK on the same stream: what the server answers comes back as it was written, and nothing but
 * the message itself is parsed.
 */
export class DirectRequests {
  readonly #send: (message: Fields) => void;
  readonly #prefix = `mole-${randomBytes(3).toString('hex')}-`;
  readonly #pending = new Map<string, Pending>();
  #next = 1;

  constructor(send: (message: Fields) => void) {
    this.#send = send;
  }

  request(method: string, params: Fields, { signal, onProgress }: RequestHooks): Promise<Fields> {
    const id = `${this.#prefix}${this.#next++}`;
    const meta = onProgress === undefined ? params._meta : { ...(isFields(params._meta) && params._meta), progressToken: id };
    return new Promise((resolve, reject) => {
      const stop = onAbort(signal, () => {
        if (!this.#pending.delete(id)) return;
        this.#send({
          jsonrpc: '2.0',
          method: 'notifications/cancelled',
          params: { requestId: id, reason: 'cancelled by the caller' },
        });
        reject(signal.reason);
      });
      if (signal.aborted) {
        reject(signal.reason);
        return;
      }
      const settle =
        <T>(finish: (value: T) => void) =>
        (value: T) => {
          stop();
          finish(value);
        };
      this.#pending.set(id, { resolve: settle(resolve), reject: settle(reject), onProgress });
      this.#send({ jsonrpc: '2.0', id, method, params: { ...params, ...(meta !== undefined && { _meta: meta }) } });
    });
  }

  /** Whether the message belongs to one of these requests; an answer that no one waits for any more does too. */
  take(message: Fields): boolean {
    const { id, method, params } = message;
    if (method === 'notifications/progress' && isFields(params)) return this.#progress(params);
    if (typeof id !== 'string' || method !== undefined || !id.startsWith(this.#prefix)) return false;
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (pending === undefined) return true;
    if (isFields(message.result)) pending.resolve(message.result);
    else pending.reject(readError(message.error));
    return true;
  }

  /** The answer to one of these requests was not kept. */
  failOversized(ends: string, error: Error): void {
    const [, id = ''] = idPattern.exec(ends) ?? [];
    this.#pending.get(id)?.reject(error);
    this.#pending.delete(id);
  }

  failAll(error: Error): void {
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }

  #progress(params: Fields): boolean {
    const token = params.progressToken;
    if (typeof token !== 'string' || !token.startsWith(this.#prefix)) return false;
    this.#pending.get(token)?.onProgress?.(params);
    return true;
  }
}

function readError(error: unknown): RpcError {
  if (!isFields(error)) return new RpcError(-32603, 'the server answered with neither a result nor an error');
  const { code, message, data } = error;
  return new RpcError(typeof code === 'number' ? code : -32603, typeof message === 'string' ? message : 'unknown error', data);
}
