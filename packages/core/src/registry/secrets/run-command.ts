import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { onAbort } from '../../abort.ts';
import { systemCode } from '../../files/system-code.ts';
import { inOwnGroup, killGroup } from '../../process-group.ts';
import { canonical } from '../tree.ts';
import type { Environment } from './expand.ts';
import { decodeSecret, maxSecretBytes, mayRunPrograms, programRefused, type SecretContext } from './secret-context.ts';
import { type Reading, SecretMemory } from './secret-memory.ts';

interface CommandOptions {
  env: Environment;
  cwd: string;
  timeoutMs: number;
  maxBytes: number;
  signal?: AbortSignal | undefined;
}

type CommandResult =
  | { outcome: 'done'; output: Buffer }
  | { outcome: 'failed'; exit: string }
  | { outcome: 'not-started'; code: string }
  | { outcome: 'timeout' }
  | { outcome: 'too-much' }
  | { outcome: 'aborted' };

/** How long output may still come after the command itself has ended: something it started may hold the pipe open. */
const afterExitMs = 500;

/**
 * Runs a program without a shell. It gets no stdin, because ours carries the protocol, and its stderr goes nowhere, because
 * its content is unknown. It and what it started are gone when this returns early.
 */
function runCommand(argv: readonly string[], options: CommandOptions): Promise<CommandResult> {
  const [program = '', ...args] = argv;
  if (options.signal?.aborted) return Promise.resolve({ outcome: 'aborted' });
  return new Promise((resolve) => {
    let child: ChildProcessByStdio<null, Readable, null>;
    try {
      child = spawn(program, args, {
        stdio: ['ignore', 'pipe', 'ignore'],
        env: { ...options.env },
        cwd: options.cwd,
        shell: false,
        windowsHide: true,
        detached: inOwnGroup,
      });
    } catch (error) {
      return resolve({ outcome: 'not-started', code: systemCode(error) ?? 'unknown error' });
    }
    follow(child, options, resolve);
  });
}

function follow(
  child: ChildProcessByStdio<null, Readable, null>,
  options: CommandOptions,
  resolve: (result: CommandResult) => void,
): void {
  const chunks: Buffer[] = [];
  let size = 0;
  let exit: string | undefined;
  const settle = (result: CommandResult) => {
    clearTimeout(timer);
    stopListening();
    if (result.outcome !== 'done' && result.outcome !== 'failed') killGroup(child);
    child.stdout.destroy();
    resolve(result);
  };
  const finish = () =>
    settle(exit === undefined ? { outcome: 'done', output: Buffer.concat(chunks) } : { outcome: 'failed', exit });
  let timer = setTimeout(() => settle({ outcome: 'timeout' }), options.timeoutMs);
  const stopListening = onAbort(options.signal, () => settle({ outcome: 'aborted' }));
  child.stdout.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > options.maxBytes) settle({ outcome: 'too-much' });
    else chunks.push(chunk);
  });
  child.on('error', (error) => settle({ outcome: 'not-started', code: systemCode(error) ?? 'unknown error' }));
  child.on('exit', (code, signal) => {
    exit = code === 0 ? undefined : signal ? `signal ${signal}` : `exit code ${code}`;
    clearTimeout(timer);
    timer = setTimeout(finish, afterExitMs);
  });
  child.on('close', finish);
}

const defaultTimeoutMs = 15_000;

/** What a program prints, or printed not long ago. Callers say in their own words why there is nothing. */
export async function readFromProgram(argv: readonly string[], context: SecretContext): Promise<Reading> {
  if (!mayRunPrograms(context.origin)) throw programRefused(context);
  const { memory = new SecretMemory(), base: cwd, signal } = context;
  const { reading, use } = await memory.read(canonical([argv, cwd]), (ending) => run(argv, context, ending), signal);
  if ('secret' in reading) context.onUse?.(use);
  return reading;
}

async function run(argv: readonly string[], context: SecretContext, signal: AbortSignal): Promise<Reading> {
  const { env, base: cwd, commandTimeoutMs: timeoutMs = defaultTimeoutMs } = context;
  const result = await runCommand(argv, { env, cwd, timeoutMs, maxBytes: maxSecretBytes, signal });
  const fail = (problem: string, started = true): Reading => ({ problem, started });
  switch (result.outcome) {
    case 'aborted':
      return fail('was ended');
    case 'timeout':
      return fail(`did not end within ${timeoutMs / 1000} s`);
    case 'too-much':
      return fail('printed more than 64 KB');
    case 'not-started':
      return fail(`could not be started (${result.code})`, false);
    case 'failed':
      return fail(`ended with ${result.exit}`);
    case 'done': {
      const secret = decodeSecret(result.output);
      if (secret === undefined) return fail('printed something that is not text in UTF-8');
      return secret === '' ? fail('printed nothing') : { secret };
    }
  }
}
