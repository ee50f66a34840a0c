import { Failure } from '@dbmole/core';
import { notARead, tooComplex } from './refuse.ts';

/** By which way something is reached: where the caller's statement names the first of it, and what lies between. */
export interface Origin {
  at: number;
  via: string;
  /** Where a name without a database is looked for. */
  schema: string | undefined;
}

export type Reached<T> = T & { origin: Origin };

/** Whatever is refused in there is refused for the sake of what led there. */
export async function within<T>(origin: Origin, what: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'refused') throw error;
    const via = join(origin.via, what);
    const { message, hint } = error;
    if (error.code === 'E_TOO_COMPLEX') throw tooComplex(`${via} cannot be checked: ${message}`, origin.at);
    throw notARead({
      message: via === '' ? message : `${via} is no read: ${message}`,
      ...(via === '' && hint !== undefined ? { hint } : {}),
      at: origin.at,
    });
  }
}

export function join(via: string, what: string): string {
  return [via, what].filter((part) => part !== '').join(' over ');
}
