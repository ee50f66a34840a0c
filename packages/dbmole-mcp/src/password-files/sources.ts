import { Failure, type SecretSource, type SourceRequest } from '@dbmole/core';
import type { EngineType } from '../connection/connection-url.ts';
import { type Connection, resolvePort } from '../connection/schema.ts';
import { passwordFromMyCnf } from './my-cnf.ts';
import { passwordFromPgService } from './pg-service.ts';
import { passwordFromPgpass } from './pgpass.ts';

interface FileOfAnEngine {
  /** The engine whose passwords are in it; another server must never be offered one. */
  type: EngineType;
  read(config: Connection, request: SourceRequest): string | undefined;
}

/** By the name of the file, without the dot that hides it. */
const files: Readonly<Record<string, FileOfAnEngine>> = {
  pgpass: { type: 'postgres', read: (config, request) => passwordFromPgpass(toKey(config), request) },
  'pg_service.conf': { type: 'postgres', read: (_config, request) => passwordFromPgService(request) },
  'my.cnf': { type: 'mysql', read: (_config, request) => passwordFromMyCnf(request) },
};

/** The default database of a user has the user's name. */
function toKey({ type, host, port, user, database }: Connection) {
  return { host, port: resolvePort({ type, port }), user, database: database ?? user };
}

export const readSource = (name: string): SecretSource<Connection> => {
  return (config, request) => {
    const file = files[name];
    if (file === undefined) return undefined;
    if (file.type === config.type) return file.read(config, request);
    throw new Failure('secret', `it only has passwords for ${file.type}, and this connection has type ${config.type}`, {
      code: 'E_SECRET_SOURCE',
      hint: 'Configure the password in another way.',
    });
  };
};
