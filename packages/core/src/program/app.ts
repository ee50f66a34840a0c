import { dirname, resolve } from 'node:path';
import type * as z from 'zod';
import type { BaseConnection } from '../connection.ts';
import { Failure } from '../failure.ts';
import { createLog, type Log, parseLogLevel } from '../log.ts';
import type { Backend, BackendTarget } from '../manager/backend.ts';
import { createManager, type Manager } from '../manager/manager.ts';
import type { Importer } from '../registry/importer.ts';
import { acceptedKeysPathFor, defaultStorePath } from '../registry/paths.ts';
import { createRegistry, type Registry } from '../registry/registry.ts';
import { SecretRenewal } from '../registry/secret-renewal.ts';
import type { SecretSources } from '../registry/secret-sources.ts';
import type { Fields } from '../registry/tree.ts';
import { type ConnectionKind, registerConnectionTools } from '../tools/connection-tools.ts';
import { createToolServer, type ToolServer } from '../tools/tool-server.ts';
import type { SharedTunnels } from '../tunnel/shared-tunnels.ts';
import type { PersonQuery } from './person-query.ts';
import { readonlyRegistry } from './readonly-registry.ts';
import {
  type LeafFlag,
  type LeafSetting,
  parseTime,
  readFlag,
  readonlyFlag,
  readSettings,
  type Settings,
  serverSettings,
  variableOf,
} from './settings.ts';

/** Everything that makes a server of its own out of the generic half. */
export interface Leaf<C extends BaseConnection, B extends Backend> extends ConnectionKind<C, B> {
  /** Also the name of the program and of the package. */
  name: string;
  version: string;
  /** Names the configuration folder, the project file and, in capitals, the variables. */
  app: string;
  /** For `--help`: what it serves. */
  summary: string;
  /** For the help of `connections add`. */
  exampleUrl?: string;
  instructions: string;
  /** A whole connection, as files and the environment write it. */
  schema: z.ZodType<C>;
  /** What `add_connection` takes; `update_connection` takes the same, with all but `name` optional. */
  toolSchema: z.ZodObject;
  /** Besides `host` and `ssh`, the fields that decide where a stored secret is sent. */
  routeFields: readonly string[];
  /** Fields that no tool may set, as dotted paths: those that name files of this machine. */
  personFields?: readonly string[];
  /** Fields that count only in a person's own file, not in one that came with a project. */
  ownFileFields?: readonly string[];
  /** Fields by which a person narrows what may be seen through a connection; no tool may set or get round them. */
  narrowingFields?: readonly string[];
  /** Settings of its own, beside those that every server has. */
  settings?: readonly LeafSetting[];
  /** Switches of its own, without a value. Who starts the leaf acts on them; here they are known and explained. */
  flags?: readonly LeafFlag[];
  /** `folder` is the person's own, beside the store, for what has to be remembered. */
  createBackend(target: BackendTarget<C>, signal: AbortSignal, options: { folder: string }): Promise<B>;
  /** Files of other programs that `{ "from": … }` may name in a secret's place. */
  secretSources?: SecretSources<C>;
  /** What `connections import` looks into; loaded only then. */
  importers?(): Promise<readonly Importer[]>;
  /** Connections that the program brings itself, because of the option `from`. */
  ownConnections?: { from: string; list: readonly ({ name: string } & Fields)[] };
  /** For a person at the command line. */
  query?: PersonQuery<B>;
  resolvePort(config: C): number;
  /** Where else the same server can be reached, such as other nodes of a cluster. */
  otherPlaces?(config: C): readonly { host: string; port: number }[];
  /** The leaf's own tools; those over the connections are there already. */
  registerTools?(app: App<C, B>): void;
}

export interface AppOptions {
  env: NodeJS.ProcessEnv;
  cwd: string;
  home: string;
  /** As far as they stood on the command line; the rest comes from the environment. */
  settings?: Settings;
  /** `--readonly` stood there. */
  readonly?: boolean;
  log?: Log;
}

export interface App<C extends BaseConnection, B extends Backend> {
  registry: Registry<C>;
  manager: Manager<B>;
  toolServer: ToolServer;
  /** Nothing may be written here, so a tool that only writes need not be offered. */
  readonly: boolean;
  settings: Settings;
  log: Log;
  dispose(): Promise<void>;
}

