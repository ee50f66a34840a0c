import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findNpm, type Machine, postgres18, postgresPlatform, thisMachine } from './machine.ts';

const linux: Machine = { platform: 'linux', arch: 'x64', musl: false, root: false };
const unavailable = (message: RegExp, hint?: RegExp) =>
  expect.objectContaining({
    code: 'E_ENGINE_UNAVAILABLE',
    message: expect.stringMatching(message),
    ...(hint && { hint: expect.stringMatching(hint) }),
  });

describe('the platforms of PostgreSQL from npm', () => {
  it.each([
    [linux, 'linux-x64'],
    [{ ...linux, root: true }, 'linux-x64'],
    [{ ...linux, arch: 'arm64' }, 'linux-arm64'],
    [{ ...linux, platform: 'darwin', arch: 'arm64' }, 'darwin-arm64'],
    [{ ...linux, platform: 'win32' }, 'windows-x64'],
  ] as [Machine, string][])('knows the package for %j', (machine, name) => {
    const platform = postgresPlatform(machine);
    expect(platform).toBe(name);
    expect(postgres18.integrities[platform]).toMatch(/^sha512-/);
  });

  it.each([
    [{ ...linux, platform: 'freebsd' }, /no PostgreSQL for freebsd-x64/],
    [{ ...linux, arch: 'riscv64' }, /no PostgreSQL for linux-riscv64/],
    [{ ...linux, musl: true }, /Alpine/],
    [{ ...linux, platform: 'darwin', root: true }, /does not run as root/, /as another user/],
  ] as [Machine, RegExp, RegExp?][])('refuses %j', (machine, message, hint) => {
    expect(() => postgresPlatform(machine)).toThrow(unavailable(message, hint));
  });

  it('knows the machine it is on', () => {
    expect(thisMachine()).toMatchObject({ platform: process.platform, arch: process.arch, root: process.getuid?.() === 0 });
  });

  it('finds npm on the path and nowhere else', () => {
    const folder = mkdtempSync(join(tmpdir(), 'dbmole-npm-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const PATH = ['', '/nowhere', folder].join(delimiter);
    expect(() => findNpm({ PATH }, 'linux')).toThrow(unavailable(/npm.* is not on the PATH/, /Install npm/));
    writeFileSync(join(folder, 'npm'), '');
    expect(() => findNpm({ PATH }, 'linux')).toThrow(unavailable(/npm.* is not on the PATH/, /Install npm/));
    writeFileSync(join(folder, 'npm.cmd'), '', { mode: 0o755 });
    expect(findNpm({ PATH }, 'win32')).toBe(join(folder, 'npm.cmd'));
    expect(() => findNpm({}, 'linux')).toThrow(unavailable(/npm/, /npm/));
  });
});
