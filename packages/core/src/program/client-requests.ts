import { randomUUID } from 'node:crypto';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { onAbort } from '../abort.ts';
import type { Fields } from '../registry/tree.ts';

interface Waiting {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** Requests to the client that are sent without the SDK. */
export class ClientRequests {
  readonly #send: (message: JSONRPCMessage) => unknown;
  readonly #waiting = new Map<unknown, Waiting>();

  constructor(send: (message: JSONRPCMessage) => unknown) {
    this.#send = send;
  }

  /** The result that the client answers with. When it is aborted, the client is told so. */
  async send(method: string, params: Fields, signal: AbortSignal): Promise<unknown> {
    signal.throwIfAborted();
    // The ids of the SDK are numbers.
    const id = `mole-${randomUUID()}`;
    let stop: (() => void) | undefined;
    try {
      return await new Promise((resolve, reject) => {
        this.#waiting.set(id, { resolve, reject });
        stop = onAbort(signal, () => {
          this.#send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
          reject(signal.reason);
        });
        this.#send({ jsonrpc: '2.0', id, method, params });
      });
    } finally {
      this.#waiting.delete(id);
      stop?.();
    }
  }

  /** Whether the message is the answer to one of them. */
  take({ id, result, error }: Fields): boolean {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return false;
    if (error === undefined) waiting.resolve(result);
    else waiting.reject(error);
    return true;
  }
}
