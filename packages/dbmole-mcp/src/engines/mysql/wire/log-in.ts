import { connect as connectSocket, isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { Failure, isLocalHost, untilAborted, withDeadline } from '@dbmole/core';
import mysql, { type AuthPlugin } from 'mysql2';
import { tlsFor } from '../../../connection/tls.ts';
import type { SessionTarget } from '../../../engine.ts';
import { toMysqlFailure } from '../errors/failure.ts';
import { type Conversation, createConversation, type Driver } from './conversation.ts';

/** The limit of connecting, TLS and the login together. */
const connectTimeoutMs = 10_000;
const keepAliveMs = 30_000;

/** Opens one connection and logs in. The signal ends the attempt at once in every phase. */
export async function logIn(target: SessionTarget, signal: AbortSignal): Promise<Conversation> {
  signal.throwIfAborted();
  const tls = await tlsFor(target);
  signal.throwIfAborted();
  const where = { host: target.connectHost, port: target.connectPort };
  const socket = target.dial === undefined ? connectSocket({ ...where, ...socketOptions }) : connected(target.dial());
  const driver = createDriver(target, socket, tls !== undefined);
  const conversation = createConversation(driver, socket);
  if (tls !== undefined) upgradeLater(driver, socket, tls, conversation);
  try {
    const limits = { signals: [signal], ms: connectTimeoutMs, onTimeout: () => timeoutFailure(where) };
    await withDeadline(limits, (limited) => untilAborted(conversation.opened, limited));
    return conversation;
  } catch (error) {
    conversation.destroy();
    throw signal.aborted ? signal.reason : toMysqlFailure(error, where);
  }
}

const socketOptions = { noDelay: true, keepAlive: true, keepAliveInitialDelay: keepAliveMs } as const;

/** The driver expects a stream that already connects; the stream of a tunnel waits for `connect`. */
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
    // The deadline of `logIn` covers more.
    connectTimeout: 0,
    // The cache is emptied after every call, which takes time in proportion to its size.
    maxPreparedStatements: 2,
    disableEval: true,
    // This only requests TLS; `upgradeLater` does the handshake.
    ...(tls ? { ssl: {} } : {}),
    ...(tls || staysLocal(target) ? {} : { authPlugins: withoutServerKey() }),
  });
  // The driver's types lack the members that are replaced here.
  return connection as unknown as Driver;
}

/** Whether the server runs on this machine, or on the SSH server at the end of a tunnel, whose key was verified. */
function staysLocal({ connectHost }: SessionTarget): boolean {
  return isLocalHost(connectHost);
}

/**
 * Without TLS these logins request a key to encrypt the password with, when the server does not remember the password. The key may be
 * that of an attacker, also after the last server of a tunnel, who could then read the password.
 */
function withoutServerKey(): Record<string, AuthPlugin> {
  const options = { onServerPublicKey: refuseServerKey };
  const { caching_sha2_password, sha256_password } = mysql.authPlugins;
  return { caching_sha2_password: caching_sha2_password(options), sha256_password: sha256_password(options) };
}

function refuseServerKey(): never {
  throw new Failure('connection', 'the server asks for the password, which is not sent without TLS', {
    code: 'E_TLS_REQUIRED',
    hint: 'Set `tls` to "verify-ca" with the `ca` of the server, or to "require" if the network is trusted.',
  });
}

/**
 * Replaces the driver's handshake, which takes the name in the certificate from `host` alone and checks no address. The options are
 * those that `tlsFor` made.
 */
function upgradeLater(driver: Driver, socket: Duplex, options: ConnectionOptions, conversation: Conversation): void {
  driver.startTLS = (done) => {
    socket.removeAllListeners('data');
    const { servername, ...rest } = options;
    // The server name extension must not carry an address.
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
      // The driver overwrites the code that names the cause.
      settle(new Error('the TLS handshake failed', { cause: error }));
      conversation.lose(error);
    });
    secure.on('data', (chunk: Buffer) => driver.packetParser.execute(chunk));
    driver.stream = secure;
  };
}

function timeoutFailure({ host, port }: { host: string; port: number }): Failure {
  return new Failure('connection', `cannot connect to ${host}:${port}: no answer within ${connectTimeoutMs / 1000} s`, {
    code: 'E_CONNECT_TIMEOUT',
    hint: 'Check for a firewall, or for another service on that port; behind a bastion, set `ssh`.',
  });
}
