import { homedir } from 'node:os';
import { resolve } from 'node:path';
import type * as z from 'zod';
import type { BaseConnection, Networked } from '../connection.ts';
import { describeFailure, Failure } from '../failure.ts';
import { createLog, type Log } from '../log.ts';
import {
  addConnection,
  type ChangeContext,
  previewUpdate,
  removeConnection,
  renameConnection,
  updateConnection,
} from './edit/changes.ts';
import { createClosedStore, createStore, type Store } from './edit/store.ts';
import { assertFits, cleanInput, type EditRules } from './edit/tool-input.ts';
import type { Registry, Resolved, Snapshot, UserEdits } from './entry.ts';
import { findListed, narrowed, refuseForeign, refuseTaken, usable } from './lookup.ts';
import { ConnectionReader } from './read-connection.ts';
import type { Reader } from './secrets/evaluate.ts';
import type { Environment } from './secrets/expand.ts';
import { resolveListed } from './secrets/resolve.ts';
import { SecretMemory } from './secrets/secret-memory.ts';
import type { SecretSources } from './secrets/secret-sources.ts';
import { HostAddresses, type LookupOptions } from './sources/host-addresses.ts';
import { trustPathFor } from './sources/paths.ts';
import { createFoundProject, createNamedProject, type PendingFile, type ProjectSource } from './sources/project.ts';
import { type Compiled, compile, isStale } from './sources/snapshot.ts';
import { createEnvSource, createUrlVariable, ownState, type Source, type SourceState, withDraft } from './sources/sources.ts';
import type { Fields } from './tree.ts';
import type { Place, PlaceReader } from './trust/readonly-places.ts';
import { createTrust, type Trust } from './trust/trust.ts';

export type { Entry, Origin, Registry, Resolved, Snapshot, SourceKind, SourceProblem } from './entry.ts';

export interface RegistryOptions<C extends BaseConnection> extends LookupOptions {
  /** The user's own connections; the only source that is ever written. */
  storePath: string;
  /** A project file that a person named (`--config`). It is trusted, and no other is looked for. */
  configPath?: string | undefined;
  /** What `${VAR}` and `{ "env": … }` see, and the variable below. */
  env: Environment;
  /** The strict schema of one connection. Fields that hold secrets are those that use `secretRef`. */
  schema: z.ZodType<C>;
  /** The program: the prefix of every line on stderr, and what has the command `allow`. */
  logPrefix: string;
  /** Holds a JSON list of connections. */
  envVar: string;
  /** Looked for in the working directory and above it, for example `.dbmole.json`; none is looked for when absent. */
  projectFileName?: string;
  cwd?: string;
  home?: string;
  /** Fields beside `host`, `port` and `ssh` that decide where a stored secret is sent. */
  routeFields?: readonly string[];
  /** No connection may be written to, whatever it says itself. */
  readonly?: boolean | undefined;
  /** The port of a connection that names none. */
  resolvePort: (config: Networked<C>) => number;
  /** Where else the same server can be reached, such as other nodes of a cluster. */
  otherPlaces?: ((config: C) => readonly Place[]) | undefined;
  /** Throws for a file that no connection of a tool may lead to, such as one of another kind. */
  checkFile?: ((path: string) => void) | undefined;
  /** The fields that a `url` holds. Throws a UrlError. */
  parseUrl?: ((url: string) => object) | undefined;
  /** Fields beside those of SSH keys that a tool may not set, as dotted paths. */
  userOnlyFields?: readonly string[];
  /** Fields that count only in a person's own file, not in one that came with a project. */
  ownFileFields?: readonly string[];
  /**
   * Fields by which a person narrows what may be seen through a connection. No tool sets them, nor gets round them: it can neither
   * remove or move such a connection nor add another one to the same place.
   */
  restrictionFields?: readonly string[];
  /** Further fields that narrow with such a text as their value. Only a person sets them, too. */
  restrictingTexts?: Readonly<Record<string, RegExp>>;
  /** Files of other programs that a reference may name. */
  secretSources?: SecretSources<C>;
  /** The connections of the program itself, because of the option `from`. */
  ownConnections?: readonly { from: string; list: readonly ({ name: string } & Fields)[] }[];
  /** Those alone count: neither files nor variables are looked at for others. */
  onlyOwn?: boolean | undefined;
  /** Counts only where nothing else is configured. */
  urlVariable?: { name: string; pattern: RegExp } | undefined;
  log?: Log;
}

/** Accepting a host key is a person's decision, and so is reading a key file (known by its schema) or opening a socket. */
const sshPersonFields = ['ssh.hostKeys', 'ssh.agent', 'ssh.jump.*.hostKeys', 'ssh.jump.*.agent'];

/**
 * Named connections from three places. Everything is read when it is asked for, so an edited file counts at the next call; all
 * reading is synchronous and in one step, so that concurrent calls see one state each.
 */
export function createRegistry<C extends BaseConnection>(options: RegistryOptions<C>): Registry<C> {
  return openRegistry(createContext(options));
}

function openRegistry<C extends BaseConnection>(context: Context<C>): Registry<C> {
  const { rules, refresh } = context;
  const find = (name: string | undefined) => findListed(refresh(), name);
  const edits = listEdits(context, rules, find);
  return {
    list: async () => refresh().snapshot,
    get: async (name) => usable(find(name)),
    resolve: async (name, signal): Promise<Resolved<C>> => {
      const listed = find(name);
      usable(listed);
      return resolveListed(listed, rules.reader, signal);
    },
    add: edits.add,
    update: edits.update,
    remove: edits.remove,
    narrow: (limits) => openRegistry({ ...context, refresh: narrowed(refresh, limits) }),
    person: listEdits(context, { ...rules, asUser: true }, find),
  };
}

