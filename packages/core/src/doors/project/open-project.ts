import { accessSync, constants } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { askUser, Failure, toFailure } from '../../failure.ts';
import { makeFolder } from '../../files/atomic-write.ts';
import { readStartTime } from '../../files/process-identity.ts';
import { systemCode } from '../../files/system-code.ts';
import { createPortFile, noPortMemory, type PortMemory } from './ports.ts';
import { type RunningMark, readRunning, removeMark, withProjectLock, writeMark } from './running-mark.ts';
import { assertServeEnabled, type ServeFiles } from './serve-enabled.ts';

/** A project that this process serves. */
export interface OpenProject {
  root: string;
  port: number;
  /** Removes the running mark and keeps the port for the next start. Call it when the port is free again; it never fails. */
  close(): Promise<void>;
}

export interface OpenProjectOptions extends ServeFiles {
  stateFolder: string;
  /** The result of `findProjectRoot`. */
  root: string;
  /** The result of `parsePort`: undefined is the port of the project, 0 a random one that is not remembered. */
  port: number | undefined;
  /** Asks a running server of this project to drain, instead of failing. */
  takeover: boolean;
  /** Resolves to the port that was bound, and rejects with the system's error. Called again with another port when one is taken. */
  listen(port: number): Promise<number>;
  /** Where MCP is served then, reachable from this machine, such as `http://127.0.0.1:50001/mcp`. */
  urlFor(port: number): string;
  /** Reports problems that do not keep the server from starting. */
  warn(failure: Failure): void;
}

/**
 * Begins to serve a project on its own port. Fails before anything is bound when the project is disabled, or when another server
 * runs for it. Where the state folder cannot be written, the server starts anyway, and neither its port nor that it runs is known.
 */
export async function openProject(options: OpenProjectOptions): Promise<OpenProject> {
  const { stateFolder, root } = options;
  assertServeEnabled(root, options);
  const unwritable = findWriteProblem(stateFolder);
  if (unwritable !== undefined) {
    options.warn(unwritable);
    return { root, port: await bindPort(options, noPortMemory), close: async () => undefined };
  }
  return await withProjectLock(stateFolder, root, () => openLocked(options));
}

async function openLocked(options: OpenProjectOptions): Promise<OpenProject> {
  const { stateFolder, root } = options;
  const running = readRunning(stateFolder, root);
  if (running !== undefined && !options.takeover) throw alreadyRunning(running);
  if (running !== undefined) await takeOver(stateFolder, running);
  const port = await bindPort(options, createPortFile(stateFolder));
  const mark = await tryMark(options, port);
  return { root, port, close: async () => mark && removeMark(stateFolder, mark) };
}

/** The port is bound already, so a full disk is only a warning. */
async function tryMark({ stateFolder, root, urlFor, warn }: OpenProjectOptions, port: number): Promise<RunningMark | undefined> {
  try {
    return await writeMark(stateFolder, { root, port, url: urlFor(port) });
  } catch (error) {
    warn(toFailure(error));
    return undefined;
  }
}

async function bindPort({ root, port, listen }: OpenProjectOptions, ports: PortMemory): Promise<number> {
  if (port !== undefined) return await bindGiven({ root, port, listen }, ports);
  const tried = new Set<number>();
  for (;;) {
    const next = await ports.reserve(root, tried);
    try {
      return await listen(next);
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      tried.add(next);
    }
  }
}

interface GivenPort {
  root: string;
  port: number;
  listen(port: number): Promise<number>;
}

/** Clients are configured for the port that the user chose, so the server does not move to another one. */
async function bindGiven({ root, port, listen }: GivenPort, ports: PortMemory): Promise<number> {
  const bound = await listen(port).catch((error: unknown) => {
    throw isUnavailable(error) ? portTaken(port, error) : error;
  });
  if (port !== 0) await ports.remember(root, port);
  return bound;
}

/** Windows reserves ranges of ports and refuses them with EACCES, as others do with ports below 1024. */
function isUnavailable(error: unknown): boolean {
  return ['EADDRINUSE', 'EACCES'].includes(systemCode(error) ?? '');
}

function findWriteProblem(stateFolder: string): Failure | undefined {
  try {
    makeFolder(stateFolder);
    accessSync(stateFolder, constants.W_OK);
    return undefined;
  } catch (error) {
    const reason = systemCode(error instanceof Failure ? error.cause : error) ?? toFailure(error).message;
    return new Failure('config', `${stateFolder} cannot be written (${reason}), so the port of this project is not remembered`, {
      code: 'E_STORE_WRITE',
      hint: 'Check the permissions of this folder.',
      cause: error,
    });
  }
}

function alreadyRunning({ root, url, pid }: RunningMark): Failure {
  return new Failure('refused', `a server is running for project ${root}: ${url} (process ${pid})`, {
    code: 'E_ALREADY_RUNNING',
    hint: 'Use its URL, or start this one with --takeover.',
  });
}

function portTaken(port: number, cause: unknown): Failure {
  const reason = systemCode(cause) === 'EACCES' ? 'may not be used' : 'is in use';
  return new Failure('config', `port ${port} ${reason}`, {
    code: 'E_PORT_TAKEN',
    hint: askUser('choose another port, or leave --port out'),
    cause,
  });
}

/** A server that drains ends within a few seconds. */
const maxDrainMs = 15_000;
const pollMs = 20;

/** Asks the running server to drain, and waits until it has ended. */
async function takeOver(stateFolder: string, mark: RunningMark): Promise<void> {
  // A process id alone may belong to another program by now.
  if (mark.pid === process.pid || mark.start === undefined || readStartTime(mark.pid) !== mark.start) throw cannotStop(mark);
  try {
    process.kill(mark.pid, 'SIGTERM');
  } catch (error) {
    if (systemCode(error) !== 'ESRCH') throw cannotStop(mark);
  }
  const end = Date.now() + maxDrainMs;
  while (readRunning(stateFolder, mark.root)?.nonce === mark.nonce) {
    if (Date.now() > end) throw notEnded(mark);
    await delay(pollMs);
  }
}

function cannotStop({ root, pid }: RunningMark): Failure {
  return new Failure('refused', `the server of project ${root} (process ${pid}) cannot be stopped from here`, {
    code: 'E_ALREADY_RUNNING',
    hint: askUser(`end process ${pid}`),
  });
}

function notEnded({ root, pid }: RunningMark): Failure {
  return new Failure('timeout', `the server of project ${root} (process ${pid}) did not end within ${maxDrainMs / 1_000} s`, {
    code: 'E_ALREADY_RUNNING',
    hint: askUser(`end process ${pid}`),
  });
}
