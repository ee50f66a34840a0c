import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '@dbmole/core/failure';
import { formatAddress } from '../address.ts';
import { isAnswering } from '../answers.ts';
import type { EngineEntry, EngineKind } from '../catalog.ts';
import { engineDatabase, enginePassword } from '../credentials.ts';
import type { EngineAddress, RunningEngine } from '../engine.ts';

let probed: Promise<boolean> | undefined;

/** Whether a container engine answers. Asked once, and before the library is loaded, which hangs when the engine is silent. */
export function hasContainerEngine(): Promise<boolean> {
  if (process.env.DBMOLE_CONTAINERS === 'off') return Promise.resolve(false);
  probed ??= ping(process.env.DOCKER_HOST || 'unix:///var/run/docker.sock');
  return probed;
}

export function ping(dockerHost: string, withinMs = 2_000): Promise<boolean> {
  return new Promise((resolve) => {
    const target = parseDockerHost(dockerHost);
    if (target === undefined) return resolve(false);
    const request = get({ ...target, path: '/_ping', agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    // The socket's timeout would not do: an engine that sends a byte now and then must not hold us.
    const timer = setTimeout(() => request.destroy(), withinMs);
    request.on('close', () => clearTimeout(timer));
    request.on('error', () => resolve(false));
    request.on('close', () => resolve(false));
  });
}

function parseDockerHost(text: string): { socketPath: string } | { host: string; port: number } | undefined {
  if (text.startsWith('unix://')) return { socketPath: text.slice('unix://'.length) };
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  return { host: url.hostname, port: Number(url.port || 2375) };
}

interface ImageUse {
  readonly port: number;
  readonly environment: Record<string, string>;
  readonly command?: string[];
  readonly address: Pick<EngineAddress, 'scheme' | 'user' | 'password' | 'database'>;
}

const cluster = { scheme: 'http', user: '', password: '', database: undefined } as const;
const login = { password: enginePassword, database: engineDatabase };
const heap = '-Xms512m -Xmx512m';

const uses: Readonly<Record<EngineKind, ImageUse>> = {
  postgres: {
    port: 5432,
    environment: { POSTGRES_PASSWORD: enginePassword, POSTGRES_DB: engineDatabase },
    command: ['postgres', '-c', 'shared_preload_libraries=pg_stat_statements', '-c', 'fsync=off'],
    address: { scheme: 'postgres', user: 'postgres', ...login },
  },
  mysql: {
    port: 3306,
    environment: { MYSQL_ROOT_PASSWORD: enginePassword, MYSQL_DATABASE: engineDatabase },
    address: { scheme: 'mysql', user: 'root', ...login },
  },
  mariadb: {
    port: 3306,
    environment: { MARIADB_ROOT_PASSWORD: enginePassword, MARIADB_DATABASE: engineDatabase },
    address: { scheme: 'mysql', user: 'root', ...login },
  },
  elasticsearch: {
    port: 9200,
    environment: { 'discovery.type': 'single-node', 'xpack.security.enabled': 'false', ES_JAVA_OPTS: heap },
    address: cluster,
  },
  opensearch: {
    port: 9200,
    environment: { 'discovery.type': 'single-node', DISABLE_SECURITY_PLUGIN: 'true', OPENSEARCH_JAVA_OPTS: heap },
    address: cluster,
  },
};

/** The library removes the container when this process ends, also by a crash. */
export async function startContainer(entry: EngineEntry): Promise<RunningEngine> {
  const { GenericContainer } = await import('testcontainers');
  const use = uses[entry.kind];
  const wanted = new GenericContainer(entry.image).withEnvironment(use.environment).withExposedPorts(use.port);
  const container = await (use.command ? wanted.withCommand(use.command) : wanted).withStartupTimeout(300_000).start();
  const address = { ...use.address, host: container.getHost(), port: container.getMappedPort(use.port) };
  const stop = async () => {
    await container.stop();
  };
  await waitForAnswer(entry, address).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return {
    ...address,
    id: entry.id,
    kind: entry.kind,
    version: entry.version,
    source: 'container',
    url: formatAddress(address),
    directory: undefined,
    control: undefined,
    stop,
  };
}

async function waitForAnswer(entry: EngineEntry, address: EngineAddress): Promise<void> {
  const deadline = Date.now() + 180_000;
  while (!(await isAnswering(address))) {
    if (Date.now() > deadline) throw new Failure('connection', `The container of ${entry.image} did not answer within 180 s`);
    await sleep(200);
  }
}
