import { Failure, type FailureOptions, networkFailure } from '@dbmole/core';

type Kind = ConstructorParameters<typeof Failure>[0];

const meanings: Readonly<Record<string, [Kind, FailureOptions]>> = {
  ER_ACCESS_DENIED_ERROR: ['auth', { hint: 'Check user and password, and from which hosts the account may log in.' }],
  ER_DBACCESS_DENIED_ERROR: ['auth', { hint: 'The account may not use this `database`.' }],
  ER_HOST_NOT_PRIVILEGED: ['auth', { hint: 'The server accepts no account from this address.' }],
  ER_BAD_DB_ERROR: ['unknown', { code: 'E_UNKNOWN_DATABASE', hint: 'Check `database`.' }],
  ER_CON_COUNT_ERROR: [
    'connection',
    { code: 'E_TOO_MANY_CONNECTIONS', hint: 'Wait until others have closed theirs, then call again.' },
  ],
};

/** Every error of the driver and the server, in our words. */
export function toMysqlFailure(error: unknown, where: { host: string; port: number }): Failure {
  if (error instanceof Failure) return error;
  const network = networkFailure(error, where);
  if (network !== undefined) return network;
  const message = error instanceof Error ? error.message : String(error);
  const engineCode: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined;
  if (typeof engineCode !== 'string' || !engineCode.startsWith('ER_')) {
    return new Failure('connection', `${where.host}:${where.port}: ${message}`, { code: 'E_NETWORK', cause: error });
  }
  const [kind, options] = meanings[engineCode] ?? ['engine', {}];
  return new Failure(kind, message, { ...options, engineCode, cause: error });
}
