import { describe, expect, test } from 'vitest';
import { readHint } from '../../testing/failure-of.ts';
import { readHop } from '../route.ts';
import { HostKeyPolicy } from './host-keys.ts';
import { fingerprint, scanKnownHosts } from './known-hosts.ts';

function toKey(type: string, seed: number): Buffer {
  const field = (bytes: Buffer): Buffer => Buffer.concat([Buffer.from([0, 0, 0, bytes.length]), bytes]);
  return Buffer.concat([field(Buffer.from(type)), field(Buffer.alloc(32, seed))]);
}

function line(hosts: string, type: string, seed: number): string {
  return `${hosts} ${type} ${toKey(type, seed).toString('base64')}\n`;
}

interface Setup {
  lines?: string;
  pins?: string[];
  port?: number;
}

function policy({ lines = '', pins = [], port = 22 }: Setup): HostKeyPolicy {
  const hop = readHop({ host: 'bastion', port, user: 'me', hostKeys: pins });
  return new HostKeyPolicy(hop, scanKnownHosts(lines, '/kh').entries);
}

const ed1 = toKey('ssh-ed25519', 1);
const ed2 = toKey('ssh-ed25519', 2);

describe('judge', () => {
  test('accepts exactly the known key', () => {
    const subject = policy({ lines: line('bastion', 'ssh-ed25519', 1) });
    expect(subject.judge(ed1)).toBeUndefined();
    expect(subject.judge(ed1)).toBeUndefined();
    expect(subject.judge(ed2)?.code).toBe('E_SSH_HOST_KEY_CHANGED');
  });

  test('tells the fingerprint of an unknown key, and that it can be accepted', () => {
    const failure = policy({ port: 2222 }).judge(ed1);
    expect(failure?.code).toBe('E_SSH_HOST_KEY_UNKNOWN');
    expect(failure?.kind).toBe('tunnel');
    expect(failure?.message).toContain(`bastion:2222 has not been accepted yet: ssh-ed25519 ${fingerprint(ed1)}`);
    expect(readHint(failure)).toContain('Compare this fingerprint with one from a trusted source.');
    expect(failure?.detail.awaitsTrust).toBe(true);
  });

  test('names the old and the new fingerprint of a changed key, and where the old one is stored', () => {
    const failure = policy({ lines: line('bastion', 'ssh-ed25519', 1) }).judge(ed2);
    expect(failure?.message).toContain(`accepted is ssh-ed25519 ${fingerprint(ed1)} (/kh:1)`);
    expect(failure?.message).toContain(`is ssh-ed25519 ${fingerprint(ed2)}`);
    expect(readHint(failure)).toContain("ssh-keygen -R 'bastion' -f '/kh'");
    expect(failure?.detail.awaitsTrust).toBe(true);
  });

  test('a key of another type than the known one is a changed key, not an unknown one', () => {
    const subject = policy({ lines: line('bastion', 'ssh-rsa', 1) });
    expect(subject.judge(ed1)?.code).toBe('E_SSH_HOST_KEY_CHANGED');
  });

  test('pins decide alone', () => {
    const lines = line('bastion', 'ssh-ed25519', 1);
    expect(policy({ lines, pins: [fingerprint(ed2)] }).judge(ed2)).toBeUndefined();
    expect(policy({ lines, pins: [`${fingerprint(ed2)}=`] }).judge(ed2)).toBeUndefined();
    const refusal = policy({ lines, pins: [fingerprint(ed2)] }).judge(ed1);
    expect(refusal?.code).toBe('E_SSH_HOST_KEY_CHANGED');
    expect(refusal?.message).toContain(`accepted is ${fingerprint(ed2)}`);
    expect(readHint(refusal)).toContain('replace the pin');
    expect(refusal?.detail.awaitsTrust).toBeUndefined();
  });

  test('a revoked key is refused whatever else accepts it', () => {
    const lines = `${line('bastion', 'ssh-ed25519', 1)}@revoked * ${line('', 'ssh-ed25519', 1).trim()}`;
    expect(policy({ lines }).judge(ed1)?.code).toBe('E_SSH_HOST_KEY_REVOKED');
    expect(policy({ lines, pins: [fingerprint(ed1)] }).judge(ed1)?.code).toBe('E_SSH_HOST_KEY_REVOKED');
    expect(policy({ lines, port: 2222 }).judge(ed1)?.code).toBe('E_SSH_HOST_KEY_REVOKED');
    expect(policy({ lines: `@revoked ${line('elsewhere', 'ssh-ed25519', 1)}` }).judge(ed1)?.code).toBe('E_SSH_HOST_KEY_UNKNOWN');
  });

  test('a line without a port accepts its key on another port and says nothing about others', () => {
    const lines = line('bastion', 'ssh-ed25519', 1);
    expect(policy({ lines, port: 2222 }).judge(ed1)).toBeUndefined();
    expect(policy({ lines, port: 2222 }).judge(ed2)?.code).toBe('E_SSH_HOST_KEY_UNKNOWN');
    const both = lines + line('[bastion]:2222', 'ssh-ed25519', 2);
    expect(policy({ lines: both, port: 2222 }).judge(ed1)?.code).toBe('E_SSH_HOST_KEY_CHANGED');
  });

  test('a key that cannot be read is refused', () => {
    expect(policy({}).judge(Buffer.from('\u0000\u0000'))?.code).toBe('E_SSH_HOST_KEY_UNKNOWN');
  });
});

describe('algorithms', () => {
  test('prefers the types of the accepted keys', () => {
    expect(policy({}).algorithms()[0]).toBe('ssh-ed25519');
    expect(
      policy({ lines: line('bastion', 'ssh-rsa', 1) })
        .algorithms()
        .slice(0, 2),
    ).toEqual(['rsa-sha2-512', 'rsa-sha2-256']);
    expect(policy({ lines: line('bastion', 'ecdsa-sha2-nistp384', 1) }).algorithms()[0]).toBe('ecdsa-sha2-nistp384');
  });

  test('a pin counts by the line that has its key', () => {
    const lines = line('bastion', 'ssh-ed25519', 1) + line('bastion', 'ssh-rsa', 2);
    const pins = [fingerprint(toKey('ssh-rsa', 2))];
    expect(policy({ lines, pins }).algorithms()[0]).toBe('rsa-sha2-512');
  });

  test('never offers SHA-1 signatures or DSA', () => {
    const names: string[] = policy({ lines: line('bastion', 'ssh-rsa', 1) }).algorithms();
    expect(names).toHaveLength(6);
    expect(names).not.toContain('ssh-rsa');
    expect(names).not.toContain('ssh-dss');
  });
});

test('a server that is known by its certificate alone is unknown to us, and the error names the way to it', () => {
  const lines = `@cert-authority *,[*]:* ssh-ed25519 ${ed2.toString('base64')}\n`;
  const failure = policy({ lines, port: 2222 }).judge(ed1);
  expect(failure?.code).toBe('E_SSH_HOST_KEY_UNKNOWN');
  expect(failure?.message).toContain('/kh:1 trusts its certificate');
  expect(readHint(failure)).toMatch(/^Name the server in ~\/\.ssh\/config/);
  expect(policy({ lines: `@cert-authority * ssh-ed25519 ${ed1.toString('base64')}\n` }).judge(ed1)?.code).toBe(
    'E_SSH_HOST_KEY_UNKNOWN',
  );
});
