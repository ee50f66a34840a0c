import { isFields } from '../../registry/tree.ts';
import { sendRequest } from './http-request.ts';
import { readPorts } from './ports.ts';
import { listRunning, type RunningMark } from './running-mark.ts';
import { readServerToken } from './server-token.ts';

export interface ListedProject {
  root: string;
  port: number;
  /** `no answer` also when the server does not take the token of this user. */
  state: 'running' | 'not running' | 'no answer';
  url?: string;
  /** Only of a server that answers. */
  clients?: number;
}

/** Every project with a port or a running server, by path. */
export async function listProjects(stateFolder: string): Promise<ListedProject[]> {
  const running = await listRunning(stateFolder);
  const served = new Set(running.map(({ root }) => root));
  const others = [...readPorts(stateFolder)].filter(([root]) => !served.has(root));
  const token = readServerToken(stateFolder);
  const listed = await Promise.all(running.map((mark) => describe(mark, token)));
  const all = [...listed, ...others.map(([root, port]): ListedProject => ({ root, port, state: 'not running' }))];
  return all.sort((a, b) => (a.root < b.root ? -1 : 1));
}

async function describe({ root, port, url }: RunningMark, token: string | undefined): Promise<ListedProject> {
  const status = await readServerStatus(url, token);
  if (status === undefined) return { root, port, state: 'no answer', url };
  return { root, port, state: 'running', url, clients: status.clients };
}

interface ServerStatus {
  clients: number;
  calls: number;
}

const idleMs = 3_000;
const maxLength = 10_000;

/** The status of a running server; undefined when it does not answer, or refuses the token. */
export async function readServerStatus(url: string, token: string | undefined): Promise<ServerStatus | undefined> {
  try {
    let text = '';
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const onHead = () => (piece: string) => {
      text += piece;
    };
    const limits = { idleMs, maxLength, signal: AbortSignal.timeout(idleMs) };
    const status = await sendRequest({ url: new URL('/status', url), method: 'GET', headers, ...limits, onHead });
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
