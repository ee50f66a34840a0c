import { copyFile, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { EngineEntry } from '../catalog.ts';
import { cached, makeReadable } from '../fetch/cache.ts';
import { fetchDebianPackages, findDebianObstacle, privateCommand, privateLibraries } from '../fetch/fetch-debian.ts';
import { fetchMavenArtifact, findMavenObstacle } from '../fetch/fetch-maven.ts';
import { runCommand } from '../run/run-command.ts';
import { findShare } from './mariadb.ts';
import { createMysqlRecipe, type MysqlFlavour } from './mysql-server.ts';
import type { Obstacle } from './recipe.ts';

const smallLog = '--innodb-redo-log-capacity=32M';

const base = {
  initArgs: ['--initialize-insecure', smallLog],
  initSql: async () => '',
  // A third of the memory goes to tables that are open at the same time.
  serverArgs: ['--mysqlx=OFF', smallLog, '--table-open-cache=64', '--table-definition-cache=400', '--max-connections=40'],
  firstStatements: [],
};

const fromDebian: MysqlFlavour = {
  ...base,
  findObstacle: findDebianObstacle,
  fetch: async ({ origin }, directory) => {
    if (origin.registry === 'debian') await fetchDebianPackages(origin.suite, origin.package, directory);
  },
  program: (tree) => privateCommand(tree, 'usr/sbin/mysqld'),
  baseArgs: (tree) => [`--basedir=${join(tree, 'usr')}`, `--lc-messages-dir=${findShare(tree)}`],
};

const fromMaven: MysqlFlavour = {
  ...base,
  findObstacle: findTarballObstacle,
  fetch: fetchTarball,
  program: (tree) => ({ command: join(tree, 'bin/mysqld'), args: [] }),
  baseArgs: (tree) => [`--basedir=${tree}`, `--lc-messages-dir=${join(tree, 'share')}`],
};

export const mysqlRecipe = createMysqlRecipe((entry) => (entry.origin.registry === 'maven' ? fromMaven : fromDebian));

const tarball = 'mysql-Linux-amd64.tar.gz';

function findTarballObstacle(): Obstacle | undefined {
  const platform = `${process.platform}-${process.arch}`;
  if (platform === 'linux-x64') return findMavenObstacle();
  return { reason: `Maven has no small MySQL for ${platform}`, advice: 'Start a Docker engine, or give an address.' };
}

async function fetchTarball({ origin }: EngineEntry, directory: string): Promise<void> {
  if (origin.registry !== 'maven') return;
  await fetchMavenArtifact(origin.artifact, directory, [tarball]);
  await runCommand({ command: 'tar', args: ['xzf', tarball, '--no-same-owner'], cwd: directory });
  await rm(join(directory, tarball));
  await addMissingLibraries(directory);
}

/** A slim system lacks two libraries that the server wants; its own library directory is looked into first. */
async function addMissingLibraries(tree: string): Promise<void> {
  const needed = await runCommand({ command: 'ldd', args: [join(tree, 'bin/mysqld')] });
  if (!needed.includes('not found')) return;
  const extra = await cached('mysql-libraries-bookworm', async (directory) => {
    await fetchDebianPackages('bookworm', 'libaio1 libnuma1', directory);
    await makeReadable(directory);
  });
  const libraries = privateLibraries(extra);
  for (const file of await readdir(libraries)) {
    if (/^lib(aio|numa)\.so\.1$/.test(file)) await copyFile(join(libraries, file), join(tree, 'lib/private', file));
  }
}
