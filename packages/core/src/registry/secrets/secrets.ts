import type { SecretRef, SourceRef } from '../../connection.ts';
import { Failure, type Hint } from '../../failure.ts';
import { readSmallFile } from '../../files/read-file.ts';
import { rememberSecret } from '../../redact/redact.ts';
import { absolutePath } from '../sources/paths.ts';
import { readVariable } from './expand.ts';
import { isOpReference } from './op-reference.ts';
import { readFromProgram } from './run-command.ts';
import { decodeSecret, maxSecretBytes, type SecretContext, secretFailure } from './secret-context.ts';

/** The secret itself. The redaction knows it before any caller does. */
export async function resolveSecret(ref: SecretRef, context: SecretContext): Promise<string> {
  const value = await readSecret(ref, context);
  if (context.shown?.has(value) !== true) rememberSecret(value);
  return value;
}

async function readSecret(ref: SecretRef, context: SecretContext): Promise<string> {
  if (typeof ref === 'string') return ref;
  if ('env' in ref) return readEnv(ref.env, context);
  if ('file' in ref) return readFile(ref.file, context);
  if ('command' in ref) return await readCommand(ref.command, context);
  if ('keychain' in ref) return await readKeychain(ref.keychain, context);
  return await readSource(ref, context);
}

function readEnv(name: string, context: SecretContext): string {
  const value = readVariable(context.env, name);
  // It is not for a variable to say that a program shall run.
  if (value && isOpReference(value)) {
    throw secretFailure(
      context,
      `refers to the environment variable ${name}, which holds an op:// reference instead of the secret`,
      {
        code: 'E_SECRET_REFERENCE',
        hint: 'Start the server with `op run --`, or write the reference into the field itself.',
      },
    );
  }
  if (value) return value;
  const state = value === undefined ? 'is not set' : 'is empty';
  throw secretFailure(context, `refers to the environment variable ${name}, which ${state}`, {
    code: 'E_SECRET_UNSET',
    hint: `Set ${name} in the environment of this server (the "env" of its entry in the client's configuration).`,
  });
}

function readFile(name: string, context: SecretContext): string {
  const path = absolutePath(name, context);
  const hint = 'Check its path and permissions; it must hold the secret alone, as text of at most 64 KB.';
  const fail = (what: string, cause?: unknown) =>
    secretFailure(context, `refers to the file ${path}, ${what}`, { code: 'E_SECRET_FILE', hint, cause });
  let bytes: Buffer | undefined;
  try {
    bytes = readSmallFile(path, { maxBytes: maxSecretBytes, kind: 'secret' })?.bytes;
  } catch (error) {
    throw fail(`which cannot be used: ${error instanceof Error ? error.message : 'unknown error'}`, error);
  }
  if (bytes === undefined) throw fail('which does not exist');
  const text = decodeSecret(bytes);
  if (text === undefined) throw fail('which is not text in UTF-8');
  if (text === '') throw fail('which is empty');
  return text;
}

async function readCommand(argv: readonly string[], context: SecretContext): Promise<string> {
  const reading = await readFromProgram(argv, context);
  if ('secret' in reading) return reading.secret;
  // Only the program's name: its arguments may say more than they should.
  const program = argv[0] ?? '';
  throw secretFailure(context, `refers to the command ${program}, which ${reading.problem}`, {
    code: 'E_SECRET_COMMAND',
    hint: `Run ${program} in a terminal with the same arguments; it must print the secret alone, without a prompt.`,
  });
}

async function readSource(ref: SourceRef, context: SecretContext): Promise<string> {
  const named = ref.name === undefined ? ref.from : `${ref.from} ("${ref.name}")`;
  const fail = (what: string, { code, hint, cause }: { code?: Failure['code']; hint?: Hint; cause?: unknown }) =>
    secretFailure(context, `refers to ${named}: ${what}`, { code: code ?? 'E_SECRET_SOURCE', hint, cause });
  const hint = 'Add it there, or use another form of reference.';
  let secret: string | undefined;
  try {
    secret = await context.lookUp?.(ref);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw fail(error.message, { code: error.code, hint: error.next ?? hint, cause: error });
  }
  if (secret) return secret;
  throw fail('it has no entry for this connection', { hint });
}

interface KeychainItem {
  service: string;
  account: string;
}

interface KeychainProgram {
  argv: readonly string[];
  /** How a person puts the secret there; it asks for the secret itself. */
  store: string;
  /** How a person gets the program. */
  install: string;
}

/** Reads the system's keychain through the program that comes with it, so that the system decides who may read what. */
async function readKeychain(item: KeychainItem, context: SecretContext): Promise<string> {
  const program = programFor(item, context.platform ?? process.platform);
  const other = 'use {"command": […]} with the program of your password manager, or {"file": …} or {"env": …}';
  if (program === undefined) {
    throw secretFailure(context, 'refers to a keychain, and this system has no program that reads its own', {
      code: 'E_SECRET_KEYCHAIN',
      hint: `Here, ${other}.`,
    });
  }
  const reading = await readFromProgram(program.argv, context);
  if ('secret' in reading) return reading.secret;
  const [name = ''] = program.argv;
  const { service, account } = item;
  const place = `service ${JSON.stringify(service)}, account ${JSON.stringify(account)}`;
  throw secretFailure(context, `refers to the keychain (${place}), and ${name}, which reads it, ${reading.problem}`, {
    code: 'E_SECRET_KEYCHAIN',
    hint: reading.started
      ? `Unlock the keychain; if the secret is not in it, run: ${program.store}`
      : `${program.install}, or ${other}.`,
  });
}

function programFor({ service, account }: KeychainItem, platform: NodeJS.Platform): KeychainProgram | undefined {
  if (platform === 'win32') return undefined;
  const [s, a] = [JSON.stringify(service), JSON.stringify(account)];
  if (platform === 'darwin') {
    return {
      argv: ['security', 'find-generic-password', '-s', service, '-a', account, '-w'],
      store: `security add-generic-password -s ${s} -a ${a} -w`,
      install: 'Add /usr/bin to PATH: the program is a part of macOS',
    };
  }
  return {
    argv: ['secret-tool', 'lookup', 'service', service, 'account', account],
    store: `secret-tool store --label=${s} service ${s} account ${a}`,
    install: 'Install secret-tool (in the package libsecret-tools, or libsecret)',
  };
}
