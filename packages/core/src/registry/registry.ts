import { homedir } from 'node:os';
import { resolve } from 'node:path';
import type * as z from 'zod';
import type { BaseConnection } from '../connection.ts';
import { Failure, formatAdvice } from '../failure.ts';
import { createLog, type Log } from '../log.ts';
import { addConnection, type ChangeContext, removeConnection, updateConnection } from './changes.ts';
import type { ConnectionEdits, Registry, Resolved, Snapshot } from './entry.ts';
import type { Reader } from './evaluate.ts';
import type { Environment } from './expand.ts';
import { HostAddresses, type LookupOptions } from './host-addresses.ts';
import { findListed, refuseForeign, refuseTaken, usable } from './lookup.ts';
import { trustPathFor } from './paths.ts';
import { createFoundProject, createNamedProject, type ProjectSource } from './project.ts';
import type { Place, PlaceReader } from './readonly-places.ts';
import { resolveListed } from './resolve.ts';
import { secretFieldsOf } from './schema-fields.ts';
import { SecretMemory } from './secret-memory.ts';
import type { SecretSources } from './secret-sources.ts';
import { type Compiled, compile, isStale } from './snapshot.ts';
import { createEnvSource, ownState, type Source, type SourceState } from './sources.ts';
import { createStore, type Store } from './store.ts';
import { assertFits, cleanInput, type EditRules } from './tool-input.ts';
import type { Fields } from './tree.ts';
import { createTrust, type Trust } from './trust.ts';

export type { ConnectionEdits, Entry, Origin, Registry, Resolved, Snapshot, SourceKind, SourceProblem } from './entry.ts';

export interface RegistryOptions<C extends BaseConnection> extends LookupOptions {
  /** The user's own connections; the only source that is ever written. */
  storePath: string;
  /** A project file that a person named (`--config`). It is trusted, and no other is looked for. */
  configPath?: string | undefined;
  /** What `${VAR}` and `{ "env": … }` see, and the variable below. */
  env: Environment;
  /** Of one connection, strict. Fields that hold secrets are those that use `secretRef`. */
  schema: z.ZodType<C>;
  /** In front of every line on stderr. */
  logPrefix: string;
  /** Holds a JSON list of connections. */
  envVar: string;
  /** Looked for in the working directory and above it, for example `.dbmole.json`; none is looked for when absent. */
  projectFileName?: string;
  cwd?: string;
  home?: string;
  /** What a person runs; its command `allow` allows a project file. The log's prefix by default. */
  program?: string;
  /** Where the allowed project files are remembered; beside the store by default. */
  trustPath?: string;
  /** Fields beside `host`, `port` and `ssh` that decide where a stored secret is sent. */
  routeFields?: readonly string[];
  /** The port of a connection that names none. Without it, such a connection stands for every port of its host. */
  resolvePort?: (config: C) => number;
  /** Where else the same server can be reached, such as other nodes of a cluster. */
  otherPlaces?: ((config: C) => readonly Place[]) | undefined;
  /** Fields beside those of SSH keys that a tool may not set, as dotted paths. */
  personFields?: readonly string[];
  /** Fields that count only in a person's own file, not in one that came with a project. */
  ownFileFields?: readonly string[];
  /**
   * Fields by which a person narrows what may be seen through a connection. No tool sets them, nor gets round them: it can neither
   * remove or move such a connection nor add another one to the same place.
   */
  narrowingFields?: readonly string[];
  /** Files of other programs that a reference may name. */
  secretSources?: SecretSources<C>;
  /** Of the program itself, because of the option `from`. */
  ownConnections?: { from: string; list: readonly ({ name: string } & Fields)[] };
  log?: Log;
}

/** Accepting a host key is a person's decision, and so is reading a key file (known by its schema) or opening a socket. */
const sshPersonFields = ['ssh.hostKeys', 'ssh.agent', 'ssh.jump.*.hostKeys', 'ssh.jump.*.agent'];

/**
 * Named connections from three places. Everything is read when it is asked for, so an edited file counts at the next call; all
 * reading is synchronous and in one step, so that concurrent calls see one state each.
 */
export function createRegistry<C extends BaseConnection>(options: RegistryOptions<C>): Registry<C> {
  const context = createContext(options);
  const { rules } = context;
  const find = (name: string | undefined) => findListed(context.refresh(), name);

  return {
    list: async () => context.refresh().snapshot,
    get: async (name) => usable(find(name)),
    resolve: async (name, signal): Promise<Resolved<C>> => {
      const listed = find(name);
      usable(listed);
      return resolveListed(listed, rules.reader, signal);
    },
    ...editsOf(context, rules, find),
    person: editsOf(context, { ...rules, byPerson: true }, find),
  };
}

