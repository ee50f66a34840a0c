import { createPrivateKey, type KeyObject } from 'node:crypto';
import { errorCode, errorText, tunnelFailure } from '../failures.ts';

/**
 * ssh2 reads no PKCS#8, and says little about older PEM keys whose passphrase is wrong. The runtime reads all of them, so
 * they are decrypted here, and handed on in a form that ssh2 reads. The text never leaves the process.
 */
export function isConvertible(text: string): boolean {
  return /-----BEGIN (?:ENCRYPTED |RSA |EC |DSA )?PRIVATE KEY-----/.test(text);
}

export function convertPem(text: string, passphrase: string | undefined, where: string): string {
  const key = decrypt(text, passphrase, where);
  if (key.asymmetricKeyType === 'rsa') return key.export({ type: 'pkcs1', format: 'pem' }).toString();
  if (key.asymmetricKeyType === 'ec') return key.export({ type: 'sec1', format: 'pem' }).toString();
  if (key.asymmetricKeyType === 'ed25519') return formatEd25519(key);
  throw tunnelFailure('E_SSH_KEY_FORMAT', `${where} is a ${key.asymmetricKeyType} key; expected RSA, ECDSA or Ed25519`, {
    hint: 'Create a new key with `ssh-keygen -t ed25519`.',
  });
}

function decrypt(text: string, passphrase: string | undefined, where: string): KeyObject {
  const isEncrypted = /-----BEGIN ENCRYPTED|^Proc-Type: 4,ENCRYPTED/m.test(text);
  // Without one given, OpenSSL would ask on the terminal in some builds; an empty one cannot be right.
  if (isEncrypted && !passphrase) {
    throw tunnelFailure('E_SSH_KEY_PASSPHRASE', `${where} is encrypted and no passphrase is configured`);
  }
  try {
    return createPrivateKey({ key: text.trim(), format: 'pem', ...(isEncrypted ? { passphrase: passphrase ?? '' } : {}) });
  } catch (error) {
    throw explain(error, isEncrypted, where);
  }
}

function explain(error: unknown, isEncrypted: boolean, where: string): Error {
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
