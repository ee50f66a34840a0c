import { Failure } from '@dbmole/core';
import { notARead } from './refuse.ts';

/** By which way something is reached: where the caller's statement names the first of it, and what lies between. */
export interface Origin {
  at: number;
  via: string;
  /** Where a name without a database is looked for. */
  schema: string | undefined;
}

export type Reached<T> = T & { origin: Origin };

/** Whatever is refused in there is refused for the sake of what led there. */
export function within<T>(origin: Origin, what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'refused') throw error;
    const via = join(origin.via, what);
    throw notARead({
      message: via === '' ? error.message : `${via} is no read: ${error.message}`,
      ...(via === '' && error.hint !== undefined ? { hint: error.hint } : {}),
      at: origin.at,
    });
  }
}

export function join(via: string, what: string): string {
  return [via, what].filter((part) => part !== '').join(' over ');
}
