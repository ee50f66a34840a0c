import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { RunningEngine } from '@dbmole/engines';

export interface Reply {
  readonly status: number;
  readonly text: string;
  /** Undefined when it is not JSON. */
  readonly json: unknown;
}

/** A node without the server in between: requests are sent as they are given. */
export interface RawNode {
  send(method: string, path: string, body?: string | object, contentType?: string): Promise<Reply>;
  dispose(): void;
}

export function createRawNode({ host, port, user, password }: RunningEngine): RawNode {
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  return {
    send: (method, path, body, contentType = 'application/json') =>
      new Promise((resolve, reject) => {
        const sent = body === undefined ? undefined : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
        const headers = sent && { 'content-type': contentType, 'content-length': String(sent.length) };
        const auth = user === '' ? {} : { auth: `${user}:${password}` };
        const outgoing = request({ agent, host, port, method, path, headers, ...auth }, (response) => {
          text(response).then(
            (answer) => resolve({ status: response.statusCode ?? 0, text: answer, json: parse(answer) }),
            reject,
          );
        });
        outgoing.on('error', reject);
        outgoing.end(sent);
      }),
    dispose: () => agent.destroy(),
  };
}

function parse(answer: string): unknown {
  try {
    return JSON.parse(answer);
  } catch {
    return undefined;
  }
}
