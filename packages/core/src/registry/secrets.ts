import type { SecretRef } from '../connection.ts';
import { Failure, type FailureCode } from '../failure.ts';
import { readSmallFile } from '../files/read-file.ts';
import { rememberSecret } from '../redact.ts';
import type { Origin } from './entry.ts';
import { type Environment, readVariable } from './expand.ts';
import { absolutePath } from './paths.ts';
import { runCommand } from './run-command.ts';

export interface SecretContext {
  env: Environment;
  origin: Origin;
  connection: string;
  /** For messages, for example `ssh.jump[0].password`. */
  field: string;
  /** Relative paths start here, and commands run here. */
  base: string;
  home: string;
  signal?: AbortSignal | undefined;
  commandTimeoutMs?: number;
  /** Texts that are shown of this connection; a secret that is one of them is none. */
  shown?: ReadonlySet<string>;
}

const maxBytes = 65_536;
const commandTimeoutMs = 15_000;

/** The secret itself. It is known to the redaction before anybody else gets it. */
export async function resolveSecret(ref: SecretRef, context: SecretContext): Promise<string> {
  const value = await readSecret(ref, context);
  if (context.shown?.has(value) !== true) rememberSecret(value);
  return value;
}

/** Commands run only for connections that a person wrote into a file; the variable may have been set by anything. */
export function mayRunCommands(origin: Origin): boolean {
  return origin.kind !== 'env';
}

export function commandRefused(context: Pick<SecretContext, 'connection' | 'field' | 'origin'>): Failure {
  return failed(context, 'E_SECRET_COMMAND', 'refers to a command, and commands run only for connections in a file', {
    hint: 'Use {"env": "NAME"} or {"file": "/path"} here, or move the connection into the store or a project file.',
  });
}

async function readSecret(ref: SecretRef, context: SecretContext): Promise<string> {
  if (typeof ref === 'string') return ref;
  if ('env' in ref) return readEnv(ref.env, context);
  if ('file' in ref) return readFile(ref.file, context);
  return runSecretCommand(ref.command, context);
}

function readEnv(name: string, context: SecretContext): string {
  const value = readVariable(context.env, name);
  if (value) return value;
  const state = value === undefined ? 'is not set' : 'is empty';
  throw failed(context, 'E_SECRET_UNSET', `refers to the environment variable ${name}, which ${state}`, {
    hint: `Set ${name} in the environment of this server (the "env" of its entry in the client's configuration).`,
  });
}

function readFile(name: string, context: SecretContext): string {
  const path = absolutePath(name, context);
  const hint = 'The file holds the secret alone, as text of at most 64 KB; check its path and permissions.';
  const fail = (what: string, cause?: unknown) =>
    failed(context, 'E_SECRET_FILE', `refers to the file ${path}, ${what}`, { hint, cause });
  let bytes: Buffer | undefined;
  try {
    bytes = readSmallFile(path, { maxBytes, kind: 'secret' })?.bytes;
  } catch (error) {
    throw fail(`which cannot be used: ${error instanceof Error ? error.message : 'unknown error'}`, error);
  }
  if (bytes === undefined) throw fail('which does not exist');
  const text = decode(bytes);
  if (text === undefined) throw fail('which is not text in UTF-8');
  if (text === '') throw fail('which is empty');
  return text;
}

async function runSecretCommand(argv: readonly string[], context: SecretContext): Promise<string> {
  if (!mayRunCommands(context.origin)) throw commandRefused(context);
  const timeoutMs = context.commandTimeoutMs ?? commandTimeoutMs;
  const result = await runCommand(argv, { env: context.env, cwd: context.base, timeoutMs, maxBytes, signal: context.signal });
  // Only the program's name: its arguments may say more than they should.
  const program = argv[0] ?? '';
  const fail = (what: string) =>
    failed(context, 'E_SECRET_COMMAND', `refers to the command ${program}, which ${what}`, {
      hint: `Run ${program} in a terminal with the same arguments; it must print the secret alone and ask nothing.`,
    });
  if (result.outcome === 'aborted')
    throw new Failure('cancelled', `reading ${context.field} of "${context.connection}" was cancelled`);
  if (result.outcome === 'timeout') throw fail(`did not end within ${timeoutMs / 1000} s`);
  if (result.outcome === 'too-much') throw fail('printed more than 64 KB');
  if (result.outcome === 'not-started') throw fail(`could not be started (${result.code})`);
  if (result.outcome === 'failed') throw fail(`ended with ${result.exit}`);
  const text = decode(result.output);
  if (text === undefined) throw fail('printed something that is not text in UTF-8');
  if (text === '') throw fail('printed nothing');
  return text;
}

/** Without the newline that editors and `echo` put at the end; only one, a secret may end with others. */
function decode(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).replace(/\r?\n$/, '');
  } catch {
    return undefined;
  }
}

function failed(
  context: Pick<SecretContext, 'connection' | 'field' | 'origin'>,
  code: FailureCode,
  what: string,
  options: { hint: string; cause?: unknown },
): Failure {
  const { connection, field, origin } = context;
  return new Failure('secret', `the field ${field} of connection "${connection}" (${origin.where}) ${what}`, {
    code,
    ...options,
  });
}
