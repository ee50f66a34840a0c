import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { Writable } from 'node:stream';

/** A program that must not outlive us, however we end. */
export interface KeptPlan {
  command: string;
  args: readonly string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** Whose rights it gets; ours when left out. */
  user: { uid: number; gid: number } | undefined;
  /** Everything it prints goes to the end of this file: our own stdout belongs to the protocol. */
  log: string;
  /** A file that it reads as its stdin. */
  input?: string;
  stopSignal: NodeJS.Signals;
  /** Removed when the program was stopped because we asked for it or are gone; not when it ends by itself. */
  removes: string;
}

export interface Kept {
  /** Of the program, 1 when a signal ended it. */
  exited: Promise<number>;
  stop(): Promise<void>;
}

/**
 * A keeper between us and the program: a second Node whose stdin is a pipe from us. However we end, also by SIGKILL, the system
 * closes that pipe, and the keeper stops the program and tidies up.
 */
export function startKept({ env, user, ...plan }: KeptPlan): Kept {
  const keeper = spawn(process.execPath, ['-e', `(${keep.toString()})()`, JSON.stringify({ ...plan, ...user })], {
    // A session of its own: Ctrl-C in a terminal is for us, and we end in order.
    detached: process.platform !== 'win32',
    windowsHide: true,
    cwd: plan.cwd,
    env,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // It may be gone before we are done with it.
  keeper.stdin.on('error', () => undefined);
  letGo(keeper);
  const exited = once(keeper, 'exit').then(
    ([code]) => (typeof code === 'number' ? code : 1),
    () => 1,
  );
  return {
    exited,
    async stop() {
      keeper.stdin.end();
      keeper.ref();
      await exited;
    },
  };
}

/** Runs it to the end; the answer is undefined when all went well, else what it printed last. */
export async function runKept(plan: KeptPlan, signal: AbortSignal): Promise<string | undefined> {
  const kept = startKept(plan);
  const stop = () => void kept.stop();
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const code = await kept.exited;
  signal.removeEventListener('abort', stop);
  signal.throwIfAborted();
  return code === 0 ? undefined : await readLogEnd(plan.log);
}

export async function readLogEnd(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return text.trim().slice(-1_500) || 'it printed nothing';
}

/** Nothing that we keep may keep us: our end is what stops it. */
function letGo(keeper: ChildProcessByStdio<Writable, null, null>): void {
  keeper.unref();
  // The type promises a plain stream; for a pipe it is a socket, which can be let go.
  (keeper.stdin as Writable & { unref?(): void }).unref?.();
}

/**
 * What the keeper runs. Its text is all that reaches the other process: it may use nothing from around it, neither imports nor
 * functions, and takes the plan from its arguments.
 */
function keep(): void {
  const { spawn } = process.getBuiltinModule('node:child_process');
  const { appendFileSync, openSync, rmSync } = process.getBuiltinModule('node:fs');
  // Written by `startKept` above.
  const plan = JSON.parse(process.argv[1] ?? '') as Omit<KeptPlan, 'env' | 'user'> & { uid?: number; gid?: number };
  const { command, args, uid, gid, input, log, removes, stopSignal } = plan;
  let ending = false;
  const output = openSync(log, 'a');
  const source = input === undefined ? 'ignore' : openSync(input, 'r');
  const rights = uid === undefined || gid === undefined ? {} : { uid, gid };
  // npm is a script on Windows, and such a one needs the shell there; all arguments are our own words.
  const shell = process.platform === 'win32' && command.endsWith('.cmd');
  const child = spawn(command, args, { stdio: [source, output, output], windowsHide: true, shell, ...rights });

  const finish = (code: number) => {
    try {
      if (ending) rmSync(removes, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
    } catch {
      // Whoever starts next tidies up what is left.
    }
    process.exit(code);
  };
  const end = () => {
    if (ending) return;
    ending = true;
    child.kill(stopSignal);
    setTimeout(() => child.kill('SIGKILL'), 3_000);
  };
  child.on('error', (error) => {
    appendFileSync(log, `${error.message}\n`);
    finish(127);
  });
  child.on('exit', (code) => finish(code ?? 1));
  process.stdin.on('end', end).on('close', end).on('error', end).resume();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end);
}
