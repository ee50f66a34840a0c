import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isMysqlGreeting } from '../answers.ts';
import type { EngineEntry } from '../catalog.ts';
import { engineDatabase, enginePassword } from '../credentials.ts';
import { writeEngineFile, writeTlsFiles } from '../engine-file.ts';
import { cached, cachePath, isCached, makeReadable } from '../fetch/cache.ts';
import { withProgress } from '../fetch/progress.ts';
import { readGreeting } from '../run/ports.ts';
import { runCommand } from '../run/run-command.ts';
import { unavailable } from '../unavailable.ts';
import { copyDataTemplate, openDataTemplate } from './data-template.ts';
import type { Launch, Obstacle, Recipe, Run } from './recipe.ts';

/** What differs between MariaDB, MySQL from Debian and MySQL from Maven. */
export interface MysqlFlavour {
  findObstacle(): Obstacle | undefined;
  fetch(entry: EngineEntry, directory: string): Promise<void>;
  /** The server program; `args` come first, when it is started through a loader of its own. */
  program(tree: string): { command: string; args: readonly string[] };
  /** Where the program finds its own files. */
  baseArgs(tree: string): readonly string[];
  initArgs: readonly string[];
  /** What the server reads from stdin while it makes the data directory. */
  initSql(tree: string): Promise<string>;
  serverArgs: readonly string[];
  /** Statements of one line each, run before anyone can log in. */
  firstStatements: readonly string[];
}

const mysqlEnvironment = { PATH: process.env.PATH ?? '', TZ: 'UTC', LC_ALL: 'C.UTF-8' };

/** Both families start the same way, down to the names of their options. */
export function createMysqlRecipe(detectFlavour: (entry: EngineEntry) => MysqlFlavour): Recipe {
  return {
    findObstacle: (entry) => detectFlavour(entry).findObstacle(),
    isFetched: (entry) => isCached(treeName(entry)) && isCached(templateName(entry)),
    fetch: async (entry) => {
      const flavour = detectFlavour(entry);
      await cached(treeName(entry), (directory) => fetchTree(entry, flavour, directory));
      await openDataTemplate(templateName(entry), (directory) => makeTemplate(entry, flavour, directory));
    },
    prepare: (run) => prepare(run, detectFlavour(run.entry)),
  };
}

const treeName = (entry: EngineEntry) => `${entry.id}-${entry.version}`;
const templateName = (entry: EngineEntry) => `${treeName(entry)}-data-1`;

async function fetchTree(entry: EngineEntry, flavour: MysqlFlavour, directory: string): Promise<void> {
  await withProgress(`fetching ${entry.id} (${entry.megabytes} MB)`, async () => {
    await flavour.fetch(entry, directory);
    await makeReadable(directory);
    await writeVersion(entry, flavour, directory);
  });
}

/** A rolling suite may by now have another major version than the tests are about. */
async function writeVersion(entry: EngineEntry, flavour: MysqlFlavour, directory: string): Promise<void> {
  const { command, args } = flavour.program(directory);
  const said = await runCommand({ command, args: [...args, '--no-defaults', '--version'] });
  const version = /Ver (\d+\.\d+\.\d+)/.exec(said)?.[1] ?? '';
  if (!`${version}.`.startsWith(`${entry.version}.`)) {
    throw unavailable(`the registry now has ${entry.kind} ${version || said.trim()}, not ${entry.version}`, 'Use a container.');
  }
  await writeEngineFile(join(directory, 'VERSION'), version);
}

async function makeTemplate(entry: EngineEntry, flavour: MysqlFlavour, directory: string): Promise<void> {
  await withProgress(`preparing ${entry.id}`, async () => {
    const tree = cachePath(treeName(entry));
    const data = join(directory, 'data');
    await runCommand({ command: 'mkdir', args: ['-m', '700', data], asEngineUser: true });
    const { command, args } = flavour.program(tree);
    await runCommand({
      command,
      args: [...args, '--no-defaults', ...flavour.baseArgs(tree), `--datadir=${data}`, ...flavour.initArgs],
      cwd: directory,
      env: mysqlEnvironment,
      input: await flavour.initSql(tree),
      asEngineUser: true,
    });
  });
}

async function prepare(run: Run, flavour: MysqlFlavour): Promise<Launch> {
  const tree = cachePath(treeName(run.entry));
  const data = await copyDataTemplate(cachePath(templateName(run.entry)), run.directory);
  // The server makes an id of its own, without which a copy could not be its replica.
  await rm(join(data, 'auto.cnf'), { force: true });
  const { command, args } = flavour.program(tree);
  const own = await serverArgs(run, flavour);
  return {
    plan: {
      command,
      args: [...args, '--no-defaults', ...flavour.baseArgs(tree), `--datadir=${data}`, ...own],
      cwd: run.directory,
      env: mysqlEnvironment,
      log: join(run.directory, 'log'),
      directory: run.directory,
      stopSignal: 'SIGTERM',
      stopWithin: 15_000,
    },
    address: {
      scheme: 'mysql',
      host: '127.0.0.1',
      port: run.port,
      user: 'root',
      password: enginePassword,
      database: engineDatabase,
    },
    version: await readFile(join(tree, 'VERSION'), 'utf8'),
    isReady: async () => isMysqlGreeting(await readGreeting(run.port)),
    readyWithin: 90_000,
  };
}

async function serverArgs(run: Run, flavour: MysqlFlavour): Promise<string[]> {
  const { directory } = run;
  const tls = run.options.tls && (await writeTlsFiles(directory, run.options.tls));
  const first = await writeEngineFile(join(directory, 'first.sql'), firstSql(flavour));
  return [
    `--port=${run.port}`,
    '--bind-address=127.0.0.1',
    `--socket=${join(directory, 's')}`,
    `--pid-file=${join(directory, 'pid')}`,
    `--tmpdir=${directory}`,
    `--secure-file-priv=${directory}`,
    `--init-file=${first}`,
    '--skip-log-bin',
    '--skip-name-resolve',
    '--character-set-server=utf8mb4',
    '--innodb-buffer-pool-size=64M',
    // Test data may be lost with the power, but not with a process that a test kills.
    '--innodb-flush-log-at-trx-commit=2',
    '--innodb-doublewrite=0',
    ...flavour.serverArgs,
    ...(tls ? [`--ssl-ca=${tls.ca}`, `--ssl-cert=${tls.certificate}`, `--ssl-key=${tls.key}`] : []),
    ...Object.entries(run.options.settings ?? {}).map(([name, value]) => `--${name}=${value}`),
  ];
}

/** Runs at every start, so each statement may be repeated. Names are not resolved, hence the root of every host. */
function firstSql(flavour: MysqlFlavour): string {
  const statements = [
    ...flavour.firstStatements,
    `ALTER USER 'root'@'localhost' IDENTIFIED BY '${enginePassword}'`,
    `CREATE USER IF NOT EXISTS 'root'@'%' IDENTIFIED BY '${enginePassword}'`,
    "GRANT ALL PRIVILEGES ON *.* TO 'root'@'%' WITH GRANT OPTION",
    `CREATE DATABASE IF NOT EXISTS ${engineDatabase}`,
  ];
  return statements.map((statement) => `${statement};\n`).join('');
}
