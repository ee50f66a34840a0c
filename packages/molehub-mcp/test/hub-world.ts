import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { createFakeTerminal, createTempFolder, type TempFolder } from '@dbmole/core/testing';
import { Client, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import { runCommandLine } from '../src/commands/command-line.ts';
import { createHubDoor, type ProcessDoor } from '../src/hub/door.ts';
import { ClientSession } from '../src/session/client-session.ts';

export const hostileServer = fileURLToPath(new URL('hostile-server.mjs', import.meta.url));
export const askingServer = fileURLToPath(new URL('asking-server.ts', import.meta.url));

/** The entry of the hostile server. */
export function hostile(mode = '', more: Record<string, unknown> = {}): Record<string, unknown> {
  const { env, ...rest } = more;
  return { command: process.execPath, args: [hostileServer], env: { MODE: mode, ...(typeof env === 'object' && env) }, ...rest };
}

export type Mode = 'legacy' | 'auto';

interface WorldOptions {
  servers?: Record<string, unknown>;
  search?: boolean;
  pin?: boolean;
  config?: string;
  env?: Record<string, string>;
}

/** A person's home folder, and hubs in it. */
export class HubWorld {
  readonly folder: TempFolder = createTempFolder();
  readonly log: string[] = [];

  constructor(servers: Record<string, unknown> = {}) {
    this.write(servers);
    onTestFinished(() => this.folder[Symbol.dispose]());
  }

  get own(): string {
    return this.folder.at('.config', 'molehub', 'mcp.json');
  }

  /** Writes the person's own file. */
  write(servers: Record<string, unknown>, path = this.own): void {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, JSON.stringify({ mcpServers: servers }));
  }

  /** The era in which a server was seen. */
  readEra(name: string): string {
    const folder = this.folder.at('.config', 'molehub', 'state', 'manifests');
    const file = readdirSync(folder).find((one) => one.startsWith(`${name}-`)) ?? '';
    return JSON.parse(readFileSync(join(folder, file), 'utf8')).manifest.era;
  }

  serverLog(name: string): string {
    return readFileSync(this.folder.at('.config', 'molehub', 'state', 'logs', `${name}.log`), 'utf8');
  }

  surroundings(env: Record<string, string> = {}) {
    const home = this.folder.path;
    return { env: { PATH: process.env.PATH ?? '', HOME: home, ...env }, cwd: home, home };
  }

  /** The hub of one process. */
  openDoor({ search = false, pin = false, config, env = {} }: WorldOptions = {}): ProcessDoor {
    const door = createHubDoor({ ...this.surroundings(env), config, search, pin }, (line) => void this.log.push(line));
    onTestFinished(() => door.dispose());
    return door;
  }

  /** A client of a hub of its own, or of the one that is given. */
  async connect(
    mode: Mode,
    options: WorldOptions & {
      door?: ProcessDoor;
      session?: string;
      elicitation?: { form?: Record<string, never>; url?: Record<string, never> };
    } = {},
  ): Promise<HubClient> {
    const door = options.door ?? this.openDoor(options);
    const [stdin, stdout] = [new PassThrough(), new PassThrough()];
    const session = new ClientSession({ stdin, stdout, session: options.session ?? 'one', door, onCall: () => undefined });
    const { elicitation } = options;
    const client = new HubClient(
      { name: 'test', version: '1' },
      { versionNegotiation: { mode }, capabilities: elicitation === undefined ? {} : { elicitation } },
    );
    client.door = door;
    client.endSession = () => session.close();
    if (elicitation !== undefined)
      client.setRequestHandler('elicitation/create', async ({ params }) => {
        if (client.isClumsy) throw new Error('it has no window');
        client.questions.push(params.message);
        return params.mode === 'url' ? { action: 'accept' } : { action: 'accept', content: { name: 'Ann' } };
      });
    for (const list of ['tools', 'prompts', 'resources'] as const)
      client.setNotificationHandler(`notifications/${list}/list_changed`, () => void client.changedLists.push(list));
    await client.connect(new StreamTransport(stdout, stdin));
    if (client.getProtocolEra() === 'modern') await client.listen({ toolsListChanged: true });
    onTestFinished(() => session.close());
    return client;
  }
}

export class HubClient extends Client {
  readonly questions: string[] = [];
  /** It fails when it is to ask its person. */
  isClumsy = false;
  /** The lists of which a change was announced, in order. */
  readonly changedLists: string[] = [];
  door: ProcessDoor | undefined;
  endSession: () => void = () => undefined;

  get changes(): number {
    return this.changedLists.filter((list) => list === 'tools').length;
  }

  async names(): Promise<string[]> {
    const { tools } = await this.listTools(undefined, { cacheMode: 'refresh' });
    return tools.map(({ name }) => name);
  }

  /** Waits until the servers were seen. */
  async seen(least = 3): Promise<string[]> {
    for (const end = Date.now() + 30_000; ; await new Promise((resolve) => setTimeout(resolve, 50))) {
      const names = await this.names();
      if (names.length >= least) return names;
      if (Date.now() > end) throw new Error(`only ${names.join(', ')}; ${await this.text('hub_status')}`);
    }
  }

  /** All of a result, without what the SDK adds in the newer era. */
  async result(name: string, args: Record<string, unknown> = {}, options: Parameters<Client['callTool']>[1] = {}) {
    const { _meta, ...result } = await this.callTool({ name, arguments: args }, options);
    return result;
  }

  async text(name: string, args: Record<string, unknown> = {}, options: Parameters<Client['callTool']>[1] = {}): Promise<string> {
    const { content } = await this.result(name, args, options);
    const [first] = content;
    return first?.type === 'text' ? first.text : JSON.stringify(content);
  }
}

/** The SDK's client over two streams. */
class StreamTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  readonly stderr = null;
  readonly pid = null;
  readonly #input: PassThrough;
  readonly #output: PassThrough;

  constructor(input: PassThrough, output: PassThrough) {
    this.#input = input;
    this.#output = output;
  }

  async start(): Promise<void> {
    let rest = '';
    this.#input.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) this.onmessage?.(JSON.parse(line));
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.#output.write(`${JSON.stringify(message)}\n`);
  }

  async close(): Promise<void> {
    this.onclose?.();
  }
}

/** What a person sees who types this behind the program's name. */
export async function typeCommand(world: HubWorld, words: string, { answers = [] as string[], env = {} } = {}) {
  const terminal = createFakeTerminal({ folder: world.folder.path, argv: words.split(' ').filter(Boolean), answers });
  // The texts of the terminal are what it has when it is asked.
  const run = Object.assign(Object.create(terminal), { env: { ...world.surroundings().env, ...env } });
  const code = await runCommandLine(run);
  return { code, text: `${terminal.printed}${terminal.complained}`.trimEnd() };
}

/** A file of an installed package. */
export function findModule(...path: string[]): string {
  return join(fileURLToPath(new URL('../../../node_modules', import.meta.url)), ...path);
}

/** A server from npm that has something of everything. */
export const everything = {
  command: process.execPath,
  args: [findModule('@modelcontextprotocol/server-everything/dist/index.js'), 'stdio'],
};
