import { connect as connectSocket, isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { Failure, isLocalHost } from '@dbmole/core';
import mysql, { type AuthPlugin } from 'mysql2';
import type { SessionTarget } from '../../engine.ts';
import { tlsFor } from '../../tls.ts';
import { createDeferred } from './deferred.ts';
import { toMysqlFailure } from './failure.ts';
import { createLink, type Driver, type Link } from './link.ts';

/** For everything up to the first answer: the way there, TLS and the login. */
const connectTimeoutMs = 10_000;
const keepAliveMs = 30_000;

/** One connection, logged in. The signal ends the attempt at once, wherever it is. */
export async function openLink(target: SessionTarget, signal: AbortSignal): Promise<Link> {
  signal.throwIfAborted();
  const tls = await tlsFor(target);
  signal.throwIfAborted();
  const where = { host: target.connectHost, port: target.connectPort };
  const socket = target.dial === undefined ? connectSocket({ ...where, ...socketOptions }) : connected(target.dial());
  const driver = createDriver(target, socket, tls !== undefined);
  const link = createLink(driver, socket);
  if (tls !== undefined) upgradeLater(driver, socket, tls, link);
  try {
    await withDeadline({ signal, where }, link.opened);
    return link;
  } catch (error) {
    link.destroy();
    throw signal.aborted ? signal.reason : toMysqlFailure(error, where);
  }
}

const socketOptions = { noDelay: true, keepAlive: true, keepAliveInitialDelay: keepAliveMs } as const;

/** The driver expects a stream that is already on its way; a tunnel's opens when it is told to. */
function connected(stream: Duplex): Duplex {
  const start: unknown = Reflect.get(stream, 'connect');
  if (typeof start === 'function') Reflect.apply(start, stream, []);
  return stream;
}

function createDriver(target: SessionTarget, socket: Duplex, tls: boolean): Driver {
  const { config, database } = target;
  const connection = mysql.createConnection({
    user: config.user,
    ...(typeof config.password === 'string' ? { password: config.password } : {}),
    ...(database === undefined ? {} : { database }),
    stream: () => socket,
    charset: 'utf8mb4',
    multipleStatements: false,
    // A server could ask for any file of this machine otherwise. The next two change what statements mean and what is counted. With
    // the last, a statement would have another form, and we write some ourselves.
    flags: ['-LOCAL_FILES', '-IGNORE_SPACE', '-FOUND_ROWS', '-CLIENT_QUERY_ATTRIBUTES'],
    // Ours covers more.
    connectTimeout: 0,
    // Emptied after every call, which takes time in proportion to it.
    maxPreparedStatements: 2,
    disableEval: true,
    // Only says that we want TLS: the handshake itself is ours.
    ...(tls ? { ssl: {} } : {}),
    ...(tls || staysLocal(target) ? {} : { authPlugins: withoutServerKey() }),
  });
  // The driver's types leave out the members that we replace.
  return connection as unknown as Driver;
}

/** On this machine, or on the SSH server at the end of a tunnel, whose key was verified. */
function staysLocal({ connectHost }: SessionTarget): boolean {
  return isLocalHost(connectHost);
}

/**
 * Without TLS these logins ask for a key to encrypt the password with, when the server does not remember it. The key may be that of
 * anyone who answers, behind the last server of a tunnel as well, and would give the password away.
 */
function withoutServerKey(): Record<string, AuthPlugin> {
  const options = { onServerPublicKey: refuseServerKey };
  const { caching_sha2_password, sha256_password } = mysql.authPlugins;
  return { caching_sha2_password: caching_sha2_password(options), sha256_password: sha256_password(options) };
}

function refuseServerKey(): never {
  throw new Failure('connection', 'the server asks for the password, which is not sent without TLS', {
    code: 'E_TLS_REQUIRED',
    hint: 'Set `tls` to "verify-ca" with the `ca` of the server, or to "require" if the network in between is trusted.',
  });
}

/**
 * The driver's own handshake takes the name in the certificate from `host` only and checks no address at all, so we do it: the
 * options are those that `tlsFor` made, and what they check is checked.
 */
function upgradeLater(driver: Driver, socket: Duplex, options: ConnectionOptions, link: Link): void {
  driver.startTLS = (done) => {
    socket.removeAllListeners('data');
    const { servername, ...rest } = options;
    // The extension that carries the name may not carry an address.
    const named = servername === undefined || isIP(servername) > 0 ? {} : { servername };
    const secure = connectTls({ ...rest, ...named, socket });
    let settled = false;
    const settle = (error?: Error) => {
      if (settled) return;
      settled = true;
      done(error);
    };
    secure.once('secureConnect', () => settle());
    secure.on('error', (error) => {
      // The driver writes its own code over the one that tells what is wrong.
      settle(new Error('the TLS handshake failed', { cause: error }));
      link.lose(error);
    });
    secure.on('data', (chunk: Buffer) => driver.packetParser.execute(chunk));
    driver.stream = secure;
  };
}

interface Attempt {
  signal: AbortSignal;
  where: { host: string; port: number };
}

async function withDeadline<T>({ signal, where }: Attempt, work: Promise<T>): Promise<T> {
  const { promise: ended, reject } = createDeferred<never>();
  const abort = () => reject(signal.reason);
  const timer = setTimeout(() => reject(timeoutFailure(where)), connectTimeoutMs);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, ended]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}

function timeoutFailure({ host, port }: Attempt['where']): Failure {
  return new Failure('connection', `cannot connect to ${host}:${port}: no answer within ${connectTimeoutMs / 1000} s`, {
    code: 'E_CONNECT_TIMEOUT',
    hint: 'A firewall may drop the packets, or something else than MySQL listens there; behind a bastion, set `ssh`.',
  });
}
