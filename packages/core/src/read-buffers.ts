import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options: { type: 'minor' }) => void;

/** Of what was read: less often costs memory, more often time. */
const everyBytes = 4 * 1024 * 1024;

let collect: Collect | undefined;

/**
 * Counts the bytes that have been read from a socket. Each piece comes in a buffer of its own outside of the heap, and the engine looks
 * for those that nobody needs any more only when there are 32 MB of them. To look among the young ones takes about a millisecond.
 */
export class ReadBuffers {
  #bytes = 0;

  add(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes < everyBytes) return;
    this.#bytes = 0;
    collect ??= findCollect();
    collect({ type: 'minor' });
  }
}

/** Given to every program when it is started so, and to a new context at any time. */
function findCollect(): Collect {
  setFlagsFromString('--expose-gc');
  // It is the engine's own function, which has this form.
  const found = runInNewContext('gc') as Collect;
  setFlagsFromString('--no-expose-gc');
  return found;
}
