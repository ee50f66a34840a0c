import { Failure, type FailureOptions, networkFailure } from '@dbmole/core';

type Kind = ConstructorParameters<typeof Failure>[0];

const meanings: Readonly<Record<string, [Kind, FailureOptions]>> = {
  '28P01': ['auth', { hint: 'Check user and password.' }],
  '28000': ['auth', { hint: 'Check user and password, and what the server accepts from this address.' }],
  '3D000': ['unknown', { code: 'E_UNKNOWN_DATABASE', hint: 'Check `database`.' }],
  '53300': ['connection', { code: 'E_TOO_MANY_CONNECTIONS', hint: 'Wait until others have closed theirs, then call again.' }],
  '57P03': ['connection', { code: 'E_STARTING_UP', hint: 'The server is starting; call again in a moment.' }],
};

/** Every error of the driver and the server, in our words. */
export function toPostgresFailure(error: unknown, where: { host: string; port: number }): Failure {
  if (error instanceof Failure) return error;
  const network = networkFailure(error, where);
  if (network !== undefined) return network;
  const message = error instanceof Error ? error.message : String(error);
  const engineCode = codeOf(error);
  if (engineCode === undefined)
    return new Failure('connection', `${where.host}:${where.port}: ${message}`, { code: 'E_NETWORK', cause: error });
  const [kind, options] = meanings[engineCode] ?? ['engine', {}];
  return new Failure(kind, message, { ...options, engineCode, cause: error });
}

function codeOf(error: unknown): string | undefined {
  const code: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
}
