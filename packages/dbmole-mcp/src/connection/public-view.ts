import { type Connection, resolvePort } from './schema.ts';

/** What is shown of a connection, and by which two of them are the same. */
export function publicView({
  type,
  host,
  port,
  user,
  database,
  schema,
}: Pick<Connection, 'type' | 'host' | 'port' | 'user' | 'database' | 'schema'>) {
  return { type, host, port: resolvePort({ type, port }), user, database, schema };
}
