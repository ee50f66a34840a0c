import { type BackendTarget, Failure, isLocalHost } from '@dbmole/core';
import mysql from 'mysql2/promise';
import type { ServerIdentity, SqlBackend } from '../../backend.ts';
import { staleFailure } from '../../failure.ts';
import type { Connection } from '../../schema.ts';
import { toMysqlFailure } from './failure.ts';

const connectTimeoutMs = 10_000;

export async function openBackend(target: BackendTarget<Connection>, signal: AbortSignal): Promise<SqlBackend> {
  const { config, connectHost, connectPort, dial } = target;
  signal.throwIfAborted();
  let connection: mysql.Connection;
  try {
    connection = await mysql.createConnection({
      host: connectHost,
      port: connectPort,
      user: config.user,
      connectTimeout: connectTimeoutMs,
      multipleStatements: false,
      flags: ['-LOCAL_FILES'],
      ...(typeof config.password === 'string' ? { password: config.password } : {}),
      ...(config.database === undefined ? {} : { database: config.database }),
      // The tunnel encrypts; to this machine there is nothing to protect. Everything else is verified against `host`.
      ...(dial === undefined && !isLocalHost(connectHost) ? { ssl: { rejectUnauthorized: true, verifyIdentity: true } } : {}),
      ...(dial === undefined ? {} : { stream: () => connected(dial()) }),
    });
  } catch (error) {
    throw signal.aborted ? signal.reason : toMysqlFailure(error, { host: connectHost, port: connectPort });
  }
  let alive = true;
  // Without a listener the loss of an idle connection would be an uncaught exception.
  connection.on('error', () => {
    alive = false;
  });
  connection.on('end', () => {
    alive = false;
  });
  return {
    async identify() {
      if (!alive) throw staleFailure();
      return identify(connection).catch((error: unknown) => {
        throw toMysqlFailure(error, { host: connectHost, port: connectPort });
      });
    },
    dispose: () => connection.end(),
  };
}

/** The driver expects a stream that is already on its way. */
function connected(stream: ReturnType<NonNullable<BackendTarget<Connection>['dial']>>) {
  const connect: unknown = Reflect.get(stream, 'connect');
  if (typeof connect === 'function') Reflect.apply(connect, stream, []);
  return stream;
}

async function identify(connection: mysql.Connection): Promise<ServerIdentity> {
  const [rows] = await connection.query<mysql.RowDataPacket[]>({
    sql: 'select version(), current_user(), database()',
    rowsAsArray: true,
  });
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
