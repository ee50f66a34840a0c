import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Failure, type Fields, type Log, nearestNames, RunningCalls, readStamp, toFailure, untilAborted } from '@dbmole/core';
import { resolveLaunch } from '../config/launch.ts';
import { findPlaces, logFolder, manifestFolder, type Places, type Surroundings } from '../config/places.ts';
import { type Config, type ConfiguredServer, readConfig } from '../config/read-config.ts';
import { buildListing, type HubPart, type HubTool, type Listing, type ListingOptions } from '../manifest/listing.ts';
import { type Manifest, manifestPath, readManifest, type Seen, saveManifest } from '../manifest/manifest.ts';
import { mapUris } from '../manifest/resource-uris.ts';
import { serverPrefix } from '../manifest/tool-names.ts';
import type { HubCaller, ServerCall } from '../server/caller.ts';
import type { ConnectionEvents, ServerConnection } from '../server/connection.ts';
import { ManagedServer } from '../server/managed-server.ts';
import { OrphanGuard } from '../server/orphan-guard.ts';
import type { ListName } from '../session/hub-door.ts';
import { findPart } from './find-part.ts';

interface HubOptions extends Surroundings, ListingOptions {
  /** The file of `--config`. */
  config: string | undefined;
  log: Log;
}

interface ToolCall {
  args: Fields;
  timeoutMs?: number | undefined;
}

/** More servers are not started at a time when nothing is known of them yet. */
const maxStarts = 4;
/** Files are looked at again no more often than this. */
const checkMs = 500;

/** The servers behind one entry: what they offer, and how a call reaches them. */
export class Hub {
  readonly calls = new RunningCalls();
  readonly guard = new OrphanGuard();
  readonly options: HubOptions;
  places: Places;
  config: Config;
  listing: Listing;
  readonly #managed = new Map<string, ManagedServer>();
  readonly #manifests = new Map<string, Manifest | undefined>();
  readonly #listeners = new Set<(lists: readonly ListName[]) => void>();
  readonly #disposal = new AbortController();
  readonly #beingLearned = new Map<string, Promise<void>>();
  #stamps = '';
  #checkedAt = 0;
  #shown: Readonly<Record<ListName, string>>;
  #learning: Promise<void> = Promise.resolve();

  constructor(options: HubOptions) {
    this.options = options;
    this.places = findPlaces(options, options.config);
    this.config = readConfig(this.places);
    this.#stamps = this.#readStamps();
    this.listing = this.#build();
    this.#shown = formatLists(this.listing);
  }

  /** Resolves when every server was seen or has failed to start. */
  get learning(): Promise<void> {
    return this.#learning;
  }

  /** Starts those of which nothing is known, in the background. */
  learnUnknown(): void {
    const unknown = this.enabled.filter((server) => this.manifestFor(server)?.fingerprint !== server.fingerprint);
    this.#learning = this.#learnAll(unknown);
  }

  get enabled(): readonly ConfiguredServer[] {
    return this.config.servers.filter(({ entry }) => entry?.enabled === true);
  }

