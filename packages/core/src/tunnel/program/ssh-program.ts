import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { onAbort } from '../../abort.ts';
import type { Failure } from '../../failure.ts';
import { inOwnGroup, killGroup } from '../../process-group.ts';
import { errorCode, tunnelFailure } from '../failures.ts';
import { cleanServerText } from '../library/server-text.ts';

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

interface RunResult {
  /** Null when it was stopped. */
  code: number | null;
  stdout: string;
  stderr: string;
}

const maxOutput = 256 * 1024;

/**
 * Runs it to its end; no shell, and nothing to read. Rejects only when it cannot be started. When it is stopped, so is what it started:
 * a `ProxyCommand` or `Match exec` would go on alone.
 */
export function runSsh(program: SshProgram, { args, timeoutMs, signal }: Run): Promise<RunResult> {
  if (signal?.aborted) return Promise.resolve({ code: null, stdout: '', stderr: '' });
  return new Promise((resolve, reject) => {
    const child = spawn(program.command, [...program.args, ...args], {
      env: { ...program.env },
      // What it inherits otherwise is the protocol's own input.
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: inOwnGroup,
      windowsHide: true,
    });
    const stop = (): void => {
      killGroup(child);
      end(null);
    };
    const outputs = [child.stdout, child.stderr].map((output) => collect(output, stop));
    const timer = setTimeout(stop, timeoutMs);
    const stopListening = onAbort(signal, stop);
    const end = (code: number | null): void => {
      clearTimeout(timer);
      stopListening();
      const [stdout = '', stderr = ''] = outputs.map(({ finish }) => finish());
      resolve({ code, stdout, stderr });
    };
    child.once('error', (error) => {
      if (errorCode(error) === 'ENOENT') reject(missingProgram(error));
      end(null);
    });
    child.once('close', end);
  });
}

/** The output so far, as text; unreasonably long output stops the program. Where descriptors are used up, there is no output. */
function collect(output: Readable | null | undefined, stop: () => void): { finish(): string } {
  const chunks: Buffer[] = [];
  let size = 0;
  output?.on('data', (chunk: Buffer) => {
    size += chunk.length;
    chunks.push(chunk);
    if (size > maxOutput) stop();
  });
  return {
    finish() {
      output?.destroy();
      return Buffer.concat(chunks).toString('utf8');
    },
  };
}

export function startSsh(program: SshProgram, args: readonly string[]): ChildProcess {
  return spawn(program.command, [...program.args, ...args], {
    env: { ...program.env },
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
  });
}

function missingProgram(cause: unknown): Failure {
  return tunnelFailure('E_SSH_PROGRAM', 'the program ssh is not on the PATH', {
    hint: 'Install OpenSSH, or configure the SSH server in the connection: "ssh": { "host": …, "user": …, "privateKey": … }.',
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

/** Its complaint, quoted: the first line names the reason when it reads files, the last when it connects. */
export function complaint(stderr: string, which: 'first' | 'last'): string {
  const lines = stderr.split(/\r?\n/).filter((line) => line.trim() !== '');
  return cleanServerText((which === 'first' ? lines[0] : lines.at(-1)) ?? '') || 'it says nothing';
}
