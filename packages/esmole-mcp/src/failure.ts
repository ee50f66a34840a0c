import { Failure, networkFailure } from '@dbmole/core';

/** Every error of the HTTP client, in our words. Statuses are answers, not errors. */
export function toFailure(error: unknown, where: { host: string; port: number }): Failure {
  if (error instanceof Failure) return error;
  const network = networkFailure(error, where);
  if (network !== undefined) return network;
  const message = error instanceof Error ? error.message : String(error);
  return new Failure('connection', `${where.host}:${where.port}: ${message}`, { code: 'E_NETWORK', cause: error });
}
