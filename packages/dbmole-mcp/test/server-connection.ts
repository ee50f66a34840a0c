import { connectionSchema, type ServerConnection } from '../src/connection/schema.ts';

/** A connection to a server, as it is when it is used. */
export function parseServerConnection(fields: object): ServerConnection {
  const connection = connectionSchema.parse(fields);
  if (connection.file !== undefined) throw new Error('expected a connection to a server');
  return connection;
}
