import { createConnection, type Socket } from 'node:net';
import { compareAge, type Hello, parseWelcome, readFirstLine, type Welcome, writeLine } from '../hello.ts';
import { describeForeign, type Machine } from '../socket-path.ts';

/** What became of a front that asked at a socket. A joined socket is paused. */
export type Meeting =
  | { kind: 'joined'; socket: Socket }
  /** No process listens, or it was just ending. */
  | { kind: 'absent' }
  | { kind: 'older' | 'newer'; process: Welcome }
  | { kind: 'refused'; reason: string };

/** A process that is blocked for longer serves this client worse than a server of its own would. */
const welcomeMs = 5_000;

/** Throws when the socket is not safe or the process does not answer. */
export async function meet(path: string, hello: Hello, machine: Machine): Promise<Meeting> {
  const foreign = describeForeign(path, machine);
  if (foreign !== undefined) throw new Error(foreign);
  const socket = await connect(path);
  if (socket === undefined) return { kind: 'absent' };
  try {
    const meeting = await shakeHands(socket, hello);
    if (meeting.kind !== 'joined') socket.destroy();
    return meeting;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

async function shakeHands(socket: Socket, hello: Hello): Promise<Meeting> {
  writeLine(socket, hello);
  const line = await readFirstLine(socket, welcomeMs);
  if (line === undefined) return { kind: 'absent' };
  const welcome = parseWelcome(line);
  if (welcome === undefined) throw new Error('another program listens at its socket');
  const age = compareAge(welcome, hello);
  if (age !== 'same') return { kind: age, process: welcome };
  return welcome.refused === undefined ? { kind: 'joined', socket } : { kind: 'refused', reason: welcome.refused };
}

const absentCodes = ['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE'];

/** Undefined when there is nothing to connect to. The socket ignores later errors: its end says enough. */
export function connect(path: string): Promise<Socket | undefined> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ path, allowHalfOpen: true });
    socket.once('connect', () => resolve(socket));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (absentCodes.includes(error.code ?? '')) resolve(undefined);
      else reject(new Error(`its socket cannot be opened (${error.code})`));
    });
  });
}
