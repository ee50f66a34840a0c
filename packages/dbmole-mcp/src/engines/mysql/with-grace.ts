import type { Link } from './link.ts';

/** Work that does not end in this time after it was told to is abandoned. */
export const settleMs = 2_000;

interface Bounds {
  link: Link;
  signals: readonly AbortSignal[];
}

/** Several steps on one connection: once a signal is aborted, a network that swallows everything must not hold them up for ever. */
export async function withGrace<T>({ link, signals }: Bounds, work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const abort = () => {
    timer ??= setTimeout(() => link.abandon(), settleMs);
  };
  for (const signal of signals) signal.addEventListener('abort', abort, { once: true });
  try {
    return await work();
  } finally {
    for (const signal of signals) signal.removeEventListener('abort', abort);
    clearTimeout(timer);
  }
}
