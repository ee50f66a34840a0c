import { Failure } from '../failure.ts';

/** The system's code of an error, for example ENOENT. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || error instanceof Failure || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
