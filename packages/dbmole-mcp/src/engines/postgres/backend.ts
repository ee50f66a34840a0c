import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type BackendTarget, Failure, isLocalHost } from '@dbmole/core';
import pg from 'pg';
import type { ServerIdentity, SqlBackend } from '../../backend.ts';
import { staleFailure } from '../../failure.ts';
import type { Connection } from '../../schema.ts';
import { toPostgresFailure } from './failure.ts';

const connectTimeoutMs = 10_000;

export async function openBackend(target: BackendTarget<Connection>, signal: AbortSignal): Promise<SqlBackend> {
  signal.throwIfAborted();
  const where = { host: target.connectHost, port: target.connectPort };
  // Ours, so that giving up closes it at once: the driver would first say goodbye to a server that may never answer.
  const socket: Duplex = target.dial?.() ?? new Socket();
  const client = new pg.Client(clientConfig(target, () => socket));
  let alive = true;
  const lost = () => {
    alive = false;
  };
  // Without a listener the loss of an idle connection would be an uncaught exception.
  client.on('error', lost).on('end', lost);
  const abort = () => socket.destroy();
  signal.addEventListener('abort', abort, { once: true });
  try {
    await client.connect();
  } catch (error) {
    socket.destroy();
    throw signal.aborted ? signal.reason : toPostgresFailure(error, where);
  } finally {
    signal.removeEventListener('abort', abort);
  }
  return {
    async identify() {
      if (!alive) throw staleFailure();
      return await identify(client).catch((error: unknown) => {
        throw toPostgresFailure(error, where);
      });
    },
    dispose: () => client.end(),
  };
}

function clientConfig(
  { config, connectHost, connectPort, dial }: BackendTarget<Connection>,
  stream: () => Duplex,
): pg.ClientConfig {
  return {
    host: connectHost,
    port: connectPort,
    user: config.user,
    database: config.database ?? config.user,
    application_name: 'dbmole-mcp',
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    stream,
    ...(typeof config.password === 'string' ? { password: config.password } : {}),
    // The tunnel encrypts; to this machine there is nothing to protect. Everything else is verified: the driver checks the
    // certificate against `host`, which is the configured one.
    ssl: dial === undefined && !isLocalHost(connectHost) ? { rejectUnauthorized: true } : false,
  };
}

async function identify(client: pg.Client): Promise<ServerIdentity> {
  const { rows } = await client.query<string[]>({
    text: "select current_setting('server_version'), current_user, current_database()",
    rowMode: 'array',
  });
  const [version, user, database] = rows[0] ?? [];
  if (version === undefined || user === undefined) throw new Failure('engine', 'the server did not say what it is');
  return { product: 'PostgreSQL', version, user, database };
}