/** What may be changed, and how, follows from the rules; the store is changed in one step each. */
function editsOf<C extends BaseConnection>(
  { store, refresh }: Context<C>,
  rules: EditRules<C>,
  find: (name: string) => ReturnType<typeof findListed<C>>,
): ConnectionEdits<C> {
  const change = async (edit: (change: ChangeContext<C>) => Fields, signal: AbortSignal | undefined) => {
    const hosts = new HostAddresses(rules.reader);
    const changed = () =>
      store.change((held) => {
        const fields = edit({ held, rules, candidates: refresh().candidates, hosts });
        return hosts.isComplete() ? fields : undefined;
      }, signal);
    await changed();
    while (!hosts.isComplete()) {
      await hosts.resolveMissing();
      await changed();
    }
  };
  return {
    add: async (input, signal) => {
      const raw = cleanInput(withoutNulls(input), rules);
      assertFits(raw, rules);
      const name = String(raw.name);
      refuseTaken(refresh().byName.get(name));
      await change((one) => addConnection(raw, one), signal);
      return find(name).entry;
    },
    update: async (name, input, signal) => {
      const patch = cleanInput(input, rules);
      refuseForeign(find(name), store.path);
      await change((one) => updateConnection(name, patch, one), signal);
      return find(name).entry;
    },
    remove: async (name, signal) => {
      refuseForeign(find(name), store.path);
      await change((one) => removeConnection(name, one), signal);
    },
  };
}

interface Context<C extends BaseConnection> {
  store: Store;
  rules: EditRules<C>;
  refresh(): Compiled<C>;
}

function createContext<C extends BaseConnection>(options: RegistryOptions<C>): Context<C> {
  const { env, schema, log = createLog(options.logPrefix), home = homedir() } = options;
  let secretFields: ReturnType<typeof secretFieldsOf> | undefined;
  const reader: PlaceReader<C> = {
    schema,
    env,
    home,
    // With the first call, as it looks through the whole schema.
    get secretFields() {
      secretFields ??= secretFieldsOf(schema);
      return secretFields;
    },
    sources: options.secretSources ?? {},
    ownFileFields: options.ownFileFields ?? [],
    memory: new SecretMemory(),
    resolvePort: options.resolvePort,
    otherPlaces: options.otherPlaces,
    lookup: options.lookup,
    lookupMs: options.lookupMs,
  };
  const base = resolve(options.cwd ?? process.cwd());
  const storePath = resolve(base, options.storePath);
  const store = createStore({ path: storePath, log });
  const trust = createTrust(options.trustPath ?? trustPathFor(storePath));
  const refresh = createRefresh({
    reader,
    trust,
    own: options.ownConnections && ownState(options.ownConnections, base),
    envSource: createEnvSource({ env, variable: options.envVar, base }),
    project: createProject(options, trust, base),
    store,
    log,
  });
  const routeFields = ['host', 'ssh', ...(options.routeFields ?? [])];
  const { narrowingFields = [] } = options;
  const personFields = [...sshPersonFields, ...narrowingFields, ...(options.personFields ?? [])];
  return { store, rules: { byPerson: false, reader, storePath, routeFields, personFields, narrowingFields }, refresh };
}

/** One object: another one each time would count as news. */
const noProject: ReturnType<ProjectSource['read']> = { pending: [] };

function createProject<C extends BaseConnection>(options: RegistryOptions<C>, trust: Trust, cwd: string): ProjectSource {
  if (options.configPath !== undefined) return createNamedProject(resolve(cwd, options.configPath));
  const { projectFileName, program = options.logPrefix } = options;
  if (projectFileName === undefined) return { read: () => noProject };
  return createFoundProject({ cwd, fileName: projectFileName, trust, allowCommand: `${program} allow` });
}

interface RefreshParts<C extends BaseConnection> {
  reader: Reader<C>;
  trust: Trust;
  own: SourceState | undefined;
  envSource: Source;
  project: ProjectSource;
  store: Store;
  log: Log;
}

/** The merged state, made again only when a source is another object than last time, or something it refers to has changed. */
function createRefresh<C extends BaseConnection>(parts: RefreshParts<C>): () => Compiled<C> {
  let seen: readonly unknown[] = [];
  let compiled: Compiled<C> | undefined;
  let logged = new Set<string>();
  return () => {
    const project = parts.project.read();
    const trustProblem = project.pending.length > 0 ? parts.trust.problem() : undefined;
    const first = [...(parts.own ? [parts.own] : []), parts.envSource.read()];
    const states: SourceState[] = [...first, ...(project.source ? [project.source] : []), parts.store.read()];
    const inputs = [project, trustProblem, ...states];
    const same = inputs.length === seen.length && inputs.every((input, index) => input === seen[index]);
    if (compiled && same && !isStale(compiled, parts.reader)) return compiled;
    const pending = trustProblem
      ? project.pending.map((file) => ({ ...file, failure: because(file.failure, trustProblem) }))
      : project.pending;
    compiled = compile(states, pending, parts.reader);
    seen = inputs;
    logged = logNews(compiled.snapshot, logged, parts.log);
    return compiled;
  };
}

function because(failure: Failure, reason: Failure): Failure {
  return new Failure(failure.kind, failure.message, { code: failure.code, hint: formatAdvice(reason) });
}

/** Each problem once, when it appears. */
function logNews<C extends BaseConnection>(snapshot: Snapshot<C>, before: ReadonlySet<string>, log: Log): Set<string> {
  const failures = [
    ...snapshot.problems.map(({ failure }) => failure),
    ...snapshot.entries.flatMap(({ problem }) => problem ?? []),
  ];
  const messages = new Set(failures.map(({ message }) => message));
  for (const message of messages) if (!before.has(message)) log('warn', message);
  return messages;
}

function withoutNulls(input: Fields): Fields {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));
}
