import { userInfo } from 'node:os';
import { resolve } from 'node:path';
import type { SshHop } from '../connection.ts';
import { Failure } from '../failure.ts';
import type { SshHost } from './program/ssh-config.ts';

/** One SSH server, with everything that reaching it needs. Secrets are plain text here and go nowhere but to ssh2. */
export interface Hop {
  host: string;
  port: number;
  user: string;
  password: string | undefined;
  /** A path, or the text of a key. */
  privateKey: string | undefined;
  passphrase: string | undefined;
  /** The socket of an agent. */
  agent: string | undefined;
  /** Pins, `SHA256:…`; when there are any, they decide alone. */
  hostKeys: readonly string[];
  /** What a person's configuration of ssh adds; undefined when the connection itself describes the server. */
  config: ConfiguredHop | undefined;
  /** `user@host:port`, for texts. */
  label: string;
}

interface ConfiguredHop {
  /** Offered as far as they exist. */
  identityFiles: readonly string[];
  /** Whether only the agent's keys that belong to those files are used. */
  identitiesOnly: boolean;
  knownHostsFiles: readonly string[];
  hostKeyAlias: string | undefined;
}

/** A hop as the connection describes it, with references resolved. Nothing else is looked at: `host` is not an alias here. */
export function readHop(described: Exclude<SshHop, string>): Hop {
  const port = described.port ?? 22;
  const user = described.user ?? ownName();
  return {
    host: described.host,
    port,
    user,
    password: plain(described.password, 'password'),
    privateKey: plain(described.privateKey, 'privateKey'),
    passphrase: plain(described.passphrase, 'passphrase'),
    agent: described.agent,
    hostKeys: described.hostKeys ?? [],
    config: undefined,
    label: formatLabel(user, described.host, port),
  };
}

/** A hop as ssh itself would reach it. */
export function hopOfHost(host: SshHost): Hop {
  const { hostname, port, user, agent, identityFiles, identitiesOnly, knownHostsFiles, hostKeyAlias } = host;
  return {
    host: hostname,
    port,
    user,
    password: undefined,
    privateKey: undefined,
    passphrase: undefined,
    agent,
    hostKeys: [],
    config: { identityFiles, identitiesOnly, knownHostsFiles, hostKeyAlias },
    label: formatLabel(user, hostname, port),
  };
}

export function formatLabel(user: string, host: string, port: number): string {
  return `${user}@${host}:${port}`;
}

/** `~` and `~/…` as a person writes them. */
export function expandHome(path: string, home: string): string {
  if (path === '~') return home;
  return resolve(home, path.startsWith('~/') || path.startsWith('~\\') ? path.slice(2) : path);
}

/** A container may run as a number that has no name. */
function ownName(): string {
  try {
    return userInfo().username;
  } catch (cause) {
    const hint = 'Set "user" in the "ssh" part of the connection.';
    throw new Failure('config', 'no SSH user is configured, and this process has no user name', {
      hint,
      cause,
    });
  }
}

function plain(secret: unknown, field: string): string | undefined {
  if (secret === undefined || typeof secret === 'string') return secret;
  throw new Failure('internal', `the reference in "ssh"."${field}" was not resolved before the tunnel was opened`);
}
