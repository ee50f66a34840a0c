import { createHmac, createPrivateKey, type KeyObject, randomBytes } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import type { ParsedKey } from 'ssh2';
import { untilAborted } from '../../abort.ts';
import type { Log } from '../../log.ts';
import { errorCode, errorText, tunnelFailure } from '../failures.ts';
import type { Ssh2 } from '../library/ssh2-library.ts';
import { expandHome } from '../route.ts';

interface KeySource {
  /** A path, or the text of a key. */
  privateKey: string;
  passphrase: string | undefined;
}

interface KeyContext {
  ssh2: Ssh2;
  home: string;
  log: Log;
  /** Gives up waiting for a key that takes long to decrypt. */
  signal?: AbortSignal | undefined;
}

interface LoadedKey {
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

/**
 * Keys of OpenSSH with a passphrase are protected by bcrypt, which is meant to be slow: 0.2 s by default and several
 * seconds where a person asked for it (`ssh-keygen -a 100`). A thread of its own does it, once per key and process.
 */
function isSlowKey(text: string): boolean {
  const base64 = /-----BEGIN OPENSSH PRIVATE KEY-----([A-Za-z0-9+/=\s]*)/.exec(text)?.[1] ?? '';
  const header = Buffer.from(base64.slice(0, 200), 'base64').toString('latin1');
  // Magic word, then the names of cipher and protection, each after four bytes with its length.
  return header.startsWith('openssh-key-v1\0') && header.slice(15).includes('\0\0\0\u0006bcrypt');
}

/** Unique to this process: the memory must not hold a plain hash of a passphrase. */
const secret = randomBytes(32);
const opened = new Map<string, Promise<string>>();

/** The key without its passphrase, as PEM. Rejects with the complaint of ssh2; a key that was opened stays in memory. */
function openSlowKey(text: string, passphrase: string): Promise<string> {
  const name = createHmac('sha256', secret).update(`${text.length} ${text}`).update(passphrase).digest('base64');
  const known = opened.get(name);
  if (known !== undefined) return known;
  const pem = decrypt(text, passphrase);
  opened.set(name, pem);
  pem.catch(() => opened.delete(name));
  return pem;
}

function decrypt(text: string, passphrase: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./key-worker.js', import.meta.url), {
      workerData: { text, passphrase },
      env: {},
      execArgv: [],
      // The first of our pipes is the protocol's.
      stdout: true,
      stderr: true,
    });
    worker.once('message', (answer: { pem: string } | { error: string }) => {
      if ('pem' in answer) resolve(answer.pem);
      else reject(new Error(answer.error));
      void worker.terminate();
    });
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('the thread that opens keys ended')));
  });
}

/**
 * ssh2 reads no PKCS#8, and says little about older PEM keys whose passphrase is wrong. The runtime reads all of them, so
 * they are decrypted here, and handed on in a form that ssh2 reads. The text never leaves the process.
 */
function isConvertible(text: string): boolean {
  return /-----BEGIN (?:ENCRYPTED |RSA |EC |DSA )?PRIVATE KEY-----/.test(text);
}

function convertPem(text: string, passphrase: string | undefined, where: string): string {
  const key = decryptPem(text, passphrase, where);
  if (key.asymmetricKeyType === 'rsa') return key.export({ type: 'pkcs1', format: 'pem' }).toString();
  if (key.asymmetricKeyType === 'ec') return key.export({ type: 'sec1', format: 'pem' }).toString();
  if (key.asymmetricKeyType === 'ed25519') return formatEd25519(key);
  throw tunnelFailure('E_SSH_KEY_FORMAT', `${where} is a ${key.asymmetricKeyType} key; expected RSA, ECDSA or Ed25519`, {
    hint: 'Create a new key with `ssh-keygen -t ed25519`.',
  });
}

function decryptPem(text: string, passphrase: string | undefined, where: string): KeyObject {
  const isEncrypted = /-----BEGIN ENCRYPTED|^Proc-Type: 4,ENCRYPTED/m.test(text);
  // Without one given, OpenSSL would ask on the terminal in some builds; an empty one cannot be right.
  if (isEncrypted && !passphrase) {
    throw tunnelFailure('E_SSH_KEY_PASSPHRASE', `${where} is encrypted and no passphrase is configured`);
  }
  try {
    return createPrivateKey({ key: text.trim(), format: 'pem', ...(isEncrypted ? { passphrase: passphrase ?? '' } : {}) });
  } catch (error) {
    throw explainPem(error, isEncrypted, where);
  }
}

function explainPem(error: unknown, isEncrypted: boolean, where: string): Error {
  if (isEncrypted && errorCode(error) !== 'ERR_OSSL_UNSUPPORTED') {
    return tunnelFailure('E_SSH_KEY_PASSPHRASE', `the passphrase for ${where} is wrong`, { cause: error });
  }
  return tunnelFailure('E_SSH_KEY_FORMAT', `${where} cannot be read as a private key: ${errorText(error)}`, { cause: error });
}

/** The OpenSSH container of an unencrypted Ed25519 key; it is the only format of this type that ssh2 reads. */
function formatEd25519(key: KeyObject): string {
  const { d = '', x = '' } = key.export({ format: 'jwk' });
  const publicPart = Buffer.from(x, 'base64url');
  const publicBlob = Buffer.concat([field('ssh-ed25519'), field(publicPart)]);
  const secret = field(Buffer.concat([Buffer.from(d, 'base64url'), publicPart]));
  const body = Buffer.concat([Buffer.alloc(8), publicBlob, secret, field('')]);
  const padding = Buffer.from(Array.from({ length: (8 - (body.length % 8)) % 8 }, (_, index) => index + 1));
  const one = Buffer.from([0, 0, 0, 1]);
  const header = [Buffer.from('openssh-key-v1\0'), field('none'), field('none'), field(''), one, field(publicBlob)];
  const base64 = Buffer.concat([...header, field(Buffer.concat([body, padding]))]).toString('base64');
  return `-----BEGIN OPENSSH PRIVATE KEY-----\n${base64}\n-----END OPENSSH PRIVATE KEY-----\n`;
}

function field(value: string | Buffer): Buffer {
  const bytes = Buffer.from(value);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
