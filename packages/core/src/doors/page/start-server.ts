import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Failure } from '../../failure.ts';
import { makeFolder } from '../../files/atomic-write.ts';
import { type RunningMark, readRunning } from '../project/running-mark.ts';

interface StartOptions {
  /** The name of the program. */
  name: string;
  /** The folder of the project. */
  root: string;
  stateFolder: string;
  /** Options of the server, as they were on the command line. */
  args: readonly string[];
  env: NodeJS.ProcessEnv;
}

/** Reading a large configuration and asking for secrets may take this long. */
const startMs = 20_000;
const pollMs = 50;
const maxLogLines = 5;

/** Starts `serve` for a project in a process that outlives this one. Resolves when it listens. */
export async function startServer({ name, root, stateFolder, args, env }: StartOptions): Promise<RunningMark> {
  makeFolder(stateFolder);
  const path = join(stateFolder, 'serve.log');
  const log = openSync(path, 'w', 0o600);
  const words = [...process.execArgv, process.argv[1] ?? '', 'serve', ...args];
  const child = spawn(process.execPath, words, {
    cwd: root,
    env,
    detached: true,
    windowsHide: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  let isOver = false;
  child.on('error', () => (isOver = true)).on('exit', () => (isOver = true));
  child.unref();
  const end = Date.now() + startMs;
  while (Date.now() < end) {
    const mark = readRunning(stateFolder, root);
    if (mark !== undefined) return mark;
    if (isOver) break;
    await delay(pollMs);
  }
  const said = readFileSync(path, 'utf8').trim().split('\n').slice(-maxLogLines).join(' ');
  throw new Failure('config', `${name} serve did not start: ${said || 'it printed nothing'}`, {
    hint: { run: 'serve', to: 'see why' },
  });
}