/** What may be changed, and how, follows from the rules; the store is changed in one step each. */
function listEdits<C extends BaseConnection>(
  context: Context<C>,
  rules: EditRules<C>,
  find: (name: string) => ReturnType<typeof findListed<C>>,
): UserEdits<C> {
  const { store, refresh } = context;
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
  const prepare = (input: Fields) => {
    const raw = cleanInput(withoutNulls(input), rules);
    assertFits(raw, rules);
    refuseTaken(refresh().byName.get(String(raw.name)));
    return raw;
  };
  const openDraft = (raw: Fields) => openRegistry({ ...context, refresh: context.refreshOver(withDraft(store, raw)) });
  const prepareUpdate = (name: string, input: Fields) => {
    const patch = cleanInput(input, rules);
    refuseForeign(find(name), store.path);
    return patch;
  };
  return {
    draft: (input) => openDraft(prepare(input)),
    draftUpdate: (name, input) => openDraft(previewUpdate(name, prepareUpdate(name, input), store.read(), rules)),
    add: async (input, signal) => {
      const raw = prepare(input);
      await change((one) => addConnection(raw, one), signal);
      return find(String(raw.name)).entry;
    },
    rename: async (name, to, signal) => {
      refuseForeign(find(name), store.path);
      refuseTaken(refresh().byName.get(to));
      await change((one) => renameConnection(name, to, one), signal);
      return find(to).entry;
    },
    update: async (name, input, signal) => {
      const patch = prepareUpdate(name, input);
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
  /** The same with another store. */
  refreshOver(store: Source): () => Compiled<C>;
}

function createContext<C extends BaseConnection>(options: RegistryOptions<C>): Context<C> {
  const { env, schema, log = createLog(options.logPrefix), home = homedir(), restrictionFields = [] } = options;
  const connections = new ConnectionReader({ schema, env, home, readonly: options.readonly });
  const reader: PlaceReader<C> = {
    schema,
    env,
    home,
    connections,
    sources: options.secretSources ?? {},
    ownFileFields: options.ownFileFields ?? [],
    policyFields: ['environment', ...restrictionFields],
    memory: new SecretMemory(),
    resolvePort: options.resolvePort,
    otherPlaces: options.otherPlaces,
    parseUrl: options.parseUrl,
    lookup: options.lookup,
    lookupMs: options.lookupMs,
  };
  const base = resolve(options.cwd ?? process.cwd());
  const storePath = resolve(base, options.storePath);
  const store = options.onlyOwn ? createClosedStore(storePath) : createStore({ path: storePath, log });
  const trust = createTrust(trustPathFor(storePath));
  const parts = {
    reader,
    trust,
    own: (options.ownConnections ?? []).map((one) => ownState(one, base)),
    ...(options.onlyOwn ? noSources : createSources(options, trust, base)),
    log,
  };
  const refreshOver = (source: Source) => createRefresh({ ...parts, store: source });
  const routeFields = ['host', 'file', 'ssh', ...(options.routeFields ?? [])];
  // What every later conversation reads must not come from a model.
  const userOnlyFields = [
    'description',
    'environment',
    ...sshPersonFields,
    ...restrictionFields,
    ...(options.userOnlyFields ?? []),
  ];
  const { restrictingTexts = {} } = options;
  const { checkFile, projectFileName = '.git' } = options;
  const limits = { routeFields, userOnlyFields, restrictionFields, restrictingTexts };
  const rules = { asUser: false, reader, storePath, cwd: base, projectMarkers: ['.git', projectFileName], checkFile, ...limits };
  return { store, rules, refresh: refreshOver(store), refreshOver };
}

/** One object: another one each time would count as news. */
const noProject: ReturnType<ProjectSource['read']> = { pending: [] };

/** What a person has configured outside of the store. */
function createSources<C extends BaseConnection>(options: RegistryOptions<C>, trust: Trust, base: string) {
  const { env, urlVariable } = options;
  return {
    urlVariable: urlVariable && createUrlVariable({ env, base, ...urlVariable }),
    envSource: createEnvSource({ env, variable: options.envVar, base }),
    project: createProject(options, trust, base),
  };
}

const noSources: ReturnType<typeof createSources> = {
  urlVariable: undefined,
  envSource: createEnvSource({ env: {}, variable: '', base: '' }),
  project: { read: () => noProject },
};

function createProject<C extends BaseConnection>(options: RegistryOptions<C>, trust: Trust, cwd: string): ProjectSource {
  if (options.configPath !== undefined) return createNamedProject(resolve(cwd, options.configPath));
  const { projectFileName, logPrefix } = options;
  if (projectFileName === undefined) return { read: () => noProject };
  return createFoundProject({ cwd, fileName: projectFileName, trust, allowCommand: `${logPrefix} allow` });
}

interface RefreshParts<C extends BaseConnection> {
  reader: Reader<C>;
  trust: Trust;
  own: readonly SourceState[];
  envSource: Source;
  urlVariable: Source | undefined;
  project: ProjectSource;
  store: Source;
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
    const found = [...parts.own, parts.envSource.read(), ...(project.source ? [project.source] : []), parts.store.read()];
    const states = isEmpty(found, project.pending) && parts.urlVariable ? [...found, parts.urlVariable.read()] : found;
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

/** A file that cannot be read may hold connections. */
function isEmpty(states: readonly SourceState[], pending: readonly PendingFile[]): boolean {
  return (
    pending.every(({ isGone }) => isGone) &&
    states.every(({ candidates, problems }) => candidates.length === 0 && problems.length === 0)
  );
}

function because(failure: Failure, reason: Failure): Failure {
  return new Failure(failure.kind, failure.message, { code: failure.code, hint: describeFailure(reason) });
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
