import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import type { Mole, MoleOptions } from '../../doors/library/mole.ts';
import { HttpProcess } from '../http/http-process.ts';

export interface DoorServer {
  /** The built program, and the built entry of the library beside it. */
  program: string;
  library: string;
  /** The function that the library exports. */
  creates: string;
  /** The variables of the configuration, for a server with this home folder. */
  env(home: string): Readonly<Record<string, string>>;
  /** The texts of files in the home folder, by path. */
  files?: Readonly<Record<string, string>>;
}

export interface Door {
  name: string;
  home: string;
  /** The answer as the tool gave it, or the error of the protocol. */
  call(tool: string, args: Record<string, unknown>): Promise<unknown>;
}

type Closers = (() => Promise<unknown>)[];
type Era = 'older era' | 'newer era';

/** The same server behind every door, each with a home of its own; `close` ends them all. */
export class Doors {
  readonly #server: DoorServer;
  readonly #folder: string;
  /** What the programs say on stderr. */
  readonly remarks: string[] = [];
  readonly #closers: Closers = [];
  #homes = 0;

  constructor(server: DoorServer, folder: string) {
    this.#server = server;
    this.#folder = folder;
  }

  async open(): Promise<Door[]> {
    const doors = [
      await this.#openStdio('stdio, older era', [], 'older era'),
      await this.#openStdio('stdio, newer era', [], 'newer era'),
      await this.#openStdio('shared', ['--shared', '--idle', '1s'], 'older era'),
      await this.#openHttp('older era'),
      await this.#openHttp('newer era'),
      await this.#openLibrary(),
    ];
    return doors;
  }

  /** Several clients at each door: those of one door share its process. */
  async openMany(clients: number): Promise<Door[]> {
    const home = this.#makeHome();
    const each = Array.from({ length: clients });
    const fronts = each.map(() => this.#connectStdio('shared', home, ['--shared', '--idle', '1s'], 'older era'));
    const http = await this.#startHttp(this.#makeHome());
    const older = each.map(() => this.#connectHttp(http, 'older era'));
    const newer = each.map(() => this.#connectHttp(http, 'newer era'));
    const mole = await this.#startLibrary(this.#makeHome());
    const inMemory = each.map(() => this.#connectLibrary(mole));
    return await Promise.all([...fronts, ...older, ...newer, ...inMemory]);
  }

  async close(): Promise<void> {
    for (const close of this.#closers.splice(0).toReversed()) await close();
  }

  /** All homes have names of one length, so that a path in an answer is cut at the same place. */
  #makeHome(): string {
    this.#homes += 1;
    const home = join(this.#folder, `home-${String(this.#homes).padStart(3, '0')}`);
    mkdirSync(join(home, 'files'), { recursive: true });
    for (const [path, text] of Object.entries(this.#server.files ?? {})) {
      mkdirSync(dirname(join(home, path)), { recursive: true });
      writeFileSync(join(home, path), text);
    }
    return home;
  }

  #env(home: string): Record<string, string> {
    const own = { PATH: process.env.PATH ?? '', HOME: home, XDG_CONFIG_HOME: join(home, '.config') };
    return { ...own, ...this.#server.env(home) };
  }

  async #openStdio(name: string, args: readonly string[], era: Era): Promise<Door> {
    return await this.#connectStdio(name, this.#makeHome(), args, era);
  }

  async #connectStdio(name: string, home: string, args: readonly string[], era: Era): Promise<Door> {
    const env = this.#env(home);
    const command = process.execPath;
    const transport = new StdioClientTransport({
      command,
      args: [this.#server.program, ...args],
      env,
      cwd: home,
      stderr: 'pipe',
    });
    transport.stderr?.on('data', (text: Buffer) => this.remarks.push(text.toString('utf8')));
    return this.#toDoor(name, home, await this.#connect(transport, era));
  }

  async #openHttp(era: Era): Promise<Door> {
    return await this.#connectHttp(await this.#startHttp(this.#makeHome()), era);
  }

  async #startHttp(home: string): Promise<{ server: HttpProcess; home: string }> {
    const args = ['--calls-per-minute', '1000000', '--max-calls-per-client', '200'];
    const server = new HttpProcess({ file: this.#server.program, args, cwd: home, env: this.#env(home) });
    this.#closers.push(() => server.stop());
    return { server: await server.listening(), home };
  }

  async #connectHttp({ server, home }: { server: HttpProcess; home: string }, era: Era): Promise<Door> {
    const requestInit = { headers: { authorization: `Bearer ${server.token}` } };
    const client = await this.#connect(new StreamableHTTPClientTransport(new URL(server.url), { requestInit }), era);
    // The newer era mirrors arguments into headers, for which it needs the schemas.
    await client.listTools();
    return this.#toDoor(`HTTP, ${era}`, home, client);
  }

  async #openLibrary(): Promise<Door> {
    const home = this.#makeHome();
    const mole = await this.#startLibrary(home);
    return { name: 'library', home, call: (tool, args) => mole.call(tool, args) };
  }

  async #connectLibrary(mole: Mole): Promise<Door> {
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    await mole.connect(theirs);
    return this.#toDoor('library', '', await this.#connect(ours, 'newer era'));
  }

  /** It gets the variables of this process, where the other doors have their own. */
  async #startLibrary(home: string): Promise<Mole> {
    const { library, creates } = this.#server;
    const built: Record<string, (options: MoleOptions<never>) => Promise<Mole>> = await import(pathToFileURL(library).href);
    const create = built[creates];
    if (create === undefined) throw new Error(`${library} exports no ${creates}`);
    this.#setVariables(this.#env(home));
    const mole = await create({ fromConfiguration: true, cwd: home });
    this.#closers.push(() => mole.dispose());
    return mole;
  }

  #setVariables(env: Readonly<Record<string, string>>): void {
    const before = Object.keys(env).map((name) => [name, process.env[name]] as const);
    Object.assign(process.env, env);
    this.#closers.push(async () => {
      for (const [name, value] of before) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
    });
  }

  async #connect(transport: Parameters<Client['connect']>[0], era: Era): Promise<Client> {
    const mode = era === 'newer era' ? { pin: '2026-07-28' } : 'legacy';
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    await client.connect(transport);
    this.#closers.push(() => client.close());
    return client;
  }

  #toDoor(name: string, home: string, client: Client): Door {
    return { name, home, call: (tool, args) => client.callTool({ name: tool, arguments: args }) };
  }
}
