import { userInfo } from 'node:os';
import { resolve } from 'node:path';
import type { SshRoute } from '../connection.ts';
import { Failure } from '../failure.ts';

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
  /** `user@host:port`, for texts. */
  label: string;
}

const example = '{ "host": "bastion.example.com", "user": "me", "privateKey": "~/.ssh/id_ed25519" }';

/** The only hop of a route. The schema has checked the shape; here stands what this form of the tunnel can do. */
export function parseHop(route: SshRoute): Hop {
  if (typeof route === 'string') {
    throw notSupported(`"ssh": ${JSON.stringify(route)} names a host of ~/.ssh/config, which is not read yet`);
  }
  if (route.jump !== undefined && route.jump.length > 0) {
    throw notSupported(`"jump" in the "ssh" part of the connection is not supported yet (${route.jump.length} given)`);
  }
  const port = route.port ?? 22;
  const user = route.user ?? ownName();
  return {
    host: route.host,
    port,
    user,
    password: plain(route.password, 'password'),
    privateKey: plain(route.privateKey, 'privateKey'),
    passphrase: plain(route.passphrase, 'passphrase'),
    agent: route.agent,
    hostKeys: route.hostKeys ?? [],
    label: `${user}@${route.host}:${port}`,
  };
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
    throw new Failure('config', 'the user to log in to the SSH server as is not given, and this process has no user name', {
      hint,
      cause,
    });
  }
}

function notSupported(message: string): Failure {
  return new Failure('config', message, {
    code: 'E_SSH_NOT_SUPPORTED',
    hint: `Write the one SSH server as an object instead, for example "ssh": ${example}`,
  });
}

function plain(secret: unknown, field: string): string | undefined {
  if (secret === undefined || typeof secret === 'string') return secret;
  throw new Failure('internal', `the reference in "ssh"."${field}" was not resolved before the tunnel was opened`);
}
