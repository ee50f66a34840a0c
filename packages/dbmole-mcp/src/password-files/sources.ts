import { Failure, type SecretSource, type SourceRequest } from '@dbmole/core';
import type { EngineType } from '../connection/connection-url.ts';
import { type Connection, resolvePort, type ServerConnection } from '../connection/schema.ts';
import { passwordFromMyCnf } from './my-cnf.ts';
import { passwordFromPgService } from './pg-service.ts';
import { passwordFromPgpass } from './pgpass.ts';

interface FileOfAnEngine {
  /** The engines whose passwords are in it; another server must never be offered one. */
  types: readonly EngineType[];
  read(config: ServerConnection, request: SourceRequest): string | undefined;
}

/** Files by name, without the dot that hides it. */
const files: Readonly<Record<string, FileOfAnEngine>> = {
  pgpass: { types: ['postgres'], read: (config, request) => passwordFromPgpass(toKey(config), request) },
  'pg_service.conf': { types: ['postgres'], read: (_config, request) => passwordFromPgService(request) },
  'my.cnf': { types: ['mysql', 'mariadb'], read: (_config, request) => passwordFromMyCnf(request) },
};

/** The default database of a user has the user's name. */
function toKey({ type, host, port, user, database }: ServerConnection) {
  return { host, port: resolvePort({ type, port }), user, database: database ?? user };
}

export const readSource = (name: string): SecretSource<Connection> => {
  return (config, request) => {
    const file = files[name];
    if (file === undefined) return undefined;
    if (config.file === undefined && file.types.includes(config.type)) return file.read(config, request);
    throw new Failure(
      'secret',
      `it only has passwords for ${file.types.join(' and ')}, and this connection has type ${config.type}`,
      {
        code: 'E_SECRET_SOURCE',
        hint: 'Configure the password in another way.',
      },
    );
  };
};
