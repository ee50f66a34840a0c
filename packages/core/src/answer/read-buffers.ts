import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options: { type: 'minor' }) => void;

/** The bytes read between two releases: fewer releases cost memory, more cost time. */
const everyBytes = 4 * 1024 * 1024;

let collect: Collect | undefined;

/** Where pieces come from: a socket, or what reads from one. */
export interface Source {
  pause(): unknown;
  resume(): unknown;
}

/** Reading may keep the event loop for this long before everything else gets a turn. */
const turnMs = 5;
/** A shorter piece was the last one that had arrived. */
const minTurnBytes = 4 * 1024;

/**
 * Counts the bytes that have been read from a socket. Each piece comes in a buffer of its own outside of the heap, and the engine looks
 * for unused ones only when there are 32 MB of them. To look among the young ones takes about a millisecond.
 *
 * As long as more has arrived, the runtime hands over up to 32 pieces of 64 KB before it does anything else. The source is paused
 * until the next turn of the event loop when what is done with them takes long.
 */
export class ReadBuffers {
  readonly #source: Source | undefined;
  #bytes = 0;
  /** When the first piece of this turn came; undefined in between. */
  #turnStart: number | undefined;
  #isPaused = false;

  constructor(source?: Source) {
    this.#source = source;
  }

  add(bytes: number): void {
    if (bytes >= minTurnBytes && this.#source !== undefined) this.#limitTurn(this.#source);
    this.#bytes += bytes;
    if (this.#bytes < everyBytes) return;
    this.#bytes = 0;
    collect ??= findCollect();
    collect({ type: 'minor' });
  }

  #limitTurn(source: Source): void {
    this.#turnStart ??= this.#beginTurn(source);
    if (this.#isPaused || performance.now() - this.#turnStart < turnMs) return;
    this.#isPaused = true;
    source.pause();
  }

  #beginTurn(source: Source): number {
    setImmediate(() => {
      this.#turnStart = undefined;
      if (!this.#isPaused) return;
      this.#isPaused = false;
      source.resume();
    });
    return performance.now();
  }
}

/** `gc` is given to every program that is started with the flag, and to a new context at any time. */
function findCollect(): Collect {
  setFlagsFromString('--expose-gc');
  // It is the engine's own function, which has this form.
  const found = runInNewContext('gc') as Collect;
  setFlagsFromString('--no-expose-gc');
  return found;
}
