import { hostname as localName, userInfo } from 'node:os';
import { join } from 'node:path';
import { checkAborted } from '../../abort.ts';
import { tunnelFailure } from '../failures.ts';
import { complaint, isHostWord, runSsh, type SshProgram } from './ssh-program.ts';

/** A host as a person's own configuration of ssh describes it. */
export interface SshHost {
  hostname: string;
  port: number;
  user: string;
  /** In order, with `~` and tokens replaced; they need not exist. */
  identityFiles: readonly string[];
  /** The socket of an agent, or undefined for none. */
  agent: string | undefined;
  identitiesOnly: boolean;
  /** `[user@]host[:port]` or `ssh://…`, the first hop first. */
  jumps: readonly string[];
  proxyCommand: string | undefined;
  /** What decides about host keys beside known_hosts, by the name of the setting. */
  hostKeySources: readonly string[];
  certificateFiles: readonly string[];
  pkcs11: boolean;
  knownHostsFiles: readonly string[];
  hostKeyAlias: string | undefined;
}

export interface AskOptions {
  program: SshProgram;
  home: string;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

export interface HostWish {
  name: string;
  user?: string | undefined;
  port?: number | undefined;
}

/** What ssh itself would do for this host: it reads its files, with all their patterns, includes and conditions. Connects to nothing. */
export async function askSsh({ name, user, port }: HostWish, options: AskOptions): Promise<SshHost> {
  if (!isHostWord(name) || (user !== undefined && !isHostWord(user))) {
    throw tunnelFailure('E_SSH_CONFIG', `invalid SSH server ${JSON.stringify(name)}`);
  }
  const wish = [...(user === undefined ? [] : ['-l', user]), ...(port === undefined ? [] : ['-p', String(port)])];
  const { program, timeoutMs, signal } = options;
  const { code, stdout, stderr } = await runSsh(program, { args: ['-G', ...wish, '--', name], timeoutMs, signal });
  if (code === null) checkAborted(signal);
  if (code !== 0) {
    const why = code === null ? `no answer within ${timeoutMs} ms` : complaint(stderr, 'first');
    throw tunnelFailure('E_SSH_CONFIG', `ssh -G failed for ${JSON.stringify(name)}: ${why}`);
  }
  return parseSshHost(stdout, name, options);
}

/** The output of `ssh -G`: one setting on each line, some of them several times. */
function parseSshHost(text: string, name: string, { home, program }: Pick<AskOptions, 'home' | 'program'>): SshHost {
  const settings = new Map<string, string[]>();
  for (const line of text.split(/\r?\n/)) {
    const [, key, value] = /^(\S+) (.*)$/.exec(line) ?? [];
    if (key !== undefined && value !== undefined) settings.set(key, [...(settings.get(key) ?? []), value]);
  }
  const all = (key: string) => (settings.get(key) ?? []).filter((value) => value !== 'none');
  const one = (key: string) => all(key)[0];
  const host = { name, hostname: one('hostname') ?? name, port: Number(one('port') ?? 22), user: one('user') ?? '' };
  const hostKeyAlias = one('hostkeyalias');
  const path = (value: string) => expandTokens(value, { ...host, hostKeyAlias, home, env: program.env });
  return {
    ...host,
    identityFiles: all('identityfile').map(path),
    agent: findAgent(settings.get('identityagent')?.[0], program.env, path),
    identitiesOnly: one('identitiesonly') === 'yes',
    jumps: (one('proxyjump') ?? '').split(',').filter((jump) => jump !== ''),
    proxyCommand: one('proxycommand'),
    hostKeySources: ['RevokedHostKeys', 'KnownHostsCommand'].filter((name) => one(name.toLowerCase()) !== undefined),
    certificateFiles: all('certificatefile').map(path),
    pkcs11: one('pkcs11provider') !== undefined,
    knownHostsFiles: [...all('userknownhostsfile'), ...all('globalknownhostsfile')].flatMap(splitPaths).map(path),
    hostKeyAlias,
  };
}

/** `[user@]host[:port]`, as in ProxyJump; an IPv6 address is in brackets. */
export function parseJump(text: string): HostWish {
  const match = /^(?:ssh:\/\/)?(?:(?<user>[^@]+)@)?(?:\[(?<address>[^\]]+)\]|(?<name>[^:/]+))(?::(?<port>\d+))?\/?$/.exec(text);
  const name = match?.groups?.address ?? match?.groups?.name;
  if (name === undefined)
    throw tunnelFailure('E_SSH_CONFIG', `invalid SSH host ${JSON.stringify(text)}: expected [user@]host[:port]`);
  const port = match?.groups?.port;
  return { name, user: match?.groups?.user, port: port === undefined ? undefined : Number(port) };
}

function findAgent(value: string | undefined, env: SshProgram['env'], path: (text: string) => string): string | undefined {
  if (value === 'none') return undefined;
  if (value === undefined || value === 'SSH_AUTH_SOCK') return env.SSH_AUTH_SOCK || undefined;
  const variable = /^\$\{?(\w+)\}?$/.exec(value)?.[1];
  return variable === undefined ? path(value) : env[variable] || undefined;
}

/** ssh lists them without quotes, and a path may have spaces: each begins at a root or a home. */
function splitPaths(value: string): string[] {
  return value.split(/ (?=[~/]|[A-Za-z]:[\\/])/);
}

interface TokenValues extends Pick<SshHost, 'hostname' | 'port' | 'user' | 'hostKeyAlias'> {
  name: string;
  home: string;
  env: SshProgram['env'];
}

/** Those that paths may hold; what we do not know stays, and the file is then not there. */
function expandTokens(value: string, { name, hostname, port, user, hostKeyAlias, home, env }: TokenValues): string {
  const tokens: Record<string, () => string> = {
    '%': () => '%',
    d: () => home,
    h: () => hostname,
    i: () => String(process.getuid?.() ?? ''),
    k: () => hostKeyAlias ?? name,
    L: () => localName().replace(/\..*/, ''),
    l: () => localName(),
    n: () => name,
    p: () => String(port),
    r: () => user,
    u: () => userInfo().username,
  };
  const plain = value.replace(/^"(.*)"$/, '$1').replace(/%(.)|\$\{(\w+)\}/g, (text, letter?: string, variable?: string) => {
    return (variable === undefined ? tokens[letter ?? '']?.() : env[variable]) ?? text;
  });
  return plain === '~' || plain.startsWith('~/') ? join(home, plain.slice(1)) : plain;
}
