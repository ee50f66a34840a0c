import { createServer } from 'node:net';
import { createPortFile } from '../../doors/project/ports.ts';
import { findProjectRoot } from '../../doors/project/project-root.ts';
import { readRunning } from '../../doors/project/running-mark.ts';
import { Failure } from '../../failure.ts';
import { isLocalHost } from '../../local-host.ts';
import { findStorePath } from '../../program/app.ts';
import { findVariable, readonlyFlag, stdioOptions } from '../../program/settings.ts';
import { stateFolderFor } from '../../registry/sources/paths.ts';
import type { CommandOptions } from '../command.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { type Client, clients } from './clients.ts';

const loopback = '127.0.0.1';

interface RemoteCall {
  definition: { program: { name: string; app: string } };
  terminal: Terminal;
  options: CommandOptions;
  serverArgs: readonly string[];
}

interface Address {
  url: string;
  /** It is the server of the project here, so that its token is that of this user. */
  isOwn: boolean;
  isRunning: boolean;
}

export interface RemoteEntry {
  entry: Readonly<Record<string, unknown>>;
  /** What is left for a person to do, in sentences. */
  advice: string;
}

/** Whether a URL is written instead of a command. */
export function isRemote({ http, url, 'sign-in': signIn }: CommandOptions): boolean {
  if (http === true || url !== undefined) return true;
  if (signIn === true) throw new Failure('input', '--sign-in needs --http or --url', { hint: 'Add one of them.' });
  return false;
}

/** Whether one server's URL suits this client. */
export function canUseUrl(client: Client): boolean {
  return client.remote !== undefined;
}

/** The entry of a client for a server that runs already, or will run, at a URL. */
export async function createRemoteEntry(client: Client, call: RemoteCall): Promise<RemoteEntry> {
  if (client.remote === undefined) throw onlyStarts(client);
  refuseOthers(call);
  const { name, app } = call.definition.program;
  const address = await findAddress(call);
  const isReadonly = call.serverArgs.includes(`--${readonlyFlag.name}`);
  return writeRemoteEntry(client, { name, app, address, signsIn: call.options['sign-in'] === true, isReadonly });
}

interface RemoteServer {
  name: string;
  app: string;
  address: Address;
  /** Clients get a token by signing in, so that none is written. */
  signsIn: boolean;
  isReadonly: boolean;
}

/** The entry for a server whose address is known. Throws for a client that takes no URL. */
export function writeRemoteEntry(client: Client, { name, app, address, signsIn, isReadonly }: RemoteServer): RemoteEntry {
  if (client.remote === undefined) throw onlyStarts(client);
  const variable = signsIn ? undefined : findVariable(app, 'token');
  const reference = variable === undefined ? undefined : referTo(client, app, variable);
  const headers = {
    ...(reference !== undefined && { Authorization: `Bearer ${reference}` }),
    ...(isReadonly && { 'X-Mole-Readonly': '1' }),
  };
  const isListed = client.envList !== undefined;
  const entry = client.remote({ url: address.url, headers, tokenVariable: isListed ? variable : undefined });
  const source = address.isOwn ? `the token that \`${name} serve --print-token\` prints` : 'the token of the server';
  const advice = [
    adviseOnToken(client, { variable, hasReference: reference !== undefined || isListed, source }),
    ...(address.isOwn && !address.isRunning ? [`Start the server with \`${name} serve\`.`] : []),
  ].join(' ');
  return { entry, advice };
}

/** Undefined where the client refers to no secret, or has a key of its own for the variable. */
function referTo({ secretInput, envValue }: Client, server: string, variable: string): string | undefined {
  return secretInput?.(server).reference ?? envValue?.(variable);
}

interface TokenAdvice {
  variable: string | undefined;
  hasReference: boolean;
  /** Names the token, as an object of a sentence. */
  source: string;
}

function adviseOnToken({ title, secretInput }: Client, { variable, hasReference, source }: TokenAdvice): string {
  if (variable === undefined) return `${title} signs in when it first connects.`;
  if (secretInput !== undefined) return `${title} asks for a token: enter ${source}.`;
  if (hasReference) return `Set ${variable} in the environment of ${title} to ${source}.`;
  return `${title} cannot refer to a secret: write "headers": { "Authorization": "Bearer TOKEN" } into the entry, with ${source}.`;
}

function onlyStarts({ id, title }: Client): Failure {
  const able = clients.filter(canUseUrl).map((client) => client.id);
  return new Failure('input', `${title} takes no URL from its configuration file, only a command`, {
    hint: `Install ${id} without --http, or use --http with ${able.join(', ')}.`,
  });
}

/** Options of the server itself cannot be in the entry of a client. */
function refuseOthers({ options: { env = [] }, serverArgs, definition: { program } }: RemoteCall): void {
  const [other = env.length > 0 ? '--env' : undefined] = serverArgs.filter((arg) => arg !== `--${readonlyFlag.name}`);
  if (other === undefined) return;
  const isForStdio = stdioOptions.includes(other.slice(2));
  const what = isForStdio ? 'a server on standard input' : 'the server';
  throw new Failure('input', `${other} cannot be combined with --http: it is an option of ${what}`, {
    hint: isForStdio ? 'Leave it out.' : advise(other, program.name),
  });
}

function advise(option: string, program: string): string {
  return option === '--env' ? 'Set the variable where the server runs.' : `Pass it to \`${program} serve\`.`;
}

async function findAddress({ definition: { program }, terminal, options }: RemoteCall): Promise<Address> {
  if (options.url !== undefined) return { url: checkUrl(options.url), isOwn: false, isRunning: true };
  const stateFolder = stateFolderFor(findStorePath(program.app, terminal));
  const root = findProjectRoot({ cwd: terminal.cwd, projectFileName: `.${program.app}.json` });
  const running = readRunning(stateFolder, root);
  if (running !== undefined) return { url: running.url, isOwn: true, isRunning: true };
  const port = await reservePort(stateFolder, root);
  return { url: `http://${loopback}:${port}/mcp`, isOwn: true, isRunning: false };
}

/** The port that `serve` will take: it moves away from one that another program uses. */
async function reservePort(stateFolder: string, root: string): Promise<number> {
  const ports = createPortFile(stateFolder);
  const tried = new Set<number>();
  for (;;) {
    const port = await ports.reserve(root, tried);
    if (await isFree(port)) return port;
    tried.add(port);
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, loopback, () => server.close(() => resolve(true)));
  });
}

/** MCP is at `/mcp`, unless a proxy has it at another path. */
function checkUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw new Failure(
      'input',
      `invalid --url ${JSON.stringify(text.slice(0, 100))}: expected one such as https://mole.example.com/mcp`,
    );
  }
  if (url.protocol === 'http:' && !isLocalHost(url.hostname.replace(/^\[|\]$/g, ''))) {
    throw new Failure('refused', `${url.origin} is not encrypted, and others in the network could read the token`, {
      code: 'E_UNPROTECTED',
      hint: 'Use a URL with https.',
    });
  }
  return url.pathname === '/' ? new URL('/mcp', url).href : url.href;
}
