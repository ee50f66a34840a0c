import { dirname, resolve } from 'node:path';
import type * as z from 'zod';
import type { Approvals } from '../approval/approvals.ts';
import { openApprovals } from '../approval/open-approvals.ts';
import type { BaseConnection } from '../connection.ts';
import { createLog, type Log, parseLogLevel } from '../log.ts';
import type { Backend, BackendTarget } from '../manager/backend.ts';
import { createManager, type Manager } from '../manager/manager.ts';
import type { ForeignFile, ImportedQuery, LoadedQueries, QueryKind } from '../queries/loaded-queries.ts';
import type { QueryRunner } from '../queries/saved-tools.ts';
import type { LiveCalls } from '../recording/live/live-calls.ts';
import { createRegistry, type Registry, type RegistryOptions } from '../registry/registry.ts';
import { isLoginRefusal } from '../registry/secrets/login-refusal.ts';
import { SecretRenewal } from '../registry/secrets/secret-renewal.ts';
import type { Importer } from '../registry/sources/importer.ts';
import { acceptedKeysPathFor, defaultStorePath } from '../registry/sources/paths.ts';
import { defaultName } from '../registry/sources/sources.ts';
import type { CallOrigin, CallRecorder } from '../tools/call-record.ts';
import {
  type ConnectionDescriptions,
  type ConnectionKind,
  registerConnectionTools,
} from '../tools/connections/connection-tools.ts';
import { type ConnectionViews, describeDestination, viewConnection } from '../tools/connections/destinations.ts';
import { parseTime } from '../tools/duration.ts';
import { RunningCalls } from '../tools/running-calls.ts';
import { createToolServer, type ToolServer } from '../tools/tool-server.ts';
import type { CliQuery, CliSchema, ToolCommand } from './cli-query.ts';
import { changingTools, listChanging, type Narrowing, narrowManager, without } from './narrowing.ts';
import type { PagePart } from './page/page-part.ts';
import {
  findVariable,
  type ProgramFlag,
  type ProgramSetting,
  readFlag,
  readonlyFlag,
  readSettings,
  type Settings,
  serverSettings,
  toPlaceFields,
} from './settings.ts';
import { createTunnelOpener } from './tunnel-opener.ts';

/** Everything that makes a server of its own out of the generic half. */
export interface ServerDefinition<C extends BaseConnection, B extends Backend> {
  program: ProgramDefinition<B>;
  connections: ConnectionDefinition<C>;
  backend: BackendDefinition<C, B>;
  tools: ToolsDefinition<C, B>;
  /** Absent if files of saved queries make no tools. */
  queries?: QueryKind & { openRunner(place: Workplace<C, B>): Promise<QueryRunner> };
  /** What the page has beside the parts that every server has; loaded when the page is first opened. */
  openPageParts?(place: Workplace<C, B>): Promise<readonly PagePart[]>;
}

export interface ProgramDefinition<B> {
  /** It is also the name of the program and of the package. */
  name: string;
  version: string;
  /** Names the configuration folder, the project file and, in capitals, the variables. */
  app: string;
  /** A line for `--help`: what it serves. */
  summary: string;
  /** An example for the help of `connections add`. */
  exampleUrl?: string;
  /** Its connections may lead to files, so that the command line takes a path where it takes a URL. */
  opensFiles?: boolean;
  /** Settings of its own, beside those that every server has. */
  settings?: readonly ProgramSetting[];
  /** Switches of its own, without a value. The caller of `runProgram` acts on them; here they are known and explained. */
  flags?: readonly ProgramFlag[];
  /** The queries of the command line. */
  query?: CliQuery<B>;
  /** The command that prints the schema as lines; left out where a server has no schema. */
  schemaLines?: CliSchema<B>;
  /** Commands that call a tool. */
  toolCommands?: readonly ToolCommand[];
  /** Calls may wait for a person who confirms them, with the command `approve`. */
  approves?: boolean;
  /** The custom tools in a file of another server; left out where no such file is known. */
  importQueries?(file: ForeignFile): Promise<readonly ImportedQuery[]>;
}

type RegistryMembers =
  | ('schema' | 'routeFields' | 'userOnlyFields' | 'ownFileFields' | 'restrictionFields' | 'restrictingTexts' | 'resolvePort')
  | ('parseUrl' | 'checkFile' | 'otherPlaces' | 'secretSources' | 'ownConnections' | 'urlVariable');

export interface ConnectionDefinition<C extends BaseConnection>
  extends Pick<RegistryOptions<C>, RegistryMembers>,
    ConnectionViews<C> {
  /** What `add_connection` takes; `update_connection` takes the same, with all but `name` optional. */
  toolSchema: z.ZodObject;
  /** What `connections import` looks into; loaded only then. */
  importers?(): Promise<readonly Importer[]>;
}

export interface BackendDefinition<C extends BaseConnection, B extends Backend>
  extends Omit<ConnectionKind<C, B>, 'descriptions' | 'publicView'> {
  /** `folder` is the person's own, beside the store, for what has to be remembered. */
  create(target: BackendTarget<C>, signal: AbortSignal, options: { folder: string }): Promise<B>;
}

