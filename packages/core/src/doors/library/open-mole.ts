import { homedir } from 'node:os';
import type { Transport } from '@modelcontextprotocol/server';
import type { Person } from '../../approval/person.ts';
import type { BaseConnection } from '../../connection.ts';
import { Failure } from '../../failure.ts';
import { formatEvent, type Log } from '../../log.ts';
import type { Backend } from '../../manager/backend.ts';
import { type App, type AppOptions, createApp, type ServerDefinition } from '../../program/app.ts';
import { loadQueries } from '../../program/load-queries.ts';
import { loadRecorder } from '../../program/load-recorder.ts';
import { serveClient } from '../../tools/tool-server.ts';
import type {
  Mole,
  MoleApproval,
  MoleCallOptions,
  MoleClient,
  MoleOptions,
  MoleProgress,
  MoleReply,
  MoleTool,
  MoleTransport,
} from './mole.ts';
import { type NamedConnection, readOptions } from './options.ts';

export type * from './mole.ts';

/** A server inside this process. Connections of the caller are validated at once, and nothing is opened before the first call. */
export async function openMole<C extends BaseConnection, B extends Backend>(
  definition: ServerDefinition<C, B>,
  given: MoleOptions<unknown>,
): Promise<Mole> {
  const from = `create${capitalize(definition.program.app)}`;
  const {
    connections = [],
    fromConfiguration = false,
    readonly = false,
    tag,
    cwd,
    log,
    onApproval,
    settings,
  } = readOptions(given, {
    from,
    own: definition.program.settings ?? [],
  });
  const options = {
    env: process.env,
    cwd: cwd ?? process.cwd(),
    home: homedir(),
    settings,
    readonly,
    given: { from, list: connections, isAll: !fromConfiguration },
    log: log === undefined ? () => undefined : cleaned(log),
  };
  const [queries, recorder] = await Promise.all([
    loadQueries(definition, options),
    loadRecorder(definition.program, { ...options, tag, isServer: true }),
  ]);
  const app = createApp(definition, { ...options, queries, recorder, origin: { door: 'library' } });
  await refuseUnusable(app, connections);
  return new AppMole({ ...app, onApproval });
}

function capitalize(word: string): string {
  return `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;
}

function cleaned(log: NonNullable<MoleOptions<unknown>['log']>): NonNullable<AppOptions['log']> {
  return (level, message, fields) => log(level, formatEvent(message, fields));
}

/** A mistake in the caller's own connections is found when the server is made, not by a model that uses them. */
async function refuseUnusable<C extends BaseConnection, B extends Backend>(
  { registry }: App<C, B>,
  connections: readonly NamedConnection[],
): Promise<void> {
  if (connections.length === 0) return;
  const { entries } = await registry.list();
  const unusable = entries.find(({ origin, problem }) => origin.kind === 'option' && problem !== undefined);
  if (unusable?.problem !== undefined) throw unusable.problem;
}

type Served = Pick<App<BaseConnection, Backend>, 'toolServer' | 'openView' | 'dispose'> & {
  log: Log;
  onApproval: MoleApproval | undefined;
};

class AppMole implements Mole {
  readonly #app: Served;
  readonly #clients = new Set<MoleClient>();
  #tools: readonly MoleTool[] | undefined;
  #ended: Promise<void> | undefined;

  constructor(app: Served) {
    this.#app = app;
  }

  /** A copy: the caller may change it. */
  get tools(): readonly MoleTool[] {
    // Every definition has a description and all four annotations; the protocol's type cannot say so.
    this.#tools ??= structuredClone(this.#app.toolServer.definitions) as readonly MoleTool[];
    return this.#tools;
  }

  async call(name: string, args: Readonly<Record<string, unknown>> = {}, options: MoleCallOptions = {}): Promise<MoleReply> {
    const { signal = new AbortController().signal, onProgress, onApproval = this.#app.onApproval } = options;
    return await this.#app.toolServer.call(name, args, {
      signal,
      progressToken: onProgress && 0,
      person: onApproval && toPerson(onApproval),
      notify: async (_method, params) => onProgress?.(readProgress(params)),
    });
  }

  async connect(transport: MoleTransport): Promise<MoleClient> {
    if (this.#ended !== undefined) throw disposed();
    const { openView, log } = this.#app;
    const view = openView({ origin: { door: 'library' } });
    const { onclose: onOwnClose } = transport;
    // The SDK's type has narrower messages, and members that it does without.
    const handle = serveClient(view, transport as Transport, (error) => log('warn', error.message));
    this.#clients.add(handle);
    const { onclose } = transport;
    transport.onclose = () => {
      this.#clients.delete(handle);
      onclose?.();
      onOwnClose?.();
    };
    return { close: () => handle.close() };
  }

  dispose(): Promise<void> {
    this.#ended ??= this.#end();
    return this.#ended;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose();
  }

  async #end(): Promise<void> {
    this.#app.toolServer.calls.abortAll(disposed());
    await this.#app.dispose();
    await Promise.all([...this.#clients].map((client) => client.close()));
  }
}

function toPerson(approve: MoleApproval): Person {
  const ask: Person['ask'] = async (message, signal) => ((await approve({ message, signal })) === true ? 'accept' : 'decline');
  return { place: 'callback', ask };
}

function readProgress({ progressToken: _token, ...progress }: Record<string, unknown>): MoleProgress {
  // What the protocol calls the parameters of a progress notification is this type and the token.
  return progress as unknown as MoleProgress;
}

function disposed(): Failure {
  return new Failure('cancelled', 'the server was disposed', { code: 'E_SHUTTING_DOWN' });
}
