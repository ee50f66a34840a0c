import { once } from 'node:events';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { type BackendTarget, Failure, isLocalHost } from '@dbmole/core';
import mysql from 'mysql2';
import type { ServerIdentity, SqlBackend } from '../../backend.ts';
import { staleFailure } from '../../failure.ts';
import type { Connection } from '../../schema.ts';
import { toMysqlFailure } from './failure.ts';

const connectTimeoutMs = 10_000;

export async function openBackend(target: BackendTarget<Connection>, signal: AbortSignal): Promise<SqlBackend> {
  signal.throwIfAborted();
  const where = { host: target.connectHost, port: target.connectPort };
  const socket = target.dial === undefined ? connect(where) : connected(target.dial());
  const connection = mysql.createConnection(connectionConfig(target, socket));
  let alive = true;
  const lost = () => {
    alive = false;
  };
  // Without a listener the loss of an idle connection would be an uncaught exception.
  connection.on('error', lost);
  connection.on('end', lost);
  try {
    await once(connection, 'connect', { signal });
  } catch (error) {
    // Its own `destroy` only closes one direction.
    socket.destroy();
    throw signal.aborted ? signal.reason : toMysqlFailure(error, where);
  }
  return {
    async identify() {
      if (!alive) throw staleFailure();
      return await identify(connection.promise()).catch((error: unknown) => {
        throw toMysqlFailure(error, where);
      });
    },
    dispose: () => connection.promise().end(),
  };
}

function connectionConfig(
  { config, connectHost, connectPort, dial }: BackendTarget<Connection>,
  socket: Duplex,
): mysql.ConnectionOptions {
  return {
    host: connectHost,
    port: connectPort,
    user: config.user ?? '',
    connectTimeout: connectTimeoutMs,
    multipleStatements: false,
    // A server could ask for any file of this machine otherwise.
    flags: ['-LOCAL_FILES'],
    stream: () => socket,
    ...(typeof config.password === 'string' ? { password: config.password } : {}),
    ...(config.database === undefined ? {} : { database: config.database }),
    // The tunnel encrypts; to this machine there is nothing to protect. Everything else is verified: the driver checks the
    // certificate against `host`, which is the configured one.
    ...(dial === undefined && !isLocalHost(connectHost) ? { ssl: { rejectUnauthorized: true, verifyIdentity: true } } : {}),
  };
}

/** The driver expects a stream that is already on its way; a tunnel's opens when it is told to. */
function connected(stream: Duplex): Duplex {
  const start: unknown = Reflect.get(stream, 'connect');
  if (typeof start === 'function') Reflect.apply(start, stream, []);
  return stream;
}

type PromiseConnection = ReturnType<mysql.Connection['promise']>;

async function identify(connection: PromiseConnection): Promise<ServerIdentity> {
  const sql = 'select version(), current_user(), database()';
  const [rows] = await connection.query<mysql.RowDataPacket[]>({ sql, rowsAsArray: true });
  const [version, user, database]: unknown[] = Object.values(rows[0] ?? {});
  if (typeof version !== 'string' || typeof user !== 'string') throw new Failure('engine', 'the server did not say what it is');
  const maria = /^(?:5\.5\.5-)?([\d.]+)-MariaDB/i.exec(version);
  return {
    product: maria ? 'MariaDB' : 'MySQL',
    version: maria?.[1] ?? version,
    user,
    database: typeof database === 'string' ? database : undefined,
  };
}
