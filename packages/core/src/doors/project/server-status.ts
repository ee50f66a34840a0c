import { isFields } from '../../registry/tree.ts';
import { sendRequest } from './http-request.ts';

export interface ServerStatus {
  clients: number;
  calls: number;
}

const idleMs = 3_000;

/** The status of a running server; undefined when it does not answer, or refuses the token. */
export async function readServerStatus(url: string, token: string | undefined): Promise<ServerStatus | undefined> {
  try {
    let text = '';
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const onHead = () => (piece: string) => {
      text += piece;
    };
    const status = await sendRequest({ url: new URL('/status', url), method: 'GET', headers, idleMs, onHead });
    return status === 200 ? parseStatus(text) : undefined;
  } catch {
    return undefined;
  }
}

function parseStatus(text: string): ServerStatus | undefined {
  const value: unknown = JSON.parse(text);
  if (!isFields(value) || typeof value.clients !== 'number' || typeof value.calls !== 'number') return undefined;
  return { clients: value.clients, calls: value.calls };
}