export interface ToolsDefinition<C extends BaseConnection, B extends Backend> {
  /** Shown to the model when it connects. */
  instructions: string;
  /** The manager for the five connection tools. */
  descriptions: ConnectionDescriptions;
  /** Registers the server's own tools; those over the connections are there already. */
  register?(place: Workplace<C, B>): void;
}

export interface AppOptions<C extends BaseConnection = BaseConnection> {
  env: NodeJS.ProcessEnv;
  cwd: string;
  home: string;
  /** The values given on the command line; the rest comes from the environment. */
  settings?: Settings;
  /** `--readonly` was given there. */
  readonly?: boolean;
  /** Replaces the configured connections, to try one before it is saved. */
  registry?: Registry<C>;
  /** The URL of a connection for this process alone. */
  url?: string | undefined;
  /** Connections that the caller of `createApp` brings; they win over the configured ones. */
  given?: GivenConnections;
  /** What `loadQueries` found. */
  queries?: LoadedQueries | undefined;
  /** What `loadRecorder` made. */
  recorder?: CallRecorder | undefined;
  /** What the recorder tells of the calls that run. */
  live?: LiveCalls | undefined;
  /** The way in, where it is not stdio. */
  origin?: CallOrigin;
  log?: Log;
}

interface GivenConnections {
  /** What messages call the place where they are written. */
  from: string;
  list: readonly ({ name: string } & Record<string, unknown>)[];
  /** There are no others: no file and no variable of the person counts, and no tool changes the list. */
  isAll: boolean;
}

/** What a tool finds: one client's view of the connections. */
export interface Workplace<C extends BaseConnection, B extends Backend> {
  registry: Registry<C>;
  manager: Manager<B>;
  toolServer: ToolServer;
  /** Nothing may be written here, so a tool that only writes need not be offered. */
  readonly: boolean;
  settings: Settings;
  log: Log;
}

export interface App<C extends BaseConnection, B extends Backend> extends Workplace<C, B> {
  /** The same server for one more client. Open backends are shared; limits and notices belong to the client. */
  openView(narrowing: Narrowing): ToolServer;
  queries: LoadedQueries | undefined;
  recorder: CallRecorder | undefined;
  live: LiveCalls | undefined;
  approvals: Approvals;
  dispose(): Promise<void>;
}

/** Puts a server together. Reads nothing and opens nothing: that is left to the first call. */
export function createApp<C extends BaseConnection, B extends Backend>(
  definition: ServerDefinition<C, B>,
  options: AppOptions<C>,
): App<C, B> {
  const { cwd } = options;
  const { program } = definition;
  const isFixed = options.given?.isAll === true;
  const env = isFixed ? {} : options.env;
  const given = { app: program.app, env };
  const settings = readSettings([...serverSettings, ...(program.settings ?? [])], {
    ...given,
    given: options.settings ?? {},
    cwd,
  });
  // Only a front uses it; one that cannot read it leaves the error to the program.
  if (settings.idle !== undefined) parseTime(settings.idle, 'idle time');
  const readonly = readFlag(readonlyFlag, { ...given, given: options.readonly === true });
  const level = parseLogLevel(env[findVariable(program.app, 'log')], findVariable(program.app, 'log'));
  const log = options.log ?? createLog(program.name, level);
  const registry = options.registry ?? openRegistry(definition, options, { configPath: settings.config, readonly, log });
  const manager = openManager(definition, { registry, options, log });
  const { queries, recorder, live, origin } = options;
  const approvals = openApprovals(program, { ...options, storePath: findStorePath(program.app, options) });
  const shared = { calls: new RunningCalls(), approvals, recorder };
  const base = { definition, registry, manager, settings, readonly, isFixed, queries, log, ...shared };
  const openView = (narrowing: Narrowing) => openWorkplace(base, narrowing).toolServer;
  const dispose = async () => void (await Promise.all([manager.disposeAll(), recorder?.close()]));
  return { ...openWorkplace(base, origin ? { origin } : {}), openView, queries, recorder, live, approvals, dispose };
}

interface ViewBase<C extends BaseConnection, B extends Backend> extends Omit<Workplace<C, B>, 'toolServer'> {
  definition: ServerDefinition<C, B>;
  /** No tool changes the list of connections. */
  isFixed: boolean;
  queries: LoadedQueries | undefined;
  recorder: CallRecorder | undefined;
  calls: RunningCalls;
  approvals: Approvals;
}

