import { formatAbort } from '../../abort.ts';
import { SharedOpen } from '../../single-flight.ts';

/** The output of a program, or why it failed. It does not name the caller, as there may be several. */
export type Reading = { secret: string } | { problem: string; started: boolean };

/** One use of a secret that a program gave. */
export interface SecretUse {
  /** The program ran for it; else the secret was in memory, and may be an old one. */
  fresh: boolean;
  /** It was refused: the next caller runs the program again. */
  forget(): void;
}

interface Remembered {
  reading: Reading;
  use: SecretUse;
}

const keepMs = 15 * 60_000;

/**
 * Outputs of programs, kept in this process only, so that a password manager does not prompt at every opening: until the secret
 * is refused, or for a quarter of an hour. Each program runs once at a time, however many wait for it.
 */
export class SecretMemory {
  readonly #kept = new Map<string, { secret: string; since: number }>();
  readonly #running = new Map<string, SharedOpen<Reading, Reading>>();

  /** Equal keys mean equal programs. Waiting ends with the caller's signal, the program with the last one who waits. */
  async read(key: string, run: (signal: AbortSignal) => Promise<Reading>, signal?: AbortSignal): Promise<Remembered> {
    if (signal?.aborted) throw formatAbort(signal);
    const kept = this.#lookUp(key);
    if (kept !== undefined) return { reading: { secret: kept }, use: this.#findUse(key, kept, false) };
    const running = this.#running.get(key) ?? this.#start(key, run);
    const reading = await running.join(signal ?? new AbortController().signal);
    return { reading, use: this.#findUse(key, 'secret' in reading ? reading.secret : undefined, true) };
  }

  #lookUp(key: string): string | undefined {
    const kept = this.#kept.get(key);
    if (kept !== undefined && performance.now() - kept.since < keepMs) return kept.secret;
    this.#kept.delete(key);
    return undefined;
  }

  #start(key: string, open: (signal: AbortSignal) => Promise<Reading>): SharedOpen<Reading, Reading> {
    const running: SharedOpen<Reading, Reading> = new SharedOpen({
      open,
      share: (reading) => reading,
      onOpened: (reading, wanted) => {
        if (wanted && 'secret' in reading) this.#kept.set(key, { secret: reading.secret, since: performance.now() });
      },
      onOver: () => {
        if (this.#running.get(key) === running) this.#running.delete(key);
      },
    });
    this.#running.set(key, running);
    return running;
  }

  /** Forgets that secret only: another call may have read a newer one meanwhile. */
  #findUse(key: string, secret: string | undefined, fresh: boolean): SecretUse {
    const forget = () => {
      if (this.#kept.get(key)?.secret === secret) this.#kept.delete(key);
    };
    return { fresh, forget };
  }
}
