import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { isatty } from 'node:tty';
import { systemCode } from '../../../files/system-code.ts';
import { type Hello, identify } from '../hello.ts';
import { type FrontOptions, readFrontOptions } from './front-options.ts';
import { type FrontPlace, findPlace } from './front-place.ts';
import type { FrontProgram } from './front-program.ts';
import { meet } from './meet.ts';
import { type Link, Session } from './session.ts';

export type { FrontProgram } from './front-program.ts';

const parentCheckMs = 2_000;
const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/**
 * Serves the client of this process through the shared one, and starts that if needed. Answers false where the program has to
 * serve by itself: without `--shared`, with wrong options, and where sharing fails, which is said on stderr.
 */
export async function runFront(program: FrontProgram): Promise<boolean> {
  // This is read before anything takes time, because a client may be killed while its front starts.
  const parent = process.ppid;
  const line = { argv: process.argv.slice(2), env: process.env, cwd: process.cwd() };
  const options = readFrontOptions(program, line);
  // At a terminal, a person should see what the program says to people.
  if (options === undefined || isatty(0)) return false;
  try {
    const place = findPlace(program, options, line);
    const link = asLink(await join(place, options));
    const session = serveClient(place, options, link);
    watchParent(parent, () => session.end());
    return true;
  } catch (error) {
    notice(program, `not shared, because ${readMessage(error)}; this session has a server of its own`);
    return false;
  }
}

async function join(place: FrontPlace, { client }: FrontOptions): Promise<Socket> {
  const hello: Hello = { ...identify(place.program), want: 'serve', ...client };
  const answer = meet(place.socket, hello, place.machine);
  openStreams();
  const meeting = await answer;
  if (meeting.kind === 'joined') return meeting.socket;
  // A warm process is joined without what it takes to start one.
  const { requireJoined, startOrJoin } = await import('./start-process.ts');
  return meeting.kind === 'absent' || meeting.kind === 'older' ? await startOrJoin(place, hello) : requireJoined(meeting);
}

/** Node makes both at their first use; here, while the process answers. Nothing is read yet. */
function openStreams(): unknown {
  return [process.stdin, process.stdout];
}

function serveClient(place: FrontPlace, options: FrontOptions, link: Link): Session {
  const { program } = place;
  const session = new Session({
    ...{ stdin: process.stdin, stdout: process.stdout, link },
    reopen: () => reopen(place, options),
    notice: (text) => notice(program, text),
    exit: (code) => process.exit(code),
  });
  for (const signal of signals) process.on(signal, () => session.end());
  return session;
}

/** The end of stdin says that the client is gone, unless another process holds the other end of the pipe. */
function watchParent(parent: number, onGone: () => void): void {
  const timer = setInterval(() => {
    if (isGone(parent)) onGone();
  }, parentCheckMs);
  timer.unref();
}

function isGone(parent: number): boolean {
  if (process.ppid !== parent) return true;
  try {
    process.kill(parent, 0);
    return false;
  } catch (error) {
    return systemCode(error) === 'ESRCH';
  }
}

/** The client's messages need a server that has not begun: where sharing fails now, a private one in a process of its own. */
async function reopen(place: FrontPlace, options: FrontOptions): Promise<Link> {
  try {
    return asLink(await join(place, options));
  } catch (error) {
    notice(place.program, `not shared any more, because ${readMessage(error)}; this session has a server of its own`);
    return openPrivate(place.program);
  }
}

function openPrivate({ file, app }: FrontProgram): Link {
  const args = process.argv.slice(2).filter((word) => word !== '--shared');
  const env = { ...process.env, [`${app.toUpperCase()}_SHARED`]: '' };
  const child = spawn(process.execPath, [...process.execArgv, file, ...args], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  child.on('error', () => child.stdout.destroy());
  return { input: child.stdin, output: child.stdout, close: () => void child.stdin.end() };
}

function asLink(socket: Socket): Link {
  return { input: socket, output: socket, close: () => void socket.destroy() };
}

function notice({ name }: Pick<FrontProgram, 'name'>, text: string): void {
  // Opened only now, because most fronts have nothing to say. The client may have closed it.
  if (process.stderr.listenerCount('error') === 0) process.stderr.on('error', () => undefined);
  process.stderr.write(`${name}: ${text}\n`);
}

function readMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