function openWorkplace<C extends BaseConnection, B extends Backend>(base: ViewBase<C, B>, narrowing: Narrowing): Workplace<C, B> {
  const { definition, settings, log, calls, approvals, queries, recorder } = base;
  const { program, connections, tools } = definition;
  const readonly = base.readonly || narrowing.readonly === true;
  const registry = base.registry.narrow(narrowing);
  const manager = narrowManager(base.manager, registry, narrowing);
  const timeout = narrowing.timeout ?? settings.timeout;
  const toolServer = createToolServer({
    name: program.name,
    version: program.version,
    instructions: tools.instructions,
    log,
    readonly,
    calls,
    approvals,
    recorder,
    origin: narrowing.origin,
    ...(timeout === undefined ? {} : { timeoutMs: parseTime(timeout) }),
  });
  const place = { registry, manager, toolServer, readonly, settings, log };
  registerConnectionTools(toolServer, {
    manager,
    registry,
    fullSchema: connections.toolSchema,
    descriptions: tools.descriptions,
    publicView: (config) => viewConnection(connections, config),
    ...definition.backend,
  });
  tools.register?.(place);
  const open = definition.queries?.openRunner;
  const saved = open && queries?.register(toolServer, () => open(place));
  // A tool that `--tools` names may be one that only this view leaves out.
  if (settings.tools !== undefined) toolServer.keepOnly({ wanted: settings.tools, readonly: base.readonly });
  toolServer.keepOnly({ wanted: narrowing.tools, readonly });
  // A client that sees only a part of the connections must not add one beside it.
  const isPart = narrowing.connections !== undefined || base.isFixed;
  if (isPart) toolServer.keepOnly({ wanted: without(toolServer.names, changingTools), readonly });
  if (narrowing.onlyReadingTools) toolServer.keepOnly({ wanted: without(toolServer.names, listChanging(toolServer)), readonly });
  if (saved !== undefined) queries?.settle(toolServer, saved, [settings.tools, narrowing.tools]);
  return place;
}

interface ManagerParts<C extends BaseConnection> {
  registry: Registry<C>;
  options: AppOptions<C>;
  log: Log;
}

function openManager<C extends BaseConnection, B extends Backend>(
  definition: ServerDefinition<C, B>,
  { registry, options, log }: ManagerParts<C>,
): Manager<B> {
  const { connections, program } = definition;
  const folder = dirname(findStorePath(program.app, options));
  const renewal = new SecretRenewal<C>({ registry, isRefusal: isLoginRefusal });
  const { env, home } = options;
  const acceptedKeysFile = acceptedKeysPathFor(findStorePath(program.app, options));
  const openTunnel = createTunnelOpener({ env, home, log, acceptedKeysFile, program: program.name });
  return createManager<C, B>(
    { get: registry.get, list: registry.list, resolve: (name, signal) => renewal.resolve(name, signal) },
    {
      createBackend: (target, signal) => {
        const { config: given }: { config: C } = target;
        return renewal.open(
          given,
          (config, isOld) => openBackend(definition, { target: { ...target, config }, isOld, signal, folder }),
          signal,
        );
      },
      createTunnel: (config, signal) => renewal.open(config, (one) => openTunnel(one, signal), signal),
      resolvePort: (config) => connections.resolvePort(config),
      describe: (entry) => describeDestination(entry, (config) => viewConnection(connections, config)),
      log,
    },
  );
}

interface OpenRequest<C extends BaseConnection> {
  target: BackendTarget<C>;
  isOld: boolean;
  signal: AbortSignal;
  folder: string;
}

/** Not every backend logs in when it is opened. One with an old secret is asked at once, while the secret can still be read again. */
async function openBackend<C extends BaseConnection, B extends Backend>(
  definition: ServerDefinition<C, B>,
  { target, isOld, signal, folder }: OpenRequest<C>,
): Promise<B> {
  const backend = await definition.backend.create(target, signal, { folder });
  try {
    if (isOld) await definition.backend.ping(backend, signal);
  } catch (error) {
    // Whatever else is wrong is for the call to find.
    if (!isLoginRefusal(error)) return backend;
    await backend.dispose();
    throw error;
  }
  return backend;
}

function openRegistry<C extends BaseConnection, B extends Backend>(
  definition: ServerDefinition<C, B>,
  options: AppOptions<C>,
  more: Pick<RegistryOptions<C>, 'configPath' | 'readonly' | 'log'>,
): Registry<C> {
  const { env, cwd, home } = options;
  const { connections, program } = definition;
  return createRegistry<C>({
    ...connections,
    ...more,
    env,
    envVar: findVariable(program.app, 'connections'),
    storePath: findStorePath(program.app, options),
    projectFileName: `.${program.app}.json`,
    cwd,
    home,
    ownConnections: [
      ...(connections.ownConnections ?? []),
      ...urlConnections(options),
      ...(options.given ? [options.given] : []),
    ],
    onlyOwn: options.given?.isAll,
    logPrefix: program.name,
  });
}

function urlConnections({ url }: Pick<AppOptions, 'url'>) {
  return url === undefined ? [] : [{ from: 'the command line', list: [{ name: defaultName, ...toPlaceFields(url) }] }];
}

/** The person's own file: named by the environment, else under the configuration folder. */
export function findStorePath(app: string, { env, cwd, home }: Pick<AppOptions, 'env' | 'cwd' | 'home'>): string {
  const path = defaultStorePath({ app, env, home, variable: findVariable(app, 'store') });
  return resolve(cwd, path);
}
