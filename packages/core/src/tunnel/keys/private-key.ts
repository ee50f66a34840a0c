import { readFile, stat } from 'node:fs/promises';
import type { ParsedKey } from 'ssh2';
import { untilAborted } from '../../abort.ts';
import type { Log } from '../../log.ts';
import { errorCode, errorText, tunnelFailure } from '../failures.ts';
import type { Ssh2 } from '../library/ssh2-library.ts';
import { expandHome } from '../route.ts';
import { convertPem, isConvertible } from './pem.ts';
import { isSlowKey, openSlowKey } from './slow-keys.ts';

export interface KeySource {
  /** A path, or the text of a key. */
  privateKey: string;
  passphrase: string | undefined;
}

export interface KeyContext {
  ssh2: Ssh2;
  home: string;
  log: Log;
  /** Gives up waiting for a key that takes long to decrypt. */
  signal?: AbortSignal | undefined;
}

export interface LoadedKey {
  key: ParsedKey;
  /** The path, or what replaces it in messages. */
  where: string;
}

/** Reads and decrypts a private key. Every failure is one of the three `E_SSH_KEY_…`; nothing else escapes. */
export async function loadPrivateKey(source: KeySource, context: KeyContext): Promise<LoadedKey> {
  const { privateKey, passphrase } = source;
  const isText = isKeyText(privateKey);
  const where = isText ? 'the key in "privateKey"' : expandHome(privateKey, context.home);
  const text = isText ? privateKey : await readKeyFile(where, context.log);
  if (!passphrase || !isSlowKey(text)) return parsePrivateKey(text, passphrase, where, context.ssh2);
  const opened = await openSlow(text, passphrase, where, context.signal);
  return parsePrivateKey(opened, undefined, where, context.ssh2);
}

async function openSlow(text: string, passphrase: string, where: string, signal: AbortSignal | undefined): Promise<string> {
  const work = openSlowKey(text, passphrase).catch((error: Error) => {
    throw explain(error, text, passphrase, where);
  });
  return await (signal === undefined ? work : untilAborted(work, signal));
}

export function parsePrivateKey(text: string, passphrase: string | undefined, where: string, ssh2: Ssh2): LoadedKey {
  const plain = isConvertible(text) ? convertPem(text, passphrase, where) : text;
  const parsed = attempt(() => ssh2.utils.parseKey(plain, passphrase));
  // The library's types leave out that one file may hold several keys.
  const key: ParsedKey | Error = Array.isArray(parsed) ? (parsed[0] ?? new Error('no key in it')) : parsed;
  if (key instanceof Error) throw explain(key, text, passphrase, where);
  if (!key.isPrivateKey()) {
    throw tunnelFailure('E_SSH_KEY_FORMAT', `${where} holds a public key; expected a private key`, {
      hint: 'Name the file without ".pub".',
    });
  }
  return { key, where };
}

export function isKeyText(value: string): boolean {
  return value.includes('-----BEGIN ') || value.startsWith('PuTTY-User-Key-File-');
}

async function readKeyFile(path: string, log: Log): Promise<string> {
  try {
    const text = await readFile(path, 'utf8');
    await warnIfOpen(path, log);
    return text;
  } catch (error) {
    const why = errorCode(error) === 'ENOENT' ? 'there is no such file' : errorText(error);
    throw tunnelFailure('E_SSH_KEY_NOT_FOUND', `cannot read the private key ${path}: ${why}`, { cause: error });
  }
}

async function warnIfOpen(path: string, log: Log): Promise<void> {
  if (process.platform === 'win32') return;
  const { mode } = await stat(path);
  if ((mode & 0o077) !== 0) log('warn', 'others can read this private key; chmod 600 it', { file: path });
}

function attempt<T>(parse: () => T): T | Error {
  try {
    return parse();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function explain(error: Error, text: string, passphrase: string | undefined, where: string): Error {
  if (/no passphrase given/i.test(error.message)) {
    return tunnelFailure('E_SSH_KEY_PASSPHRASE', `${where} is encrypted and no passphrase is configured`, { cause: error });
  }
  if (passphrase !== undefined && isAboutDecryption(error.message)) {
    return tunnelFailure('E_SSH_KEY_PASSPHRASE', `the passphrase for ${where} is wrong`, { cause: error });
  }
  const isPutty = text.trimStart().startsWith('PuTTY-User-Key-File-');
  const hint = isPutty ? { hint: `Convert a copy of it with \`puttygen ${where} -O private-openssh -o FILE\`.` } : {};
  return tunnelFailure('E_SSH_KEY_FORMAT', `${where} cannot be used as a private key: ${error.message}`, {
    ...hint,
    cause: error,
  });
}

function isAboutDecryption(message: string): boolean {
  return /passphrase|integrity check failed|bad decrypt|unable to authenticate|wrong final block/i.test(message);
}