  manifestFor(server: ConfiguredServer): Manifest | undefined {
    const path = this.manifestFile(server);
    if (!this.#manifests.has(path)) this.#manifests.set(path, readManifest(path));
    return this.#manifests.get(path);
  }

  manifestFile({ name, origin }: ConfiguredServer): string {
    return manifestPath(manifestFolder(this.places), { server: name, origin });
  }

  logFile({ name }: Pick<ConfiguredServer, 'name'>): string {
    return join(logFolder(this.places), `${name.replace(/[^\w-]/g, '_')}.log`);
  }

  /** The processes of one server: one, or one for each session. */
  processesOf(server: ConfiguredServer): ManagedServer[] {
    return [...this.#managed.values()].filter((one) => one.server.fingerprint === server.fingerprint);
  }

  /** The listener is called with lists that differ from those before. */
  onListChanged(listener: (lists: readonly ListName[]) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Throws for a name that no tool has, and for a tool that is withheld. */
  findTool(name: string): HubTool {
    return findPart(this.listing.tools, { kind: 'tool', name, see: this.listing.isSearch ? 'hub_search' : 'hub_status' });
  }

  /** Waits for a server that starts for the first time; then throws like `findTool`, or why the server did not start. */
  async requireTool(name: string, signal: AbortSignal): Promise<HubTool> {
    const isNamed = (server: ConfiguredServer) => name.startsWith(serverPrefix(server.name));
    const unseen = this.enabled.find((server) => isNamed(server) && this.manifestFor(server) === undefined);
    if (unseen !== undefined) await untilAborted(this.learn(unseen), signal);
    return this.findTool(name);
  }

  /** Throws like `findTool`. */
  findPrompt(name: string): HubPart<Fields> {
    return findPart(this.listing.prompts, { kind: 'prompt', name, see: 'hub_status' });
  }

  async call({ server, name }: HubTool, { args, timeoutMs }: ToolCall, caller: HubCaller): Promise<Fields> {
    const params = { name, arguments: args };
    return await this.request(server, { method: 'tools/call', params, what: name, timeoutMs }, caller);
  }

  /** The result has the URIs of its resources as clients of the hub use them. */
  async request(server: string, call: ServerCall, caller: HubCaller): Promise<Fields> {
    const { trace } = caller;
    const traced = trace === undefined ? call : { ...call, params: { ...call.params, _meta: trace } };
    return mapUris(await this.#managedFor(this.findServer(server), caller.session).call(traced, caller), server);
  }

  findServer(name: string): ConfiguredServer {
    const server = this.enabled.find((one) => one.name === name);
    if (server !== undefined) return server;
    const { problem, entry } = this.config.servers.find((one) => one.name === name) ?? {};
    if (problem !== undefined) throw problem;
    const what = entry === undefined ? 'is not configured' : 'is disabled';
    const nearest = nearestNames(
      name,
      this.config.servers.map((one) => one.name),
    );
    throw new Failure('unknown', `server ${JSON.stringify(name.slice(0, 100))} ${what}`, { nearest });
  }

  async restart(name: string, session: string, signal: AbortSignal): Promise<void> {
    await this.#managedFor(this.findServer(name), session).restart(signal);
  }

  /** Starts a server, and reads what it offers; once, however many wait for it. */
  async learn(server: ConfiguredServer): Promise<void> {
    const { fingerprint } = server;
    const running =
      this.#beingLearned.get(fingerprint) ?? this.#learn(server).finally(() => this.#beingLearned.delete(fingerprint));
    this.#beingLearned.set(fingerprint, running);
    await running;
  }

  async #learn(server: ConfiguredServer): Promise<void> {
    const isShared = server.entry?.share === 'all';
    const managed = isShared ? this.#managedFor(server, '') : this.#create(server);
    await managed.refresh(this.#disposal.signal);
    // A process of its own for each session: this one has none.
    if (!isShared) await managed.dispose();
  }

  leave(session: string): void {
    for (const [key, managed] of this.#managed) {
      managed.leave(session);
      if (!key.endsWith(`:${session}`) || session === '') continue;
      this.#managed.delete(key);
      void managed.dispose();
    }
  }

  /** Notices files that a person has changed. */
  check(): void {
    const now = Date.now();
    if (now - this.#checkedAt < checkMs) return;
    this.#checkedAt = now;
    if (this.#readStamps() === this.#stamps) return;
    this.places = findPlaces(this.options, this.options.config);
    this.config = readConfig(this.places);
    this.#manifests.clear();
    this.#stamps = this.#readStamps();
    this.#endRemoved();
    this.#publish();
    this.learnUnknown();
  }

  /** Running calls are given up, and new ones refused. */
  stopCalls(): void {
    this.calls.abortAll(stopping());
  }

  async dispose(): Promise<void> {
    this.#disposal.abort(stopping());
    await Promise.all([...this.#managed.values()].map((one) => one.dispose()));
    this.guard.close();
  }

  #managedFor(server: ConfiguredServer, session: string): ManagedServer {
    const key = `${server.fingerprint}:${server.entry?.share === 'session' ? session || randomUUID() : ''}`;
    const found = this.#managed.get(key);
    if (found !== undefined) return found;
    const created = this.#create(server);
    this.#managed.set(key, created);
    return created;
  }

  #create(server: ConfiguredServer): ManagedServer {
    return new ManagedServer({
      server,
      open: (events, signal) => this.#open(server, events, signal),
      onSeen: (seen) => this.#onSeen(server, seen),
    });
  }

  async #open(server: ConfiguredServer, events: ConnectionEvents, signal: AbortSignal): Promise<ServerConnection> {
    const { env, cwd, home } = this.options;
    const launch = await resolveLaunch(server, { env, cwd, home, signal });
    const { era } = this.manifestFor(server) ?? {};
    const { name, entry } = server;
    const common = { name, era, signal, startMs: entry?.startTimeout ?? 60_000, events };
    if (launch.kind === 'http') {
      const { openHttp } = await import('../server/http-connection.ts');
      return await openHttp({ ...common, launch });
    }
    const { openStdio } = await import('../server/stdio-connection.ts');
    return await openStdio({ ...common, launch, guard: this.guard, logFile: this.logFile(server) });
  }

  async #onSeen(server: ConfiguredServer, seen: Seen): Promise<void> {
    const path = this.manifestFile(server);
    const known = this.manifestFor(server);
    const { name, origin, fingerprint } = server;
    if (known?.fingerprint === fingerprint && JSON.stringify(pickSeen(known)) === JSON.stringify(pickSeen(seen))) return;
    this.#manifests.set(path, await saveManifest(path, { server: name, origin, fingerprint }, seen));
    this.#stamps = this.#readStamps();
    this.#publish();
  }

  /** Tells the clients only when they would see something else. */
  #publish(): void {
    this.listing = this.#build();
    const shown = formatLists(this.listing);
    const changed = listNames.filter((list) => shown[list] !== this.#shown[list]);
    if (changed.length === 0) return;
    this.#shown = shown;
    for (const listener of this.#listeners) listener(changed);
  }

  #build(): Listing {
    return buildListing(
      this.enabled.map((server) => ({ server, manifest: this.manifestFor(server) })),
      this.options,
    );
  }

  async #learnAll(servers: readonly ConfiguredServer[]): Promise<void> {
    const rest = [...servers];
    const work = async () => {
      for (let server = rest.shift(); server !== undefined; server = rest.shift()) {
        const { name } = server;
        await this.learn(server).catch((error: unknown) => {
          this.options.log('warn', `server ${name} was not seen`, { error: toFailure(error).message });
        });
      }
    };
    await Promise.all(Array.from({ length: maxStarts }, work));
  }

  #endRemoved(): void {
    const kept = new Set(this.enabled.map(({ fingerprint }) => fingerprint));
    for (const [key, managed] of this.#managed) {
      if (kept.has(managed.server.fingerprint)) continue;
      this.#managed.delete(key);
      void managed.dispose();
    }
  }

  /** What a person or another hub may change: the configuration, and what was seen and accepted. */
  #readStamps(): string {
    const { named, project, own, trust } = findPlaces(this.options, this.options.config);
    const manifests = this.enabled.map((server) => this.manifestFile(server));
    return [named, project, own, trust, ...manifests].map((path) => path && `${path}:${readStamp(path)}`).join('|');
  }
}

function stopping(): Failure {
  return new Failure('cancelled', 'the hub is stopping', { code: 'E_SHUTTING_DOWN' });
}

function pickSeen({ name, version, era, instructions, tools, prompts, resources, templates }: Seen): Seen {
  return { name, version, era, instructions, tools, prompts, resources, templates };
}

const listNames: readonly ListName[] = ['tools', 'prompts', 'resources'];

function formatLists({ shown: { tools, prompts, resources, resourceTemplates } }: Listing): Record<ListName, string> {
  return {
    tools: JSON.stringify(tools),
    prompts: JSON.stringify(prompts),
    resources: JSON.stringify([resources, resourceTemplates]),
  };
}
