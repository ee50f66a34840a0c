import { createHmac, randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fingerprint, isGlobMatch, keyType, knownHostName, scanKnownHosts } from './known-hosts.ts';

function blob(type: string, body = randomBytes(32)): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(type.length);
  return Buffer.concat([length, Buffer.from(type), Buffer.from([0, 0, 0, body.length]), body]);
}

const key = blob('ssh-ed25519');
const keyText = `ssh-ed25519 ${key.toString('base64')}`;

function hashed(name: string): string {
  const salt = randomBytes(20);
  return `|1|${salt.toString('base64')}|${createHmac('sha1', salt).update(name).digest('base64')}`;
}

function isKnown(line: string, name: string): boolean {
  return scanKnownHosts(line, 'file').entries.some((entry) => entry.matches(name));
}

describe('scanKnownHosts', () => {
  test('reads plain lines, with comments, blank lines, tabs and Windows line ends', () => {
    const text = `# comment\r\n\r\nbastion,10.0.0.1 ${keyText} user@somewhere\r\n\tother\t${keyText.replace(' ', '\t')}\n`;
    const { entries, skipped } = scanKnownHosts(text, '/kh');
    expect(skipped).toEqual([]);
    expect(entries.map((entry) => entry.where)).toEqual(['/kh:3', '/kh:4']);
    expect(entries[0]?.key).toEqual(key);
    expect(entries[0]?.type).toBe('ssh-ed25519');
    expect(['bastion', '10.0.0.1', 'other', 'bastion2'].map((name) => entries[0]?.matches(name))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  test.each([
    ['bastion', 'bastion', true],
    ['BASTION', 'bastion', true],
    ['bastion', '[bastion]:2222', false],
    ['[bastion]:2222', '[bastion]:2222', true],
    ['[bastion]:2222', 'bastion', false],
    ['*.example.com', 'a.example.com', true],
    ['*.example.com', 'example.com', false],
    ['[*.example.com]:2222', '[a.example.com]:2222', true],
    ['bastion?', 'bastion1', true],
    ['bastion?', 'bastion12', false],
    ['*.example.com,!evil.example.com', 'evil.example.com', false],
    ['!evil.example.com,*.example.com', 'evil.example.com', false],
    ['*.example.com,!evil.example.com', 'good.example.com', true],
    ['a.c', 'abc', false],
  ])('%s and %s: %s', (pattern, name, expected) => {
    expect(isKnown(`${pattern} ${keyText}`, name)).toBe(expected);
  });

  test('compares hashed names, with and without a port', () => {
    const line = `${hashed('[bastion]:2222')} ${keyText}`;
    expect(isKnown(line, '[bastion]:2222')).toBe(true);
    expect(isKnown(line, 'bastion')).toBe(false);
  });

  test('tells keys from revoked ones and from those of certificate authorities', () => {
    const { entries, skipped } = scanKnownHosts(`@revoked * ${keyText}\n@cert-authority * ${keyText}\n* ${keyText}\n`, 'file');
    expect(entries.map((entry) => entry.trust)).toEqual(['revoked', 'authority', 'key']);
    expect(skipped).toEqual([]);
  });

  test.each([
    'bastion',
    'bastion ssh-ed25519',
    'bastion ssh-ed25519 not*base64',
    `bastion ssh-rsa ${key.toString('base64')}`,
    'bastion 2048 35 1234567890',
    `@unknown bastion ${keyText}`,
    `@revoked bastion ssh-ed25519`,
    `|2|c2FsdA==|aGFzaA== ${keyText}`,
    `|1|c2FsdA==|aGFzaA== ${keyText}`,
    `!bastion ${keyText}`,
    `, ${keyText}`,
  ])('skips %s, and goes on', (line) => {
    const { entries, skipped } = scanKnownHosts(`good ${keyText}\n${line}\nbetter ${keyText}`, 'file');
    expect(skipped).toEqual([2]);
    expect(entries).toHaveLength(2);
  });

  test('never throws, whatever is in the file', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 200 }),
        fc.constantFrom('', '@revoked ', '|1|', 'a b '),
        (noise, prefix) => {
          const { entries } = scanKnownHosts(`${prefix}${noise}\ngood ${keyText}`, 'file');
          expect(entries.at(-1)?.matches('good')).toBe(true);
        },
      ),
    );
  });

  test('a hashed line speaks about its own name only', () => {
    const name = fc.tuple(fc.domain(), fc.integer({ min: 1, max: 65535 })).map(([host, port]) => knownHostName(host, port));
    fc.assert(
      fc.property(name, name, (mine, other) => {
        const line = `${hashed(mine)} ${keyText}`;
        expect(isKnown(line, mine)).toBe(true);
        expect(isKnown(line, other)).toBe(mine === other);
      }),
    );
  });
});

test('isGlobMatch agrees with a regular expression', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '.'), maxLength: 8 });
  const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '.', '*', '?'), maxLength: 8 });
  fc.assert(
    fc.property(pattern, text, (glob, name) => {
      const source = glob.replaceAll('.', '\\.').replaceAll('*', '.*').replaceAll('?', '.');
      expect(isGlobMatch(glob, name)).toBe(new RegExp(`^${source}$`).test(name));
    }),
  );
});

test('knownHostName spells hosts as ssh does', () => {
  expect(knownHostName('Bastion.Example.com', 22)).toBe('bastion.example.com');
  expect(knownHostName('Bastion', 2222)).toBe('[bastion]:2222');
  expect(knownHostName('::1', 2222)).toBe('[::1]:2222');
});

test('keyType and fingerprint survive rubbish', () => {
  expect(keyType(key)).toBe('ssh-ed25519');
  expect(keyType(Buffer.from([0, 0]))).toBeUndefined();
  expect(keyType(Buffer.from([255, 255, 255, 255, 1]))).toBeUndefined();
  expect(fingerprint(Buffer.from('x'))).toBe('SHA256:LXEWQrcmsEQBYnyp+6wy9chTD7GQPMTbAiWHF5IaSIE');
});
