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
  const { socket, connected } = open(path);
  try {
    // Sent with the connection: waiting for it first would take the start of every front another turn of the event loop.
    writeLine(socket, hello);
    const [isThere, line] = await Promise.all([connected, readFirstLine(socket, welcomeMs)]);
    const meeting: Meeting = isThere && line !== undefined ? readMeeting(socket, line, hello) : { kind: 'absent' };
    if (meeting.kind !== 'joined') socket.destroy();
    return meeting;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

function readMeeting(socket: Socket, line: string, hello: Hello): Meeting {
  const welcome = parseWelcome(line);
  if (welcome === undefined) throw new Error('another program listens at its socket');
  const age = compareAge(welcome, hello);
  if (age !== 'same') return { kind: age, process: welcome };
  return welcome.refused === undefined ? { kind: 'joined', socket } : { kind: 'refused', reason: welcome.refused };
}

/** Undefined when there is nothing to connect to. The socket ignores later errors: its end says enough. */
export async function connect(path: string): Promise<Socket | undefined> {
  const { socket, connected } = open(path);
  return (await connected) ? socket : undefined;
}

const absentCodes = ['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE'];

/** `connected` is false when there is nothing to connect to. */
function open(path: string): { socket: Socket; connected: Promise<boolean> } {
  const socket = createConnection({ path, allowHalfOpen: true });
  const connected = new Promise<boolean>((resolve, reject) => {
    socket.once('connect', () => resolve(true));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (absentCodes.includes(error.code ?? '')) resolve(false);
      else reject(new Error(`its socket cannot be opened (${error.code})`));
    });
  });
  return { socket, connected };
}
