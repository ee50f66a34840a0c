import { type BackendTarget, Failure, isLocalHost } from '@dbmole/core';
import pg from 'pg';
import type { ServerIdentity, SqlBackend } from '../../backend.ts';
import { staleFailure } from '../../failure.ts';
import type { Connection } from '../../schema.ts';
import { toPostgresFailure } from './failure.ts';

const connectTimeoutMs = 10_000;

export async function openBackend(target: BackendTarget<Connection>, signal: AbortSignal): Promise<SqlBackend> {
  const { config, connectHost, connectPort, dial } = target;
  const client = new pg.Client({
    host: connectHost,
    port: connectPort,
    user: config.user,
    database: config.database ?? config.user,
    application_name: 'dbmole-mcp',
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    ...(typeof config.password === 'string' ? { password: config.password } : {}),
    // The tunnel encrypts; to this machine there is nothing to protect. Everything else is verified against `host`.
    ssl: dial === undefined && !isLocalHost(connectHost) ? { rejectUnauthorized: true, servername: target.serverName } : false,
    ...(dial === undefined ? {} : { stream: dial }),
  });
  let alive = true;
  // Without a listener the loss of an idle connection would be an uncaught exception.
  client.on('error', () => {
    alive = false;
  });
  client.on('end', () => {
    alive = false;
  });
  const abort = () => void client.end();
  signal.addEventListener('abort', abort, { once: true });
  try {
    await client.connect();
  } catch (error) {
    throw signal.aborted ? signal.reason : toPostgresFailure(error, { host: connectHost, port: connectPort });
  } finally {
    signal.removeEventListener('abort', abort);
  }
  return {
    async identify() {
      if (!alive) throw staleFailure();
      return identify(client).catch((error: unknown) => {
        throw toPostgresFailure(error, { host: connectHost, port: connectPort });
      });
    },
    dispose: () => client.end(),
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
