/** What the queue has to know of a job. */
export interface Queued {
  /** The connections of a process must not wait for each other; undefined for texts that are only read. */
  readonly database?: number | undefined;
  /** How much text there is to parse. */
  readonly size: number;
  /** It was under way when a thread had to be ended, so it may be what kept that thread busy. */
  readonly isSuspect: boolean;
}

/** Longer texts wait until no short one is under way. */
const maxShort = 20_000;
/** The short ones that may go before a long one that waits. */
const maxPassed = 50;
/** The number of sessions that a connection has for questions. */
const maxRunning = 4;

/**
 * The jobs that the thread has not begun. The database with the fewest that are under way is next, so that many hostile statements on one
 * of them do not keep the others waiting. A suspect runs alone, before all others: only then it is known to be the culprit when the thread
 * has to be ended again.
 */
export class JobQueue<J extends Queued> {
  #waiting: J[] = [];
  #passed = 0;

  add(job: J): void {
    this.#waiting.push(job);
  }

  /** Removes and returns the job that may begin beside the running ones. */
  take(running: readonly Queued[]): J | undefined {
    if (running.some(({ isSuspect }) => isSuspect)) return undefined;
    const suspect = this.#waiting.find(({ isSuspect }) => isSuspect);
    if (suspect !== undefined && running.length > 0) return undefined;
    const job = suspect ?? this.#findShort(running) ?? this.#findLong(running);
    if (job !== undefined) this.remove(job);
    return job;
  }

  remove(job: J): void {
    this.#waiting = this.#waiting.filter((one) => one !== job);
  }

  /** All that have not begun, which end with the thread as well. */
  drain(): J[] {
    return this.#waiting.splice(0);
  }

  #findShort(running: readonly Queued[]): J | undefined {
    if (this.#passed >= maxPassed) return undefined;
    const counts = new Map<number | undefined, number>();
    for (const { database } of running) counts.set(database, (counts.get(database) ?? 0) + 1);
    let best: J | undefined;
    let fewest = maxRunning;
    for (const job of this.#waiting) {
      const count = counts.get(job.database) ?? 0;
      if (isLong(job) || count >= fewest) continue;
      [best, fewest] = [job, count];
    }
    if (best !== undefined && this.#waiting.some(isLong)) this.#passed += 1;
    return best;
  }

  #findLong(running: readonly Queued[]): J | undefined {
    const isFree = running.length === 0 || (this.#passed >= maxPassed && !running.some(isLong));
    const job = isFree ? this.#waiting.find(isLong) : undefined;
    if (job !== undefined) this.#passed = 0;
    return job;
  }
}

function isLong({ size }: Queued): boolean {
  return size > maxShort;
}