/** Puts a server together. Reads nothing and opens nothing: that is left to the first call. */
export function createApp<C extends BaseConnection, B extends Backend>(leaf: Leaf<C, B>, options: AppOptions): App<C, B> {
  const { env, cwd } = options;
  const folder = dirname(storePathOf(leaf.app, options));
  const given = { app: leaf.app, env };
  const settings = readSettings([...serverSettings, ...(leaf.settings ?? [])], { ...given, given: options.settings ?? {}, cwd });
  const readonly = readFlag(readonlyFlag, { ...given, given: options.readonly === true });
  const level = parseLogLevel(env[variableOf(leaf.app, 'log')], variableOf(leaf.app, 'log'));
  const log = options.log ?? createLog(leaf.name, level);
  const found = registryOf(leaf, options, { configPath: settings.config, log });
  const registry = readonly ? readonlyRegistry(found) : found;
  const renewal = new SecretRenewal<C>({ registry, isRefusal: (error) => isRefusal(error, leaf) });
  const { get, list } = registry;
  const openTunnel = tunnelOpener(leaf, options, log);
  const manager = createManager<C, B>(
    { get, list, resolve: (name, signal) => renewal.resolve(name, signal) },
    {
      createBackend: (target, signal) =>
        renewal.open(
          target.config,
          (config, isOld) => openBackend(leaf, { target: { ...target, config }, isOld, signal, folder }),
          signal,
        ),
      createTunnel: (config, signal) => renewal.open(config, (one) => openTunnel(one, signal), signal),
      resolvePort: (config) => leaf.resolvePort(config),
      log,
    },
  );
  const toolServer = createToolServer({
    name: leaf.name,
    version: leaf.version,
    instructions: leaf.instructions,
    log,
    ...(settings.timeout === undefined ? {} : { timeoutMs: parseTime(settings.timeout) }),
  });
  const app: App<C, B> = { registry, manager, toolServer, readonly, settings, log, dispose: () => manager.disposeAll() };
  registerConnectionTools(toolServer, {
    manager,
    registry,
    fullSchema: leaf.toolSchema,
    ...kindOf(leaf),
  });
  leaf.registerTools?.(app);
  if (settings.tools !== undefined) toolServer.keepOnly(settings.tools.split(','));
  return app;
}

interface OpenRequest<C extends BaseConnection> {
  target: BackendTarget<C>;
  isOld: boolean;
  signal: AbortSignal;
  folder: string;
}

/** Not every backend logs in when it is opened. One with an old secret is asked at once, while the secret can still be read anew. */
async function openBackend<C extends BaseConnection, B extends Backend>(
  leaf: Leaf<C, B>,
  { target, isOld, signal, folder }: OpenRequest<C>,
): Promise<B> {
  const backend = await leaf.createBackend(target, signal, { folder });
  try {
    if (isOld) await leaf.ping(backend, signal);
  } catch (error) {
    // Whatever else is wrong is for the call to find.
    if (!isRefusal(error, leaf)) return backend;
    await backend.dispose();
    throw error;
  }
  return backend;
}

/** ssh2 is loaded when the first tunnel is opened. */
function tunnelOpener<C extends BaseConnection, B extends Backend>(leaf: Leaf<C, B>, options: AppOptions, log: Log) {
  const { env, home } = options;
  let tunnels: SharedTunnels | undefined;
  return async (config: C, signal: AbortSignal) => {
    tunnels ??= (await import('../tunnel/shared-tunnels.ts')).createSharedTunnels({
      env,
      home,
      log,
      acceptedKeysFile: acceptedKeysPathFor(storePathOf(leaf.app, options)),
    });
    return await tunnels.open(config, signal);
  };
}

const sshRefusals: readonly string[] = ['E_SSH_AUTH_FAILED', 'E_SSH_KEY_PASSPHRASE'];

function isRefusal<C extends BaseConnection, B extends Backend>(error: unknown, leaf: Leaf<C, B>): boolean {
  const failure = error instanceof Failure ? error : leaf.formatError(error);
  return failure?.kind === 'auth' || (failure !== undefined && sshRefusals.includes(failure.code));
}

/** What the connection tools need of a leaf; the methods stay the leaf's own. */
function kindOf<C extends BaseConnection, B extends Backend>(leaf: Leaf<C, B>): ConnectionKind<C, B> {
  const { audit } = leaf;
  return {
    descriptions: leaf.descriptions,
    publicView: (config) => leaf.publicView(config),
    ping: (backend, signal) => leaf.ping(backend, signal),
    ...(audit === undefined ? {} : { audit: (backend, signal) => audit.call(leaf, backend, signal) }),
    isStaleError: (error) => leaf.isStaleError(error),
    formatError: (error) => leaf.formatError(error),
  };
}

function registryOf<C extends BaseConnection, B extends Backend>(
  leaf: Leaf<C, B>,
  options: AppOptions,
  { configPath, log }: { configPath: string | undefined; log: Log },
): Registry<C> {
  const { env, cwd, home } = options;
  return createRegistry<C>({
    schema: leaf.schema,
    env,
    envVar: variableOf(leaf.app, 'connections'),
    storePath: storePathOf(leaf.app, options),
    configPath,
    projectFileName: `.${leaf.app}.json`,
    cwd,
    home,
    routeFields: leaf.routeFields,
    ...(leaf.personFields !== undefined && { personFields: leaf.personFields }),
    ...(leaf.narrowingFields !== undefined && { narrowingFields: leaf.narrowingFields }),
    ...(leaf.ownFileFields !== undefined && { ownFileFields: leaf.ownFileFields }),
    resolvePort: (config) => leaf.resolvePort(config),
    otherPlaces: (config) => leaf.otherPlaces?.(config) ?? [],
    ...(leaf.secretSources !== undefined && { secretSources: leaf.secretSources }),
    ...(leaf.ownConnections !== undefined && { ownConnections: leaf.ownConnections }),
    logPrefix: leaf.name,
    log,
  });
}

/** The person's own file: named by the environment, else under the configuration folder. */
export function storePathOf(app: string, { env, cwd, home }: Pick<AppOptions, 'env' | 'cwd' | 'home'>): string {
  const path = defaultStorePath({ app, env, home, variable: variableOf(app, 'store') });
  return resolve(cwd, path);
}
