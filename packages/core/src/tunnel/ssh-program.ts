import { type ChildProcess, execFile, spawn } from 'node:child_process';
import type { Failure } from '../failure.ts';
import { errorCode, tunnelFailure } from './failures.ts';
import { cleanServerText } from './server-text.ts';

/** How the machine's own `ssh` is run. */
export interface SshProgram {
  /** A name on the PATH, or a path. */
  command: string;
  /** In front of everything, for example `-F file`. */
  args: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
}

export function sshProgram(env: SshProgram['env'], args: readonly string[] = []): SshProgram {
  return { command: 'ssh', args, env };
}

interface Run {
  args: readonly string[];
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

export interface RunResult {
  /** Null when it was stopped. */
  code: number | null;
  stdout: string;
  stderr: string;
}

const mostOutput = 256 * 1024;

/** Runs it to its end; no shell, and nothing to read. Rejects only when it cannot be started. */
export function runSsh(program: SshProgram, { args, timeoutMs, signal }: Run): Promise<RunResult> {
  return new Promise((resolve, reject) => {
    const options = {
      env: { ...program.env },
      timeout: timeoutMs,
      killSignal: 'SIGKILL' as const,
      maxBuffer: mostOutput,
      windowsHide: true,
      ...(signal === undefined ? {} : { signal }),
    };
    const child = execFile(program.command, [...program.args, ...args], options, (error, stdout, stderr) => {
      if (errorCode(error) === 'ENOENT') reject(missingProgram(error));
      else resolve({ code: child.exitCode, stdout, stderr });
    });
    // What it inherits otherwise is the protocol's own input.
    child.stdin?.end();
  });
}

export function startSsh(program: SshProgram, args: readonly string[]): ChildProcess {
  return spawn(program.command, [...program.args, ...args], {
    env: { ...program.env },
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
  });
}

export function missingProgram(cause: unknown): Failure {
  return tunnelFailure('E_SSH_PROGRAM', 'the program ssh is not on the PATH', {
    hint: 'Install OpenSSH, or write the SSH server into the connection: "ssh": { "host": …, "user": …, "privateKey": … }.',
    cause,
  });
}

/**
 * A word that may stand where ssh takes a host or a user. One that begins with a hyphen would be an option, and the person's
 * configuration may put it into the line of a shell (`Match exec`, `ProxyCommand`), where quotes and the like would be commands.
 */
export function isHostWord(word: string): boolean {
  return /^[\p{L}\p{N}_.:[\]][\p{L}\p{N}_.:[\]@+-]*$/u.test(word);
}

/** What it complains of, as text of somebody else: its first line names the reason where it reads files, its last where it connects. */
export function complaint(stderr: string, which: 'first' | 'last'): string {
  const lines = stderr.split(/\r?\n/).filter((line) => line.trim() !== '');
  return cleanServerText((which === 'first' ? lines[0] : lines.at(-1)) ?? '') || 'it says nothing';
}
