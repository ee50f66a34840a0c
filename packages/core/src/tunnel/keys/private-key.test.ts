import { generateKeyPairSync } from 'node:crypto';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ssh2, { type ParsedKey } from 'ssh2';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadSsh2 } from '../library/ssh2-library.ts';
import { loadPrivateKey, parsePrivateKey } from './private-key.ts';

const library = await loadSsh2();
const passphrase = 'correct horse';
const ed25519 = ssh2.utils.generateKeyPairSync('ed25519', { comment: 'plain' });
const sealed = ssh2.utils.generateKeyPairSync('ed25519', { passphrase, cipher: 'aes256-ctr', rounds: 2 });
const sealedGcm = ssh2.utils.generateKeyPairSync('ed25519', { passphrase, cipher: 'aes256-gcm@openssh.com', rounds: 2 });

function parse(text: string, words?: string): ParsedKey {
  return parsePrivateKey(text, words, '/home/me/.ssh/id', library).key;
}

function pem(type: 'pkcs1' | 'sec1' | 'pkcs8', kind: 'rsa' | 'ec' | 'ed25519', words?: string): string {
  const pair =
    kind === 'rsa'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : kind === 'ec'
        ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
        : generateKeyPairSync('ed25519');
  const seal = words === undefined ? {} : { cipher: 'aes-256-cbc', passphrase: words };
  // The runtime's overloads want the type to be known for each kind of key; the pairs below are the legal ones.
  return pair.privateKey.export({ type: type as 'pkcs8', format: 'pem', ...seal }).toString();
}

describe('formats', () => {
  test.each([
    ['OpenSSH', ed25519.private, undefined, 'ssh-ed25519'],
    ['OpenSSH with Windows line ends', ed25519.private.replaceAll('\n', '\r\n'), undefined, 'ssh-ed25519'],
    ['OpenSSH, encrypted', sealed.private, passphrase, 'ssh-ed25519'],
    ['OpenSSH, encrypted with GCM', sealedGcm.private, passphrase, 'ssh-ed25519'],
    ['PKCS#1', pem('pkcs1', 'rsa'), undefined, 'ssh-rsa'],
    ['PKCS#1, encrypted', pem('pkcs1', 'rsa', passphrase), passphrase, 'ssh-rsa'],
    ['SEC1', pem('sec1', 'ec'), undefined, 'ecdsa-sha2-nistp256'],
    ['PKCS#8 RSA', pem('pkcs8', 'rsa'), undefined, 'ssh-rsa'],
    ['PKCS#8 EC', pem('pkcs8', 'ec'), undefined, 'ecdsa-sha2-nistp256'],
    ['PKCS#8 Ed25519', pem('pkcs8', 'ed25519'), undefined, 'ssh-ed25519'],
    ['PKCS#8 Ed25519, encrypted', pem('pkcs8', 'ed25519', passphrase), passphrase, 'ssh-ed25519'],
    ['PKCS#8 RSA, encrypted, with blank lines around', `\n${pem('pkcs8', 'rsa', passphrase)}\n`, passphrase, 'ssh-rsa'],
  ])('%s can be used and signs', (_name, text, words, type) => {
    const key = parse(text, words);
    expect(key.type).toBe(type);
    const data = Buffer.from('data');
    expect(key.verify(data, key.sign(data))).toBe(true);
  });

  test('a converted Ed25519 key is the same key', () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const key = parse(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
    expect(key.getPublicSSH().subarray(-32)).toEqual(Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url'));
  });
});

describe('refusals', () => {
  const old = pem('pkcs1', 'rsa', passphrase);
  const new8 = pem('pkcs8', 'ec', passphrase);

  test.each([
    ['OpenSSH', sealed.private],
    ['OpenSSH with GCM', sealedGcm.private],
    ['PKCS#1', old],
    ['PKCS#8', new8],
  ])('%s: no passphrase and a wrong one are told apart', (_name, text) => {
    const failure = (words: string): unknown =>
      expect.objectContaining({ code: 'E_SSH_KEY_PASSPHRASE', message: expect.stringContaining(words) });
    expect(() => parse(text)).toThrow(failure('no passphrase is configured'));
    expect(() => parse(text, 'wrong')).toThrow(failure('is wrong'));
  });

  test.each([
    ['a public key', ed25519.public, 'public key'],
    ['text', 'hello', 'Unsupported key format'],
    ['a torn key', ed25519.private.slice(0, 120), 'Unsupported key format'],
    ['a torn PKCS#8 key', pem('pkcs8', 'rsa').slice(0, 300), 'cannot be read'],
    ['nothing', '', 'Unsupported key format'],
  ])('%s', (_name, text, words) => {
    expect(() => parse(text)).toThrow(
      expect.objectContaining({ code: 'E_SSH_KEY_FORMAT', message: expect.stringContaining(words) }),
    );
  });

  test('a key type that SSH does not know', () => {
    const { privateKey } = generateKeyPairSync('x25519');
    const text = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    expect(() => parse(text)).toThrow(
      expect.objectContaining({ code: 'E_SSH_KEY_FORMAT', message: expect.stringContaining('x25519') }),
    );
  });

  test('a new PuTTY key comes with the command that converts it', () => {
    const text = 'PuTTY-User-Key-File-3: ssh-ed25519\r\nEncryption: none\r\nComment: x\r\n';
    expect(() => parse(text)).toThrow(
      expect.objectContaining({
        code: 'E_SSH_KEY_FORMAT',
        hint: expect.stringContaining('puttygen /home/me/.ssh/id -O private-openssh'),
      }),
    );
  });
});

describe('loadPrivateKey', () => {
  let home = '';
  const warnings: string[] = [];
  const context = () => ({ ssh2: library, home, log: (level: string, text: string) => warnings.push(`${level} ${text}`) });

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'key-'));
    await writeFile(join(home, 'id'), ed25519.private, { mode: 0o600 });
  });

  afterAll(() => rm(home, { recursive: true }));

  test('reads a path under the home folder, and takes the text of a key as it is', async () => {
    const load = (privateKey: string) => loadPrivateKey({ privateKey, passphrase: undefined }, context());
    expect((await load('~/id')).where).toBe(join(home, 'id'));
    expect((await load(ed25519.private)).key.type).toBe('ssh-ed25519');
    expect((await load(ed25519.private)).where).not.toContain('BEGIN');
    expect(warnings).toEqual([]);
  });

  test('warns of a file that others can read', async () => {
    await chmod(join(home, 'id'), 0o644);
    await loadPrivateKey({ privateKey: '~/id', passphrase: undefined }, context());
    expect(warnings).toEqual([expect.stringContaining('warn others can read')]);
  });

  test.each(['~/nothing', '~'])('%s cannot be read', async (privateKey) => {
    const load = loadPrivateKey({ privateKey, passphrase: undefined }, context());
    await expect(load).rejects.toMatchObject({ code: 'E_SSH_KEY_NOT_FOUND', message: expect.stringContaining(home) });
  });
});
