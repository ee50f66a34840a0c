import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTempFolder, readText, ServerProcess, type TempFolder } from '@dbmole/core/testing';
import { afterEach, beforeEach, expect } from 'vitest';
import { bin } from '../bin.ts';

interface StartOptions {
  args?: readonly string[];
  env?: Record<string, string>;
  cwd?: string;
  file?: string;
}

/** The sessions of one user on one machine: a home folder for all of them, and the processes that they share. */
interface Sessions {
  readonly home: string;
  /** A front whose client has done its handshake. */
  open(options?: StartOptions): Promise<ServerProcess>;
  /** A front that was sent nothing yet. */
  start(options?: StartOptions): ServerProcess;
  /** The process ids of the shared processes of this home. */
  processes(): number[];
  /** The socket of the only shared process. */
  socket(): string;
  saveConnections(connections: readonly object[]): void;
}

/** Call it in a `describe`; after each test, nothing is left running. */
export function useSessions(): Sessions {
  let folder: TempFolder | undefined;
  const fronts: ServerProcess[] = [];
  const home = (): string => folder?.path ?? expect.fail('the home is there while a test runs');
  beforeEach(() => {
    folder = createTempFolder();
  });
  afterEach(async () => {
    await Promise.all(fronts.splice(0).map((front) => front.stop()));
    for (const pid of listShared(home())) process.kill(pid, 'SIGKILL');
    folder?.[Symbol.dispose]();
  });
  const start = ({ args = [], env = {}, cwd, file = bin }: StartOptions = {}): ServerProcess => {
    const own = { HOME: home(), XDG_CONFIG_HOME: join(home(), '.config'), TMPDIR: home() };
    const front = new ServerProcess({ file, args: ['--shared', ...args], env: { ...own, ...env }, cwd: cwd ?? home() });
    fronts.push(front);
    return front;
  };
  return {
    get home() {
      return home();
    },
    start,
    async open(options) {
      const front = start(options);
      await front.initialize();
      return front;
    },
    processes: () => listShared(home()),
    socket() {
      const [pid] = listShared(home());
      return readArguments(pid).at(-1) ?? expect.fail('no shared process runs');
    },
    saveConnections(connections) {
      const path = join(home(), '.config', 'dbmole', 'connections.json');
      mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 });
      writeFileSync(path, JSON.stringify({ version: 1, connections }), { mode: 0o600 });
    },
  };
}

/** The text of an answer to `query`. */
export async function ask(front: ServerProcess, sql: string, args: Record<string, unknown> = {}): Promise<string> {
  return readText(await front.callTool('query', { sql, ...args }));
}

function listShared(home: string): number[] {
  const isShared = (pid: number) => {
    const words = readArguments(pid);
    return words.includes('--shared-socket') && readEnvironment(pid).includes(`HOME=${home}`);
  };
  return readdirSync('/proc').map(Number).filter(Boolean).filter(isShared);
}

function readArguments(pid: number | undefined): string[] {
  return readList(`/proc/${pid}/cmdline`);
}

export function readEnvironment(pid: number): string[] {
  return readList(`/proc/${pid}/environ`);
}

/** Empty when the process is gone. */
function readList(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\0').slice(0, -1);
  } catch {
    return [];
  }
}

/** The state of a process, as the system names it; undefined when it is gone or only waits for its parent. */
export function isRunning(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
